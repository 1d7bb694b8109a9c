// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "softcontact/condensed/condensed_contact.hpp"

namespace softcontact {

/// A haptic device with a hand on it, in translation: the hand pulls the device along a path with a spring
/// and a damper, the contact force pushes it back.
///
///     m a = k (x_hand − x) + b (v_hand − v) − c v + min(|s F|, limit) F/|F|
struct SimulatedDevice {
    double mass = 0.1;              ///< m [kg]; 0: no dynamics, the device is where the path says
    double damping = 0.5;           ///< c [N s/m]
    double hand_stiffness = 600.0;  ///< k [N/m]
    double hand_damping = 10.0;     ///< b [N s/m]
    double force_scale = 0.01;      ///< s, share of the contact force that is fed back [-]
    double force_limit = 7.9;       ///< largest force of the device [N]
};

/// One row a tick, all of it allocated beforehand.
struct LoopLog {
    std::vector<double> lateness_s;  ///< start of the tick after its due time
    std::vector<double> tick_s;      ///< duration of the tick
    std::vector<double> error;       ///< CondensedTick::error [m]
    std::vector<double> residual;    ///< CondensedTick::residual
    std::vector<double> penetration;
    std::vector<std::int32_t> sweeps, touching;
    std::vector<std::uint8_t> converged;
    Eigen::Matrix3Xd position;  ///< of the device [m]
    Eigen::Matrix3Xd force;     ///< contact force on the driven body [N]
    Eigen::Matrix3Xd felt;      ///< force fed back to the hand [N]
    Eigen::MatrixXd forces;     ///< (3n, ticks) contact forces (n, t, s) [N]
};

/// The haptic thread: device, contact, force, at a fixed rate. Ticks neither allocate nor lock nor throw.
class HapticLoop {
public:
    /// The contact must outlive the loop. times (k,) [s] rising, path (3, k) [m] of the hand, straight lines
    /// between; period [s]; ticks: how many there is room for. Throws std::invalid_argument.
    HapticLoop(CondensedContact& contact, const SimulatedDevice& device, std::vector<double> times,
               Eigen::Matrix3Xd path, double period, Index ticks);

    /// One tick in simulated time; false when the log is full.
    bool tick();

    /// Ticks paced by the clock until the log is full or stop() is called. A tick that comes more than a
    /// period late is counted as missed and the schedule shifts.
    void run();
    void stop() { m_stop.store(true, std::memory_order_relaxed); }

    /// Ticks done; rows of the log below it may be read from any thread.
    [[nodiscard]] Index done() const { return m_done.load(std::memory_order_acquire); }
    [[nodiscard]] Index missed() const { return m_missed.load(std::memory_order_relaxed); }
    [[nodiscard]] Index capacity() const { return m_log.position.cols(); }
    [[nodiscard]] const LoopLog& log() const { return m_log; }

private:
    void move_device(double time);
    [[nodiscard]] Vector3d hand(double time, Vector3d& velocity);

    CondensedContact& m_contact;
    SimulatedDevice m_device;
    std::vector<double> m_times;
    Eigen::Matrix3Xd m_path;
    double m_period;
    LoopLog m_log;
    std::size_t m_cursor = 0;
    Vector3d m_position, m_velocity = Vector3d::Zero(), m_felt = Vector3d::Zero();
    std::atomic<Index> m_done{0}, m_missed{0};
    std::atomic<bool> m_stop{false};
};

}  // namespace softcontact
