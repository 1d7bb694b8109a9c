// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>

#include "softcontact/haptics/device.hpp"
#include "softcontact/haptics/rigid_state.hpp"

namespace softcontact {

/// A device whose first reading counts as a given pose: wherever the hand holds it at the start, the tool is
/// where the scene has it. Ways and forces keep their directions, turns follow the device's:
///
///     p = p_start + (p_device − p_first),    q = q_device q_first⁻¹ q_start
class AnchoredDevice final : public HapticDevice {
public:
    /// `device` must outlive it. Throws std::invalid_argument unless `start` is finite.
    AnchoredDevice(HapticDevice& device, const RigidPose& start);

    [[nodiscard]] const DeviceCapabilities& capabilities() const noexcept override
    {
        return m_device.capabilities();
    }
    void read(DeviceState& state) noexcept override;
    void write(const Vector6d& wrench) noexcept override { m_device.write(wrench); }
    [[nodiscard]] std::uint32_t fault() const noexcept override { return m_device.fault(); }
    void clear_fault() noexcept override { m_device.clear_fault(); }

    /// The next reading counts as the start; from any thread.
    void anchor() noexcept { m_anchored.store(false, std::memory_order_relaxed); }

private:
    HapticDevice& m_device;
    RigidPose m_start;
    DeviceState m_reading;
    std::uint64_t m_sequence = 0;  ///< of the last reading that was passed on
    std::atomic<bool> m_anchored{false};
    Vector3d m_shift = Vector3d::Zero();
    Quaterniond m_turn = Quaterniond::Identity();
};

}  // namespace softcontact
