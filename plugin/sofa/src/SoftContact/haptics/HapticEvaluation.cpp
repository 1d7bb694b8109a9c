// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/haptics/HapticEvaluation.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace softcontact::plugin {

namespace {

constexpr double velocity_cutoff = 200.0;  ///< of the low-pass on differences of the poses [Hz]
constexpr double longest_gap = 0.05;       ///< between two calls that tell a velocity [s]

}  // namespace

HapticEvaluation::HapticEvaluation(const HapticTool& tool, int capacity, const HapticThreadSettings& settings,
                                   TickClock& clock)
    : m_clock(clock),
      m_law(tool, capacity),
      m_thread(m_device, m_law, settings, clock),
      m_period(1.0 / settings.rate_hz)
{
}

void HapticEvaluation::tell(const Quaterniond& orientation)
{
    m_orientation.slot() = orientation;
    m_orientation.publish();
}

void HapticEvaluation::estimateMotion(const RigidPose& pose) noexcept
{
    const std::int64_t now = m_clock.now();
    const double elapsed = 1e-9 * static_cast<double>(now - m_last);
    const bool first = m_last == 0 || !(elapsed < longest_gap);
    m_last = now;
    DeviceState& state = m_device.state;
    if (first) {
        state.linear_velocity.setZero();
        state.angular_velocity.setZero();
        return;
    }
    const double blend = 1.0 - std::exp(-2.0 * std::numbers::pi * velocity_cutoff * m_period);
    const Vector6d rate =
        displacement({state.position, state.orientation}, pose) / std::max(elapsed, 0.5 * m_period);
    if (!rate.allFinite() || !state.linear_velocity.allFinite() || !state.angular_velocity.allFinite()) {
        state.linear_velocity.setZero();
        state.angular_velocity.setZero();
        return;
    }
    state.linear_velocity += blend * (rate.head<3>() - state.linear_velocity);
    state.angular_velocity += blend * (rate.tail<3>() - state.angular_velocity);
}

Vector6d HapticEvaluation::tick(const RigidPose& given, const Twist* motion) noexcept
{
    RigidPose pose = given;
    if (pose.orientation.coeffs().isZero(0.0)) {
        (void)m_orientation.take();
        pose.orientation = m_orientation.value();
    }
    DeviceState& state = m_device.state;
    if (motion != nullptr) {
        state.linear_velocity = motion->linear;
        state.angular_velocity = motion->angular;
        m_last = 0;
    } else {
        estimateMotion(pose);
    }
    state.position = pose.position;
    state.orientation = pose.orientation;
    ++state.sequence;
    m_thread.tick();
    return m_device.wrench;
}

}  // namespace softcontact::plugin
