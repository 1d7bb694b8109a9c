// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/vademecum/carried_distance.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace softcontact {

namespace {

/// Axes of a triangle: along its first edge, across it, and its normal.
Matrix3d axes(const std::array<Vector3d, 3>& corners)
{
    Matrix3d out;
    out.col(0) = (corners[1] - corners[0]).normalized();
    out.col(2) = out.col(0).cross(corners[2] - corners[0]).normalized();
    out.col(1) = out.col(2).cross(out.col(0));
    return out;
}

Vector3d place(const std::array<Vector3d, 3>& corners, const Vector3d& shares)
{
    return shares[0] * corners[0] + shares[1] * corners[1] + shares[2] * corners[2];
}

}  // namespace

CarriedDistance::CarriedDistance(const DistanceField& field, const SeparatedField& solution, Points nodes,
                                 std::vector<double> sizes)
    : m_field(field),
      m_nodes(std::move(nodes)),
      m_sizes(std::move(sizes)),
      m_cases(solution.case_count()),
      m_states{State{0, 0.0, LoadedField(solution, 1)}, State{0, 0.0, LoadedField(solution, 1)}}
{
    if (m_sizes.empty() || !std::is_sorted(m_sizes.begin(), m_sizes.end()) ||
        static_cast<Index>(m_sizes.size()) * m_cases != field.state_count() ||
        m_nodes.cols() != solution.node_count()) {
        throw std::invalid_argument("sizes, nodes: expected one table for each size and case, and all nodes");
    }
    take(0, m_sizes.front());
}

bool CarriedDistance::take(Index load_case, double size) noexcept
{
    if (load_case < 0 || load_case >= m_cases || !std::isfinite(size)) return false;
    const auto after = std::lower_bound(m_sizes.begin(), m_sizes.end(), size);
    const auto upper = std::min<Index>(after - m_sizes.begin(), static_cast<Index>(m_sizes.size()) - 1);
    const auto lower = std::max<Index>(0, after == m_sizes.end() ? upper : upper - 1);
    const double from = m_sizes[static_cast<std::size_t>(lower)];
    const double to = m_sizes[static_cast<std::size_t>(upper)];
    const double share = to > from ? std::clamp((size - from) / (to - from), 0.0, 1.0) : 1.0;
    const std::array<Index, 2> numbers = {lower, upper};
    for (std::size_t k = 0; k < 2; ++k) {
        State& state = m_states[k];
        state.table = numbers[k] * m_cases + load_case;
        state.share = k == 0 ? 1.0 - share : share;
        state.loaded.clear();
        state.loaded.add(load_case, m_sizes[static_cast<std::size_t>(numbers[k])]);
    }
    return true;
}

void CarriedDistance::measure(DeformedBoundary& boundary, const Vector3d& point,
                              BoundaryPoint& found) noexcept
{
    const auto nodes = boundary.topology().triangles.col(found.place.triangle);
    std::array<Vector3d, 3> here, there;
    for (std::size_t k = 0; k < 3; ++k) here[k] = boundary.position(nodes[static_cast<Index>(k)]);
    const Matrix3d turned = axes(here);
    const Vector3d local = turned.transpose() * (point - place(here, found.place.shares));
    double distance = 0.0;
    Vector3d normal = Vector3d::Zero();
    for (const State& state : m_states) {
        if (state.share == 0.0) continue;
        for (std::size_t k = 0; k < 3; ++k) {
            const Index node = nodes[static_cast<Index>(k)];
            there[k] = m_nodes.col(node) + state.loaded.displacement(node);
        }
        const Matrix3d tabulated = axes(there);
        Vector3d gradient;
        distance += state.share * m_field.distance(place(there, found.place.shares) + tabulated * local,
                                                   {state.table, state.table, 0.0}, &gradient);
        normal += state.share * (turned * (tabulated.transpose() * gradient));
    }
    found.distance = distance;
    if (const double length = normal.norm(); length > 0.0) found.normal = normal / length;
}

}  // namespace softcontact
