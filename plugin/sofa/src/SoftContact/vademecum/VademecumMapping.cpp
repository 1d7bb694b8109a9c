// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/vademecum/Flat.h>
#include <SoftContact/vademecum/VademecumMapping.h>
#include <sofa/core/ObjectFactory.h>
#include <sofa/core/behavior/MechanicalState.h>

#include <sofa/core/Mapping.inl>
#include <stdexcept>

namespace softcontact::plugin {

using sofa::core::objectmodel::BaseContext;
using sofa::core::objectmodel::ComponentState;

VademecumMapping::VademecumMapping()
    : d_nodes(initData(&d_nodes, "nodes",
                       "Node of each load; empty: one load of family 0 at each node that may be loaded")),
      d_families(initData(&d_families, "families", "Family of directions of each load; empty: 0")),
      d_together(initData(&d_together, true, "together",
                          "Each load answers as a part of all that moves its node; else as if it was alone")),
      l_vademecum(initLink("vademecum", "The vademecum; empty: the one in this node or above"))
{
}

void VademecumMapping::fail(const std::string& what)
{
    if (!what.empty()) msg_error() << what;
    m_loads.reset();
    d_componentState.setValue(ComponentState::Invalid);
}

std::vector<Index> VademecumMapping::chosen() const
{
    const auto& nodes = d_nodes.getValue().empty() ? l_vademecum->d_loadNodes.getValue() : d_nodes.getValue();
    const auto& families = d_families.getValue();
    if (!families.empty() && families.size() != nodes.size()) {
        throw std::invalid_argument("families has " + std::to_string(families.size()) + " numbers for " +
                                    std::to_string(nodes.size()) + " nodes; give one each, or none");
    }
    std::vector<Index> out;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        out.push_back(l_vademecum->loadCase(nodes[i], families.empty() ? 0 : families[i]));
    }
    return out;
}

void VademecumMapping::init()
{
    m_loads.reset();
    d_componentState.setValue(ComponentState::Valid);
    m_jacobians.assign(1, &m_jacobian);
    if (l_vademecum.empty()) l_vademecum.set(getContext()->get<VademecumContainer>(BaseContext::SearchUp));
    if (l_vademecum.get() == nullptr) {
        fail("no VademecumContainer in its node or above; add one, or link it as vademecum");
    } else if (const SeparatedField* field = l_vademecum->field(); field == nullptr) {
        fail("");  // the container has told why
    } else {
        try {
            m_loads = std::make_unique<LoadCoordinates>(*field, chosen(), d_together.getValue());
        } catch (const std::invalid_argument& error) {
            fail(error.what());
        }
    }
    if (m_loads && static_cast<Index>(this->fromModel->getSize()) != m_loads->count()) {
        fail("the state above has " + std::to_string(this->fromModel->getSize()) + " numbers for " +
             std::to_string(m_loads->count()) + " loads; give it one a load");
    }
    if (m_loads) {
        m_sizes.setZero(m_loads->count());
        this->toModel->resize(l_vademecum->d_position.getValue().size());
        for (const auto& id :
             {sofa::core::vec_id::write_access::position, sofa::core::vec_id::write_access::restPosition}) {
            this->toModel->write(id)->setValue(l_vademecum->d_position.getValue());
        }
    }
    Inherit1::init();
}

void VademecumMapping::apply(const sofa::core::MechanicalParams*, OutDataVecCoord& out,
                             const InDataVecCoord& in)
{
    if (!m_loads) return;
    m_sizes = flat(in.getValue());
    if (!m_loads->set(m_sizes)) {
        // The nodes stay where they were last, and forces on them have no effect any more.
        return fail("a size of a load is not finite; the vademecum is not asked any more");
    }
    auto positions = sofa::helper::getWriteOnlyAccessor(out);
    positions.resize(l_vademecum->d_position.getValue().size());
    auto moved = flat(positions.wref());
    m_loads->loaded().displacements(Eigen::Map<Points>(moved.data(), 3, moved.size() / 3));
    moved += flat(l_vademecum->d_position.getValue());
}

void VademecumMapping::applyJ(const sofa::core::MechanicalParams*, OutDataVecDeriv& out,
                              const InDataVecDeriv& in)
{
    auto moved = sofa::helper::getWriteOnlyAccessor(out);
    if (!m_loads) {
        std::fill(moved.wref().begin(), moved.wref().end(), Out::Deriv());
        return;
    }
    moved.resize(l_vademecum->d_position.getValue().size());
    flat(moved.wref()).noalias() = m_loads->tangent() * flat(in.getValue());
}

void VademecumMapping::applyJT(const sofa::core::MechanicalParams*, InDataVecDeriv& out,
                               const OutDataVecDeriv& in)
{
    if (!m_loads) return;
    auto forces = sofa::helper::getWriteAccessor(out);
    flat(forces.wref()).noalias() += m_loads->tangent().transpose() * flat(in.getValue());
}

void VademecumMapping::applyJT(const sofa::core::ConstraintParams*, InDataMatrixDeriv& out,
                               const OutDataMatrixDeriv& in)
{
    if (!m_loads) return;
    auto rows = sofa::helper::getWriteAccessor(out);
    const auto& below = in.getValue();
    VectorXd sum(m_loads->count());
    for (auto row = below.begin(); row != below.end(); ++row) {
        if (row.begin() == row.end()) continue;
        sum.setZero();
        for (auto entry = row.begin(); entry != row.end(); ++entry) {
            const Out::Deriv& value = entry.val();
            sum += m_loads->tangent().middleRows<3>(3 * static_cast<Index>(entry.index())).transpose() *
                   Vector3d(value[0], value[1], value[2]);
        }
        auto line = rows.wref().writeLine(row.index());
        for (Index load = 0; load < sum.size(); ++load) {
            line.addCol(static_cast<unsigned>(load), In::Deriv(sum[load]));
        }
    }
}

const sofa::type::vector<sofa::linearalgebra::BaseMatrix*>* VademecumMapping::getJs()
{
    auto& matrix = m_jacobian.compressedMatrix;
    if (m_loads) {
        matrix = m_loads->tangent().sparseView();
    } else {
        matrix.resize(3 * static_cast<Index>(this->toModel->getSize()),
                      static_cast<Index>(this->fromModel->getSize()));
        matrix.setZero();
    }
    return &m_jacobians;
}

void registerVademecumMapping(sofa::core::ObjectFactory* factory)
{
    factory->registerObjects(
        sofa::core::ObjectRegistrationData(
            "Nodes of a solid from the sizes of the loads on it, as its vademecum has them.")
            .add<VademecumMapping>());
}

}  // namespace softcontact::plugin
