// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace softcontact {

/// Counts of durations by microseconds, filled by one thread while others read. Nothing is ever allocated.
class TimeHistogram {
public:
    static constexpr int bins = 8192;  ///< the last one holds everything from 8.191 ms on

    void add(std::int64_t nanoseconds) noexcept
    {
        const std::int64_t positive = nanoseconds > 0 ? nanoseconds : 0;
        const std::int64_t bin = positive / 1000 < bins - 1 ? positive / 1000 : bins - 1;
        increase(m_counts[static_cast<std::size_t>(bin)], std::uint32_t{1});
        increase(m_sum, positive);
        if (positive > m_max.load(std::memory_order_relaxed)) {
            m_max.store(positive, std::memory_order_relaxed);
        }
        increase(m_count, std::int64_t{1});
    }

    [[nodiscard]] std::int64_t count() const noexcept { return m_count.load(std::memory_order_relaxed); }
    [[nodiscard]] std::int64_t max() const noexcept { return m_max.load(std::memory_order_relaxed); }
    [[nodiscard]] std::uint32_t bin(int number) const noexcept
    {
        return m_counts[static_cast<std::size_t>(number)].load(std::memory_order_relaxed);
    }
    /// [ns]; 0 without entries.
    [[nodiscard]] double mean() const noexcept
    {
        const std::int64_t n = count();
        return n > 0 ? static_cast<double>(m_sum.load(std::memory_order_relaxed)) / static_cast<double>(n)
                     : 0.0;
    }
    /// Upper edge of the microsecond that holds the share `q` in (0, 1] of the entries [ns]; the exact
    /// maximum where that is smaller.
    [[nodiscard]] std::int64_t percentile(double q) const noexcept
    {
        std::int64_t total = 0;
        for (const auto& c : m_counts) {
            total += c.load(std::memory_order_relaxed);
        }
        std::int64_t below = 0;
        for (int i = 0; i < bins - 1 && total > 0; ++i) {
            below += bin(i);
            if (static_cast<double>(below) >= q * static_cast<double>(total)) {
                return max() < 1000 * (i + 1) ? max() : 1000 * (i + 1);
            }
        }
        return max();
    }

private:
    template <typename T>
    static void increase(std::atomic<T>& value, T by) noexcept  // one writer: no locked instruction needed
    {
        value.store(value.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
    }
    std::array<std::atomic<std::uint32_t>, bins> m_counts{};
    std::atomic<std::int64_t> m_sum{0}, m_max{0}, m_count{0};
};

}  // namespace softcontact
