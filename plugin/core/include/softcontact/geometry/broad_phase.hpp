// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "softcontact/geometry/aabb_tree.hpp"

namespace softcontact {

/// Which of many boxes overlap: a sweep along one axis that keeps its order from step to step.
class BroadPhase {
public:
    using Pair = std::pair<int, int>;

    /// Never report the pair (i, j). Allocates; call it while building.
    void exclude(int i, int j);
    [[nodiscard]] bool is_excluded(int i, int j) const;

    /// Pairs (i < j), ascending, of boxes whose distance along every axis is at most `margin` [m].
    /// The result does not depend on earlier calls; these only make it faster. Does not allocate once `pairs`
    /// and the order have their size.
    void find_pairs(std::span<const Aabb> boxes, double margin, std::vector<Pair>& pairs);

private:
    std::vector<Pair> m_excluded;  ///< sorted, i < j
    std::vector<int> m_order;      ///< boxes by their lower end on the sweep axis
};

}  // namespace softcontact
