// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/haptics/haptic_thread.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "softcontact/haptics/real_time.hpp"
#include "softcontact/haptics/rigid_state.hpp"

namespace softcontact {

namespace {

/// The smaller one of a setting and what the device says of itself, where it says anything.
double smaller(double setting, double device) noexcept
{
    return device >= 0.0 && device < setting ? device : setting;
}

SafetySettings limits_of(const SafetySettings& settings, const DeviceCapabilities& device)
{
    SafetySettings out = settings;
    out.max_force = smaller(settings.max_force, device.max_force);
    out.max_torque = smaller(settings.max_torque, device.max_torque);
    return out;
}

HapticReadout empty_readout(const ForceLaw& law)
{
    HapticReadout out;
    out.law.setZero(law.output_count());
    return out;
}

Publication empty_publication(const ForceLaw& law)
{
    Publication out;
    out.parameters.setZero(law.parameter_count());
    return out;
}

constexpr double nanosecond = 1e-9;

}  // namespace

void HapticThreadSettings::validate() const
{
    if (!(rate_hz >= 100.0 && rate_hz <= 4000.0)) {
        throw std::invalid_argument("rate_hz: " + std::to_string(rate_hz) + ", expected 100 to 4000");
    }
    if (priority < 1 || priority > 99) {
        throw std::invalid_argument("priority: " + std::to_string(priority) + ", expected 1 to 99");
    }
    safety.validate();
}

HapticThread::HapticThread(HapticDevice& device, ForceLaw& law, const HapticThreadSettings& settings,
                           TickClock& clock, HapticTrace* trace)
    : m_device(device),
      m_law(law),
      m_settings((settings.validate(), settings)),
      m_limits(limits_of(settings.safety, device.capabilities())),
      m_clock(clock),
      m_trace(trace),
      m_period(1.0 / settings.rate_hz),
      m_period_ns(std::llround(1e9 / settings.rate_hz)),
      m_safety(m_limits),
      m_publications(empty_publication(law)),
      m_readouts(empty_readout(law)),
      m_last_parameters(VectorXd::Zero(law.parameter_count()))
{
}

HapticThread::~HapticThread()
{
    stop();
}

void HapticThread::start()
{
    if (m_thread.joinable()) {
        throw std::logic_error("the haptic thread runs already");
    }
    m_stop.store(false, std::memory_order_relaxed);
    m_granted.store(-1, std::memory_order_relaxed);
    m_reset.store(true, std::memory_order_release);
    m_last_start = 0;
    m_thread = std::thread([this] { run(); });
    m_granted.wait(-1, std::memory_order_acquire);
}

void HapticThread::stop() noexcept
{
    if (m_thread.joinable()) {
        m_stop.store(true, std::memory_order_release);
        m_thread.join();
    }
}

std::string HapticThread::scheduling() const
{
    const int granted = m_granted.load(std::memory_order_acquire);
    if (granted < 0) {
        return "";
    }
    return scheduling_text(granted, m_settings.real_time, m_settings.priority);
}

void HapticThread::run() noexcept
{
    const int refused = enter_fast_thread("haptic", m_settings.real_time, m_settings.priority);
    m_running.store(true, std::memory_order_release);
    m_granted.store(refused, std::memory_order_release);
    m_granted.notify_all();
    TickSchedule schedule(m_clock, m_period_ns);
    while (!m_stop.load(std::memory_order_acquire)) {
        m_times.lateness.add(schedule.wait());
        if (schedule.skipped() > 0) {
            m_times.overruns.fetch_add(schedule.skipped(), std::memory_order_relaxed);
        }
        tick();
    }
    m_device.write(Vector6d::Zero());
    m_running.store(false, std::memory_order_release);
}

void HapticThread::take_publication() noexcept
{
    if (!m_publications.take()) {
        return;
    }
    const Publication& taken = m_publications.value();
    m_law.take(taken.parameters.data(), taken.count);
    if (m_trace != nullptr) {
        m_publication_row = m_trace->add(taken);
    }
}

bool HapticThread::near(const DeviceState& from, const DeviceState& to, double elapsed) const noexcept
{
    const double turn = from.orientation.angularDistance(to.orientation);
    return (to.position - from.position).norm() <= m_limits.max_speed * elapsed &&
           turn <= m_limits.max_angular_speed * elapsed;
}

/// Whether this tick's reading can be true; takes it over if so.
bool HapticThread::accept_pose(std::int64_t now) noexcept
{
    const DeviceState& read = m_row.device;
    if (read.sequence == m_sequence) {
        return !m_jumped;  // nothing new: the pose only grows older
    }
    m_sequence = read.sequence;
    const bool numbers = read.position.allFinite() && read.linear_velocity.allFinite() &&
                         read.angular_velocity.allFinite() &&
                         std::abs(read.orientation.norm() - 1.0) < 1e-3;  // false for NaN
    if (!numbers) {
        return false;
    }
    const double elapsed = std::max(m_period, nanosecond * static_cast<double>(now - m_reading_time));
    bool anew = !m_has_reading || elapsed > m_limits.pose_fade;
    if (m_has_reading && !near(m_reading, read, elapsed)) {
        m_jumped = true;
        m_jump_time = now;
    }
    m_has_reading = true;
    m_reading = read;
    m_reading_time = now;
    if (m_jumped && nanosecond * static_cast<double>(now - m_jump_time) < m_limits.settle_time) {
        return false;
    }
    anew = anew || m_jumped;
    m_jumped = false;
    if (!anew) {  // else nothing is known about the way
        m_moved = displacement({m_pose.position, m_pose.orientation}, {read.position, read.orientation});
    }
    m_has_pose = true;
    m_pose = read;
    m_pose_time = now;
    if (anew) {
        m_law.reset(m_pose);
        m_safety.restart();
    }
    return true;
}

void HapticThread::tick() noexcept
{
    const std::int64_t now = m_clock.now();
    if (m_last_start != 0) {
        m_times.interval.add(now - m_last_start);
    }
    m_last_start = now;
    take_publication();
    m_row.time = now;
    m_row.publication = m_publication_row;
    m_row.reset = m_reset.exchange(false, std::memory_order_acq_rel);
    if (m_row.reset) {
        m_device.clear_fault();
        m_safety.reset();
        m_has_pose = m_has_reading = m_jumped = false;
        m_pose_time = now;
    }
    m_device.read(m_row.device);
    m_row.fault = m_device.fault();
    const Publication& data = m_publications.value();
    m_moved.setZero();
    SafetyInputs inputs{
        .has_data = data.number > 0,
        .withdrawn = data.withdrawn,
        .data_age = nanosecond * static_cast<double>(now - data.stamp),
        .data_period = data.data_period,
        .pose_refused = !accept_pose(now),
        .pose_age = nanosecond * static_cast<double>(now - m_pose_time),
        .fault = m_row.fault != 0,
    };
    inputs.moved = m_moved;
    inputs.motion << m_pose.linear_velocity, m_pose.angular_velocity;
    m_row.wanted.setZero();
    if (inputs.has_data && m_has_pose && !inputs.pose_refused) {
        m_row.wanted = m_law.wrench(m_pose, m_period);
    }
    m_row.wrench = m_safety.apply(m_row.wanted, inputs, m_period);
    m_device.write(m_row.wrench);
    m_row.state = m_safety.state();
    m_row.gain = m_safety.gain();
    // Reckoned here once more, without the ramp of the gain that it is to judge.
    m_tally.add(
        m_row.state, m_row.wrench,
        inputs.has_data && !inputs.withdrawn && inputs.data_age >= m_safety.watchdog_end(inputs.data_period));
    if (m_trace != nullptr) {
        m_trace->add(m_row);
    }
    const std::int64_t done = m_done.load(std::memory_order_relaxed) + 1;
    HapticReadout& out = m_readouts.slot();
    out.tick = done;
    out.time = now;
    out.state = m_row.state;
    out.device = m_pose;
    out.wanted = m_row.wanted;
    out.wrench = m_row.wrench;
    out.gain = m_row.gain;
    out.energy = m_safety.energy();
    out.data_age = inputs.data_age;
    out.pose_age = inputs.pose_age;
    out.publication = data.number;
    out.fault = m_row.fault;
    m_law.tell(out.law.data());
    m_readouts.publish();
    m_done.store(done, std::memory_order_release);
    m_times.work.add(m_clock.now() - now);
}

void HapticThread::publish(std::span<const double> parameters, double data_period)
{
    const auto count = static_cast<Index>(parameters.size());
    if (count > m_law.parameter_count() || !m_law.fits(count)) {
        throw std::invalid_argument("parameters: " + std::to_string(count) +
                                    " numbers, which the law does not take; it has room for " +
                                    std::to_string(m_law.parameter_count()));
    }
    if (!std::all_of(parameters.begin(), parameters.end(), [](double x) { return std::isfinite(x); })) {
        throw std::invalid_argument("parameters: hold a number that is not finite");
    }
    if (!(data_period > 0.0) || !std::isfinite(data_period)) {
        throw std::invalid_argument("data_period: " + std::to_string(data_period) +
                                    ", expected a finite time > 0");
    }
    const std::lock_guard lock(m_publish_mutex);
    m_last_parameters.head(count) = Eigen::Map<const VectorXd>(parameters.data(), count);
    m_last_count = count;
    m_last_period = data_period;
    publish_last(false);
}

void HapticThread::withdraw()
{
    const std::lock_guard lock(m_publish_mutex);
    if (m_published == 0) {
        return;
    }
    publish_last(true);  // the fast thread may not have taken the last data: they go along
}

void HapticThread::publish_last(bool withdrawn)
{
    Publication& next = m_publications.slot();
    next.parameters.head(m_last_count) = m_last_parameters.head(m_last_count);
    next.count = m_last_count;
    next.data_period = m_last_period;
    next.withdrawn = withdrawn;
    next.stamp = m_clock.now();
    next.number = ++m_published;
    m_publications.publish();
}

HapticReadout HapticThread::readout()
{
    const std::lock_guard lock(m_readout_mutex);
    (void)m_readouts.take();
    return m_readouts.value();
}

}  // namespace softcontact
