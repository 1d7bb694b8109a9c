// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <thread>

#include "softcontact/haptics/force_law.hpp"
#include "softcontact/haptics/force_safety.hpp"
#include "softcontact/haptics/haptic_tally.hpp"
#include "softcontact/haptics/haptic_trace.hpp"
#include "softcontact/haptics/latest_value.hpp"
#include "softcontact/haptics/tick_clock.hpp"
#include "softcontact/haptics/time_histogram.hpp"

namespace softcontact {

struct HapticThreadSettings {
    double rate_hz = 1000.0;  ///< 100 to 4000
    bool real_time = true;    ///< ask the system for SCHED_FIFO
    int priority = 50;        ///< among its real-time threads, 1 to 99
    SafetySettings safety;

    /// Throws std::invalid_argument.
    void validate() const;
};

/// The last tick, as others see it.
struct HapticReadout {
    std::int64_t tick = 0;  ///< counts from 1
    std::int64_t time = 0;  ///< its start [ns]
    HapticState state = HapticState::waiting;
    DeviceState device;  ///< the last pose that could be true
    Vector6d wanted = Vector6d::Zero(), wrench = Vector6d::Zero();
    double gain = 0.0;
    double energy = 0.0;                    ///< that the hand has put in and not got back [J]
    double data_age = 0.0, pose_age = 0.0;  ///< [s]
    std::uint64_t publication = 0;          ///< number of the data in use
    std::uint32_t fault = 0;
    VectorXd law;  ///< what the law tells
};

struct HapticTimes {
    TimeHistogram lateness;                 ///< start of a tick after its due time
    TimeHistogram interval;                 ///< between the starts of two ticks
    TimeHistogram work;                     ///< duration of a tick
    std::atomic<std::int64_t> overruns{0};  ///< ticks lost because one came a period late or more
};

/// Device, law, safety, device: at a fixed rate, in a thread of its own or tick by tick. A tick neither
/// allocates nor locks nor logs nor throws; data come and go through triple buffers and carry their age.
class HapticThread {
public:
    /// All of them must outlive the thread. Throws std::invalid_argument.
    HapticThread(HapticDevice& device, ForceLaw& law, const HapticThreadSettings& settings, TickClock& clock,
                 HapticTrace* trace = nullptr);
    ~HapticThread();
    HapticThread(const HapticThread&) = delete;
    HapticThread& operator=(const HapticThread&) = delete;

    /// Returns once the thread runs. Throws std::logic_error when it does already.
    void start();
    /// Ends the thread with zero force on the device.
    void stop() noexcept;
    [[nodiscard]] bool running() const noexcept { return m_running.load(std::memory_order_acquire); }
    /// What the system granted, and if less than asked for, why and what helps. "" before start().
    [[nodiscard]] std::string scheduling() const;

    /// One tick in the calling thread, in place of start().
    void tick() noexcept;

    /// New data, of which the next are promised within `data_period` seconds. Throws std::invalid_argument:
    /// wrong length, not finite.
    void publish(std::span<const double> parameters, double data_period);
    /// Tell that no more data will come: the force fades out at once.
    void withdraw();
    /// Leave the error state with the next tick.
    void reset() noexcept { m_reset.store(true, std::memory_order_release); }

    [[nodiscard]] HapticReadout readout();
    [[nodiscard]] const HapticTimes& times() const noexcept { return m_times; }
    [[nodiscard]] const HapticTally& tally() const noexcept { return m_tally; }
    [[nodiscard]] std::int64_t ticks() const noexcept { return m_done.load(std::memory_order_acquire); }
    [[nodiscard]] double period() const noexcept { return m_period; }
    /// The limits in force: the settings', or the device's where those are smaller.
    [[nodiscard]] const SafetySettings& limits() const noexcept { return m_limits; }
    /// Age of data at which the force is zero, where the next ones were promised within so long a period [s].
    [[nodiscard]] double watchdog_end(double period) const noexcept { return m_safety.watchdog_end(period); }

private:
    void publish_last(bool withdrawn);  ///< the last data; the mutex is held
    void run() noexcept;
    void take_publication() noexcept;
    [[nodiscard]] bool accept_pose(std::int64_t now) noexcept;
    [[nodiscard]] bool near(const DeviceState& from, const DeviceState& to, double elapsed) const noexcept;

    HapticDevice& m_device;
    ForceLaw& m_law;
    HapticThreadSettings m_settings;
    SafetySettings m_limits;
    TickClock& m_clock;
    HapticTrace* m_trace;
    double m_period;
    std::int64_t m_period_ns;

    // Of the fast thread.
    ForceSafety m_safety;
    TraceRow m_row;
    DeviceState m_pose, m_reading;        // the last one that could be true; the last one with numbers in it
    Vector6d m_moved = Vector6d::Zero();  // of the pose, by this tick's reading
    bool m_has_pose = false, m_has_reading = false, m_jumped = false;
    std::uint64_t m_sequence = 0;
    std::int64_t m_pose_time = 0, m_reading_time = 0, m_jump_time = 0, m_last_start = 0;
    std::int64_t m_publication_row = -1;

    // Between the threads.
    LatestValue<Publication> m_publications;
    LatestValue<HapticReadout> m_readouts;
    std::mutex m_publish_mutex, m_readout_mutex;  // among slow threads only
    std::uint64_t m_published = 0;
    VectorXd m_last_parameters;
    Index m_last_count = 0;
    double m_last_period = 0.0;
    std::atomic<bool> m_reset{true}, m_stop{false}, m_running{false};
    std::atomic<int> m_granted{-1};  // -1: not known yet; 0: as asked for; else the system's errno
    std::atomic<std::int64_t> m_done{0};
    HapticTimes m_times;
    HapticTally m_tally;
    std::thread m_thread;
};

}  // namespace softcontact
