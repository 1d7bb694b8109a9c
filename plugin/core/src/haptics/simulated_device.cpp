// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/haptics/simulated_device.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "softcontact/haptics/rigid_state.hpp"

namespace softcontact {

namespace {

void require(bool held, const std::string& name, double value, const char* expected)
{
    if (!held) {
        throw std::invalid_argument(name + ": " + std::to_string(value) + ", expected " + expected);
    }
}

void validate_axis(const HandAxis& axis, const std::string& of)
{
    require(axis.mass > 0.0 && std::isfinite(axis.mass), of + " mass", axis.mass, "a finite number > 0");
    const auto not_negative = [&of](double x, const char* name) {
        require(x >= 0.0 && std::isfinite(x), of + " " + name, x, "a finite number >= 0");
    };
    not_negative(axis.damping, "damping");
    not_negative(axis.hand_mass, "hand_mass");
    not_negative(axis.hand_damping, "hand_damping");
    not_negative(axis.hand_stiffness, "hand_stiffness");
}

Vector3d rounded(const Vector3d& x, double step) noexcept
{
    return step > 0.0 ? Vector3d(step * (x / step).array().round()) : x;
}

}  // namespace

void SimulatedDeviceSettings::validate() const
{
    validate_axis(translation, "translation");
    validate_axis(rotation, "rotation");
    require(period >= 1e-5 && period <= 0.1, "period", period, "1e-5 to 0.1 s");
    require(position_step >= 0.0 && position_step < 0.1, "position_step", position_step, "0 to 0.1 m");
    require(rotation_step >= 0.0 && rotation_step < 0.5, "rotation_step", rotation_step, "0 to 0.5 rad");
    require(velocity_cutoff >= 0.0 && std::isfinite(velocity_cutoff), "velocity_cutoff", velocity_cutoff,
            "a finite number >= 0");
    require(max_force > 0.0 && std::isfinite(max_force), "max_force", max_force, "a finite number > 0");
    require(max_torque >= 0.0 && std::isfinite(max_torque), "max_torque", max_torque, "a finite number >= 0");
}

void HandScript::validate() const
{
    const auto count = static_cast<Index>(times.size());
    if (count < 1 || positions.cols() != count || static_cast<Index>(orientations.size()) != count) {
        throw std::invalid_argument(
            "script: expected one position and one orientation a time, and at least one");
    }
    if (!positions.allFinite()) {
        throw std::invalid_argument("script: positions hold a number that is not finite");
    }
    for (std::size_t i = 0; i < times.size(); ++i) {
        require(std::isfinite(times[i]) && (i == 0 || times[i] > times[i - 1]), "script times", times[i],
                "finite and rising times");
        const double size = orientations[i].norm();
        require(std::abs(size - 1.0) < 1e-6, "script orientations", size, "unit quaternions");
    }
}

SimulatedHapticDevice::Step SimulatedHapticDevice::step_of(const HandAxis& axis, double period)
{
    // The exponential of the augmented matrix, by squaring what a Taylor series gives for a 2^-20 of it.
    constexpr int squarings = 20;
    const double mass = axis.mass + axis.hand_mass;
    Matrix3d rate = Matrix3d::Zero();
    rate(0, 1) = 1.0;
    rate(1, 0) = -axis.hand_stiffness / mass;
    rate(1, 1) = -(axis.hand_damping + axis.damping) / mass;
    rate(1, 2) = 1.0 / mass;
    rate *= std::ldexp(period, -squarings);
    // Of the difference to the identity, or the small part would be lost to rounding.
    Matrix3d change = rate + rate * rate / 2.0 + rate * rate * rate / 6.0;
    for (int i = 0; i < squarings; ++i) {
        change = (2.0 * change + change * change).eval();
    }
    return {change.topLeftCorner<2, 2>() + Eigen::Matrix2d::Identity(), change.topRightCorner<2, 1>()};
}

SimulatedHapticDevice::SimulatedHapticDevice(const SimulatedDeviceSettings& settings, HandScript script)
    : m_settings((settings.validate(), settings)),
      m_script((script.validate(), std::move(script))),
      m_translate(step_of(settings.translation, settings.period)),
      m_rotate(step_of(settings.rotation, settings.period)),
      m_blend(settings.velocity_cutoff > 0.0
                  ? -std::expm1(-2.0 * std::numbers::pi * settings.velocity_cutoff * settings.period)
                  : 1.0),
      m_position(m_script.positions.col(0)),
      m_orientation(m_script.orientations.front())
{
    m_capabilities.model = "simulated";
    m_capabilities.max_force = m_capabilities.max_continuous_force = settings.max_force;
    m_capabilities.max_torque = settings.max_torque;
    // Colgate and Brown: passive below 2 b / T.
    m_capabilities.max_stiffness = 2.0 * settings.translation.damping / settings.period;
    m_capabilities.workspace_lower.setConstant(-0.5);
    m_capabilities.workspace_upper.setConstant(0.5);
    m_capabilities.position_resolution = settings.position_step;
    m_capabilities.rotation_axes = 3;
    m_capabilities.torque_axes = settings.max_torque > 0.0 ? 3 : 0;
}

void SimulatedHapticDevice::intended(double time, Vector3d& position, Quaterniond& orientation) noexcept
{
    if (m_steered) {
        const double along = std::clamp((time - m_from_time) / (m_to_time - m_from_time), 0.0, 1.0);
        position = m_from.position + along * (m_to.position - m_from.position);
        orientation = m_from.orientation.slerp(along, m_to.orientation);
        return;
    }
    const auto& times = m_script.times;
    while (m_cursor + 2 < times.size() && time >= times[m_cursor + 1]) {
        ++m_cursor;
    }
    while (m_cursor > 0 && time < times[m_cursor]) {
        --m_cursor;
    }
    const std::size_t next = m_cursor + 1 < times.size() ? m_cursor + 1 : m_cursor;
    const double width = times[next] - times[m_cursor];
    const double along = width > 0.0 ? std::clamp((time - times[m_cursor]) / width, 0.0, 1.0) : 0.0;
    const auto from = static_cast<Index>(m_cursor), to = static_cast<Index>(next);
    position =
        m_script.positions.col(from) + along * (m_script.positions.col(to) - m_script.positions.col(from));
    orientation = m_script.orientations[m_cursor].slerp(along, m_script.orientations[next]);
}

void SimulatedHapticDevice::move() noexcept
{
    const double period = m_settings.period, time = static_cast<double>(m_ticks) * period;
    Vector3d from, to;
    Quaterniond turned_from, turned_to;
    intended(time, from, turned_from);
    if (m_orders.take()) {
        m_from = {from, turned_from};
        m_to = m_orders.value().goal;
        m_from_time = time;
        m_to_time = time + std::max(period, m_orders.value().duration);
        m_steered = true;
    }
    intended(time + period, to, turned_to);
    const Vector3d hand_velocity = (to - from) / period;
    const Vector3d hand_spin = rotation_vector(turned_to * turned_from.conjugate()) / period;
    const Vector3d turned = rotation_vector(m_orientation * turned_from.conjugate());
    Vector3d new_turned;
    for (int i = 0; i < 3; ++i) {
        const Eigen::Vector2d place(m_position[i] - from[i], m_velocity[i] - hand_velocity[i]);
        const double push = m_wrench[i] - m_settings.translation.damping * hand_velocity[i];
        const Eigen::Vector2d moved = m_translate.transition * place + m_translate.input * push;
        m_position[i] = to[i] + moved[0];
        m_velocity[i] = hand_velocity[i] + moved[1];
        const Eigen::Vector2d turn(turned[i], m_spin[i] - hand_spin[i]);
        const double twist = m_wrench[3 + i] - m_settings.rotation.damping * hand_spin[i];
        const Eigen::Vector2d spun = m_rotate.transition * turn + m_rotate.input * twist;
        new_turned[i] = spun[0];
        m_spin[i] = hand_spin[i] + spun[1];
    }
    m_orientation = (rotation_of(new_turned) * turned_to).normalized();
    ++m_ticks;
}

void SimulatedHapticDevice::steer(const RigidPose& goal, double duration)
{
    if (!goal.finite() || !(std::abs(goal.orientation.norm() - 1.0) < 1e-6)) {
        throw std::invalid_argument("goal: a finite position and a unit quaternion are needed");
    }
    require(duration >= 0.0 && std::isfinite(duration), "duration", duration, "a finite number >= 0");
    m_orders.slot() = {goal, duration};
    m_orders.publish();
}

void SimulatedHapticDevice::read(DeviceState& state) noexcept
{
    if (m_read_before) {
        move();
    }
    if (!m_plugged.load(std::memory_order_relaxed)) {
        m_wrench.setZero();
        m_read_before = true;
        return;
    }
    const Vector3d position = rounded(m_position, m_settings.position_step);
    const Quaterniond orientation =
        m_settings.rotation_step > 0.0
            ? rotation_of(rounded(rotation_vector(m_orientation), m_settings.rotation_step))
            : m_orientation;
    if (m_read_before) {
        const Vector3d velocity = (position - m_reading.position) / m_settings.period;
        const Vector3d spin =
            rotation_vector(orientation * m_reading.orientation.conjugate()) / m_settings.period;
        m_reading.linear_velocity += m_blend * (velocity - m_reading.linear_velocity);
        m_reading.angular_velocity += m_blend * (spin - m_reading.angular_velocity);
    }
    m_read_before = true;
    m_reading.position = position;
    m_reading.orientation = orientation;
    ++m_reading.sequence;
    state = m_reading;
}

void SimulatedHapticDevice::write(const Vector6d& wrench) noexcept
{
    m_wrench = wrench;
    if (m_capabilities.torque_axes == 0) {
        m_wrench.tail<3>().setZero();
    }
}

}  // namespace softcontact
