// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/Vectors.h>
#include <SoftContact/vademecum/VademecumContainer.h>
#include <sofa/core/ObjectFactory.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace softcontact::plugin {

using sofa::core::objectmodel::ComponentState;

namespace {

void require(bool holds, const std::string& message)
{
    if (!holds) throw std::invalid_argument(message);
}

std::vector<Index> numbers(const VademecumContainer::Numbers& values)
{
    return {values.begin(), values.end()};
}

}  // namespace

VademecumContainer::VademecumContainer()
    : d_position(initData(&d_position, "position", "Nodes at rest [m]")),
      d_triangles(initData(&d_triangles, "triangles", "Boundary, counter-clockwise from outside")),
      d_loadNodes(initData(&d_loadNodes, "loadNodes", "Nodes that may be loaded, growing")),
      d_directions(initData(&d_directions, "directions", "Directions of the load, one a family")),
      d_magnitude(initData(&d_magnitude, SReal(1), "magnitude", "Largest force [N]")),
      d_terms(initData(&d_terms, 1, "terms", "Terms of the series in the load's size")),
      d_modes(initData(&d_modes, "modes", "Modes: mode, node, component, the last runs fastest [-]")),
      d_amplitudes(initData(&d_amplitudes, "amplitudes",
                            "Their amplitudes: case (family, node), term, mode, the last runs fastest [m]")),
      d_dentStarts(initData(&d_dentStarts, "dentStarts", "First dent of each case, and the number of all")),
      d_dentNodes(initData(&d_dentNodes, "dentNodes", "Node of each dent")),
      d_dents(initData(&d_dents, "dents", "Dents: dent, term, component, the last runs fastest [m]")),
      d_distanceOrigin(initData(&d_distanceOrigin, "distanceOrigin", "Lowest corner of the grid [m]")),
      d_distanceSpacing(initData(&d_distanceSpacing, "distanceSpacing", "Spacing of the grid points [m]")),
      d_distanceCounts(initData(&d_distanceCounts, "distanceCounts", "Grid points along x, y and z")),
      d_distanceSizes(
          initData(&d_distanceSizes, "distanceSizes", "Sizes of the load with distances, growing")),
      d_distanceValues(initData(&d_distanceValues, "distanceValues",
                                "Distances: size, case, x, y, z, the last runs fastest [m]"))
{
}

void VademecumContainer::init()
{
    Component::init();
    m_read = false;
    read();
}

void VademecumContainer::read()
{
    m_read = true;
    m_field.reset();
    m_distances.reset();
    try {
        const Index nodes = nodeCount(), terms = d_terms.getValue();
        const auto& modes = d_modes.getValue();
        const auto cases = static_cast<Index>(d_loadNodes.getValue().size()) * familyCount();
        require(nodes > 0 && !modes.empty(),
                "no vademecum: position and modes are empty; hand over those of a file by add_vademecum of "
                "softcontact.engines.sofa");
        require(terms >= 1, "terms is " + std::to_string(terms) + "; it must be 1 or more");
        require(static_cast<Index>(modes.size()) % (3 * nodes) == 0,
                "modes has " + std::to_string(modes.size()) + " numbers, no multiple of three for each of " +
                    std::to_string(nodes) + " nodes");
        const Index count = static_cast<Index>(modes.size()) / (3 * nodes);
        require(static_cast<Index>(d_amplitudes.getValue().size()) == cases * terms * count,
                "amplitudes has " + std::to_string(d_amplitudes.getValue().size()) +
                    " numbers, not one for each of " + std::to_string(cases) + " cases, " +
                    std::to_string(terms) + " terms and " + std::to_string(count) + " modes");
        require(static_cast<Index>(d_dentStarts.getValue().size()) == cases + 1,
                "dentStarts has " + std::to_string(d_dentStarts.getValue().size()) + " numbers, not " +
                    std::to_string(cases + 1));
        require(d_dents.getValue().size() == 3 * terms * d_dentNodes.getValue().size(),
                "dents has " + std::to_string(d_dents.getValue().size()) +
                    " numbers, not three for each term and dent node");
        const auto& loaded = d_loadNodes.getValue();
        require(std::is_sorted(loaded.begin(), loaded.end()) && loaded.front() >= 0 && loaded.back() < nodes,
                "loadNodes: expected nodes in 0 … " + std::to_string(nodes - 1) + ", growing");
        require(std::isfinite(d_magnitude.getValue()) && d_magnitude.getValue() > 0,
                "magnitude is " + std::to_string(d_magnitude.getValue()) + " N; it must be finite and > 0");
        using ByMode =
            Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
        SeparatedSolution solution;
        solution.terms = terms;
        solution.modes = ByMode(modes.data(), count, 3 * nodes);
        solution.amplitudes =
            Eigen::Map<const MatrixXd>(d_amplitudes.getValue().data(), count, terms * cases);
        solution.dent_starts = numbers(d_dentStarts.getValue());
        solution.dent_nodes = numbers(d_dentNodes.getValue());
        solution.dents = Eigen::Map<const MatrixXd>(
            d_dents.getValue().data(), 3, terms * static_cast<Index>(d_dentNodes.getValue().size()));
        for (const auto& triangle : d_triangles.getValue()) {
            require(*std::max_element(triangle.begin(), triangle.end()) < static_cast<sofa::Index>(nodes),
                    "triangles: expected nodes in 0 … " + std::to_string(nodes - 1));
        }
        auto field = std::make_unique<SeparatedField>(std::move(solution));
        readDistances();
        m_field = std::move(field);
        d_componentState.setValue(ComponentState::Valid);
    } catch (const std::invalid_argument& error) {
        msg_error() << error.what();
        m_distances.reset();
        d_componentState.setValue(ComponentState::Invalid);
    }
}

