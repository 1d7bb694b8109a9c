// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/haptics/force_safety.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "softcontact/haptics/length_limit.hpp"

namespace softcontact {

namespace {

constexpr double promise_slack = 1.1;    // a slow thread may be this much over its promise
constexpr double shortest_fade = 0.005;  // [s]
// A bare device's handle, with no hand that adds its own.
constexpr double lightest_mass = 0.045;  // [kg]
constexpr double least_inertia = 2e-5;   // [kg m^2]

/// 1 before `begin`, 0 from `end` on.
double ramp(double age, double begin, double end) noexcept
{
    if (age >= end) {
        return 0.0;
    }
    return age <= begin ? 1.0 : (end - age) / (end - begin);
}

/// Move `value` towards `wanted`, at most `step` far and to no more than `largest`.
void follow(Eigen::Ref<Vector3d> value, const Vector3d& wanted, double largest, double step) noexcept
{
    const Vector3d target = limited_length(wanted, largest), change = target - value;
    value = change.norm() > step ? limited_length(value + limited_length(change, step), largest) : target;
}

}  // namespace

void SafetySettings::validate() const
{
    const auto positive = [](double x, const char* name) {
        if (!(x > 0.0) || !std::isfinite(x)) {
            throw std::invalid_argument(std::string(name) + ": " + std::to_string(x) +
                                        ", expected a finite number > 0");
        }
    };
    positive(max_force, "max_force");
    positive(max_torque, "max_torque");
    positive(max_force_rate, "max_force_rate");
    positive(max_torque_rate, "max_torque_rate");
    positive(fade_in, "fade_in");
    positive(fade_out, "fade_out");
    positive(watchdog, "watchdog");
    positive(pose_fade, "pose_fade");
    positive(pose_timeout, "pose_timeout");
    positive(max_speed, "max_speed");
    positive(max_angular_speed, "max_angular_speed");
    positive(settle_time, "settle_time");
    if (watchdog > 0.05) {
        throw std::invalid_argument("watchdog: " + std::to_string(watchdog) + " s, expected at most 0.05");
    }
    if (!(energy_reserve >= 0.0)) {
        throw std::invalid_argument("energy_reserve: " + std::to_string(energy_reserve) +
                                    " J, expected 0 or more, or infinity for no check");
    }
    if (pose_timeout < pose_fade) {
        throw std::invalid_argument("pose_timeout: " + std::to_string(pose_timeout) +
                                    " s, expected no less than pose_fade");
    }
}

double ForceSafety::watchdog_end(double period) const noexcept
{
    const bool within = promise_slack * period <= m_settings.watchdog - shortest_fade;
    return within ? m_settings.watchdog : period + m_settings.watchdog;
}

double ForceSafety::watchdog_begin(double period) const noexcept
{
    const double end = watchdog_end(period);
    return std::max(end - m_settings.fade_out, std::min(promise_slack * period, end - shortest_fade));
}

void ForceSafety::reset() noexcept
{
    m_state = HapticState::waiting;
    restart();
}

void ForceSafety::restart() noexcept
{
    m_gain = 0.0;
    m_limited.setZero();
}

double ForceSafety::allowed_gain(const SafetyInputs& inputs) const noexcept
{
    const double begin = inputs.withdrawn ? 0.0 : watchdog_begin(inputs.data_period);
    const double end = inputs.withdrawn ? m_settings.fade_out : watchdog_end(inputs.data_period);
    const double pose_begin = std::max(0.0, m_settings.pose_fade - m_settings.fade_out);
    return std::min(ramp(inputs.data_age, begin, end),
                    ramp(inputs.pose_age, pose_begin, m_settings.pose_fade));
}

/// Time-domain passivity control (Hannaford and Ryu 2002): the energy that passes the port is counted, and a
/// wrench that would take more than there is within a period is reduced. What it would take is reckoned with
/// the motion of this moment, going on as it changed last, and with what the wrench adds to it, of the
/// lightest thing that may be held.
double ForceSafety::passive_share(const Vector6d& wrench, const Vector6d& motion,
                                  double period) const noexcept
{
    const Vector6d next = 2.0 * motion - m_motion;
    const double moving = std::max(wrench.dot(motion), wrench.dot(next)) * period;
    const double pushed =
        0.5 * period * period *
        (wrench.head<3>().squaredNorm() / lightest_mass + wrench.tail<3>().squaredNorm() / least_inertia);
    const double left = std::max(0.0, m_settings.energy_reserve + m_energy);
    if (moving + pushed <= left) {
        return 1.0;
    }
    // The share s with s moving + s² pushed = left.
    const double root = std::sqrt(moving * moving + 4.0 * pushed * left);
    return moving > 0.0 ? 2.0 * left / (moving + root) : (root - moving) / (2.0 * pushed);
}

Vector6d ForceSafety::apply(const Vector6d& wanted, const SafetyInputs& inputs, double period) noexcept
{
    if (!inputs.pose_refused) {
        m_energy -= m_sent.dot(inputs.moved);
    }
    m_sent = wrench(wanted, inputs, period);
    if (std::isfinite(m_settings.energy_reserve)) {
        const double share = passive_share(m_sent, inputs.motion, period);
        m_sent *= share;
        m_limited *= share;  // so that it comes back no faster than a force may rise
    }
    m_motion = inputs.motion;
    return m_sent;
}

Vector6d ForceSafety::wrench(const Vector6d& wanted, const SafetyInputs& inputs, double period) noexcept
{
    if (m_state == HapticState::error || inputs.fault || !(inputs.pose_age < m_settings.pose_timeout)) {
        restart();
        m_state = HapticState::error;
        return Vector6d::Zero();
    }
    // A law that is no number any more, and a pose that cannot be true, give no force at all.
    if (!inputs.has_data || inputs.pose_refused || !wanted.allFinite()) {
        restart();
        m_state = inputs.pose_refused ? HapticState::pose_lost
                  : inputs.has_data   ? HapticState::law_failed
                                      : HapticState::waiting;
        return Vector6d::Zero();
    }
    follow(m_limited.head<3>(), wanted.head<3>(), m_settings.max_force, m_settings.max_force_rate * period);
    follow(m_limited.tail<3>(), wanted.tail<3>(), m_settings.max_torque, m_settings.max_torque_rate * period);

    const double allowed = allowed_gain(inputs);
    const bool touching = m_limited != Vector6d::Zero();
    m_gain = std::min(allowed, touching ? m_gain + period / m_settings.fade_in : m_gain);
    if (allowed < 1.0) {
        m_state = inputs.withdrawn                                               ? HapticState::waiting
                  : inputs.pose_age > m_settings.pose_fade - m_settings.fade_out ? HapticState::pose_lost
                                                                                 : HapticState::stalled;
    } else {
        m_state = touching ? HapticState::touching : HapticState::free;
    }
    return m_gain * m_limited;
}

}  // namespace softcontact
