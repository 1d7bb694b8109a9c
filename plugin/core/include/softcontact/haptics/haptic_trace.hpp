// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "softcontact/haptics/device.hpp"
#include "softcontact/haptics/force_safety.hpp"

namespace softcontact {

/// What the slow thread hands over at once.
struct Publication {
    VectorXd parameters;       ///< room for the longest one
    Index count = 0;           ///< numbers in use, of the force law
    std::int64_t stamp = 0;    ///< when it was published [ns]
    double data_period = 0.0;  ///< the next one is promised within this [s]
    bool withdrawn = false;    ///< nothing more will come: fade out
    std::uint64_t number = 0;  ///< counts from 1
};

/// One tick of a session: what went in and what came out.
struct TraceRow {
    std::int64_t time = 0;  ///< of the tick's start [ns]
    DeviceState device;     ///< as it was read
    Vector6d wanted;        ///< what the law asked for [N, N m]
    Vector6d wrench;        ///< what went to the device [N, N m]
    double gain = 0.0;
    std::int64_t publication = -1;  ///< row among the trace's publications that the law had; -1: none yet
    std::uint32_t fault = 0;
    HapticState state = HapticState::waiting;
    bool reset = false;  ///< reset() took effect in this tick
};

/// A session written down by the fast thread, in memory that was there before. When it is full the session
/// goes on unwritten.
class HapticTrace {
public:
    /// Room for so many ticks and publications, and for `numbers` in all of the latter together. Throws
    /// std::invalid_argument.
    HapticTrace(Index ticks, Index publications, Index numbers);

    void add(const TraceRow& row) noexcept;
    /// Row of the publication; -1 when there is no room any more, and nothing is written from then on.
    std::int64_t add(const Publication& publication) noexcept;

    /// Rows below these may be read by any thread.
    [[nodiscard]] Index ticks() const noexcept { return m_ticks.load(std::memory_order_acquire); }
    [[nodiscard]] Index publications() const noexcept { return m_count.load(std::memory_order_acquire); }
    [[nodiscard]] bool full() const noexcept { return m_full.load(std::memory_order_relaxed); }
    [[nodiscard]] const TraceRow& row(Index i) const noexcept { return m_rows[static_cast<std::size_t>(i)]; }

    /// A publication without its numbers, which are in `numbers`.
    struct Entry {
        std::int64_t stamp = 0;
        double data_period = 0.0;
        bool withdrawn = false;
        Index first = 0, count = 0;
    };
    [[nodiscard]] const Entry& publication(Index i) const noexcept
    {
        return m_publications[static_cast<std::size_t>(i)];
    }
    [[nodiscard]] std::span<const double> numbers(Index i) const noexcept
    {
        return {m_numbers.data() + publication(i).first, static_cast<std::size_t>(publication(i).count)};
    }

private:
    std::vector<TraceRow> m_rows;
    std::vector<Entry> m_publications;
    std::vector<double> m_numbers;
    std::atomic<Index> m_ticks{0}, m_count{0};
    std::atomic<bool> m_full{false};
};

}  // namespace softcontact
