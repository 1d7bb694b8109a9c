// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <atomic>

namespace softcontact {

/// Hands values from one thread to another without locks: the reader gets the newest complete one, the writer
/// never waits, and neither allocates once the three slots have their sizes.
template <typename T>
class LatestValue {
public:
    explicit LatestValue(const T& initial) : m_slots{initial, initial, initial} {}

    /// The slot that the writer fills before publish(). One writing thread.
    [[nodiscard]] T& slot() { return m_slots[m_writing]; }
    void publish() { m_writing = m_middle.exchange(m_writing | fresh, std::memory_order_acq_rel) & index; }

    /// Take over the newest value; false when nothing came since the last call. One reading thread.
    [[nodiscard]] bool take()
    {
        if ((m_middle.load(std::memory_order_relaxed) & fresh) == 0) {
            return false;
        }
        m_reading = m_middle.exchange(m_reading, std::memory_order_acq_rel) & index;
        return true;
    }
    [[nodiscard]] const T& value() const { return m_slots[m_reading]; }

private:
    static constexpr unsigned fresh = 4;
    static constexpr unsigned index = 3;
    std::array<T, 3> m_slots;
    unsigned m_writing = 0;
    unsigned m_reading = 1;
    std::atomic<unsigned> m_middle{2};
};

}  // namespace softcontact
