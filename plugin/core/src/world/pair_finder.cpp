// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <softcontact/world/pair_finder.hpp>

namespace softcontact {

void PairFinder::set_pairs(int surface_count, const std::vector<std::pair<int, int>>& pairs)
{
    const auto count = static_cast<std::size_t>(surface_count);
    constexpr auto none = static_cast<std::size_t>(-1);
    m_pair_of.assign(count * count, none);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const auto [first, second] = std::minmax(pairs[i].first, pairs[i].second);
        m_pair_of[static_cast<std::size_t>(first) * count + static_cast<std::size_t>(second)] = i;
    }
    m_broad_phase = BroadPhase();
    for (int i = 0; i < surface_count; ++i) {
        for (int j = i + 1; j < surface_count; ++j) {
            if (m_pair_of[static_cast<std::size_t>(i) * count + static_cast<std::size_t>(j)] == none) {
                m_broad_phase.exclude(i, j);
            }
        }
    }
    m_boxes.resize(count);
    m_near.reserve(pairs.size());
    m_found.reserve(pairs.size());
}

const std::vector<std::size_t>& PairFinder::find(double margin)
{
    m_broad_phase.find_pairs(m_boxes, margin, m_near);
    m_found.clear();
    for (const auto& [first, second] : m_near) {
        m_found.push_back(
            m_pair_of[static_cast<std::size_t>(first) * m_boxes.size() + static_cast<std::size_t>(second)]);
    }
    return m_found;
}

}  // namespace softcontact
