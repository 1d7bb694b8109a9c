// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/haptics/haptic_thread.hpp>
#include <softcontact/haptics/tool_law.hpp>

namespace softcontact::plugin {

/// What a driver's thread evaluates: a pose in, the wrench for the device out, with the core's watchdog,
/// limits and fade-in between. The tick neither waits nor allocates nor logs.
class HapticEvaluation {
public:
    /// Throws std::invalid_argument. The clock must outlive it.
    HapticEvaluation(const HapticTool& tool, int capacity, const HapticThreadSettings& settings,
                     TickClock& clock);

    /// In the driver's thread. `pose`: with a quaternion that is none (as GeomagicDriver's) the orientation
    /// is the one last told; `motion`: null where the driver knows none: from the poses.
    [[nodiscard]] Vector6d tick(const RigidPose& pose, const Twist* motion) noexcept;
    /// In the simulation's thread: for drivers that hand over positions alone.
    void tell(const Quaterniond& orientation);

    /// For the simulation's thread.
    [[nodiscard]] HapticThread& session() { return m_thread; }

private:
    class GivenPose final : public HapticDevice {
    public:
        [[nodiscard]] const DeviceCapabilities& capabilities() const noexcept override { return m_all; }
        void read(DeviceState& out) noexcept override { out = state; }
        void write(const Vector6d& wanted) noexcept override { wrench = wanted; }
        DeviceState state;
        Vector6d wrench = Vector6d::Zero();

    private:
        DeviceCapabilities m_all;
    };
    void estimateMotion(const RigidPose& pose) noexcept;

    TickClock& m_clock;
    GivenPose m_device;
    ToolLaw m_law;
    HapticThread m_thread;
    double m_period;
    LatestValue<Quaterniond> m_orientation{Quaterniond::Identity()};
    std::int64_t m_last = 0;
};

}  // namespace softcontact::plugin
