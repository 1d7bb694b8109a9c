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

/// Largest value of a function that rises and then falls on [low, high].
template <typename Function>
double largest(double low, double high, const Function& value)
{
    constexpr double golden = 0.6180339887498949;
    double left = high - golden * (high - low), right = low + golden * (high - low);
    double at_left = value(left), at_right = value(right);
    for (int k = 0; k < most_steps; ++k) {
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
double crossing(const Surface& surface, int triangle, const Vector3d& start, const Vector3d& end)
{
    constexpr double none = -1.0;
    const auto corners = surface.triangles().col(triangle);
    const Vector3d a = surface.local_vertices().col(corners[0]);
    const Vector3d b = surface.local_vertices().col(corners[1]);
    const Vector3d c = surface.local_vertices().col(corners[2]);
    const Vector3d normal = surface.face_normals().col(triangle);
    const double before = normal.dot(start - a), after = normal.dot(end - a);
    if ((before > 0.0) == (after > 0.0)) return none;
    const double share = before / (before - after);
    const Vector3d point = start + share * (end - start);
    const bool inside = normal.dot((b - a).cross(point - a)) >= 0.0 &&
                        normal.dot((c - b).cross(point - b)) >= 0.0 &&
                        normal.dot((a - c).cross(point - c)) >= 0.0;
    return inside ? share : none;
}

}  // namespace

namespace {

/// Whether an edge of one triangle goes through the other, in the frame of b.
bool triangles_cross(const Surface& a, int triangle_a, const Surface& b, int triangle_b, const Pose& a_to_b,
                     const Pose& b_to_a)
{
    const auto edge_crosses = [](const Surface& from, int of, const Surface& through, int target,
                                 const Pose& pose) {
        const auto corners = from.triangles().col(of);
        Vector3d last = pose * from.local_vertices().col(corners[2]);
        for (int k = 0; k < 3; ++k) {
            const Vector3d next = pose * from.local_vertices().col(corners[k]);
            const double share = crossing(through, target, last, next);
            if (share >= 0.0 && share <= 1.0) return true;
            last = next;
        }
        return false;
    };
    return edge_crosses(a, triangle_a, b, triangle_b, a_to_b) ||
           edge_crosses(b, triangle_b, a, triangle_a, b_to_a);
}

bool holds_whole(const Surface& outer, const Surface& inner, const Pose& to_outer)
{
    const Aabb box = inner.local_box().transformed(to_outer);
    if (!outer.is_closed() || !outer.local_box().contains(box.center())) return false;
    const int vertex = inner.triangles()(0, 0);
    return depth_of_point(outer, to_outer * inner.local_vertices().col(vertex)) > 0.0;
}

}  // namespace

double OverlapSearch::depth_of_edge(const Surface& b, const Vector3d& start, const Vector3d& end)
{
    m_crossings.clear();
    b.tree().for_each([&](const Aabb& box) { return box.meets_segment(start, end); },
                      [&](int triangle) {
                          const double share = crossing(b, triangle, start, end);
                          if (share >= 0.0 && share <= 1.0) m_crossings.push_back(share);
                      });
    if (m_crossings.empty()) return 0.0;  // all inside, or all outside: the ends tell
    m_crossings.push_back(0.0);
    m_crossings.push_back(1.0);
    std::sort(m_crossings.begin(), m_crossings.end());
    const auto depth_at = [&](double share) { return depth_of_point(b, start + share * (end - start)); };
    double deepest = 0.0;
    for (std::size_t k = 0; k + 1 < m_crossings.size(); ++k) {
        const double low = m_crossings[k], high = m_crossings[k + 1];
        if (depth_at(0.5 * (low + high)) > 0.0) deepest = std::max(deepest, largest(low, high, depth_at));
    }
    return deepest;
}

double OverlapSearch::depth_inside(const Surface& a, const Surface& b, const Pose& to_b, const Pose& from_b)
{
    if (!b.is_closed()) return 0.0;
    const Aabb region = b.local_box().transformed(from_b);
    m_seen.resize(std::max(m_seen.size(), static_cast<std::size_t>(a.vertex_count())), 0);
    const SurfaceTopology& topology = a.topology();
    const auto point = [&](int vertex) { return Vector3d(to_b * a.local_vertices().col(vertex)); };
    double deepest = 0.0;
    a.tree().for_each([&](const Aabb& box) { return box.overlaps(region); },
                      [&](int triangle) {
                          for (int k = 0; k < 3; ++k) {
                              const int vertex = a.triangles()(k, triangle);
                              if (m_seen[static_cast<std::size_t>(vertex)] == 0) {
                                  m_seen[static_cast<std::size_t>(vertex)] = 1;
                                  m_marked.push_back(vertex);
                                  deepest = std::max(deepest, depth_of_point(b, point(vertex)));
                              }
                              const int edge = topology.triangle_edges(k, triangle);
                              if (topology.edge_faces(0, edge) == triangle) {
                                  const auto ends = topology.edges.col(edge);
                                  deepest =
                                      std::max(deepest, depth_of_edge(b, point(ends[0]), point(ends[1])));
                              }
                          }
                      });
    for (const int vertex : m_marked) m_seen[static_cast<std::size_t>(vertex)] = 0;
    m_marked.clear();
    return deepest;
}

double OverlapSearch::depth(const Surface& a, const Surface& b)
{
    if (!a.world_box().overlaps(b.world_box())) return 0.0;
    const Pose to_b{b.pose().rotation.transpose() * a.pose().rotation,
                    b.pose().inverse_times(a.pose().translation)};
    const Pose to_a{to_b.rotation.transpose(), to_b.rotation.transpose() * -to_b.translation};
    const auto cross = [&](int of_a, int of_b) { return triangles_cross(a, of_a, b, of_b, to_b, to_a); };
    if (!a.tree().any_pair(b.tree(), to_b, cross) && !holds_whole(b, a, to_b) && !holds_whole(a, b, to_a)) {
        return 0.0;
    }
    return std::max(depth_inside(a, b, to_b, to_a), depth_inside(b, a, to_a, to_b));
}

}  // namespace softcontact
