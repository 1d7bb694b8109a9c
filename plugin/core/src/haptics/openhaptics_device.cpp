// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/haptics/openhaptics_device.hpp"

#include <stdexcept>

namespace softcontact {

namespace {

// Names of the library's header, HD/hdDefines.h.
constexpr std::uint32_t current_buttons = 0x2000, current_velocity = 0x2051, current_transform = 0x2052,
                        current_angular_velocity = 0x2053, current_force = 0x2700, current_torque = 0x2701;
constexpr std::uint32_t go_on = 1, done = 0;

constexpr double millimetre = 1e-3;
constexpr double millinewtonmetre = 1e-3;

/// From the library's axes to ours; its inverse is its transpose.
Vector3d turned(const double* v) noexcept
{
    return {v[0], -v[2], v[1]};
}

Vector3d turned_back(const Vector3d& v) noexcept
{
    return {v[0], v[2], -v[1]};
}

/// Rotation of the transform, whose columns come one after the other.
Quaterniond orientation_of(const double* m) noexcept
{
    Matrix3d axes;  // the library's unit axes, turned, in our axes
    axes.col(0) = turned(m);
    axes.col(1) = -turned(m + 8);  // our y is their −z
    axes.col(2) = turned(m + 4);   // our z is their y
    return Quaterniond(axes).normalized();
}

}  // namespace

OpenHapticsDevice::OpenHapticsDevice(const OpenHapticsCalls& calls, std::uint32_t handle,
                                     DeviceCapabilities capabilities)
    : m_calls(calls),
      m_handle(handle),
      m_capabilities(std::move(capabilities)),
      m_states(DeviceState{}),
      m_wrenches(Vector6d::Zero())
{
    if (calls.make_current_device == nullptr || calls.begin_frame == nullptr || calls.end_frame == nullptr ||
        calls.get_doubles == nullptr || calls.get_integers == nullptr || calls.set_doubles == nullptr ||
        calls.get_error == nullptr) {
        throw std::invalid_argument("calls: a function of the library is missing");
    }
}

std::uint32_t OpenHapticsDevice::serve(void* device) noexcept
{
    return static_cast<OpenHapticsDevice*>(device)->frame() ? go_on : done;
}

bool OpenHapticsDevice::frame() noexcept
{
    const bool closing = m_closing.load(std::memory_order_acquire);
    double transform[16], velocity[3], spin[3];
    std::int32_t buttons = 0;
    m_calls.make_current_device(m_handle);
    m_calls.begin_frame(m_handle);
    m_calls.get_doubles(current_transform, transform);
    m_calls.get_doubles(current_velocity, velocity);
    m_calls.get_doubles(current_angular_velocity, spin);
    m_calls.get_integers(current_buttons, &buttons);

    m_silent = m_wrenches.take() ? 0 : m_silent + 1;
    const bool heard = !closing && m_silent <= silent_frames && fault() == 0;
    const Vector6d wrench = heard ? m_wrenches.value() : Vector6d::Zero();
    const Vector3d force = turned_back(wrench.head<3>());
    m_calls.set_doubles(current_force, force.data());
    if (m_capabilities.torque_axes > 0) {
        const Vector3d torque = turned_back(wrench.tail<3>()) / millinewtonmetre;
        m_calls.set_doubles(current_torque, torque.data());
    }
    m_calls.end_frame(m_handle);

    const std::uint64_t number = m_frames.load(std::memory_order_relaxed) + 1;
    m_frames.store(number, std::memory_order_release);
    if (const OpenHapticsCalls::Error error = m_calls.get_error(); error.code != 0) {
        m_fault.store(error.code, std::memory_order_release);
        return !closing;  // what was read may be anything
    }
    DeviceState& out = m_states.slot();
    out.position = millimetre * turned(transform + 12);
    out.orientation = orientation_of(transform);
    out.linear_velocity = millimetre * turned(velocity);
    out.angular_velocity = turned(spin);
    out.buttons = static_cast<std::uint32_t>(buttons);
    out.sequence = number;
    m_states.publish();
    return !closing;
}

void OpenHapticsDevice::read(DeviceState& state) noexcept
{
    if (m_states.take()) {
        state = m_states.value();
    }
}

void OpenHapticsDevice::write(const Vector6d& wrench) noexcept
{
    m_wrenches.slot() = wrench;
    m_wrenches.publish();
}

}  // namespace softcontact
