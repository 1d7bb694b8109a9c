// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/geometry/overlap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "softcontact/geometry/closest_point.hpp"

namespace softcontact {
namespace {

/// Golden section: what is left of an interval of an edge after this many steps is 1e-4 of it.
constexpr int most_steps = 20;

double depth_of_point(const Surface& surface, const Vector3d& point)
{
    if (!surface.local_box().contains(point)) return 0.0;
    const ClosestPoint closest = closest_point_local(surface, point, std::numeric_limits<double>::infinity());
    return closest.found() ? -closest.signed_distance : 0.0;
}

/// Largest value of a function that rises and then falls on [low, high], and nowhere steeper than `slope`;
/// no more than where it cannot come to `enough`.
template <typename Function>
double largest(double low, double high, double slope, double enough, const Function& value)
{
    constexpr double golden = 0.6180339887498949;
    double left = high - golden * (high - low), right = low + golden * (high - low);
    double at_left = value(left), at_right = value(right);
    for (int k = 0; k < most_steps && std::max(at_left, at_right) + slope * (high - low) > enough; ++k) {
        if (at_left > at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - golden * (high - low);
            at_left = value(left);
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + golden * (high - low);
            at_right = value(right);
        }
    }
    return std::max(at_left, at_right);
}

/// Share of a segment at which it crosses a triangle, or a number outside [0, 1].
double crossing(const Points& vertices, const Triangles& triangles, int triangle, const Vector3d& normal,
                const Vector3d& start, const Vector3d& end)
{
    constexpr double none = -1.0;
    const Vector3d a = vertices.col(triangles(0, triangle));
    const double before = normal.dot(start - a), after = normal.dot(end - a);
    if ((before > 0.0) == (after > 0.0)) return none;
    const Vector3d b = vertices.col(triangles(1, triangle)), c = vertices.col(triangles(2, triangle));
    const double share = before / (before - after);
    const Vector3d point = start + share * (end - start);
    // A little over, so that none slips through between two triangles.
    const double over = -1e-9 * ((b - a).squaredNorm() + (c - a).squaredNorm());
    const bool inside = normal.dot((b - a).cross(point - a)) >= over &&
                        normal.dot((c - b).cross(point - b)) >= over &&
                        normal.dot((a - c).cross(point - c)) >= over;
    return inside ? share : none;
}

/// Crossings of the edges that a triangle is the first one of with a triangle of another surface; both
/// surfaces' vertices in one frame.
template <typename Found>
void cross_edges(const SurfaceTopology& from, const Points& vertices, int triangle,
                 const SurfaceTopology& through, const Points& other_vertices, int target,
                 const Vector3d& normal, const Found& found)
{
    for (int k = 0; k < 3; ++k) {
        const int edge = from.triangle_edges(k, triangle);
        if (from.edge_faces(0, edge) != triangle) continue;
        const auto ends = from.edges.col(edge);
        const double share = crossing(other_vertices, through.triangles, target, normal,
                                      vertices.col(ends[0]), vertices.col(ends[1]));
        if (share >= 0.0 && share <= 1.0) found(edge, share);
    }
}

}  // namespace

void OverlapSearch::find_crossings(const Surface& a, const Surface& b, const Pose& to_b)
{
    m_of_a.crossings.clear();
    m_of_b.crossings.clear();
    m_moved.resize(3, std::max(m_moved.cols(), Index{a.vertex_count()}));
    for (int vertex = 0; vertex < a.vertex_count(); ++vertex) {
        m_moved.col(vertex) = to_b * a.local_vertices().col(vertex);
    }
    a.tree().for_each_pair(b.tree(), to_b, m_boxes, [&](int of_a, int of_b) {
        const Vector3d normal_a = to_b.rotation * a.face_normals().col(of_a);
        const Vector3d normal_b = b.face_normals().col(of_b);
        cross_edges(a.topology(), m_moved, of_a, b.topology(), b.local_vertices(), of_b, normal_b,
                    [&](int edge, double share) { m_of_a.crossings.push_back({edge, share}); });
        cross_edges(b.topology(), b.local_vertices(), of_b, a.topology(), m_moved, of_a, normal_a,
                    [&](int edge, double share) { m_of_b.crossings.push_back({edge, share}); });
    });
}

double OverlapSearch::depth_inside(const Surface& a, const Surface& b, const Pose& to_b, Side& side,
                                   double deepest)
{
    if (!b.is_closed()) return deepest;
    const SurfaceTopology& topology = a.topology();
    side.seen.assign(static_cast<std::size_t>(a.vertex_count()), 0);
    side.depth.resize(side.seen.size());
    side.parts_crossed.assign(topology.vertex_of_part.size(), 0);
    side.open.clear();
    const auto point = [&](int vertex) { return Vector3d(to_b * a.local_vertices().col(vertex)); };
    const auto look_at = [&](int vertex) {
        if (side.seen[static_cast<std::size_t>(vertex)] != 0) return;
        side.seen[static_cast<std::size_t>(vertex)] = 1;
        const double depth = depth_of_point(b, point(vertex));
        side.depth[static_cast<std::size_t>(vertex)] = depth;
        deepest = std::max(deepest, depth);
        if (depth > 0.0) side.open.push_back(vertex);
    };
    std::sort(side.crossings.begin(), side.crossings.end());
    for (auto first = side.crossings.begin(); first != side.crossings.end();) {
        const auto last = std::find_if(first, side.crossings.end(),
                                       [&](const Crossing& c) { return c.edge != first->edge; });
        const auto ends = topology.edges.col(first->edge);
        side.parts_crossed[static_cast<std::size_t>(topology.part_of_vertex[ends[0]])] = 1;
        look_at(ends[0]);
        look_at(ends[1]);
        const Vector3d start = point(ends[0]), along = point(ends[1]) - start;
        const double length = along.norm();
        const auto depth_at = [&](double share) { return depth_of_point(b, start + share * along); };
        for (double low = 0.0; low < 1.0; ++first) {  // the pieces between crossings
            const double high = first == last ? 1.0 : first->share;
            const double middle = high > low ? depth_at(0.5 * (low + high)) : 0.0;
            if (middle > 0.0 && middle + 0.5 * length * (high - low) > deepest) {
                deepest = std::max(deepest, largest(low, high, length, deepest, depth_at));
            }
            low = high;
            if (first == last) break;
        }
        first = last;
    }
    // What is inside as a whole part of the mesh, and what lies behind the edges that go in.
    for (std::size_t part = 0; part < side.parts_crossed.size(); ++part) {
        if (side.parts_crossed[part] == 0) look_at(topology.vertex_of_part[part]);
    }
    while (!side.open.empty()) {
        const int vertex = side.open.back();
        side.open.pop_back();
        for (const int next : topology.neighbors_of_vertex(vertex)) {
            look_at(next);
            const Vector3d start = point(vertex), along = point(next) - start;
            const double ends =
                side.depth[static_cast<std::size_t>(vertex)] + side.depth[static_cast<std::size_t>(next)];
            if (0.5 * (ends + along.norm()) > deepest) {
                const auto depth_at = [&](double share) { return depth_of_point(b, start + share * along); };
                deepest = std::max(deepest, largest(0.0, 1.0, along.norm(), deepest, depth_at));
            }
        }
    }
    return deepest;
}

double OverlapSearch::depth(const Surface& a, const Surface& b)
{
    if (!a.world_box().overlaps(b.world_box())) return 0.0;
    const Pose to_b{b.pose().rotation.transpose() * a.pose().rotation,
                    b.pose().inverse_times(a.pose().translation)};
    const Pose to_a{to_b.rotation.transpose(), to_b.rotation.transpose() * -to_b.translation};
    find_crossings(a, b, to_b);
    return depth_inside(b, a, to_a, m_of_b, depth_inside(a, b, to_b, m_of_a, 0.0));
}

}  // namespace softcontact
