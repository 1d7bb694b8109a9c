// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>
#include <vector>

namespace softcontact {

/// Groups of blocks that have nothing to do with each other: what some system connects is on one island.
struct ContactIslands {
    std::vector<int> of_block;
    std::vector<int> first_system, systems;  ///< with entries, by island
    std::vector<bool> rigid;  ///< whether all that an island has are rigid bodies, or others of six freedoms

    [[nodiscard]] int count() const { return static_cast<int>(rigid.size()); }
    [[nodiscard]] std::span<const int> systems_of(int island) const
    {
        const auto i = static_cast<std::size_t>(island);
        return std::span(systems).subspan(static_cast<std::size_t>(first_system[i]),
                                          static_cast<std::size_t>(first_system[i + 1] - first_system[i]));
    }
};

/// Numbers from 0 on, sorted by a group each, in their order within it: `first` (groups + 1) of each group.
template <typename Group>
void sort_by_group(int numbers, int groups, const Group& group_of, std::vector<int>& first,
                   std::vector<int>& sorted)
{
    first.assign(static_cast<std::size_t>(groups) + 1, 0);
    for (int k = 0; k < numbers; ++k) ++first[static_cast<std::size_t>(group_of(k)) + 1];
    for (int g = 0; g < groups; ++g) {
        first[static_cast<std::size_t>(g) + 1] += first[static_cast<std::size_t>(g)];
    }
    sorted.resize(static_cast<std::size_t>(numbers));
    std::vector<int> next(first.begin(), first.end() - 1);
    for (int k = 0; k < numbers; ++k) {
        sorted[static_cast<std::size_t>(next[static_cast<std::size_t>(group_of(k))]++)] = k;
    }
}

}  // namespace softcontact
