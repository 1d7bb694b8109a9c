// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/condensed/haptic_loop.hpp"

#include <chrono>
#include <cmath>
#include <stdexcept>

#include "softcontact/haptics/length_limit.hpp"
#include "softcontact/haptics/tick_clock.hpp"

namespace softcontact {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int device_steps = 10;  // of the device's own motion a tick, the force held as by a real one

double seconds(Clock::duration duration)
{
    return std::chrono::duration<double>(duration).count();
}

void expect(bool held, const char* message)
{
    if (!held) {
        throw std::invalid_argument(message);
    }
}

bool not_negative(double x)
{
    return x >= 0.0 && std::isfinite(x);
}

}  // namespace

HapticLoop::HapticLoop(CondensedContact& contact, const SimulatedDevice& device, std::vector<double> times,
                       Eigen::Matrix3Xd path, double period, Index ticks)
    : m_contact(contact),
      m_device(device),
      m_times(std::move(times)),
      m_path(std::move(path)),
      m_period(period)
{
    expect(not_negative(device.mass), "mass: expected a finite mass >= 0");
    expect(not_negative(device.damping), "damping: expected a finite number >= 0");
    expect(not_negative(device.hand_stiffness), "hand_stiffness: expected a finite number >= 0");
    expect(not_negative(device.hand_damping), "hand_damping: expected a finite number >= 0");
    expect(not_negative(device.force_scale), "force_scale: expected a finite number >= 0");
    expect(not_negative(device.force_limit), "force_limit: expected a finite force >= 0");
    expect(period > 0.0 && std::isfinite(period), "period: expected a finite time > 0");
    expect(ticks >= 1, "ticks: expected at least 1");
    expect(!m_times.empty() && static_cast<Index>(m_times.size()) == m_path.cols(),
           "path: expected one position a time, and at least one");
    expect(m_path.allFinite(), "path: holds a number that is not finite");
    for (std::size_t i = 1; i < m_times.size(); ++i) {
        expect(m_times[i] > m_times[i - 1], "times: must rise");
    }
    const auto count = static_cast<std::size_t>(ticks);
    for (auto* column :
         {&m_log.lateness_s, &m_log.tick_s, &m_log.error, &m_log.residual, &m_log.penetration}) {
        column->assign(count, 0.0);
    }
    m_log.sweeps.assign(count, 0);
    m_log.touching.assign(count, 0);
    m_log.converged.assign(count, 0);
    for (auto* column : {&m_log.position, &m_log.force, &m_log.felt}) {
        column->setZero(3, ticks);
    }
    m_log.forces.setZero(3 * contact.contacts(), ticks);
    m_position = m_path.col(0);
}

Vector3d HapticLoop::hand(double time, Vector3d& velocity)
{
    while (m_cursor + 2 < m_times.size() && time >= m_times[m_cursor + 1]) {
        ++m_cursor;
    }
    velocity.setZero();
    if (m_times.size() == 1 || time <= m_times.front()) {
        return m_path.col(0);
    }
    if (time >= m_times.back()) {
        return m_path.col(m_path.cols() - 1);
    }
    const auto i = static_cast<Index>(m_cursor);
    const double width = m_times[m_cursor + 1] - m_times[m_cursor];
    velocity = (m_path.col(i + 1) - m_path.col(i)) / width;
    return m_path.col(i) + (time - m_times[m_cursor]) * velocity;
}

void HapticLoop::move_device(double time)
{
    Vector3d target_velocity;
    if (!(m_device.mass > 0.0)) {
        m_position = hand(time + m_period, target_velocity);
        return;
    }
    const double h = m_period / device_steps, ratio = h / m_device.mass;
    for (int k = 1; k <= device_steps; ++k) {
        const Vector3d target = hand(time + k * h, target_velocity);
        const Vector3d push = m_device.hand_stiffness * (target - m_position) +
                              m_device.hand_damping * target_velocity + m_felt;
        m_velocity = (m_velocity + ratio * push) / (1.0 + ratio * (m_device.hand_damping + m_device.damping));
        m_position += h * m_velocity;
    }
}

bool HapticLoop::tick()
{
    const Index row = m_done.load(std::memory_order_relaxed);
    if (row >= capacity()) {
        return false;
    }
    const Clock::time_point start = Clock::now();
    move_device(static_cast<double>(row) * m_period);
    const CondensedTick contact = m_contact.tick(m_position);
    m_felt = limited_length(m_device.force_scale * contact.force, m_device.force_limit);
    m_log.position.col(row) = m_position;
    m_log.force.col(row) = contact.force;
    m_log.felt.col(row) = m_felt;
    m_log.forces.col(row) = m_contact.forces();
    const auto i = static_cast<std::size_t>(row);
    m_log.error[i] = contact.error;
    m_log.residual[i] = contact.residual;
    m_log.penetration[i] = contact.penetration;
    m_log.sweeps[i] = contact.sweeps;
    m_log.touching[i] = contact.touching;
    m_log.converged[i] = contact.converged ? 1 : 0;
    m_log.tick_s[i] = seconds(Clock::now() - start);
    m_done.store(row + 1, std::memory_order_release);
    return true;
}

void HapticLoop::run()
{
    SystemTickClock clock;
    TickSchedule schedule(clock, std::llround(1e9 * m_period));
    while (!m_stop.load(std::memory_order_relaxed) && m_done.load(std::memory_order_relaxed) < capacity()) {
        m_log.lateness_s[static_cast<std::size_t>(m_done.load(std::memory_order_relaxed))] =
            1e-9 * static_cast<double>(schedule.wait());
        if (schedule.skipped() > 0) {
            m_missed.fetch_add(1, std::memory_order_relaxed);
        }
        tick();
    }
}

}  // namespace softcontact
