// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <vector>

#include "softcontact/haptics/device.hpp"
#include "softcontact/haptics/latest_value.hpp"
#include "softcontact/haptics/rigid_state.hpp"

namespace softcontact {

/// A mass with a damper to the ground, pulled by a hand's spring and damper towards what the hand intends:
///
///     (m + m_h) ẍ = F − c ẋ − b (ẋ − ẋ_h) − k (x − x_h)
struct HandAxis {
    double mass = 0.1;            ///< m of the device [kg, kg m²]
    double damping = 0.5;         ///< c of the device [N s/m, N m s/rad]
    double hand_mass = 0.15;      ///< m_h of hand and arm, as far as they go along
    double hand_damping = 8.0;    ///< b
    double hand_stiffness = 400;  ///< k; 0 with b = 0: no hand
};

struct SimulatedDeviceSettings {
    HandAxis translation;
    HandAxis rotation{5e-5, 1e-3, 2e-4, 0.02, 2.0};
    double period = 1e-3;          ///< of a tick [s]
    double position_step = 2e-5;   ///< of the encoders [m]; 0: exact
    double rotation_step = 2e-4;   ///< [rad]
    double velocity_cutoff = 200;  ///< of the low-pass on differences of the readings [Hz]; 0: none
    double max_force = 3.3;        ///< [N]
    double max_torque = 0.2;       ///< [N m]; 0: the device has no motors for torques

    /// Throws std::invalid_argument.
    void validate() const;
};

/// What the hand intends: poses at times, straight and slerped in between, at rest before and after.
struct HandScript {
    std::vector<double> times;              ///< (k,) [s], rising
    Eigen::Matrix3Xd positions;             ///< (3, k) [m]
    std::vector<Quaterniond> orientations;  ///< (k,)

    /// Throws std::invalid_argument.
    void validate() const;
};

/// A haptic device in a human hand, in simulation. Each read() moves it on by one period under the force of
/// the last write(), exactly (the force is held, as by a real one).
class SimulatedHapticDevice final : public HapticDevice {
public:
    /// Throws std::invalid_argument.
    SimulatedHapticDevice(const SimulatedDeviceSettings& settings, HandScript script);

    [[nodiscard]] const DeviceCapabilities& capabilities() const noexcept override { return m_capabilities; }
    void read(DeviceState& state) noexcept override;
    void write(const Vector6d& wrench) noexcept override;

    /// From now on the hand follows no script: it goes from where it intends to be to `goal`, straight and
    /// evenly turning, within `duration` seconds, and stays there until it is told otherwise. From one
    /// thread, also while another ticks. Throws std::invalid_argument unless all is finite and duration >= 0.
    void steer(const RigidPose& goal, double duration);

    /// No readings and no force until it is plugged in again; from any thread.
    void plug(bool in) noexcept { m_plugged.store(in, std::memory_order_relaxed); }

    /// Where it really is. Not while a thread ticks.
    [[nodiscard]] const Vector3d& position() const noexcept { return m_position; }
    [[nodiscard]] const Vector3d& velocity() const noexcept { return m_velocity; }
    [[nodiscard]] const Quaterniond& orientation() const noexcept { return m_orientation; }
    /// Throw it. Not while a thread ticks.
    void set_velocity(const Vector3d& velocity) noexcept { m_velocity = velocity; }

private:
    /// One period of m ÿ + (b + c) ẏ + k y = u with u held, exactly: (y, ẏ)' = transition (y, ẏ) + input u.
    struct Step {
        Eigen::Matrix2d transition;
        Eigen::Vector2d input;
    };
    struct Steering {
        RigidPose goal;
        double duration = 0.0;
    };
    static Step step_of(const HandAxis& axis, double period);
    void intended(double time, Vector3d& position, Quaterniond& orientation) noexcept;
    void move() noexcept;

    SimulatedDeviceSettings m_settings;
    HandScript m_script;
    DeviceCapabilities m_capabilities;
    Step m_translate, m_rotate;
    double m_blend;  // of the velocity's low-pass
    std::uint64_t m_ticks = 0;
    std::size_t m_cursor = 0;
    LatestValue<Steering> m_orders{Steering{}};
    bool m_steered = false;
    RigidPose m_from, m_to;  // of the steered hand
    double m_from_time = 0.0, m_to_time = 0.0;
    Vector3d m_position, m_velocity = Vector3d::Zero(), m_spin = Vector3d::Zero();
    Quaterniond m_orientation;
    DeviceState m_reading;
    bool m_read_before = false;
    Vector6d m_wrench = Vector6d::Zero();
    std::atomic<bool> m_plugged{true};
};

}  // namespace softcontact
