// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <cstdint>

namespace softcontact {

/// Where the fast thread has its time from; nanoseconds of a clock that only goes forward.
class TickClock {
public:
    virtual ~TickClock() = default;
    [[nodiscard]] virtual std::int64_t now() const noexcept = 0;
    virtual void sleep_until(std::int64_t time) noexcept = 0;
};

/// The system's monotonic clock. Sleeping wakes late: the last `spin` nanoseconds are waited out awake.
class SystemTickClock final : public TickClock {
public:
    explicit SystemTickClock(std::int64_t spin = 80'000) noexcept : m_spin(spin) {}
    [[nodiscard]] std::int64_t now() const noexcept override;
    void sleep_until(std::int64_t time) noexcept override;

private:
    std::int64_t m_spin;
};

/// Time that is set by hand, for simulated time, replays and tests. Sleeping moves it on.
class ManualTickClock final : public TickClock {
public:
    [[nodiscard]] std::int64_t now() const noexcept override { return m_now.load(std::memory_order_acquire); }
    void sleep_until(std::int64_t time) noexcept override
    {
        if (time > now()) {
            set(time);
        }
    }
    void set(std::int64_t time) noexcept { m_now.store(time, std::memory_order_release); }
    void advance(std::int64_t time) noexcept { m_now.fetch_add(time, std::memory_order_acq_rel); }

private:
    std::atomic<std::int64_t> m_now{0};
};

/// Due times at a fixed period, in absolute time: a late tick does not shift the ones after it. A tick that
/// comes a whole period late or more has cost the ticks in between, and the schedule starts anew from it.
class TickSchedule {
public:
    TickSchedule(TickClock& clock, std::int64_t period) noexcept : m_clock(clock), m_period(period)
    {
        start();
    }

    /// The first tick is due one period from now.
    void start() noexcept { m_due = m_clock.now() + m_period; }

    /// Sleep until the next tick is due; nanoseconds it comes late.
    std::int64_t wait() noexcept
    {
        m_clock.sleep_until(m_due);
        const std::int64_t now = m_clock.now(), late = now - m_due;
        m_skipped = late >= m_period ? late / m_period : 0;
        m_due = (m_skipped > 0 ? now : m_due) + m_period;
        return late;
    }

    /// Ticks that were lost before the last one.
    [[nodiscard]] std::int64_t skipped() const noexcept { return m_skipped; }

private:
    TickClock& m_clock;
    std::int64_t m_period;
    std::int64_t m_due = 0;
    std::int64_t m_skipped = 0;
};

}  // namespace softcontact