void VademecumContainer::readDistances()
{
    const auto& values = d_distanceValues.getValue();
    if (values.empty()) return;
    const auto& counts = d_distanceCounts.getValue();
    const auto& sizes = d_distanceSizes.getValue();
    const auto cases = d_loadNodes.getValue().size() * d_directions.getValue().size();
    require(*std::min_element(counts.begin(), counts.end()) >= 2,
            "distanceCounts: expected two or more grid points along each axis");
    require(!sizes.empty() && std::is_sorted(sizes.begin(), sizes.end()) && sizes.front() >= 0 &&
                sizes.back() <= 1 && std::adjacent_find(sizes.begin(), sizes.end()) == sizes.end(),
            "distanceSizes: expected shares of the largest force in [0, 1], growing");
    const auto grid = static_cast<std::size_t>(counts[0]) * counts[1] * counts[2];
    require(values.size() == sizes.size() * cases * grid,
            "distanceValues has " + std::to_string(values.size()) + " numbers, not one for each of " +
                std::to_string(sizes.size()) + " sizes, " + std::to_string(cases) + " cases and " +
                std::to_string(grid) + " grid points");
    DistanceTable table;
    table.origin = vector3(d_distanceOrigin.getValue());
    table.spacing = vector3(d_distanceSpacing.getValue());
    table.counts = {counts[0], counts[1], counts[2]};
    table.values = {values.data(), values.size()};  // of the Data, which live as long as this component
    m_distances = std::make_unique<DistanceField>(table);
}

const SeparatedField* VademecumContainer::field()
{
    if (!m_read) read();
    return m_field.get();
}

const DistanceField* VademecumContainer::distances()
{
    if (!m_read) read();
    return m_distances.get();
}

Index VademecumContainer::loadCase(int node, int family) const
{
    const auto& nodes = d_loadNodes.getValue();
    require(family >= 0 && family < familyCount(),
            "family is " + std::to_string(family) + "; it must be 0 to " + std::to_string(familyCount() - 1));
    require(node >= 0 && node < nodeCount(), "node " + std::to_string(node) +
                                                 " is no node of the vademecum, which has 0 to " +
                                                 std::to_string(nodeCount() - 1));
    const auto place = std::lower_bound(nodes.begin(), nodes.end(), node);
    require(
        place != nodes.end() && *place == node,
        "node " + std::to_string(node) + " may not be loaded: it is clamped, or not on the free boundary");
    return family * static_cast<Index>(nodes.size()) + (place - nodes.begin());
}

Vector3d VademecumContainer::force(Index loadCase) const
{
    const auto family = static_cast<std::size_t>(loadCase) / d_loadNodes.getValue().size();
    return d_magnitude.getValue() * vector3(d_directions.getValue()[family]);
}

Index VademecumContainer::node(Index loadCase) const
{
    const auto& nodes = d_loadNodes.getValue();
    return nodes[static_cast<std::size_t>(loadCase) % nodes.size()];
}

void registerVademecumContainer(sofa::core::ObjectFactory* factory)
{
    factory->registerObjects(sofa::core::ObjectRegistrationData(
                                 "A vademecum: the precomputed displacements of a solid under a load of any "
                                 "position and size, and the distances to its deformed boundary.")
                                 .add<VademecumContainer>());
}

}  // namespace softcontact::plugin
