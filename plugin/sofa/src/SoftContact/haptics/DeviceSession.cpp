// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/haptics/DeviceSession.h>

#include <softcontact/haptics/real_time.hpp>

namespace softcontact::plugin {

namespace {

constexpr int priority = 50;

SimulatedHapticDevice::Session::Tick firstTick(const HandScript& script)
{
    SimulatedHapticDevice::Session::Tick out;
    out.device.position = script.positions.col(0);
    out.device.orientation = script.orientations.front();
    return out;
}

}  // namespace

SimulatedHapticDevice::Session::Session(const Settings& settings, Feedback::SPtr feedback)
    : m_settings(settings),
      m_feedback(std::move(feedback)),
      m_device(settings.device, settings.script),
      m_last(firstTick(settings.script)),
      m_record(settings.record)
{
    m_thread = std::thread([this] { run(); });
    m_refused.wait(-1, std::memory_order_acquire);
}

SimulatedHapticDevice::Session::~Session()
{
    m_stop.store(true, std::memory_order_release);
    m_thread.join();
}

std::string SimulatedHapticDevice::Session::scheduling() const
{
    return scheduling_text(m_refused.load(std::memory_order_acquire), m_settings.realTime, priority);
}

void SimulatedHapticDevice::Session::run() noexcept
{
    m_refused.store(enter_fast_thread("device", m_settings.realTime, priority), std::memory_order_release);
    m_refused.notify_all();
    const auto period = static_cast<std::int64_t>(1e9 * m_settings.device.period);
    TickSchedule schedule(m_clock, period);
    std::int64_t first = 0, last = 0;
    while (!m_stop.load(std::memory_order_acquire)) {
        schedule.wait();
        if (!m_begun.load(std::memory_order_acquire)) {
            continue;
        }
        const std::int64_t now = m_clock.now();
        if (first == 0) {
            first = now;
        } else {
            interval.add(now - last);
            overruns.fetch_add(schedule.skipped(), std::memory_order_relaxed);
        }
        last = now;
        tick(1e-9 * static_cast<double>(now - first));
    }
}

Vector6d SimulatedHapticDevice::Session::call(const DeviceState& state)
{
    if (!m_feedback) {
        return Vector6d::Zero();
    }
    Vector6d out = Vector6d::Zero();
    const Vector3d& x = state.position;
    if (!m_settings.wrench) {
        SReal fx = 0, fy = 0, fz = 0;
        m_feedback->computeForce(x[0], x[1], x[2], 0, 0, 0, 0, fx, fy, fz);
        out.head<3>() = Vector3d(fx, fy, fz);
        return out;
    }
    using sofa::type::Vec3;
    const Pose pose = sofaPose({x, state.orientation});
    sofa::type::SpatialVector<SReal> velocity(Vec3(0, 0, 0), Vec3(0, 0, 0)), wrench = velocity;
    velocity.setLinearVelocity(sofaVector(state.linear_velocity));
    velocity.setAngularVelocity(sofaVector(state.angular_velocity));
    m_feedback->computeWrench({pose.getCenter(), pose.getOrientation()}, velocity, wrench);
    out << eigen(wrench.getForce()), eigen(wrench.getTorque());
    return out;
}

void SimulatedHapticDevice::Session::tick(double time) noexcept
{
    const Vector6d before = m_now.wrench;
    m_now.time = time;
    m_device.read(m_now.device);
    m_now.wrench = call(m_now.device);
    m_device.write(m_now.wrench);
    const bool touched = !before.isZero(0.0), touches = !m_now.wrench.isZero(0.0);
    if (touched && touches) {
        contactTicks.fetch_add(1, std::memory_order_relaxed);
        differing.fetch_add(m_now.wrench != before ? 1 : 0, std::memory_order_relaxed);
    }
    const std::size_t row = m_recorded.load(std::memory_order_relaxed);
    if (row < m_record.size()) {
        m_record[row] = m_now;
        m_recorded.store(row + 1, std::memory_order_release);
    }
    m_last.slot() = m_now;
    m_last.publish();
    ticks.fetch_add(1, std::memory_order_release);
}

}  // namespace softcontact::plugin
