// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/contact/near_features.hpp"

#include <algorithm>

#include "softcontact/geometry/rigid_travel.hpp"

namespace softcontact {
namespace {

/// Margin over the alarm distance. Larger: gathered less often, but more to look at in between.
constexpr double margin_ratio = 1.0;

}  // namespace

void edges_in(const Surface& surface, const Aabb& box, std::vector<int>& edges)
{
    const SurfaceTopology& topology = surface.topology();
    surface.tree().for_each([&](const Aabb& node) { return node.overlaps(box); },
                            [&](int triangle) {
                                for (int k = 0; k < 3; ++k) {
                                    const int edge = topology.triangle_edges(k, triangle);
                                    if (topology.edge_faces(0, edge) == triangle) edges.push_back(edge);
                                }
                            });
}

void NearFeatures::reserve(const Surface& self)
{
    const auto count = static_cast<std::size_t>(self.vertex_count());
    if (m_marked.size() == count) return;
    m_marked.assign(count, 0);
    m_vertices.reserve(count);
    m_edges.reserve(static_cast<std::size_t>(self.edge_count()));
    m_distance = -1.0;
}

bool NearFeatures::holds(const Surface& self, const Surface& other, const Pose& to_other,
                         double alarm_distance, double reach) const
{
    const double moved = rigid_travel(self.local_box(), m_to_other, to_other) +
                         (self.deformed_path() - m_own_path) + (other.deformed_path() - m_other_path) +
                         coincidence_ratio * (self.reference_size() + other.reference_size());
    return moved < std::min(m_distance - alarm_distance, m_reach - reach);
}

void NearFeatures::gather(const Surface& self, const Surface& other, const Pose& to_other,
                          const Pose& from_other, double alarm_distance, double reach, Clearance& clearance)
{
    const double margin = margin_ratio * alarm_distance;
    m_distance = alarm_distance + margin;
    m_reach = reach + margin;
    gather_vertices(self, other, to_other, from_other, m_distance, clearance);
    gather_edges(self, other, to_other, from_other);
    m_to_other = to_other;
    m_own_path = self.deformed_path();
    m_other_path = other.deformed_path();
}

void NearFeatures::gather_vertices(const Surface& self, const Surface& other, const Pose& to_other,
                                   const Pose& from_other, double distance, Clearance& clearance)
{
    m_vertices.clear();
    const Aabb region = other.local_box().inflated(distance);
    const Aabb region_here = region.transformed(from_other);
    const auto look_at = [&](int vertex) {
        if (m_marked[static_cast<std::size_t>(vertex)] != 0) return;
        m_marked[static_cast<std::size_t>(vertex)] = 1;
        m_vertices.push_back(vertex);
    };
    self.tree().for_each([&](const Aabb& box) { return box.overlaps(region_here); },
                         [&](int triangle) {
                             for (int k = 0; k < 3; ++k) look_at(self.triangles()(k, triangle));
                         });
    for (const int vertex : m_vertices) m_marked[static_cast<std::size_t>(vertex)] = 0;
    std::erase_if(m_vertices, [&](int vertex) {
        const Vector3d point = to_other * self.local_vertices().col(vertex);
        if (!region.contains(point) || clearance.is_beyond(vertex, point, other, distance)) return true;
        clearance.look(vertex, point, other);
        return clearance.is_beyond(vertex, point, other, distance);
    });
}

void NearFeatures::gather_edges(const Surface& self, const Surface& other, const Pose& to_other,
                                const Pose& from_other)
{
    m_edges.clear();
    edges_in(self, other.local_box().inflated(m_distance).transformed(from_other), m_edges);
    std::erase_if(m_edges, [&](int edge) {
        const Vector3d start = to_other * self.local_vertices().col(self.topology().edges(0, edge));
        const Vector3d end = to_other * self.local_vertices().col(self.topology().edges(1, edge));
        bool near = false;
        const auto look_at = [&](int crossed) {
            const auto ends = other.topology().edges.col(crossed);
            const SegmentPair pair = closest_points_of_segments(
                start, end, other.local_vertices().col(ends[0]), other.local_vertices().col(ends[1]));
            near = near || pair.squared_distance <= m_reach * m_reach;
        };
        other.tree().for_each(
            [&](const Aabb& box) { return !near && box.inflated(m_distance).meets_segment(start, end); },
            [&](int triangle) {
                for (int k = 0; k < 3 && !near; ++k) look_at(other.topology().triangle_edges(k, triangle));
            });
        return !near;
    });
}

}  // namespace softcontact
