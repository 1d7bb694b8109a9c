// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/contact/detection_side.hpp"

namespace softcontact {

void DetectionMemory::reserve(const Surface& a, const Surface& b)
{
    of_a.clearance.reserve(a.vertex_count());
    of_b.clearance.reserve(b.vertex_count());
    of_a.near.reserve(a);
    of_b.near.reserve(b);
}

void DetectionSide::gather(double alarm_distance, double reach) const
{
    if (m_memory == nullptr || m_memory->near.holds(m_self, m_other, m_to_other, alarm_distance, reach))
        return;
    m_memory->near.gather(m_self, m_other, m_to_other, m_from_other, alarm_distance, reach,
                          m_memory->clearance);
}

void DetectionSide::collect_edges(double reach, CandidateBuffers& buffers) const
{
    if (m_memory != nullptr) {
        buffers.edges = m_memory->near.edges();
        return;
    }
    buffers.edges.clear();
    edges_in(m_self, m_other.local_box().inflated(reach).transformed(m_from_other), buffers.edges);
}

void DetectionSide::collect_vertices(double alarm_distance, CandidateBuffers& buffers) const
{
    buffers.candidates.clear();
    const Aabb region = m_other.local_box().inflated(alarm_distance);
    const auto look_at = [&](int vertex) {
        const Vector3d point = m_to_other * m_self.local_vertices().col(vertex);
        if (!region.contains(point)) return;
        if (m_memory != nullptr && m_memory->clearance.is_beyond(vertex, point, m_other, alarm_distance))
            return;
        buffers.candidates.push_back({vertex, point});
    };
    if (m_memory != nullptr) {
        for (const int vertex : m_memory->near.vertices()) look_at(vertex);
        return;
    }
    buffers.seen.clear();
    const auto look_once = [&](int vertex) {
        if (buffers.marked[static_cast<std::size_t>(vertex)] != 0) return;
        buffers.marked[static_cast<std::size_t>(vertex)] = 1;
        buffers.seen.push_back(vertex);
        look_at(vertex);
    };
    const Aabb region_here = region.transformed(m_from_other);
    m_self.tree().for_each([&](const Aabb& box) { return box.overlaps(region_here); },
                           [&](int triangle) {
                               for (int k = 0; k < 3; ++k) look_once(m_self.triangles()(k, triangle));
                           });
    for (const int vertex : buffers.seen) buffers.marked[static_cast<std::size_t>(vertex)] = 0;
}

}  // namespace softcontact
