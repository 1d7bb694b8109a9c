// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/geometry/broad_phase.hpp>
#include <utility>
#include <vector>

namespace softcontact {

/// Which of the pairs of surfaces that may touch have boxes near each other.
class PairFinder {
public:
    /// The pairs that may touch, each (surface, surface).
    void set_pairs(int surface_count, const std::vector<std::pair<int, int>>& pairs);
    /// Box of each surface, for the next find().
    [[nodiscard]] std::vector<Aabb>& boxes() { return m_boxes; }
    /// Indices of the pairs whose boxes are at most `margin` apart along every axis [m], in the order of
    /// their surfaces.
    const std::vector<std::size_t>& find(double margin);

private:
    BroadPhase m_broad_phase;
    std::vector<Aabb> m_boxes;
    std::vector<BroadPhase::Pair> m_near;
    std::vector<std::size_t> m_pair_of;  ///< (surface, surface), first < second: index of their pair
    std::vector<std::size_t> m_found;
};

}  // namespace softcontact
