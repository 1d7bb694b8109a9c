// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/geometry/aabb_tree.hpp"

#include <algorithm>
#include <numeric>

namespace softcontact {

AabbTree::AabbTree(std::span<const Aabb> boxes) : m_order(boxes.size())
{
    assert(!boxes.empty());
    std::iota(m_order.begin(), m_order.end(), 0);
    m_nodes.reserve(2 * boxes.size());
    build(boxes, 0, static_cast<int>(boxes.size()));
    refit([&](int item) { return boxes[item]; });
}

void AabbTree::build(std::span<const Aabb> boxes, int begin, int end)
{
    const std::size_t node = m_nodes.size();
    m_nodes.emplace_back();
    if (end - begin <= leaf_size) {
        std::sort(m_order.begin() + begin, m_order.begin() + end);
        m_nodes[node].first = begin;
        m_nodes[node].count = end - begin;
        return;
    }
    Aabb centers;
    for (int k = begin; k < end; ++k) centers.extend(boxes[m_order[k]].center());
    int axis = 0;
    (centers.upper - centers.lower).maxCoeff(&axis);
    const int middle = begin + (end - begin) / 2;
    // A total order (ties by index) makes the tree the same with every standard library.
    std::nth_element(m_order.begin() + begin, m_order.begin() + middle, m_order.begin() + end,
                     [&](int i, int j) {
                         const double x = boxes[i].center()[axis];
                         const double y = boxes[j].center()[axis];
                         return x < y || (x == y && i < j);
                     });
    build(boxes, begin, middle);
    m_nodes[node].first = static_cast<int>(m_nodes.size());
    build(boxes, middle, end);
}

}  // namespace softcontact
