// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/vademecum/deformed_boundary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "softcontact/geometry/closest_point.hpp"

namespace softcontact {

namespace {

constexpr std::size_t most_seeds = 48;  // where a search may begin besides where the last one ended

/// Some of the nodes, each far from those before.
std::vector<int> spread(const Points& nodes, const std::vector<int>& among)
{
    std::vector<double> gap(among.size(), std::numeric_limits<double>::infinity());
    std::vector<int> out;
    std::size_t next = 0;
    while (out.size() < std::min(most_seeds, among.size())) {
        out.push_back(among[next]);
        for (std::size_t i = 0; i < among.size(); ++i) {
            gap[i] = std::min(gap[i], (nodes.col(among[i]) - nodes.col(out.back())).squaredNorm());
        }
        next = static_cast<std::size_t>(std::max_element(gap.begin(), gap.end()) - gap.begin());
    }
    return out;
}

}  // namespace

DeformedBoundary::DeformedBoundary(Points nodes, const Eigen::Ref<const Triangles>& triangles,
                                   const LoadedField& field)
    : m_rest(std::move(nodes)), m_topology(static_cast<int>(m_rest.cols()), triangles), m_field(field)
{
    if (m_rest.cols() != field.field().node_count() || !m_rest.allFinite()) {
        throw std::invalid_argument("nodes: expected the finite positions of the field's " +
                                    std::to_string(field.field().node_count()) + " nodes");
    }
    for (int node = 0; node < m_topology.vertex_count; ++node) {
        if (!m_topology.faces_of_vertex(node).empty()) m_boundary_nodes.push_back(node);
    }
    m_seeds = spread(m_rest, m_boundary_nodes);
    m_position = m_rest;
    m_known.assign(static_cast<std::size_t>(m_rest.cols()), 0);
    m_visited.assign(static_cast<std::size_t>(m_rest.cols()), 0);
    m_amplitudes.setZero(field.field().mode_count());
    refresh();
}

double DeformedBoundary::refresh() noexcept
{
    ++m_state;
    const double dents = m_field.dent_bound();
    const double moved =
        (m_field.amplitudes() - m_amplitudes).cwiseAbs().dot(m_field.field().peaks()) + m_dents + dents;
    m_amplitudes = m_field.amplitudes();
    m_dents = dents;
    return moved;
}

Vector3d DeformedBoundary::position(int node) noexcept
{
    const auto i = static_cast<std::size_t>(node);
    if (m_known[i] != m_state) {
        m_position.col(node) = m_rest.col(node) + m_field.displacement(node);
        m_known[i] = m_state;
    }
    return m_position.col(node);
}

Vector3d DeformedBoundary::position(const BoundaryPlace& place) noexcept
{
    Vector3d out = Vector3d::Zero();
    for (int k = 0; k < 3; ++k) out += place.shares[k] * position(m_topology.triangles(k, place.triangle));
    return out;
}

int DeformedBoundary::nearest_corner(const BoundaryPlace& place) const noexcept
{
    Index corner = 0;
    place.shares.maxCoeff(&corner);
    return m_topology.triangles(corner, place.triangle);
}

Vector3d DeformedBoundary::face_normal(int triangle) noexcept
{
    const Vector3d a = position(m_topology.triangles(0, triangle));
    return (position(m_topology.triangles(1, triangle)) - a)
        .cross(position(m_topology.triangles(2, triangle)) - a);
}

Vector3d DeformedBoundary::normal(const BoundaryPlace& place) noexcept
{
    const auto corners = m_topology.triangles.col(place.triangle);
    const int touched = static_cast<int>((place.shares.array() > 0.0).count());
    if (touched == 3) return face_normal(place.triangle).normalized();
    Vector3d sum = Vector3d::Zero();
    if (touched == 2) {  // edge k joins the corners k and k + 1, and is opposite to k + 2
        Index away = 0;
        place.shares.minCoeff(&away);
        const int edge = m_topology.triangle_edges((away + 1) % 3, place.triangle);
        for (int k = 0; k < 2; ++k) {
            const int face = m_topology.edge_faces(k, edge);
            if (face >= 0) sum += face_normal(face).normalized();
        }
        return sum.normalized();
    }
    Index corner = 0;
    place.shares.maxCoeff(&corner);
    const int node = corners[corner];
    const Vector3d apex = position(node);
    for (const int face : m_topology.faces_of_vertex(node)) {
        int k = 0;
        while (m_topology.triangles(k, face) != node) ++k;
        const Vector3d u = position(m_topology.triangles((k + 1) % 3, face)) - apex;
        const Vector3d v = position(m_topology.triangles((k + 2) % 3, face)) - apex;
        const Vector3d cross = u.cross(v);
        sum += std::atan2(cross.norm(), u.dot(v)) * cross.normalized();
    }
    return sum.normalized();
}

int DeformedBoundary::nearest_node(const Vector3d& point, const std::vector<int>& among) noexcept
{
    int best = among.front();
    double least = std::numeric_limits<double>::infinity();
    for (const int node : among) {
        const double squared = (position(node) - point).squaredNorm();
        if (squared < least) {
            least = squared;
            best = node;
        }
    }
    return best;
}

void DeformedBoundary::look_around(const Vector3d& point, int node, BoundaryPlace& best, Vector3d& where,
                                   double& squared) noexcept
{
    m_visited[static_cast<std::size_t>(node)] = m_question;
    for (const int face : m_topology.faces_of_vertex(node)) {
        const auto corners = m_topology.triangles.col(face);
        const TrianglePoint found = closest_point_on_triangle(point, position(corners[0]),
                                                              position(corners[1]), position(corners[2]));
        if (found.squared_distance < squared) {
            squared = found.squared_distance;
            where = found.point;
            best = {face, found.barycentric};
        }
    }
}

void DeformedBoundary::descend(const Vector3d& point, int from, BoundaryPlace& best, Vector3d& where,
                               double& squared) noexcept
{
    look_around(point, from, best, where, squared);
    for (bool going = best.found(); going;) {  // ends: each node is looked around once
        going = false;
        for (int k = 0; k < 3 && !going; ++k) {
            const int corner = m_topology.triangles(k, best.triangle);
            if (best.shares[k] > 0.0 && m_visited[static_cast<std::size_t>(corner)] != m_question) {
                look_around(point, corner, best, where, squared);
                going = true;
            }
        }
    }
}

BoundaryPoint DeformedBoundary::closest(const Vector3d& point, int from) noexcept
{
    BoundaryPoint out;
    if (!point.allFinite()) return out;
    ++m_question;
    double squared = std::numeric_limits<double>::infinity();
    if (from < 0 || from >= m_topology.vertex_count || m_topology.faces_of_vertex(from).empty()) {
        from = nearest_node(point, m_boundary_nodes);
    }
    descend(point, from, out.place, out.point, squared);
    const int seed = nearest_node(point, m_seeds);
    if ((position(seed) - point).squaredNorm() < squared) {  // the search ended in another part
        descend(point, seed, out.place, out.point, squared);
    }
    if (!out.place.found()) return out;  // a position that is not finite
    out.normal = normal(out.place);
    const Vector3d offset = point - out.point;
    out.distance = offset.dot(out.normal) < 0.0 ? -std::sqrt(squared) : std::sqrt(squared);
    return out;
}

}  // namespace softcontact
