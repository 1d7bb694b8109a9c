// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/bodies/articulated_flow.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "articulated_spatial.hpp"
#include "softcontact/bodies/free_rotation.hpp"

namespace softcontact {

using spatial::at;

namespace {

constexpr int most_parts = 1024;
constexpr int most_halvings = 6;

// A link that would turn more in a part [rad] is taken through more of them, twice as many each time. Energy
// keeps near one value only as long as the parts stay as long as they are, so they grow again late.
constexpr double turn_limit = 0.02;
constexpr int calm_steps = 200;

// The solution moves positions by no more than this in the last iteration [m] or [rad]: some round-offs of a
// position of a metre. What is left of the residual is carried on to the end, so no momentum is lost with it.
constexpr double position_tolerance = 1e-13;
constexpr double relative_tolerance = 1e-12;

Quaterniond axes_of(const ArticulatedModel& model, const VectorXd& q, int link)
{
    return Eigen::Map<const Quaterniond>(q.data() + model.q_offset(link) + 3).normalized();
}

}  // namespace

void integrate_straight(const ArticulatedModel& model, const VectorXd& q, const VectorXd& dv, VectorXd& out)
{
    model.integrate(q, dv, out);
    for (int link = 0; link < model.link_count(); ++link) {
        if (model.link(link).joint == JointType::free) {
            const Index place = model.q_offset(link);
            const Vector3d travel = dv.segment<3>(model.v_offset(link));
            out.segment<3>(place) = q.segment<3>(place) + axes_of(model, q, link) * travel;
        }
    }
}

ArticulatedFlow::ArticulatedFlow(const ArticulatedModel& model)
    : m_data(model), m_places{Place(model), Place(model)}, m_factor(model)
{
    const auto count = static_cast<std::size_t>(model.link_count());
    for (int i = 0; i < model.link_count(); ++i) {
        const Matrix3d& inertia = model.link(i).inertia;
        m_inertia.push_back(0.5 * (inertia + inertia.transpose()));
    }
    m_linear.resize(count);
    m_angular.resize(count);
    m_wrench.resize(count);
    for (auto* vector : {&m_momentum, &m_velocity, &m_residual, &m_change, &m_force, &m_increment, &m_mean,
                         &m_trial, &m_base}) {
        vector->setZero(model.nv());
    }
    m_q_end = m_middle = model.neutral();
    m_system.setZero(model.nv(), model.nv());
    m_slope.setZero(model.nv(), model.nv());
}

const ArticulatedFlow::Place& ArticulatedFlow::place_at(const ArticulatedModel& model, const VectorXd& q)
{
    for (const std::size_t k : {m_recent, 1 - m_recent}) {
        if (m_places[k].is_at(q)) {
            m_recent = k;
            return m_places[k];
        }
    }
    m_recent = 1 - m_recent;
    Place& place = m_places[m_recent];
    mass_matrix(model, m_data, q);
    place.known = true;
    place.q = q;
    place.mass = m_data.mass;
    place.pose = m_data.pose;
    place.axes = m_data.world_motion;
    place.regular = place.factor.factor(place.mass);
    return place;
}

void ArticulatedFlow::add_weight(const ArticulatedModel& model, const VectorXd& q, const Vector3d& gravity,
                                 VectorXd& force)
{
    const Place& place = place_at(model, q);
    std::fill(m_linear.begin(), m_linear.end(), Vector3d::Zero());
    std::fill(m_angular.begin(), m_angular.end(), Vector3d::Zero());
    gather(model, place.pose, place.axes, gravity, m_residual);
    force += m_residual;
}

bool ArticulatedFlow::recall(const VectorXd& q, ArticulatedData& data) const
{
    const auto place =
        std::find_if(m_places.begin(), m_places.end(), [&](const Place& p) { return p.is_at(q); });
    if (place != m_places.end()) {
        data.pose = place->pose;
        data.world_motion = place->axes;
    }
    return place != m_places.end();
}

bool ArticulatedFlow::choose_parts(const ArticulatedModel& model, const VectorXd& q, const VectorXd& v,
                                   double step)
{
    const Matrix6Xd& axes = place_at(model, q).axes;
    double rate = 0.0;
    for (int i = 0; i < model.link_count(); ++i) {
        const int parent = model.link(i).parent;
        Vector3d& turning = at(m_angular, i);
        turning = parent < 0 ? Vector3d(Vector3d::Zero()) : at(m_angular, parent);
        for (int k = model.v_offset(i); k < model.v_offset(i) + model.dofs(i); ++k) {
            turning += v[k] * axes.col(k).tail<3>();
        }
        rate = std::max(rate, turning.norm());
    }
    const double turn = step * rate;
    if (!(turn <= turn_limit * most_parts)) {
        return false;
    }
    while (turn > turn_limit * m_parts.count) {
        m_parts = {2 * m_parts.count, 0};
    }
    m_parts.calm_for = turn < 0.25 * turn_limit * m_parts.count ? m_parts.calm_for + 1 : 0;
    if (m_parts.count > 1 && m_parts.calm_for > calm_steps) {
        m_parts = {m_parts.count / 2, 0};
    }
    return true;
}

bool ArticulatedFlow::advance(const ArticulatedModel& model, VectorXd& q, VectorXd& v, double step,
                              const FlowForces& forces)
{
    if (!choose_parts(model, q, v, step)) {
        return false;
    }
    const int parts = m_parts.count;
    m_mean.setZero();
    m_base = q;
    for (int i = 0; i < parts; ++i) {
        const Part part{static_cast<double>(i) / parts, static_cast<double>(i + 1) / parts, step / parts,
                        most_halvings};
        if ((i > 0 && !end_velocity(model, q, v)) || !advance_part(model, q, v, forces, part)) {
            return false;
        }
    }
    for (int link = 0; link < model.link_count(); ++link) {
        if (model.link(link).joint == JointType::free) {
            const Index place = model.q_offset(link);
            m_mean.segment<3>(model.v_offset(link)) =
                axes_of(model, m_base, link).conjugate() *
                Vector3d((q.segment<3>(place) - m_base.segment<3>(place)) / step);
        }
    }
    return true;
}

bool ArticulatedFlow::advance_part(const ArticulatedModel& model, VectorXd& q, VectorXd& v,
                                   const FlowForces& forces, const Part& part)
{
    m_start = &place_at(model, q);
    m_solver = &m_start->factor;
    m_momentum.noalias() = m_start->mass * v;
    if (forces.force) {
        m_system = m_start->mass;
        m_system.diagonal() +=
            0.5 * part.step * forces.damping + 0.25 * part.step * part.step * forces.stiffness;
        m_solver = &m_factor;
    }
    if (forces.force ? !m_factor.factor(m_system) : !m_start->regular) {
        return false;
    }
    m_velocity = v;
    if (!find_velocity(model, q, forces, part) && !find_by_differences(model, q, forces, part)) {
        if (part.halvings == 0) {
            return false;
        }
        const double middle = 0.5 * (part.begin + part.end), half = 0.5 * part.step;
        return advance_part(model, q, v, forces, {part.begin, middle, half, part.halvings - 1}) &&
               end_velocity(model, q, v) &&
               advance_part(model, q, v, forces, {middle, part.end, half, part.halvings - 1});
    }
    m_mean += (part.end - part.begin) * m_velocity;

    gather(model, m_data.pose, m_data.world_motion, 0.5 * part.step * forces.gravity, m_momentum);
    m_momentum += model.armature().cwiseProduct(m_velocity);
    if (forces.force) {
        m_momentum += 0.5 * part.step * m_force;
    }
    carry_residual(model);
    q = m_q_end;
    return true;
}

bool ArticulatedFlow::end_velocity(const ArticulatedModel& model, const VectorXd& q, VectorXd& v)
{
    const Place& end = place_at(model, q);
    v = m_momentum;
    if (end.regular) {
        end.factor.solve(v.data());
    }
    return end.regular;
}

bool ArticulatedFlow::keep_momentum(const ArticulatedModel& model, const VectorXd& q, VectorXd& v,
                                    const VectorXd& q_next)
{
    forward_velocity(model, m_data, q, v);
    for (int i = 0; i < model.link_count(); ++i) {
        const LinkDescription& link = model.link(i);
        const Matrix3d& axes = at(m_data.pose, i).rotation;
        const Vector6d& velocity = at(m_data.velocity, i);
        const Vector3d angular = velocity.tail<3>();
        at(m_linear, i) = axes * Vector3d(link.mass * (velocity.head<3>() + angular.cross(link.com)));
        at(m_angular, i) = axes * Vector3d(at(m_inertia, i) * angular);
    }
    forward_kinematics(model, m_data, q_next);
    gather(model, m_data.pose, m_data.world_motion, Vector3d::Zero(), m_momentum);
    m_momentum += model.armature().cwiseProduct(v);
    return end_velocity(model, q_next, v);
}

void ArticulatedFlow::carry_residual(const ArticulatedModel& model)
{
    m_momentum -= m_residual;
    for (int link = 0; link < model.link_count(); ++link) {  // the axes of these joints turn in the part
        const JointType joint = model.link(link).joint;
        if (joint != JointType::free && joint != JointType::spherical) {
            continue;
        }
        const Index k = model.v_offset(link);
        const Index turning = joint == JointType::free ? k + 3 : k;
        const Pose& start = at(m_start->pose, link);
        const Pose& end = at(m_data.pose, link);
        const auto into_end = [&](const Vector3d& vector) {
            return Vector3d(end.rotation.transpose() * vector);
        };
        Vector3d angular = start.rotation * Vector3d(m_residual.segment<3>(turning));
        if (joint == JointType::free) {
            const Vector3d linear = start.rotation * Vector3d(m_residual.segment<3>(k));
            angular += (start.translation - end.translation).cross(linear);
            m_momentum.segment<3>(k) += m_residual.segment<3>(k) - into_end(linear);
        }
        m_momentum.segment<3>(turning) += m_residual.segment<3>(turning) - into_end(angular);
    }
}

bool ArticulatedFlow::find_velocity(const ArticulatedModel& model, const VectorXd& q,
                                    const FlowForces& forces, const Part& part)
{
    constexpr int most = 40;
    constexpr double slow = 0.5;  // a factor between changes above which differences pay
    double before = 0.0;
    for (int i = 0; i < most; ++i) {
        evaluate(model, q, forces, part);
        m_change = m_residual;
        m_solver->solve(m_change.data());
        const double change = m_change.lpNorm<Eigen::Infinity>();
        if (change <= relative_tolerance * m_velocity.lpNorm<Eigen::Infinity>() ||
            change * part.step <= position_tolerance) {
            return true;
        }
        if (!std::isfinite(change) || (i > 1 && change > slow * before)) {
            return false;
        }
        before = change;
        m_velocity -= m_change;
    }
    return false;
}

bool ArticulatedFlow::find_by_differences(const ArticulatedModel& model, const VectorXd& q,
                                          const FlowForces& forces, const Part& part)
{
    constexpr int most = 20;
    constexpr double difference = 1e-7;  // of the velocity
    constexpr double round_off = 1e-10;  // [m] or [rad]: changes that get no smaller
    const Index size = model.nv();
    m_velocity = m_momentum;
    m_solver->solve(m_velocity.data());
    double before = std::numeric_limits<double>::infinity();
    for (int i = 0; i < most; ++i) {
        m_trial = m_velocity;
        const double delta = difference * std::max(m_trial.lpNorm<Eigen::Infinity>(), 1e-3);
        evaluate(model, q, forces, part);
        m_change = m_residual;
        for (Index k = 0; k < size; ++k) {
            m_velocity[k] = m_trial[k] + delta;
            evaluate(model, q, forces, part);
            m_slope.col(k) = (m_residual - m_change) / delta;
            m_velocity[k] = m_trial[k];
        }
        m_velocity = m_trial - m_slope.partialPivLu().solve(m_change);
        const double change = (m_velocity - m_trial).lpNorm<Eigen::Infinity>();
        if (!std::isfinite(change)) {
            return false;
        }
        const bool stands = change * part.step <= round_off && change > 0.5 * before;
        before = change;
        if (stands || change <= relative_tolerance * m_velocity.lpNorm<Eigen::Infinity>() ||
            change * part.step <= position_tolerance) {
            evaluate(model, q, forces, part);
            return true;
        }
    }
    return false;
}

void ArticulatedFlow::evaluate(const ArticulatedModel& model, const VectorXd& q, const FlowForces& forces,
                               const Part& part)
{
    const double step = part.step;
    m_increment = step * m_velocity;
    integrate_straight(model, q, m_increment, m_q_end);
    forward_kinematics(model, m_data, m_q_end);
    for (int i = 0; i < model.link_count(); ++i) {
        const LinkDescription& link = model.link(i);
        const Pose& start = at(m_start->pose, i);
        const Pose& end = at(m_data.pose, i);
        const CayleyTurn turn(Matrix3d(start.rotation.transpose() * end.rotation));
        at(m_angular, i) = start.rotation * (variational_momentum(at(m_inertia, i), turn.turned()) / step);
        const Vector3d travel =
            end.translation - start.translation + (end.rotation - start.rotation) * link.com;
        at(m_linear, i) = (link.mass / step) * travel;
    }
    gather(model, m_start->pose, m_start->axes, -0.5 * step * forces.gravity, m_residual);
    m_residual += model.armature().cwiseProduct(m_velocity) - m_momentum;
    if (forces.force) {
        m_increment *= 0.5;
        integrate_straight(model, q, m_increment, m_middle);
        forces.force(m_middle, m_velocity, 0.5 * (part.begin + part.end), m_force);
        m_residual -= 0.5 * step * m_force;
    }
}

void ArticulatedFlow::gather(const ArticulatedModel& model, const std::vector<Pose>& poses,
                             const Matrix6Xd& axes, const Vector3d& impulse, VectorXd& out)
{
    for (int i = 0; i < model.link_count(); ++i) {
        const LinkDescription& link = model.link(i);
        const Vector3d linear = at(m_linear, i) + link.mass * impulse;
        at(m_wrench, i).head<3>() = linear;
        at(m_wrench, i).tail<3>() =
            at(m_angular, i) + Vector3d(at(poses, i).rotation * link.com).cross(linear);
    }
    for (int i = model.link_count() - 1; i >= 0; --i) {
        const Vector6d& wrench = at(m_wrench, i);
        for (int k = model.v_offset(i); k < model.v_offset(i) + model.dofs(i); ++k) {
            out[k] = axes.col(k).dot(wrench);
        }
        const int parent = model.link(i).parent;
        if (parent >= 0) {
            const Vector3d linear = wrench.head<3>();
            at(m_wrench, parent).head<3>() += linear;
            at(m_wrench, parent).tail<3>() +=
                wrench.tail<3>() + (at(poses, i).translation - at(poses, parent).translation).cross(linear);
        }
    }
}

}  // namespace softcontact
