// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/Vectors.h>
#include <SoftContact/vademecum/Flat.h>
#include <SoftContact/vademecum/VademecumContactForceField.h>
#include <sofa/core/MechanicalParams.h>
#include <sofa/core/ObjectFactory.h>
#include <sofa/core/behavior/BaseLocalForceFieldMatrix.h>
#include <sofa/simulation/AnimateEndEvent.h>

#include <algorithm>
#include <sofa/core/behavior/PairInteractionForceField.inl>
#include <stdexcept>

namespace softcontact::plugin {

using sofa::core::MechanicalParams;
using sofa::core::objectmodel::BaseContext;
using sofa::core::objectmodel::ComponentState;

VademecumContactForceField::VademecumContactForceField()
    : d_stiffness(
          initData(&d_stiffness, SReal(1e7), "stiffness", "Contact stiffness of a point of the shell [N/m]")),
      d_friction(initData(&d_friction, SReal(0), "friction", "Coefficient of friction")),
      d_tangentialStiffness(initData(&d_tangentialStiffness, SReal(0), "tangentialStiffness",
                                     "Stiffness of a point that sticks [N/m]; 0: as stiffness")),
      d_tabulated(initData(&d_tabulated, true, "tabulated",
                           "Take depths and normals from the vademecum's distance field, where it has one")),
      d_contacts(initData(&d_contacts, 0, "contacts", "OUTPUT: points of the shell that are inside")),
      d_sliding(initData(&d_sliding, 0, "sliding", "OUTPUT: of these, how many slide")),
      d_depth(initData(&d_depth, SReal(0), "depth", "OUTPUT: depth of the deepest point [m]")),
      d_force(initData(&d_force, "force", "OUTPUT: contact force on the shell [N]"))
{
    f_listening.setValue(true);
    for (sofa::core::objectmodel::BaseData* data : std::initializer_list<sofa::core::objectmodel::BaseData*>{
             &d_contacts, &d_sliding, &d_depth, &d_force}) {
        data->setReadOnly(true);
    }
}

void VademecumContactForceField::fail(const std::string& what)
{
    if (!what.empty()) msg_error() << what;
    m_contact.reset();
    m_depths.reset();
    m_ties.clear();
    d_componentState.setValue(ComponentState::Invalid);
}

void VademecumContactForceField::init()
{
    Inherit1::init();
    d_componentState.setValue(ComponentState::Valid);
    m_ties.clear();
    m_contact.reset();
    m_mapping =
        this->mstate1 ? this->mstate1->getContext()->get<VademecumMapping>(BaseContext::Local) : nullptr;
    if (m_mapping == nullptr) fail("object1 is no state that a VademecumMapping moves; link such a one");
}

/// Once the mapping has its loads and the shell its points.
void VademecumContactForceField::makeContact()
{
    if (m_mapping->loads() == nullptr) return fail("");  // the mapping has told why
    const VademecumContainer& vademecum = *m_mapping->vademecum();
    const auto& boundary = vademecum.d_triangles.getValue();
    Triangles triangles(3, static_cast<Index>(boundary.size()));
    for (std::size_t t = 0; t < boundary.size(); ++t) {
        for (int k = 0; k < 3; ++k) {
            triangles(k, static_cast<Index>(t)) = static_cast<int>(boundary[t][static_cast<sofa::Size>(k)]);
        }
    }
    const auto rest = flat(vademecum.d_position.getValue());
    PenaltySettings settings;
    settings.stiffness = d_stiffness.getValue();
    settings.friction = d_friction.getValue();
    settings.tangential_stiffness = d_tangentialStiffness.getValue();
    const auto points = static_cast<Index>(this->mstate2->getSize());
    try {
        if (triangles.cols() == 0) throw std::invalid_argument("the vademecum has no triangles to touch");
        m_contact.emplace(DeformedBoundary(Eigen::Map<const Points>(rest.data(), 3, rest.size() / 3),
                                           triangles, m_mapping->loads()->loaded()),
                          settings, points);
        m_ties.reserve(static_cast<std::size_t>(points));
        const DistanceField* distances = m_mapping->vademecum()->distances();
        if (d_tabulated.getValue() && distances != nullptr) {
            const auto& sizes = vademecum.d_distanceSizes.getValue();
            m_depths =
                std::make_unique<CarriedDistance>(*distances, *m_mapping->vademecum()->field(),
                                                  Eigen::Map<const Points>(rest.data(), 3, rest.size() / 3),
                                                  std::vector<double>(sizes.begin(), sizes.end()));
        }
    } catch (const std::invalid_argument& error) {
        fail(error.what());
    }
}

/// Asked for the load that is largest, which is where the solid is pressed, at the size that it answers for.
DepthMeasure* VademecumContactForceField::depths()
{
    if (!m_depths) return nullptr;
    const LoadCoordinates& loads = *m_mapping->loads();
    Index largest = 0;
    loads.sizes().maxCoeff(&largest);
    const auto& answer = loads.answer(largest);
    m_depths->take(answer.load_case, answer.sign * answer.felt);
    return m_depths.get();
}

void VademecumContactForceField::reset()
{
    if (m_contact) m_contact->release();
    m_ties.clear();
}

void VademecumContactForceField::handleEvent(sofa::core::objectmodel::Event* event)
{
    if (!m_contact || !sofa::simulation::AnimateEndEvent::checkEventType(event)) return;
    int sliding = 0;
    double depth = 0.0;
    Vector3d force = Vector3d::Zero();
    for (const PenaltyPoint& contact : m_contact->contacts()) {
        sliding += contact.slides ? 1 : 0;
        depth = std::max(depth, contact.depth);
        force += contact.force;
    }
    d_contacts.setValue(static_cast<int>(m_contact->contacts().size()));
    d_sliding.setValue(sliding);
    d_depth.setValue(depth);
    d_force.setValue(vec3(force));
    m_contact->commit();
}

VademecumContactForceField::Tie VademecumContactForceField::tie(const PenaltyPoint& contact) const
{
    Tie out;
    out.point = static_cast<sofa::Index>(contact.number);
    const auto& corners =
        m_mapping->vademecum()->d_triangles.getValue()[static_cast<std::size_t>(contact.place.triangle)];
    std::copy(corners.begin(), corners.end(), out.nodes.begin());
    out.shares = contact.place.shares;
    out.stiffness = contact.stiffness;
    if (contact.slides) {
        // Without what ties the bound to the depth, which is not symmetric: solvers may need that it is.
        out.stiffness += d_friction.getValue() * d_stiffness.getValue() * contact.slip.normalized() *
                         contact.normal.transpose();
    }
    return out;
}

void VademecumContactForceField::addForce(const MechanicalParams*, DataVecDeriv& f1, DataVecDeriv& f2,
                                          const DataVecCoord&, const DataVecCoord& x2, const DataVecDeriv&,
                                          const DataVecDeriv&)
{
    if (d_componentState.getValue() != ComponentState::Valid) return;
    if (!m_contact) makeContact();
    if (!m_contact) return;
    if (m_mapping->loads() == nullptr) return fail("");  // it failed underway, and has told why
    const auto points = flat(x2.getValue());
    if (points.size() != 3 * m_contact->point_count()) {
        return fail("object2 had " + std::to_string(m_contact->point_count()) + " points at first, now " +
                    std::to_string(points.size() / 3));
    }
    if (!points.allFinite()) return fail("a point of the shell is not finite; nothing touches any more");
    m_contact->evaluate(Eigen::Map<const Points>(points.data(), 3, points.size() / 3), depths());
    m_ties.clear();
    auto below = sofa::helper::getWriteAccessor(f1);
    auto shell = sofa::helper::getWriteAccessor(f2);
    for (const PenaltyPoint& contact : m_contact->contacts()) {
        const Tie& made = m_ties.emplace_back(tie(contact));
        shell[made.point] += vec3(contact.force);
        for (int k = 0; k < 3; ++k) {
            below[made.nodes[static_cast<sofa::Size>(k)]] -= vec3(made.shares[k] * contact.force);
        }
    }
}

void VademecumContactForceField::addDForce(const MechanicalParams* params, DataVecDeriv& df1,
                                           DataVecDeriv& df2, const DataVecDeriv& dx1,
                                           const DataVecDeriv& dx2)
{
    if (m_ties.empty()) return;
    const SReal factor = sofa::core::mechanicalparams::kFactorIncludingRayleighDamping(
        params, this->rayleighStiffness.getValue());
    auto below = sofa::helper::getWriteAccessor(df1);
    auto shell = sofa::helper::getWriteAccessor(df2);
    const auto& moved1 = dx1.getValue();
    const auto& moved2 = dx2.getValue();
    for (const Tie& made : m_ties) {
        Vector3d apart = -vector3(moved2[made.point]);
        for (int k = 0; k < 3; ++k) {
            apart += made.shares[k] * vector3(moved1[made.nodes[static_cast<sofa::Size>(k)]]);
        }
        const Vector3d change = factor * (made.stiffness * apart);
        shell[made.point] += vec3(change);
        for (int k = 0; k < 3; ++k) {
            below[made.nodes[static_cast<sofa::Size>(k)]] -= vec3(made.shares[k] * change);
        }
    }
}

void VademecumContactForceField::buildStiffnessMatrix(sofa::core::behavior::StiffnessMatrix* matrix)
{
    auto* first = this->mstate1.get();
    auto* second = this->mstate2.get();
    auto d11 = matrix->getForceDerivativeIn(first).withRespectToPositionsIn(first);
    auto d12 = matrix->getForceDerivativeIn(first).withRespectToPositionsIn(second);
    auto d21 = matrix->getForceDerivativeIn(second).withRespectToPositionsIn(first);
    auto d22 = matrix->getForceDerivativeIn(second).withRespectToPositionsIn(second);
    for (const Tie& made : m_ties) {
        sofa::type::Mat<3, 3, SReal> block;
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                block(static_cast<sofa::Size>(i), static_cast<sofa::Size>(j)) = made.stiffness(i, j);
            }
        }
        const auto point = static_cast<sofa::SignedIndex>(3 * made.point);
        d22(point, point) += -block;
        for (int k = 0; k < 3; ++k) {
            const auto node = static_cast<sofa::SignedIndex>(3 * made.nodes[static_cast<sofa::Size>(k)]);
            const SReal share = made.shares[k];
            d21(point, node) += block * share;
            d12(node, point) += block * share;
            for (int l = 0; l < 3; ++l) {
                const auto other = static_cast<sofa::SignedIndex>(3 * made.nodes[static_cast<sofa::Size>(l)]);
                d11(node, other) += block * (-share * made.shares[l]);
            }
        }
    }
}

void VademecumContactForceField::buildDampingMatrix(sofa::core::behavior::DampingMatrix*)
{
    // no damping of its own
}

SReal VademecumContactForceField::getPotentialEnergy(const MechanicalParams*, const DataVecCoord&,
                                                     const DataVecCoord&) const
{
    if (!m_contact) return 0;
    SReal energy = 0;
    for (const PenaltyPoint& contact : m_contact->contacts()) {
        energy += 0.5 * m_contact->settings().stiffness * contact.depth * contact.depth +
                  0.5 * m_contact->settings().tangential_stiffness * contact.slip.squaredNorm();
    }
    return energy;
}

void registerVademecumContactForceField(sofa::core::ObjectFactory* factory)
{
    factory->registerObjects(
        sofa::core::ObjectRegistrationData(
            "Penalty contact with friction of a pointshell with a solid that a vademecum "
            "deforms.")
            .add<VademecumContactForceField>());
}

}  // namespace softcontact::plugin
