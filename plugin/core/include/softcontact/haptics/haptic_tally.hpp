// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "softcontact/haptics/force_safety.hpp"

namespace softcontact {

/// What all ticks so far came to. One thread adds, any other may read.
class HapticTally {
public:
    static constexpr int states = static_cast<int>(HapticState::error) + 1;

    /// A tick: the wrench that went to the device, and whether the data were overdue, so that it has to be
    /// zero.
    void add(HapticState state, const Vector6d& wrench, bool overdue) noexcept
    {
        count(m_ticks[static_cast<std::size_t>(state)]);
        if (!wrench.allFinite()) {
            count(m_not_finite);
            return;
        }
        raise(m_force, wrench.head<3>().norm());
        raise(m_torque, wrench.tail<3>().norm());
        if (overdue && !wrench.isZero(0.0)) {
            count(m_missed);
        }
    }

    [[nodiscard]] std::int64_t ticks(HapticState state) const noexcept
    {
        return m_ticks[static_cast<std::size_t>(state)].load(std::memory_order_relaxed);
    }
    /// Ticks with overdue data and a force all the same: 0 as long as the watchdog does its work.
    [[nodiscard]] std::int64_t missed() const noexcept { return m_missed.load(std::memory_order_relaxed); }
    /// Ticks whose wrench was no number.
    [[nodiscard]] std::int64_t not_finite() const noexcept
    {
        return m_not_finite.load(std::memory_order_relaxed);
    }
    [[nodiscard]] double force() const noexcept { return m_force.load(std::memory_order_relaxed); }
    [[nodiscard]] double torque() const noexcept { return m_torque.load(std::memory_order_relaxed); }

private:
    static void count(std::atomic<std::int64_t>& number) noexcept
    {
        number.store(number.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    static void raise(std::atomic<double>& most, double value) noexcept
    {
        if (value > most.load(std::memory_order_relaxed)) {
            most.store(value, std::memory_order_relaxed);
        }
    }

    std::array<std::atomic<std::int64_t>, states> m_ticks{};
    std::atomic<std::int64_t> m_missed{0}, m_not_finite{0};
    std::atomic<double> m_force{0.0}, m_torque{0.0};  // the largest [N], [N m]
};

}  // namespace softcontact
