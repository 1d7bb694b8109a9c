// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cmath>
#include <softcontact/world/articulated_system.hpp>
#include <stdexcept>

namespace softcontact {

namespace {

void check_size(const char* name, const VectorXd& values, Index expected)
{
    if (values.size() != expected) {
        throw std::invalid_argument(std::string(name) + ": " + std::to_string(values.size()) +
                                    " values given, the joints take " + std::to_string(expected));
    }
}

template <typename Valid>
void check_values(const char* name, const VectorXd& values, Index expected, const Valid& valid,
                  const char* requirement)
{
    check_size(name, values, expected);
    for (Index i = 0; i < values.size(); ++i) {
        if (!valid(values[i])) {
            throw std::invalid_argument(std::string(name) + "[" + std::to_string(i) +
                                        "] = " + std::to_string(values[i]) + " must be " + requirement);
        }
    }
}

}  // namespace

ArticulatedSystem::ArticulatedSystem(std::string name, ArticulatedModel model, JointCompliance compliance,
                                     VectorXd q0, VectorXd v0, Vector3d gravity, bool gravity_compensated)
    : System(std::move(name)),
      m_flow(model),
      m_model(std::move(model)),
      m_data(m_model),
      m_compliance(std::move(compliance)),
      m_gravity(gravity),
      m_gravity_compensated(gravity_compensated),
      m_q(std::move(q0)),
      m_v(std::move(v0)),
      m_factor(m_model)
{
    const Index nv = m_model.nv();
    const auto finite = [](double value) { return std::isfinite(value); };
    const auto not_negative = [](double value) { return value >= 0.0 && std::isfinite(value); };
    const auto number = [](double value) { return !std::isnan(value); };
    check_values("q0", m_q, m_model.nq(), finite, "finite");
    check_values("v0", m_v, nv, finite, "finite");
    check_values("stiffness", m_compliance.stiffness, nv, not_negative, "finite and >= 0");
    check_values("damping", m_compliance.damping, nv, not_negative, "finite and >= 0");
    check_values(
        "limit_stiffness", m_compliance.limit_stiffness, nv, [](double value) { return value >= 0.0; },
        ">= 0; inf for a rigid limit");
    if (m_compliance.friction.size() == 0) {
        m_compliance.friction.setZero(nv);
    }
    check_values("friction", m_compliance.friction, nv, not_negative, "finite and >= 0");
    check_values("lower", m_compliance.lower, nv, number, "a number; -inf for no limit");
    check_values("upper", m_compliance.upper, nv, number, "a number; inf for no limit");
    for (Index i = 0; i < nv; ++i) {
        if (m_compliance.lower[i] > m_compliance.upper[i]) {
            throw std::invalid_argument("lower[" + std::to_string(i) +
                                        "] = " + std::to_string(m_compliance.lower[i]) +
                                        " lies above upper = " + std::to_string(m_compliance.upper[i]));
        }
    }
    m_q_start = m_q_next = m_target = m_target_before = m_q;
    m_v_start = m_kicked = m_flown_from = m_v;
    m_free = m_flown = {m_q, m_v, m_v};
    m_offset.setZero(nv);
    m_offset_before.setZero(nv);
    m_error.setZero(nv);
    m_target_velocity.setZero(nv);
    m_force.setZero(nv);
    m_increment.setZero(nv);
    m_touch.setZero(nv);
    m_applied.setZero(nv);
    m_system.setZero(nv, nv);
    list_free_joints();
    check_constraints();
    mass_matrix(m_model, m_data, m_q);  // of a single body it stays
}

Eigen::Map<const Quaterniond> ArticulatedSystem::orientation(const VectorXd& q, int link) const
{
    return Eigen::Map<const Quaterniond>(q.data() + m_model.q_offset(link) + 3);
}

void ArticulatedSystem::set_target_motion(VectorMotion motion)
{
    if (motion.values().cols() != m_model.nq()) {
        throw std::invalid_argument("targets: " + std::to_string(motion.values().cols()) +
                                    " columns, body '" + name() + "' has " + std::to_string(m_model.nq()) +
                                    " position coordinates");
    }
    m_motion = std::move(motion);
}

void ArticulatedSystem::evaluate_target(double time, VectorXd& target) const
{
    if (m_motion.empty()) {
        return;
    }
    const auto [before, after, weight] = m_motion.bracket(time);
    const auto& values = m_motion.values();
    target = (1.0 - weight) * values.row(before).transpose() + weight * values.row(after).transpose();
    for (int link = 0; link < m_model.link_count(); ++link) {
        const JointType joint = m_model.link(link).joint;
        if (joint != JointType::free && joint != JointType::spherical) {
            continue;
        }
        const Index at = m_model.q_offset(link) + (joint == JointType::free ? 3 : 0);
        const Eigen::Vector4d first = values.row(before).segment<4>(at);
        const Eigen::Vector4d second = values.row(after).segment<4>(at);
        target.segment<4>(at) =
            Quaterniond(first).normalized().slerp(weight, Quaterniond(second).normalized()).coeffs();
    }
}

template <typename Visitor>
void ArticulatedSystem::for_each_limit_spring(const Visitor& visit) const
{
    // One-degree-of-freedom coordinates only: their velocity coordinate is the rate of one position
    // coordinate.
    for (int link = 0; link < m_model.link_count(); ++link) {
        const JointType joint = m_model.link(link).joint;
        if (joint != JointType::revolute && joint != JointType::prismatic && joint != JointType::universal) {
            continue;
        }
        const Index count = joint == JointType::universal ? 2 : 1;
        for (Index k = 0; k < count; ++k) {
            const Index i = m_model.v_offset(link) + k;
            const double q = m_q[m_model.q_offset(link) + k];
            const double violation = q < m_compliance.lower[i]   ? m_compliance.lower[i] - q
                                     : q > m_compliance.upper[i] ? m_compliance.upper[i] - q
                                                                 : 0.0;
            const double stiffness = m_compliance.limit_stiffness[i];
            if (violation != 0.0 && std::isfinite(stiffness)) {
                visit(i, violation, stiffness);
            }
        }
    }
}

void ArticulatedSystem::apply_limits(double step)
{
    m_at_limit = false;
    for_each_limit_spring([&](Index i, double violation, double stiffness) {
        m_at_limit = m_at_limit || stiffness > 0.0;
        m_force[i] += stiffness * (violation - step * m_v[i]);
        m_system(i, i) += step * step * stiffness;
    });
}

bool ArticulatedSystem::free_motion(double time, double step)
{
    m_q_start = m_q;
    m_v_start = m_v;
    evaluate_target(time, m_target);
    evaluate_target(time - step, m_target_before);
    m_model.difference(m_q, m_target, m_error);
    m_error += m_offset;
    m_model.difference(m_target_before, m_target, m_target_velocity);
    m_target_velocity += m_offset - m_offset_before;
    m_target_velocity /= step;
    m_offset_before = m_offset;

    // (M + hD + h²K) dv = h (f(q₀, v₀) − h K v₀), f = K e + D (v_target − v) + applied + gravity; inertia
    // acts in the flight.
    m_system = m_single ? m_data.mass : m_flow.mass_at(m_model, m_q);
    m_system.diagonal() += step * m_compliance.damping + step * step * m_compliance.stiffness;
    m_force = m_compliance.stiffness.cwiseProduct(m_error - step * m_v) +
              m_compliance.damping.cwiseProduct(m_target_velocity - m_v) + m_applied;
    add_weight();
    apply_limits(step);
    if (!m_factor.factor(m_system)) {
        return false;
    }
    m_increment = step * m_force;
    m_factor.solve(m_increment.data());
    m_kicked = m_v + m_increment;
    m_lost = !find_free_flight(step);
    collect_constraints(step);
    return !m_lost;
}

void ArticulatedSystem::add_weight()
{
    if (m_gravity_compensated) {
        return;
    }
    if (!m_single) {
        m_flow.add_weight(m_model, m_q, m_gravity, m_force);
        return;
    }
    const LinkDescription& link = m_model.link(0);
    const Vector3d weight = link.mass * (link_pose(0).rotation.transpose() * m_gravity);
    m_force.head<3>() += weight;
    m_force.tail<3>() += link.com.cross(weight);
}

void ArticulatedSystem::place_links()
{
    if (m_single || !m_flow.recall(m_q, m_data)) {
        forward_kinematics(m_model, m_data, m_q);
    }
}

void ArticulatedSystem::half_solve(Eigen::Ref<MatrixXd> columns) const
{
    for (Index k = 0; k < columns.cols(); ++k) {
        m_factor.solve_transposed(columns.col(k).data());
    }
}

void ArticulatedSystem::show(double step, const Eigen::Ref<const VectorXd>& velocity_change, double share)
{
    if (share == 0.0) {
        m_q = m_q_start;
    } else if (share == 1.0 && velocity_change.isZero(0.0)) {
        m_q = m_free.q;
        fall_by_parabola(step, m_q);
    } else {
        m_increment = share * step * (m_free.mean + velocity_change);
        integrate_straight(m_model, m_q_start, m_increment, m_q);
    }
    place_links();
}

void ArticulatedSystem::keep()
{
    m_kept.q = m_q;
    m_kept.v = m_v;
    m_kept.target = m_target;
    m_kept.offset = m_offset;
    m_kept.offset_before = m_offset_before;
    m_kept.touch = m_touch;
    m_kept.possible = m_possible;
    m_kept.parts = m_flow.parts();
}

void ArticulatedSystem::go_back()
{
    m_q = m_kept.q;
    m_v = m_kept.v;
    m_target = m_kept.target;
    m_offset = m_kept.offset;
    m_offset_before = m_kept.offset_before;
    m_touch = m_kept.touch;
    m_possible = m_kept.possible;
    m_flow.set_parts(m_kept.parts);
    forward_kinematics(m_model, m_data, m_q);
}

void ArticulatedSystem::finish(double step, const Eigen::Ref<const VectorXd>& velocity_change, bool touched)
{
    const bool by_midpoint = !touched && m_integrator == Integrator::midpoint && !m_at_limit;
    if (by_midpoint) {
        m_lost = !fly_by_midpoint(step);
    }
    if (!by_midpoint || passes_limits(m_flown.q)) {  // the solve found that the step stops short of them
        fly_on(step, velocity_change);
        m_lost = m_lost || (!m_single && !m_flow.end_velocity(m_model, m_flown.q, m_flown.v));
    }
    if (!touched && !by_midpoint) {
        fall_by_parabola(step, m_flown.q);
    }
    if (touched && !m_single) {
        m_touch = velocity_change;
    } else {
        m_touch.setZero();
    }
    for (std::size_t k = 0; k < m_present.size(); ++k) {
        CoordinateConstraint& constraint = m_possible[m_possible_of[k]];
        constraint.force = m_present[k].force;
        if (constraint.is_limit()) {
            m_present[k].gap = room(constraint, m_flown.q);
        }
    }
    m_q = m_flown.q;
    m_v = m_flown.v;
    place_links();
}

void ArticulatedSystem::correct(const Eigen::Ref<const VectorXd>& position_change)
{
    if (position_change.isZero(0.0)) {
        return;
    }
    m_model.integrate(m_q, position_change, m_q_next);
    if (m_single) {  // the velocity of the centre of mass stays in the world
        const Vector3d arm = m_model.link(0).com, angular = m_v.tail<3>();
        const Vector3d linear = orientation(m_q, 0) * (m_v.head<3>() + angular.cross(arm));
        m_v.head<3>() = orientation(m_q_next, 0).conjugate() * linear - angular.cross(arm);
    } else if (!m_flow.keep_momentum(m_model, m_q, m_v, m_q_next)) {
        m_lost = true;
    }
    m_q = m_q_next;
    forward_kinematics(m_model, m_data, m_q);
}

double ArticulatedSystem::speed() const
{
    if (!m_single) {
        return System::speed();
    }
    const auto& link = m_model.link(0);
    const double gyration = std::sqrt(0.5 * link.inertia.trace() / link.mass);
    return std::max(m_v.head<3>().norm(), gyration * m_v.tail<3>().norm());
}

double ArticulatedSystem::kinetic_energy() const
{
    mass_matrix(m_model, m_data, m_q);
    return 0.5 * m_v.dot(m_data.mass * m_v);
}

double ArticulatedSystem::elastic_energy() const
{
    VectorXd error(m_model.nv());
    m_model.difference(m_q, m_target, error);
    error += m_offset;
    double energy = 0.5 * error.dot(m_compliance.stiffness.cwiseProduct(error));
    for_each_limit_spring([&](Index, double violation, double stiffness) {
        energy += 0.5 * stiffness * violation * violation;
    });
    return energy;
}

double ArticulatedSystem::potential_energy() const
{
    double energy = 0.0;
    for (int link = 0; link < m_model.link_count(); ++link) {
        const auto& description = m_model.link(link);
        energy -= description.mass * m_gravity.dot(link_pose(link) * description.com);
    }
    return energy;
}

Health ArticulatedSystem::health() const
{
    if (m_lost) {
        return {false, "its motion within a step could not be found; take a shorter time step"};
    }
    if (!m_q.allFinite() || !m_v.allFinite()) {
        return {false, "state is not finite"};
    }
    return {};
}

void ArticulatedSystem::append_state(std::vector<double>& out) const
{
    out.insert(out.end(), m_q.begin(), m_q.end());
    out.insert(out.end(), m_v.begin(), m_v.end());
}

}  // namespace softcontact
