// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/vademecum/separated_distances.hpp"

#include <algorithm>
#include <cmath>

#include "require.hpp"

namespace softcontact {

SeparatedDistances::SeparatedDistances(const SeparatedTable& table) : m_table(table)
{
    require(table.block >= 1, "block: expected 1 or more");
    require(table.bound >= 0.0 && std::isfinite(table.bound), "bound: expected a finite length >= 0");
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const Index count = table.counts[axis];
        require(count >= 2, "counts: expected two grid points or more an axis");
        m_blocks[axis] = (count + table.block - 1) / table.block;
        for (Index at = 0; at < count; ++at) {
            const Index block = at / table.block;
            m_lines[axis].push_back(
                {block, at % table.block, std::min(table.block, count - block * table.block)});
        }
    }
    const Index blocks = m_blocks[0] * m_blocks[1] * m_blocks[2];
    m_terms = static_cast<Index>(table.scales.size());
    require(static_cast<Index>(table.starts.size()) == blocks + 1 && table.starts.front() == 0 &&
                static_cast<Index>(table.starts.back()) == m_terms &&
                std::is_sorted(table.starts.begin(), table.starts.end()),
            "starts: expected blocks + 1 numbers growing from 0 to the number of terms");
    Index offset = 0;
    for (Index b = 0; b < blocks; ++b) {
        m_offsets.push_back(offset);
        const std::array<Index, 3> at = {b / (m_blocks[1] * m_blocks[2]), b / m_blocks[2] % m_blocks[1],
                                         b % m_blocks[2]};
        Index points = 1;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            points *= m_lines[axis][static_cast<std::size_t>(at[axis] * table.block)].width;
        }
        const auto first = static_cast<std::size_t>(b);
        offset += points * static_cast<Index>(table.starts[first + 1] - table.starts[first]);
    }
    require(static_cast<Index>(table.places.size()) == offset,
            "places: expected one of each block, point and term");
    const auto values = static_cast<Index>(table.states.size());
    require(m_terms >= 1 && values >= m_terms && values % m_terms == 0,
            "states: expected one of each state and term");
    require(std::all_of(table.scales.begin(), table.scales.end(), [](float s) { return std::isfinite(s); }),
            "scales: a value is not finite");
    m_states = values / m_terms;
}

double SeparatedDistances::value(Index state, Index i, Index j, Index k) const noexcept
{
    const Line &x = m_lines[0][static_cast<std::size_t>(i)], &y = m_lines[1][static_cast<std::size_t>(j)],
               &z = m_lines[2][static_cast<std::size_t>(k)];
    const auto block = static_cast<std::size_t>((x.block * m_blocks[1] + y.block) * m_blocks[2] + z.block);
    const auto first = static_cast<Index>(m_table.starts[block]);
    const Index count = static_cast<Index>(m_table.starts[block + 1]) - first;
    const std::int8_t* place = m_table.places.data() + m_offsets[block] +
                               ((x.place * y.width + y.place) * z.width + z.place) * count;
    const std::int8_t* amplitude = m_table.states.data() + state * m_terms + first;
    const float* scale = m_table.scales.data() + first;
    float sum = 0.0F;
    for (Index t = 0; t < count; ++t) sum += scale[t] * static_cast<float>(place[t] * amplitude[t]);
    return static_cast<double>(sum);
}

void SeparatedDistances::expand(Index state, std::span<float> out) const noexcept
{
    float* to = out.data();
    for (Index i = 0; i < m_table.counts[0]; ++i) {
        for (Index j = 0; j < m_table.counts[1]; ++j) {
            for (Index k = 0; k < m_table.counts[2]; ++k) *to++ = static_cast<float>(value(state, i, j, k));
        }
    }
}

}  // namespace softcontact
