// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/vademecum/Flat.h>
#include <SoftContact/vademecum/VademecumForceField.h>
#include <sofa/core/MechanicalParams.h>
#include <sofa/core/ObjectFactory.h>
#include <sofa/core/behavior/BaseLocalForceFieldMatrix.h>

#include <array>
#include <sofa/core/behavior/ForceField.inl>

namespace softcontact::plugin {

using sofa::core::MechanicalParams;
using sofa::core::objectmodel::BaseContext;
using sofa::core::objectmodel::ComponentState;

namespace {

/// Gauss points and weights on [0, 1], exact for polynomials to the degree of 15: a series of eight terms.
constexpr std::array<std::array<double, 2>, 8> gauss = {{{0.019855071751231884, 0.05061426814518813},
                                                         {0.10166676129318664, 0.11119051722668724},
                                                         {0.2372337950418355, 0.15685332293894364},
                                                         {0.4082826787521751, 0.18134189168918100},
                                                         {0.5917173212478249, 0.18134189168918100},
                                                         {0.7627662049581645, 0.15685332293894364},
                                                         {0.8983332387068134, 0.11119051722668724},
                                                         {0.9801449282487681, 0.05061426814518813}}};

}  // namespace

VademecumForceField::VademecumForceField()
    : l_mapping(initLink("mapping", "Mapping of the sizes to the nodes; empty: the one below"))
{
}

void VademecumForceField::init()
{
    Inherit1::init();
    d_componentState.setValue(ComponentState::Valid);
    if (l_mapping.empty()) l_mapping.set(getContext()->get<VademecumMapping>(BaseContext::SearchDown));
    if (l_mapping.get() == nullptr || l_mapping->getFromModel() != this->mstate.get()) {
        msg_error()
            << "no VademecumMapping below it of the state in its node; add one, or link it as mapping";
        d_componentState.setValue(ComponentState::Invalid);
    }
}

/// When the mapping below has its loads.
void VademecumForceField::bwdInit()
{
    if (const LoadCoordinates* loads = this->loads(); loads != nullptr) {
        m_stiffness.setZero(loads->count(), loads->count());
        readWork(*loads, m_work);
    }
}

const LoadCoordinates* VademecumForceField::loads() const
{
    return d_componentState.getValue() == ComponentState::Valid ? l_mapping->loads() : nullptr;
}

void VademecumForceField::readWork(const LoadCoordinates& loads, MatrixXd& work) const
{
    const VademecumContainer& vademecum = *l_mapping->vademecum();
    work.resize(loads.count(), loads.count());
    for (Index j = 0; j < loads.count(); ++j) {
        const Index load = loads.cases()[static_cast<std::size_t>(j)];
        work.row(j).noalias() =
            vademecum.force(load).transpose() * loads.tangent().middleRows<3>(3 * vademecum.node(load));
    }
}

/// The symmetric part, so that solvers that need one take it, and no direction that would push away.
void VademecumForceField::readStiffness()
{
    m_stiffness = 0.5 * (m_work + m_work.transpose());
    m_axes.compute(m_stiffness);
    if (m_axes.eigenvalues()[0] >= 0.0) return;
    m_stiffness.noalias() = m_axes.eigenvectors() * m_axes.eigenvalues().cwiseMax(0.0).asDiagonal() *
                            m_axes.eigenvectors().transpose();
}

void VademecumForceField::addForce(const MechanicalParams*, DataVecDeriv& f, const DataVecCoord& x,
                                   const DataVecDeriv&)
{
    const LoadCoordinates* loads = this->loads();
    if (loads == nullptr) return;
    readWork(*loads, m_work);
    readStiffness();
    auto force = sofa::helper::getWriteAccessor(f);
    flat(force.wref()).noalias() -= m_work.transpose() * flat(x.getValue());
}

void VademecumForceField::addDForce(const MechanicalParams* params, DataVecDeriv& df, const DataVecDeriv& dx)
{
    if (loads() == nullptr) return;
    const SReal k = sofa::core::mechanicalparams::kFactorIncludingRayleighDamping(
        params, this->rayleighStiffness.getValue());
    auto force = sofa::helper::getWriteAccessor(df);
    flat(force.wref()).noalias() -= k * (m_stiffness * flat(dx.getValue()));
}

void VademecumForceField::buildStiffnessMatrix(sofa::core::behavior::StiffnessMatrix* matrix)
{
    if (loads() == nullptr) return;
    auto out = matrix->getForceDerivativeIn(this->mstate).withRespectToPositionsIn(this->mstate);
    for (Index i = 0; i < m_stiffness.rows(); ++i) {
        for (Index j = 0; j < m_stiffness.cols(); ++j) {
            out(static_cast<sofa::SignedIndex>(i), static_cast<sofa::SignedIndex>(j)) += -m_stiffness(i, j);
        }
    }
}

void VademecumForceField::buildDampingMatrix(sofa::core::behavior::DampingMatrix*)
{
    // no damping of its own
}

SReal VademecumForceField::getPotentialEnergy(const MechanicalParams*, const DataVecCoord& x) const
{
    const LoadCoordinates* now = loads();
    if (now == nullptr) return 0;
    LoadCoordinates path(*l_mapping->vademecum()->field(), now->cases(), now->together());
    const VectorXd sizes = flat(x.getValue());
    MatrixXd work;
    SReal energy = 0;
    for (const auto& [share, weight] : gauss) {
        if (!path.set(share * sizes)) return 0;
        readWork(path, work);
        energy += weight * share * sizes.dot(work * sizes);
    }
    return energy;
}

void registerVademecumForceField(sofa::core::ObjectFactory* factory)
{
    factory->registerObjects(sofa::core::ObjectRegistrationData(
                                 "Forces that hold a solid under the loads on it, as its vademecum has them, "
                                 "on the state of the loads' sizes.")
                                 .add<VademecumForceField>());
}

}  // namespace softcontact::plugin
