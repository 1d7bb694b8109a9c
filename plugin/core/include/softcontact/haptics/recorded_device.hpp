// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <vector>

#include "softcontact/haptics/haptic_thread.hpp"

namespace softcontact {

/// A device that gives the readings of a trace, one a tick, whatever force it is sent. At its end nothing
/// fresh comes any more.
class RecordedDevice final : public HapticDevice {
public:
    struct Reading {
        DeviceState state;
        std::uint32_t fault = 0;
    };
    /// Throws std::invalid_argument without readings.
    RecordedDevice(std::vector<Reading> readings, DeviceCapabilities capabilities);
    RecordedDevice(const HapticTrace& trace, DeviceCapabilities capabilities);

    [[nodiscard]] const DeviceCapabilities& capabilities() const noexcept override { return m_capabilities; }
    void read(DeviceState& state) noexcept override;
    void write(const Vector6d& wrench) noexcept override { m_wrench = wrench; }
    [[nodiscard]] std::uint32_t fault() const noexcept override { return m_fault; }
    [[nodiscard]] bool at_end() const noexcept { return m_next >= m_readings.size(); }

private:
    std::vector<Reading> m_readings;
    DeviceCapabilities m_capabilities;
    std::size_t m_next = 0;
    std::uint32_t m_fault = 0;
    Vector6d m_wrench = Vector6d::Zero();
};

/// Run a recorded session anew, in simulated time: the same readings, the same data at the same ticks. With
/// the same settings, a fresh law of the same kind and the device's capabilities the wrenches have the same
/// bits. Throws std::invalid_argument: an empty trace, or data that the law does not take.
[[nodiscard]] std::unique_ptr<HapticTrace> replay(const HapticTrace& trace, ForceLaw& law,
                                                  const HapticThreadSettings& settings,
                                                  const DeviceCapabilities& capabilities);

}  // namespace softcontact
