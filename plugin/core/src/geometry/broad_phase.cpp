// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/geometry/broad_phase.hpp"

#include <algorithm>
#include <numeric>

namespace softcontact {
namespace {

BroadPhase::Pair ordered(int i, int j)
{
    return {std::min(i, j), std::max(i, j)};
}

/// The axis along which the boxes lie furthest apart in the mean: it leaves the fewest overlaps to test.
int sweep_axis(std::span<const Aabb> boxes)
{
    Vector3d sum = Vector3d::Zero();
    Vector3d squares = Vector3d::Zero();
    for (const Aabb& box : boxes) {
        sum += box.center();
        squares += box.center().cwiseAbs2();
    }
    int axis = 0;
    (squares - sum.cwiseAbs2() / static_cast<double>(boxes.size())).maxCoeff(&axis);
    return axis;
}

}  // namespace

void BroadPhase::exclude(int i, int j)
{
    const Pair pair = ordered(i, j);
    const auto place = std::lower_bound(m_excluded.begin(), m_excluded.end(), pair);
    if (place == m_excluded.end() || *place != pair) m_excluded.insert(place, pair);
}

bool BroadPhase::is_excluded(int i, int j) const
{
    return std::binary_search(m_excluded.begin(), m_excluded.end(), ordered(i, j));
}

void BroadPhase::find_pairs(std::span<const Aabb> boxes, double margin, std::vector<Pair>& pairs)
{
    pairs.clear();
    if (boxes.empty()) return;
    if (m_order.size() != boxes.size()) {
        m_order.resize(boxes.size());
        std::iota(m_order.begin(), m_order.end(), 0);
    }
    const int axis = sweep_axis(boxes);
    // Insertion sort: the order hardly changes between steps.
    for (std::size_t k = 1; k < m_order.size(); ++k) {
        const int item = m_order[k];
        const double lower = boxes[item].lower[axis];
        std::size_t place = k;
        for (; place > 0 && boxes[m_order[place - 1]].lower[axis] > lower; --place) {
            m_order[place] = m_order[place - 1];
        }
        m_order[place] = item;
    }
    for (std::size_t k = 0; k < m_order.size(); ++k) {
        const Aabb inflated = boxes[m_order[k]].inflated(margin);
        for (std::size_t l = k + 1; l < m_order.size(); ++l) {
            const Aabb& other = boxes[m_order[l]];
            if (other.lower[axis] > inflated.upper[axis]) break;
            if (inflated.overlaps(other) && !is_excluded(m_order[k], m_order[l])) {
                pairs.push_back(ordered(m_order[k], m_order[l]));
            }
        }
    }
    std::sort(pairs.begin(), pairs.end());
}

}  // namespace softcontact
