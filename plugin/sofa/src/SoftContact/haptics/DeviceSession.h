// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/haptics/SimulatedHapticDevice.h>

#include <atomic>
#include <vector>

namespace softcontact::plugin {

/// The thread of a simulated device. It owns what it touches, the feedback too.
class SimulatedHapticDevice::Session {
public:
    struct Settings {
        SimulatedDeviceSettings device;
        HandScript script;
        bool realTime = true;
        bool wrench = false;
        std::size_t record = 0;  ///< ticks
    };
    struct Tick {
        double time = 0.0;  ///< since the first one [s]
        DeviceState device;
        Vector6d wrench = Vector6d::Zero();
    };

    /// Throws std::invalid_argument.
    Session(const Settings& settings, Feedback::SPtr feedback);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// The simulation has begun: from now on the hand moves and the feedback is called.
    void begin() { m_begun.store(true, std::memory_order_release); }
    /// The last tick. One thread.
    [[nodiscard]] const Tick& last()
    {
        (void)m_last.take();
        return m_last.value();
    }
    [[nodiscard]] std::string scheduling() const;
    /// Rows below this may be read.
    [[nodiscard]] std::size_t recorded() const { return m_recorded.load(std::memory_order_acquire); }
    [[nodiscard]] const Tick& record(std::size_t row) const { return m_record[row]; }

    TimeHistogram interval;
    std::atomic<std::int64_t> ticks{0}, overruns{0}, contactTicks{0}, differing{0};

private:
    void run() noexcept;
    void tick(double time) noexcept;
    [[nodiscard]] Vector6d call(const DeviceState& state);

    Settings m_settings;
    Feedback::SPtr m_feedback;
    softcontact::SimulatedHapticDevice m_device;
    SystemTickClock m_clock;
    LatestValue<Tick> m_last;
    Tick m_now;
    std::vector<Tick> m_record;
    std::atomic<std::size_t> m_recorded{0};
    std::atomic<bool> m_begun{false}, m_stop{false};
    std::atomic<int> m_refused{-1};
    std::thread m_thread;
};

}  // namespace softcontact::plugin
