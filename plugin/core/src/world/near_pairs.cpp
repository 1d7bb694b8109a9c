// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <softcontact/world/near_pairs.hpp>

namespace softcontact {

void NearPairs::clear()
{
    m_broad_phase = BroadPhase();
    m_place.clear();
    m_found.clear();
}

const std::vector<std::size_t>& NearPairs::find(const std::vector<ContactSurface>& surfaces, double margin,
                                                const PairLaws& laws, ContactModel model,
                                                std::vector<ContactPair>& pairs)
{
    m_broad_phase.find_pairs(m_boxes, margin, m_near);
    m_found.clear();
    for (const auto& [first, second] : m_near) {
        const auto [place, is_new] = m_place.try_emplace(key(first, second), gone);
        if (is_new) {
            if (const auto law = laws.of(surfaces, first, second, model)) {
                place->second = pairs.size();
                pairs.push_back({*law, {}, {}, 0});
            }
        }
        if (place->second != gone) {
            m_found.push_back(place->second);
        }
    }
    return m_found;
}

const std::vector<std::size_t>& NearPairs::forget_far(std::vector<ContactPair>& pairs)
{
    constexpr int long_ago = 50;  // steps
    for (ContactPair& pair : pairs) {
        ++pair.unseen;
    }
    for (const std::size_t pair : m_found) {
        pairs[pair].unseen = 0;
    }
    m_moved.clear();
    const auto far = [](const ContactPair& pair) { return pair.unseen > long_ago; };
    if (std::none_of(pairs.begin(), pairs.end(), far)) {
        return m_moved;
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const auto [first, second] = std::minmax(pairs[i].a, pairs[i].b);
        const bool drop = far(pairs[i]);
        if (drop) {
            m_place.erase(key(first, second));
        } else {
            m_place[key(first, second)] = kept;
            if (kept != i) {
                pairs[kept] = std::move(pairs[i]);
            }
        }
        m_moved.push_back(drop ? gone : kept++);
    }
    pairs.resize(kept);
    for (std::size_t& pair : m_found) {
        pair = m_moved[pair];
    }
    return m_moved;
}

}  // namespace softcontact
