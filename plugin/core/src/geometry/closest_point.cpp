// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/geometry/closest_point.hpp"

#include <algorithm>
#include <cmath>

namespace softcontact {
namespace {

/// Parameter in [0, 1] of the point of (start, end) nearest to a query.
double parameter_on_segment(const Vector3d& query, const Vector3d& start, const Vector3d& end)
{
    const Vector3d direction = end - start;
    const double squared_length = direction.squaredNorm();
    if (!(squared_length > 0.0)) return 0.0;
    return std::clamp(direction.dot(query - start) / squared_length, 0.0, 1.0);
}

void try_edge(TrianglePoint& best, const Vector3d& query, const Vector3d& start, const Vector3d& end,
              int edge)
{
    const double parameter = parameter_on_segment(query, start, end);
    const Vector3d point = parameter == 1.0 ? end : Vector3d(start + parameter * (end - start));
    const double squared_distance = (query - point).squaredNorm();
    if (!(squared_distance < best.squared_distance)) return;
    const int next = (edge + 1) % 3;
    best.point = point;
    best.squared_distance = squared_distance;
    best.barycentric.setZero();
    best.barycentric[edge] = 1.0 - parameter;
    best.barycentric[next] = parameter;
    best.feature = parameter > 0.0 && parameter < 1.0 ? Feature::edge : Feature::vertex;
    best.index = parameter == 1.0 ? next : edge;
}

void try_pair(SegmentPair& best, double s, double t, const Vector3d& first, const Vector3d& second)
{
    const double squared_distance = (first - second).squaredNorm();
    if (squared_distance < best.squared_distance) best = {s, t, first, second, squared_distance};
}

/// Pseudo-normal of the feature a triangle point lies on; names that feature in `closest`.
Vector3d classify(const Surface& surface, const TrianglePoint& nearest, ClosestPoint& closest)
{
    const SurfaceTopology& topology = surface.topology();
    closest.feature = nearest.feature;
    switch (nearest.feature) {
        case Feature::vertex:
            closest.feature_index = topology.triangles(nearest.index, closest.triangle);
            closest.on_boundary = topology.boundary_vertex[closest.feature_index] != 0;
            return surface.vertex_normal(closest.feature_index);
        case Feature::edge:
            closest.feature_index = topology.triangle_edges(nearest.index, closest.triangle);
            closest.on_boundary = topology.edge_face_count[closest.feature_index] == 1;
            return surface.edge_normal(closest.feature_index);
        case Feature::face:
            break;
    }
    closest.feature_index = closest.triangle;
    return surface.face_normals().col(closest.triangle);
}

}  // namespace

TrianglePoint closest_point_on_triangle(const Vector3d& query, const Vector3d& a, const Vector3d& b,
                                        const Vector3d& c)
{
    const Vector3d ab = b - a;
    const Vector3d ac = c - a;
    const Vector3d normal = ab.cross(ac);
    // Areas of the projection with each edge, times |normal|: all >= 0 inside.
    const double area_ab = normal.dot(ab.cross(query - a));
    const double area_bc = normal.dot((c - b).cross(query - b));
    const double area_ca = normal.dot((a - c).cross(query - c));

    TrianglePoint nearest{a, Vector3d::UnitX(), std::numeric_limits<double>::infinity(), Feature::vertex, 0};
    if (area_ab > 0.0 && area_bc > 0.0 && area_ca > 0.0) {
        nearest.barycentric = Vector3d(area_bc, area_ca, area_ab) / (area_ab + area_bc + area_ca);
        nearest.point = a + nearest.barycentric[1] * ab + nearest.barycentric[2] * ac;
        nearest.squared_distance = (query - nearest.point).squaredNorm();
        nearest.feature = Feature::face;
        return nearest;
    }
    // The nearest point lies on an edge the projection is beyond; a triangle of
    // no area has three zeros here and tries all of its edges.
    if (area_ab <= 0.0) try_edge(nearest, query, a, b, 0);
    if (area_bc <= 0.0) try_edge(nearest, query, b, c, 1);
    if (area_ca <= 0.0) try_edge(nearest, query, c, a, 2);
    return nearest;
}

SegmentPair closest_points_of_segments(const Vector3d& a0, const Vector3d& a1, const Vector3d& b0,
                                       const Vector3d& b1)
{
    const Vector3d u = a1 - a0;
    const Vector3d v = b1 - b0;
    const Vector3d w = b0 - a0;
    SegmentPair best;
    best.squared_distance = std::numeric_limits<double>::infinity();

    const double b0_on_a = parameter_on_segment(b0, a0, a1);
    const double b1_on_a = parameter_on_segment(b1, a0, a1);
    const double a0_on_b = parameter_on_segment(a0, b0, b1);
    const double a1_on_b = parameter_on_segment(a1, b0, b1);
    try_pair(best, 0.0, a0_on_b, a0, b0 + a0_on_b * v);
    try_pair(best, 1.0, a1_on_b, a1, b0 + a1_on_b * v);
    try_pair(best, b0_on_a, 0.0, a0 + b0_on_a * u, b0);
    try_pair(best, b1_on_a, 1.0, a0 + b1_on_a * u, b1);

    // The cross product keeps the digits that |u|²|v|² − (u·v)² cancels for nearly parallel segments.
    const Vector3d normal = u.cross(v);
    const double squared_normal = normal.squaredNorm();
    if (squared_normal > 0.0) {
        // a0 + s u + m = b0 + t v with m along the common normal; cross with v and u.
        const double s = w.cross(v).dot(normal) / squared_normal;
        const double t = w.cross(u).dot(normal) / squared_normal;
        if (s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0) try_pair(best, s, t, a0 + s * u, b0 + t * v);
    }
    return best;
}

ClosestPoint closest_point_local(const Surface& surface, const Vector3d& local_point, double max_distance,
                                 NearTriangle* memory)
{
    const Triangles& triangles = surface.triangles();
    const Points& vertices = surface.local_vertices();
    ClosestPoint closest;
    TrianglePoint nearest;
    nearest.squared_distance = max_distance * max_distance;
    // Looked for as well where there is a memory: how far the others are.
    double width = 0.0, second = std::numeric_limits<double>::infinity();
    const Points& normals = surface.face_normals();
    const auto improve = [&](int triangle, double& bound) {
        // A triangle is no nearer than its plane, which costs a tenth; the slack leaves needles, whose normal
        // is worth little, to the full test.
        const Vector3d offset = local_point - vertices.col(triangles(0, triangle));
        const double height = std::abs(normals.col(triangle).dot(offset)) - 1e-6 * offset.cwiseAbs().sum();
        if (height > 0.0 && height * height > bound) return;
        const TrianglePoint candidate = closest_point_on_triangle(
            local_point, vertices.col(triangles(0, triangle)), vertices.col(triangles(1, triangle)),
            vertices.col(triangles(2, triangle)));
        const bool tie = candidate.squared_distance == nearest.squared_distance;
        if (!(candidate.squared_distance <= nearest.squared_distance) ||
            (tie && closest.found() && closest.triangle < triangle)) {
            second = std::min(second, candidate.squared_distance);
            return;
        }
        if (closest.found()) second = std::min(second, nearest.squared_distance);
        nearest = candidate;
        closest.triangle = triangle;
        const double reach = width > 0.0 ? std::sqrt(nearest.squared_distance) + width : 0.0;
        bound = width > 0.0 ? reach * reach : nearest.squared_distance;
    };
    double bound = nearest.squared_distance;
    const int likely = memory != nullptr ? memory->triangle : -1;
    bool known = false;
    if (likely >= 0) {
        constexpr double width_ratio = 0.1;  // of the size of the triangle
        width = width_ratio * std::sqrt(surface.triangle_areas()[likely]);
        improve(likely, bound);
        const double others = memory->others - surface.deformed_path() -
                              coincidence_ratio * surface.reference_size() -
                              (local_point - memory->point).norm();
        known = closest.found() && others > 0.0 && nearest.squared_distance < others * others;
    }
    if (!known) {
        surface.tree().search_nearest(local_point, bound, [&](int triangle, double& least) {
            if (triangle == likely) return;
            improve(triangle, least);
            bound = least;
        });
        if (memory != nullptr) {
            *memory = {closest.triangle, local_point,
                       std::sqrt(std::min(second, bound)) + surface.deformed_path()};
        }
    }
    if (!closest.found()) return closest;

    closest.point = nearest.point;
    closest.barycentric = nearest.barycentric;
    const Vector3d pseudo_normal = classify(surface, nearest, closest);
    const Vector3d offset = local_point - nearest.point;
    const double distance = std::sqrt(nearest.squared_distance);
    const bool inside = offset.dot(pseudo_normal) < 0.0;
    closest.signed_distance = inside ? -distance : distance;
    const bool use_pseudo_normal = (closest.feature == Feature::face && pseudo_normal.squaredNorm() > 0.0) ||
                                   !(distance > coincidence_ratio * surface.reference_size());
    closest.normal = use_pseudo_normal ? pseudo_normal : Vector3d(offset / closest.signed_distance);
    return closest;
}

ClosestPoint closest_point(const Surface& surface, const Vector3d& world_point, double max_distance)
{
    const Pose& pose = surface.pose();
    ClosestPoint closest = closest_point_local(surface, pose.inverse_times(world_point), max_distance);
    if (closest.found()) {
        closest.point = pose * closest.point;
        closest.normal = pose.rotation * closest.normal;
    }
    return closest;
}

}  // namespace softcontact
