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
/// Height of a ridge against the surface's size that is round-off.
constexpr double flat_edge_ratio = 1e-10;

Vector3d normalised_or_zero(const Vector3d& vector)
{
    const double norm = vector.norm();
    return norm > 0.0 ? Vector3d(vector / norm) : Vector3d::Zero();
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
    m_triangle_areas.resize(triangle_count());
    m_vertex_areas.resize(vertex_count());
    m_sharp_edges.reserve(edge_count());
    m_edge_kinds.assign(edge_count(), EdgeKind::none);
    std::vector<Aabb> boxes(triangle_count());
    for (int t = 0; t < triangle_count(); ++t) boxes[t] = triangle_box(t);
    m_tree = AabbTree(boxes);
    m_box = m_tree.box();
    for (int v = 0; v < vertex_count(); ++v) {
        if (!m_topology.faces_of_vertex(v).empty()) m_corner_vertices.push_back(v);
    }
    m_reference_size = local_box().diagonal();
    update_normals();
    update_edges();
}

void Surface::move(const Eigen::Ref<const Points>& vertices)
{
    if (vertices.cols() != m_vertices.cols()) {
        throw std::invalid_argument("vertices: " + std::to_string(vertices.cols()) +
                                    " given, but the surface has " + std::to_string(m_vertices.cols()));
    }
    double furthest = 0.0;
    m_box = Aabb();
    for (const int v : m_corner_vertices) {
        const Vector3d vertex = vertices.col(v);
        furthest = std::max(furthest, (vertex - m_vertices.col(v)).squaredNorm());
        m_box.extend(vertex);
    }
    m_deformed_path += std::sqrt(furthest);
    m_vertices = vertices;
    m_fresh = false;
}

void Surface::refresh()
{
    if (m_fresh) return;
    m_tree.refit([this](int triangle) { return triangle_box(triangle); });
    update_normals();
    update_edges();
    m_fresh = true;
}

void Surface::update(const Eigen::Ref<const Points>& vertices)
{
    move(vertices);
    refresh();
}

Aabb Surface::triangle_box(int triangle) const
{
    Aabb box;
    for (int k = 0; k < 3; ++k) box.extend(Vector3d(m_vertices.col(triangles()(k, triangle))));
    return box;
}

void Surface::update_normals()
{
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
        if (double_area > flat_triangle_ratio * longest) {
            m_face_normals.col(t) = cross / double_area;
        } else {
            m_face_normals.col(t).setZero();
        }
    }
}

Vector3d Surface::vertex_normal(int vertex) const
{
    Vector3d sum = Vector3d::Zero();
    for (const int t : m_topology.faces_of_vertex(vertex)) {
        const auto corners = triangles().col(t);
        const Vector3d ab = m_vertices.col(corners[1]) - m_vertices.col(corners[0]);
        const Vector3d bc = m_vertices.col(corners[2]) - m_vertices.col(corners[1]);
        const Vector3d ca = m_vertices.col(corners[0]) - m_vertices.col(corners[2]);
        // tan(angle) = |cross| / dot has no cancellation, and |cross| is the same at all three corners.
        const double double_area = ab.cross(-ca).norm();
        const auto angle_a = [&] { return std::atan2(double_area, -ab.dot(ca)); };
        const auto angle_b = [&] { return std::atan2(double_area, -ab.dot(bc)); };
        const double angle = corners[0] == vertex   ? angle_a()
                             : corners[1] == vertex ? angle_b()
                                                    : std::max(0.0, std::numbers::pi - angle_a() - angle_b());
        sum += angle * m_face_normals.col(t);
    }
    return normalised_or_zero(sum);
}

Vector3d Surface::edge_normal(int edge) const
{
    Vector3d sum = Vector3d::Zero();
    if (m_topology.edge_face_count[edge] <= 2) {
        for (int k = 0; k < m_topology.edge_face_count[edge]; ++k) {
            sum += m_face_normals.col(m_topology.edge_faces(k, edge));
        }
        return normalised_or_zero(sum);
    }
    const int end = m_topology.edges(1, edge);
    for (const int t : m_topology.faces_of_vertex(m_topology.edges(0, edge))) {
        if ((triangles().col(t).array() == end).any()) sum += m_face_normals.col(t);
    }
    return normalised_or_zero(sum);
}

void Surface::update_edges()
{
    m_sharp_edges.clear();
    if (!m_folds) m_smooth_curvature = 0.0;
    const double flat = flat_edge_ratio * m_reference_size;
    for (int e = 0; e < edge_count(); ++e) {
        EdgeKind kind = m_topology.edge_face_count[e] == 1 ? EdgeKind::sharp : EdgeKind::none;
        if (m_topology.edge_face_count[e] == 2) {
            const int first = m_topology.edge_faces(0, e);
            const int second = m_topology.edge_faces(1, e);
            const auto normal = m_face_normals.col(first);
            const auto start = m_vertices.col(m_topology.edges(0, e));
            const auto opposite = m_vertices.col(m_topology.opposite_corner(second, e));
            const double height = normal.dot(start - opposite);
            kind = EdgeKind::hollow;
            if (height > flat) {
                const double cosine = normal.dot(m_face_normals.col(second));
                kind = cosine < sharp_cosine_limit ? EdgeKind::sharp : EdgeKind::smooth;
                if (kind == EdgeKind::smooth) {
                    const double length = (m_vertices.col(m_topology.edges(1, e)) - start).norm();
                    const double angle = std::sqrt(std::max(0.0, 2.0 - 2.0 * cosine));
                    const double width = (m_triangle_areas[first] + m_triangle_areas[second]) / length;
                    m_smooth_curvature = std::max(m_smooth_curvature, angle / width);
                }
            }
        }
        m_edge_kinds[e] = kind;
        if (kind == EdgeKind::sharp) m_sharp_edges.push_back(e);
    }
}

}  // namespace softcontact
