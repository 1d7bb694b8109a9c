// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/haptics/haptic_trace.hpp"

#include <algorithm>
#include <stdexcept>

namespace softcontact {

HapticTrace::HapticTrace(Index ticks, Index publications, Index numbers)
{
    if (ticks < 1 || publications < 1 || numbers < 1) {
        throw std::invalid_argument("ticks: a trace needs room for at least one tick and one publication");
    }
    m_rows.resize(static_cast<std::size_t>(ticks));
    m_publications.resize(static_cast<std::size_t>(publications));
    m_numbers.resize(static_cast<std::size_t>(numbers));
}

void HapticTrace::add(const TraceRow& row) noexcept
{
    const Index i = m_ticks.load(std::memory_order_relaxed);
    if (full() || i >= static_cast<Index>(m_rows.size())) {
        m_full.store(true, std::memory_order_relaxed);
        return;
    }
    m_rows[static_cast<std::size_t>(i)] = row;
    m_ticks.store(i + 1, std::memory_order_release);
}

std::int64_t HapticTrace::add(const Publication& publication) noexcept
{
    const Index i = m_count.load(std::memory_order_relaxed);
    const Index first = i > 0 ? m_publications[static_cast<std::size_t>(i - 1)].first +
                                    m_publications[static_cast<std::size_t>(i - 1)].count
                              : 0;
    if (full() || i >= static_cast<Index>(m_publications.size()) ||
        first + publication.count > static_cast<Index>(m_numbers.size())) {
        m_full.store(true, std::memory_order_relaxed);
        return -1;
    }
    m_publications[static_cast<std::size_t>(i)] = {publication.stamp, publication.data_period,
                                                   publication.withdrawn, first, publication.count};
    std::copy_n(publication.parameters.data(), publication.count, m_numbers.data() + first);
    m_count.store(i + 1, std::memory_order_release);
    return i;
}

}  // namespace softcontact
