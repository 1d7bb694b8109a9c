// SPDX-License-Identifier: LGPL-2.1-or-later
// How an articulated body moves within a step, once all forces of the step have acted on its momentum.
#include <limits>
#include <softcontact/bodies/free_rotation.hpp>
#include <softcontact/world/articulated_system.hpp>

namespace softcontact {

void ArticulatedSystem::list_free_joints()
{
    for (int link = 0; link < m_model.link_count(); ++link) {
        if (m_model.link(link).joint != JointType::free) {
            continue;
        }
        const Index k = m_model.v_offset(link);
        const bool held = !m_compliance.stiffness.segment<6>(k).isZero(0.0) ||
                          !m_compliance.damping.segment<6>(k).isZero(0.0);
        if (m_model.link(link).parent < 0 && !held && !m_gravity_compensated) {
            m_falling.push_back(link);
        }
    }
    m_single = m_model.link_count() == 1 && m_model.link(0).joint == JointType::free &&
               m_model.armature().isZero(0.0);
}

bool ArticulatedSystem::fly(double step, const VectorXd& velocity, Flight& flight)
{
    if (m_single) {
        return fly_rigid(step, velocity, flight);
    }
    flight.q = m_q_start;
    flight.v = velocity;
    if (!m_flow.advance(m_model, flight.q, flight.v, step)) {
        return false;
    }
    flight.mean = m_flow.mean();
    return true;
}

bool ArticulatedSystem::fly_rigid(double step, const VectorXd& velocity, Flight& flight) const
{
    const LinkDescription& link = m_model.link(0);
    const Matrix3d inertia = 0.5 * (link.inertia + link.inertia.transpose());
    const Vector3d rate = velocity.tail<3>();
    const FreeRotation rotation = rotate_freely(inertia, inertia * rate, step);
    if (!rotation.found) {
        return false;
    }
    const Vector3d linear = velocity.head<3>() + rate.cross(link.com);  // of the centre of mass
    const Quaterniond start = orientation(m_q_start, 0);
    const Quaterniond end = (start * rotation.turn).normalized();
    flight.q.head<3>() =
        m_q_start.head<3>() + start * Vector3d(step * linear + link.com - rotation.turn * link.com);
    flight.q.tail<4>() = end.coeffs();
    flight.v.tail<3>() = inertia.ldlt().solve(rotation.momentum);
    flight.v.head<3>() = rotation.turn.conjugate() * linear - Vector3d(flight.v.tail<3>()).cross(link.com);
    flight.mean.tail<3>() = rotation.rate;
    flight.mean.head<3>() = linear - rotation.rate.cross(link.com);
    return true;
}

bool ArticulatedSystem::find_free_flight(double step)
{
    // What stiff joints press against a contact by, it takes away again: without it, the flight would be that
    // of speeds that the body never has. What it took in the last step is near enough to begin with.
    m_flown_from = m_kicked + m_touch;
    bool found = fly(step, m_flown_from, m_flown);
    if (!found && is_guessed()) {
        m_touch.setZero();
        m_flown_from = m_kicked;
        found = fly(step, m_flown_from, m_flown);
    }
    m_free = m_flown;
    if (found && is_guessed()) {
        m_free.mean -= m_touch;
        m_increment = step * m_free.mean;
        integrate_straight(m_model, m_q_start, m_increment, m_free.q);
    }
    return found;
}

bool ArticulatedSystem::refine(double step, const Eigen::Ref<const VectorXd>& velocity_change)
{
    constexpr double share = 1e-4, least = 1e-8;  // of the speed; [m/s] or [rad/s]
    if (m_single || (velocity_change.isZero(0.0) && !is_guessed())) {
        return false;  // of a single body, spin adds but the square of a turn
    }
    fly_on(step, velocity_change);
    if (m_lost) {
        return false;
    }
    m_increment = m_flown.mean - velocity_change - m_free.mean;
    m_free.mean += m_increment;
    const double speed = m_flown.mean.lpNorm<Eigen::Infinity>();
    return m_increment.lpNorm<Eigen::Infinity>() > least + share * speed;
}

void ArticulatedSystem::fly_on(double step, const Eigen::Ref<const VectorXd>& velocity_change)
{
    m_increment = m_kicked + velocity_change;
    if (m_flown_from != m_increment) {
        m_flown_from = m_increment;
        m_lost = !fly(step, m_flown_from, m_flown);
    }
}

void ArticulatedSystem::fall_by_parabola(double step, VectorXd& q) const
{
    // The flight began with all that gravity gives in the step, but it comes bit by bit. Gravity moves a body
    // that nothing holds as a whole.
    for (const int link : m_falling) {
        const Matrix3d& axes = m_model.link(link).placement.rotation;
        q.segment<3>(m_model.q_offset(link)) -= axes.transpose() * (0.5 * step * step * m_gravity);
    }
}

void ArticulatedSystem::write_joint_forces(const VectorXd& q, const VectorXd& v, double time_left,
                                           VectorXd& force)
{
    m_model.difference(q, m_target, m_error);
    m_error += m_offset - time_left * m_target_velocity;
    force = m_compliance.stiffness.cwiseProduct(m_error) +
            m_compliance.damping.cwiseProduct(m_target_velocity - v) + m_applied;
}

bool ArticulatedSystem::fly_by_midpoint(double step)
{
    m_flown_from.setConstant(std::numeric_limits<double>::quiet_NaN());  // another flight
    m_flown.q = m_q_start;
    m_flown.v = m_v_start;
    m_flow_forces.gravity = m_gravity_compensated ? Vector3d::Zero() : m_gravity;
    m_flow_forces.stiffness = m_compliance.stiffness;
    m_flow_forces.damping = m_compliance.damping;
    m_flow_forces.force = [this, step](const VectorXd& q, const VectorXd& v, double share, VectorXd& force) {
        write_joint_forces(q, v, (1.0 - share) * step, force);
    };
    return m_flow.advance(m_model, m_flown.q, m_flown.v, step, m_flow_forces) &&
           m_flow.end_velocity(m_model, m_flown.q, m_flown.v);
}

}  // namespace softcontact
