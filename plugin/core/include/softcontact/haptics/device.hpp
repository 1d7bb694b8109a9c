// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "softcontact/types.hpp"

namespace softcontact {

/// What a device can do. Where a driver does not tell a number it is NaN.
struct DeviceCapabilities {
    static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

    std::string model;
    double max_force = unknown;             ///< for a short time [N]
    double max_continuous_force = unknown;  ///< [N]
    double max_torque = unknown;            ///< [N m]; 0: no torques
    double max_stiffness = unknown;         ///< largest wall that stays stable without a hand [N/m]
    Vector3d workspace_lower = Vector3d::Constant(unknown);  ///< [m]
    Vector3d workspace_upper = Vector3d::Constant(unknown);  ///< [m]
    double position_resolution = unknown;                    ///< [m]
    int position_axes = 3;
    int rotation_axes = 0;  ///< measured rotations
    int force_axes = 3;
    int torque_axes = 0;  ///< rotations that the motors act on
};

/// One reading. `sequence` grows with each fresh one: a driver that gets nothing new leaves it as it is.
struct DeviceState {
    Vector3d position = Vector3d::Zero();               ///< [m]
    Quaterniond orientation = Quaterniond::Identity();  ///< device to world
    Vector3d linear_velocity = Vector3d::Zero();        ///< [m/s]
    Vector3d angular_velocity = Vector3d::Zero();       ///< world axes [rad/s]
    std::uint32_t buttons = 0;
    std::uint64_t sequence = 0;
};

/// A haptic device as the fast thread sees it: two calls a tick, which neither wait nor allocate.
class HapticDevice {
public:
    virtual ~HapticDevice() = default;
    [[nodiscard]] virtual const DeviceCapabilities& capabilities() const noexcept = 0;

    virtual void read(DeviceState& state) noexcept = 0;
    /// Force [N] and torque [N m] about the device's point, world axes, held until the next call.
    virtual void write(const Vector6d& wrench) noexcept = 0;
    /// The driver's own number for what is wrong with the device; 0: nothing.
    [[nodiscard]] virtual std::uint32_t fault() const noexcept { return 0; }
    /// The user has mended it: try again.
    virtual void clear_fault() noexcept {}
};

}  // namespace softcontact
