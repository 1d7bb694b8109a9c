// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/vademecum/deformed_boundary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "softcontact/geometry/closest_point.hpp"
#include "softcontact/vademecum/mode_sum.hpp"

namespace softcontact {

namespace {

constexpr double rounded = 1.0 + 1e-12;  // bounds of motions that were summed up

Points finite(Points nodes)
{
    if (!nodes.allFinite()) throw std::invalid_argument("nodes: expected finite positions");
    return nodes;
}

}  // namespace

DeformedBoundary::DeformedBoundary(Points nodes, const Eigen::Ref<const Triangles>& triangles,
                                   const LoadedField* field)
    : m_rest(finite(std::move(nodes))),
      m_topology(static_cast<int>(m_rest.cols()), triangles),
      m_field(field),
      m_tree(m_rest, m_topology.triangles)
{
    const auto count = static_cast<std::size_t>(m_rest.cols());
    for (int node = 0; node < m_topology.vertex_count; ++node) {
        if (!m_topology.faces_of_vertex(node).empty()) m_boundary_nodes.push_back(node);
    }
    m_position.resize(count);
    m_node_normal.resize(count);
    m_face_normal.resize(static_cast<std::size_t>(m_topology.triangles.cols()));
    for (std::size_t i = 0; i < count; ++i) m_position[i] = {m_state, m_rest.col(static_cast<Index>(i))};
    if (field == nullptr) return;
    m_amplitudes.setZero(field->field().mode_count());
    for (Dents* dents : {&m_dents, &m_dents_before}) {
        dents->moves.setZero(3, m_rest.cols());
        dents->nodes.reserve(count);
        dents->has.assign(count, 0);
    }
}

DeformedBoundary::DeformedBoundary(Points nodes, const Eigen::Ref<const Triangles>& triangles)
    : DeformedBoundary(std::move(nodes), triangles, nullptr)
{
}

DeformedBoundary::DeformedBoundary(Points nodes, const Eigen::Ref<const Triangles>& triangles,
                                   const LoadedField& field)
    : DeformedBoundary(std::move(nodes), triangles, &field)
{
    if (m_rest.cols() != field.field().node_count()) {
        throw std::invalid_argument("nodes: expected the positions of the field's " +
                                    std::to_string(field.field().node_count()) + " nodes");
    }
    refresh();
}

double DeformedBoundary::dent() noexcept
{
    const SeparatedSolution& solution = m_field->field().solution();
    std::swap(m_dents, m_dents_before);
    for (const int node : m_dents.nodes) {
        m_dents.moves.col(node).setZero();
        m_dents.has[static_cast<std::size_t>(node)] = 0;
    }
    m_dents.nodes.clear();
    for (Index load = 0; load < m_field->load_count(); ++load) {
        const auto s = static_cast<std::size_t>(m_field->load_case(load));
        for (Index d = solution.dent_starts[s]; d < solution.dent_starts[s + 1]; ++d) {
            const auto node = static_cast<int>(solution.dent_nodes[static_cast<std::size_t>(d)]);
            char& has = m_dents.has[static_cast<std::size_t>(node)];
            if (has == 0) m_dents.nodes.push_back(node);
            has = 1;
            m_dents.moves.col(node) += solution.dents.middleCols(solution.terms * d, solution.terms)
                                           .lazyProduct(m_field->series(load));
        }
    }
    double squared = 0.0;
    for (const Dents* dents : {&m_dents, &m_dents_before}) {
        for (const int node : dents->nodes) {
            squared =
                std::max(squared, (m_dents.moves.col(node) - m_dents_before.moves.col(node)).squaredNorm());
        }
    }
    return std::sqrt(squared);
}

double DeformedBoundary::refresh() noexcept
{
    if (m_field == nullptr) return 0.0;
    const double moved =
        rounded * ((m_field->amplitudes() - m_amplitudes).cwiseAbs().dot(m_field->field().peaks()) + dent());
    if (moved == 0.0) return 0.0;
    ++m_state;
    m_amplitudes = m_field->amplitudes();
    m_tree.loosen(moved);
    return moved;
}

double DeformedBoundary::move(const Eigen::Ref<const Points>& nodes) noexcept
{
    double squared = 0.0;
    for (const int node : m_boundary_nodes) {
        squared = std::max(
            squared, (nodes.col(node) - m_position[static_cast<std::size_t>(node)].value).squaredNorm());
    }
    const double moved = rounded * std::sqrt(squared);
    if (moved == 0.0) return 0.0;
    ++m_state;
    for (const int node : m_boundary_nodes) {
        m_position[static_cast<std::size_t>(node)] = {m_state, nodes.col(node)};
    }
    m_tree.loosen(moved);
    return moved;
}

Vector3d DeformedBoundary::position(int node) noexcept
{
    Known<Vector3d>& known = m_position[static_cast<std::size_t>(node)];
    if (known.state != m_state && m_field != nullptr) {
        const MatrixXd& modes = m_field->field().solution().modes;
        known = {m_state,
                 m_rest.col(node) + (sum_of_modes(modes, m_amplitudes, node) + m_dents.moves.col(node))};
    }
    return known.value;
}

Vector3d DeformedBoundary::position(const BoundaryPlace& place) noexcept
{
    Vector3d out = Vector3d::Zero();
    for (int k = 0; k < 3; ++k) out += place.shares[k] * position(m_topology.triangles(k, place.triangle));
    return out;
}

Vector3d DeformedBoundary::face_normal(int triangle) noexcept
{
    Known<Vector3d>& known = m_face_normal[static_cast<std::size_t>(triangle)];
    if (known.state != m_state) {
        const Vector3d a = position(m_topology.triangles(0, triangle));
        const Vector3d cross = (position(m_topology.triangles(1, triangle)) - a)
                                   .cross(position(m_topology.triangles(2, triangle)) - a);
        known = {m_state, cross.normalized()};
    }
    return known.value;
}

Vector3d DeformedBoundary::edge_normal(int edge) noexcept
{
    Vector3d sum = Vector3d::Zero();
    for (int k = 0; k < 2; ++k) {
        const int face = m_topology.edge_faces(k, edge);
        if (face >= 0) sum += face_normal(face);
    }
    return sum.normalized();
}

Vector3d DeformedBoundary::node_normal(int node) noexcept
{
    Known<Vector3d>& known = m_node_normal[static_cast<std::size_t>(node)];
    if (known.state != m_state) {
        Vector3d sum = Vector3d::Zero();
        const Vector3d apex = position(node);
        for (const int face : m_topology.faces_of_vertex(node)) {
            int k = 0;
            while (m_topology.triangles(k, face) != node) ++k;
            const Vector3d u = position(m_topology.triangles((k + 1) % 3, face)) - apex;
            const Vector3d v = position(m_topology.triangles((k + 2) % 3, face)) - apex;
            const Vector3d cross = u.cross(v);
            sum += std::atan2(cross.norm(), u.dot(v)) * cross.normalized();
        }
        known = {m_state, sum.normalized()};
    }
    return known.value;
}

Vector3d DeformedBoundary::normal(const BoundaryPlace& place) noexcept
{
    const auto touched = (place.shares.array() > 0.0).count();
    Index corner = 0;
    if (touched == 3) return face_normal(place.triangle);
    if (touched == 2) {  // edge k joins the corners k and k + 1, and is opposite to k + 2
        place.shares.minCoeff(&corner);
        return edge_normal(m_topology.triangle_edges((corner + 1) % 3, place.triangle));
    }
    place.shares.maxCoeff(&corner);
    return node_normal(m_topology.triangles(corner, place.triangle));
}

BoundaryPoint DeformedBoundary::closest(const Vector3d& point) noexcept
{
    return closest(point, m_memory);
}

BoundaryPoint DeformedBoundary::closest(const Vector3d& point, NearMemory& memory) noexcept
{
    BoundaryPoint out;
    if (!point.allFinite()) return out;
    const auto where = [this](int node) { return position(node); };
    const auto corners_of = [this](int triangle) { return m_topology.triangles.col(triangle); };
    const int triangle = m_tree.nearest(point, memory, where, corners_of).triangle;
    if (triangle < 0) return out;  // a position that is not finite
    const auto corners = corners_of(triangle);
    const TrianglePoint found =
        closest_point_on_triangle(point, where(corners[0]), where(corners[1]), where(corners[2]));
    out.place = {triangle, found.barycentric};
    out.point = found.point;
    out.normal = normal(out.place);
    const double distance = std::sqrt(found.squared_distance);
    out.distance = (point - found.point).dot(out.normal) < 0.0 ? -distance : distance;
    return out;
}

}  // namespace softcontact
