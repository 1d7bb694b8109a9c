// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "softcontact/geometry/surface.hpp"

namespace softcontact {

/// How deep two closed surfaces are inside each other.
///
/// The deepest point of either surface inside the other, of all vertices and all edges, whatever contacts
/// were found: a face can be deeper only where the other surface has a vertex or an edge inside. An open
/// surface has no inside. Buffers grow to the largest surface seen.
class OverlapSearch {
public:
    /// Depth [m], 0 where the surfaces are apart or touch. Both have to be fresh.
    [[nodiscard]] double depth(const Surface& a, const Surface& b);

private:
    /// Where an edge goes through a triangle of the other surface: at a share of its length.
    struct Crossing {
        int edge;
        double share;
        [[nodiscard]] bool operator<(const Crossing& other) const
        {
            return edge != other.edge ? edge < other.edge : share < other.share;
        }
    };
    /// One of the surfaces, and what of it is inside the other.
    struct Side {
        std::vector<Crossing> crossings;
        std::vector<char> seen;     ///< per vertex: its depth is known
        std::vector<double> depth;  ///< per vertex that is
        std::vector<char> parts_crossed;
        std::vector<int> open;
    };

    void find_crossings(const Surface& a, const Surface& b, const Pose& to_b);
    /// The larger one of `deepest` and the depth of what is deepest of a in b.
    static double depth_inside(const Surface& a, const Surface& b, const Pose& to_b, Side& side,
                               double deepest);

    Side m_of_a, m_of_b;
    Points m_moved;             ///< vertices of a in the frame of b
    std::vector<Aabb> m_boxes;  ///< of the nodes of a's tree, in that frame
};

}  // namespace softcontact
