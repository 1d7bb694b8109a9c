// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <limits>

#include "softcontact/types.hpp"

namespace softcontact {

/// Limits between the law and the device. Always on; the numbers may be changed.
struct SafetySettings {
    double max_force = 3.3;        ///< [N]; the smaller one of this and the device's own holds
    double max_torque = 0.2;       ///< [N m]
    double max_force_rate = 1000;  ///< [N/s]
    double max_torque_rate = 60;   ///< [N m/s]
    double fade_in = 0.05;      ///< from zero to the whole force at the first touch and after each stop [s]
    double fade_out = 0.02;     ///< length of the watchdog's fade [s]
    double watchdog = 0.05;     ///< age of the slow thread's data at which the force is zero [s]
    double pose_fade = 0.05;    ///< age of the pose at which the force is zero [s]
    double pose_timeout = 1.0;  ///< age of the pose that is an error [s]
    double max_speed = 10.0;    ///< a pose that asks for more has jumped [m/s]
    double max_angular_speed = 200;  ///< [rad/s]
    double settle_time = 0.1;        ///< after a jump: how long the new place has to hold [s]
    /// Energy that may go to the hand beyond what it has put in [J]. Infinite: it is not looked at.
    double energy_reserve = std::numeric_limits<double>::infinity();

    /// Throws std::invalid_argument.
    void validate() const;
};

enum class HapticState : std::uint8_t {
    waiting,     ///< no data yet, or withdrawn
    free,        ///< no force
    touching,    ///< force
    stalled,     ///< the slow thread is overdue: the watchdog has the force at zero, or on its way
    pose_lost,   ///< no fresh pose, or none that can be true: zero force, or on its way
    law_failed,  ///< the law gave no number: zero force
    error,       ///< no pose for too long, or the device's fault: zero force until reset
};

/// What a tick knows of its inputs; ages in seconds.
struct SafetyInputs {
    bool has_data = false;               ///< a publication has come
    bool withdrawn = false;              ///< and was taken back `data_age` ago
    double data_age = 0.0;               ///< since the last publication
    double data_period = 0.0;            ///< within which the slow thread has promised the next one
    bool pose_refused = false;           ///< this tick's pose is not a number, or has jumped
    double pose_age = 0.0;               ///< since the last pose that could be true
    bool fault = false;                  ///< of the device
    Vector6d moved = Vector6d::Zero();   ///< of the pose since the last tick: position, rotation vector
    Vector6d motion = Vector6d::Zero();  ///< velocity and angular velocity
};

/// Watchdog, limits, fade. Deterministic: the same inputs, the same bits.
class ForceSafety {
public:
    explicit ForceSafety(const SafetySettings& settings) noexcept : m_settings(settings) {}

    /// The wrench that may go to the device.
    [[nodiscard]] Vector6d apply(const Vector6d& wanted, const SafetyInputs& inputs, double period) noexcept;

    [[nodiscard]] HapticState state() const noexcept { return m_state; }
    [[nodiscard]] double gain() const noexcept { return m_gain; }
    /// What the hand has put in less what it got back since the first tick [J].
    [[nodiscard]] double energy() const noexcept { return m_energy; }
    void reset() noexcept;    ///< leave the error; the force fades in anew
    void restart() noexcept;  ///< the force fades in anew

    /// Age at which data that were promised every `period` are at zero force, and where the fade begins [s].
    /// A slow thread that promises the next data within 40 ms is at zero at `watchdog`; where it promises
    /// less, the same time counts from when the data were due.
    [[nodiscard]] double watchdog_end(double period) const noexcept;
    [[nodiscard]] double watchdog_begin(double period) const noexcept;

private:
    [[nodiscard]] double allowed_gain(const SafetyInputs& inputs) const noexcept;
    [[nodiscard]] Vector6d wrench(const Vector6d& wanted, const SafetyInputs& inputs, double period) noexcept;
    [[nodiscard]] double passive_share(const Vector6d& wrench, const Vector6d& motion,
                                       double period) const noexcept;

    SafetySettings m_settings;
    HapticState m_state = HapticState::waiting;
    double m_gain = 0.0;
    Vector6d m_limited = Vector6d::Zero();
    Vector6d m_sent = Vector6d::Zero();    ///< held by the device since the last tick
    Vector6d m_motion = Vector6d::Zero();  ///< of the last tick
    double m_energy = 0.0;
};

}  // namespace softcontact
