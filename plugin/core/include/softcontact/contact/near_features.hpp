// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "softcontact/contact/clearance.hpp"

namespace softcontact {

/// Edges of triangles that meet a box in the surface's frame, each once, into `edges`. Of all kinds: a hollow
/// edge of tissue may be a ridge before what was gathered is gathered anew.
void edges_in(const Surface& surface, const Aabb& box, std::vector<int>& edges);

/// The vertices and edges of a surface that may touch another one before the two have moved by a margin.
///
/// Gathered once, they serve until the motion since then, of any point of the surface in the other one's
/// frame and of the other one's own shape, has used up the margin: all other vertices and edges are still too
/// far away.
class NearFeatures {
public:
    /// Makes room ahead of the first step.
    void reserve(const Surface& self);

    /// Whether what was gathered still holds, for distances [m] that may differ.
    [[nodiscard]] bool holds(const Surface& self, const Surface& other, const Pose& to_other,
                             double alarm_distance, double reach) const;
    /// Gathers anew: vertices within the alarm distance and a margin of the other surface or inside it, in
    /// the order of the tree, and edges within `reach` and the margin of one of its edges, of a triangle
    /// whose box they are within the alarm distance and the margin of.
    void gather(const Surface& self, const Surface& other, const Pose& to_other, const Pose& from_other,
                double alarm_distance, double reach, Clearance& clearance);

    [[nodiscard]] const std::vector<int>& vertices() const { return m_vertices; }
    [[nodiscard]] const std::vector<int>& edges() const { return m_edges; }

private:
    void gather_vertices(const Surface& self, const Surface& other, const Pose& to_other,
                         const Pose& from_other, double distance, Clearance& clearance);
    void gather_edges(const Surface& self, const Surface& other, const Pose& to_other,
                      const Pose& from_other);

    std::vector<int> m_vertices;
    std::vector<int> m_edges;
    std::vector<char> m_marked;  ///< per vertex, 0 between calls
    Pose m_to_other;
    double m_own_path = 0.0, m_other_path = 0.0;
    double m_distance = -1.0;  ///< looked at so far out [m]; < 0: nothing gathered yet
    double m_reach = -1.0;     ///< the same for edges from edges
};

}  // namespace softcontact
