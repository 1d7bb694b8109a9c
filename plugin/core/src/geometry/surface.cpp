// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/geometry/surface.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace softcontact {
namespace {

/// A triangle whose double area is below this share of its longest side squared has no usable normal:
/// round-off in the cross product is as large as the product itself.
constexpr double flat_triangle_ratio = 1e-14;

void normalise_or_zero(Points& vectors)
{
    for (Index i = 0; i < vectors.cols(); ++i) {
        const double norm = vectors.col(i).norm();
        if (norm > 0.0) {
            vectors.col(i) /= norm;
        } else {
            vectors.col(i).setZero();
        }
    }
}

}  // namespace

Surface::Surface(const Eigen::Ref<const Points>& vertices, const Eigen::Ref<const Triangles>& triangles)
    : m_topology(static_cast<int>(vertices.cols()), triangles), m_reference_vertices(vertices)
{
    for (Index i = 0; i < vertices.cols(); ++i) {
        if (!vertices.col(i).allFinite()) {
            throw std::invalid_argument("vertices: vertex " + std::to_string(i) +
                                        " is not finite; every coordinate must be a number in metres");
        }
    }
    m_vertices = m_reference_vertices;
    m_face_normals.resize(3, triangle_count());
    m_vertex_normals.resize(3, vertex_count());
    m_edge_normals.resize(3, edge_count());
    m_triangle_areas.resize(triangle_count());
    m_vertex_areas.resize(vertex_count());
    m_sharp_edges.reserve(edge_count());
    m_edge_is_sharp.assign(edge_count(), 0);
    std::vector<Aabb> boxes(triangle_count());
    for (int t = 0; t < triangle_count(); ++t) boxes[t] = triangle_box(t);
    m_tree = AabbTree(boxes);
    m_reference_size = local_box().diagonal();
    update_normals();
    update_edges();
}

void Surface::update(const Eigen::Ref<const Points>& vertices)
{
    if (vertices.cols() != m_vertices.cols()) {
        throw std::invalid_argument("vertices: " + std::to_string(vertices.cols()) +
                                    " given, but the surface has " + std::to_string(m_vertices.cols()));
    }
    m_vertices = vertices;
    m_tree.refit([this](int triangle) { return triangle_box(triangle); });
    update_normals();
    update_edges();
}

Aabb Surface::triangle_box(int triangle) const
{
    Aabb box;
    for (int k = 0; k < 3; ++k) box.extend(Vector3d(m_vertices.col(triangles()(k, triangle))));
    return box;
}

void Surface::update_normals()
{
    m_vertex_normals.setZero();
    m_edge_normals.setZero();
    m_vertex_areas.setZero();
    for (int t = 0; t < triangle_count(); ++t) {
        const auto corners = triangles().col(t);
        const Vector3d ab = m_vertices.col(corners[1]) - m_vertices.col(corners[0]);
        const Vector3d bc = m_vertices.col(corners[2]) - m_vertices.col(corners[1]);
        const Vector3d ca = m_vertices.col(corners[0]) - m_vertices.col(corners[2]);
        const Vector3d cross = ab.cross(-ca);
        const double double_area = cross.norm();
        const double longest = std::max({ab.squaredNorm(), bc.squaredNorm(), ca.squaredNorm()});
        m_triangle_areas[t] = 0.5 * double_area;
        for (int k = 0; k < 3; ++k) m_vertex_areas[corners[k]] += double_area / 6.0;
        if (!(double_area > flat_triangle_ratio * longest)) {
            m_face_normals.col(t).setZero();
            continue;
        }
        const Vector3d normal = cross / double_area;
        m_face_normals.col(t) = normal;
        // tan(angle) = |cross| / dot has no cancellation, and |cross| is the same at all three corners.
        const double angle_a = std::atan2(double_area, -ab.dot(ca));
        const double angle_b = std::atan2(double_area, -ab.dot(bc));
        m_vertex_normals.col(corners[0]) += angle_a * normal;
        m_vertex_normals.col(corners[1]) += angle_b * normal;
        m_vertex_normals.col(corners[2]) += std::max(0.0, std::numbers::pi - angle_a - angle_b) * normal;
        for (int k = 0; k < 3; ++k) m_edge_normals.col(m_topology.triangle_edges(k, t)) += normal;
    }
    normalise_or_zero(m_vertex_normals);
    normalise_or_zero(m_edge_normals);
}

void Surface::update_edges()
{
    m_sharp_edges.clear();
    for (int e = 0; e < edge_count(); ++e) {
        bool sharp = m_topology.edge_face_count[e] == 1;
        if (m_topology.edge_face_count[e] == 2) {
            const int first = m_topology.edge_faces(0, e);
            const int second = m_topology.edge_faces(1, e);
            const auto normal = m_face_normals.col(first);
            const auto start = m_vertices.col(m_topology.edges(0, e));
            const auto opposite = m_vertices.col(m_topology.opposite_corner(second, e));
            sharp = normal.dot(m_face_normals.col(second)) < sharp_cosine_limit &&
                    normal.dot(opposite - start) < 0.0;
        }
        m_edge_is_sharp[e] = sharp ? 1 : 0;
        if (sharp) m_sharp_edges.push_back(e);
    }
}

}  // namespace softcontact
