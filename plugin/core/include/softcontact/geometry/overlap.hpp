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
    double depth_inside(const Surface& a, const Surface& b, const Pose& to_b, const Pose& from_b);
    double depth_of_edge(const Surface& b, const Vector3d& start, const Vector3d& end);

    std::vector<char> m_seen;  ///< per vertex
    std::vector<int> m_marked;
    std::vector<double> m_crossings;
};

}  // namespace softcontact
