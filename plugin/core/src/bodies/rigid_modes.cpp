// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/bodies/rigid_modes.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>

namespace softcontact {

using Eigen::Ref;

namespace {

/// Fixed point of a map of turns that contracts by about the turn itself; the start where it does not settle.
template <typename Next>
Vector3d settle(const Vector3d& start, Next next)
{
    constexpr int most = 60;
    constexpr double settled = 1e-15;  // [rad]
    Vector3d turn = start;
    for (int k = 0; k < most; ++k) {
        const Vector3d found = next(turn);
        const double change = (found - turn).norm();
        turn = found;
        if (change <= settled * (1.0 + turn.norm())) return turn;
    }
    return start;
}

}  // namespace

Matrix3d rotation_by(const Vector3d& turn)
{
    const double angle = turn.norm();
    if (angle == 0.0) return Matrix3d::Identity();
    return Eigen::AngleAxisd(angle, turn / angle).toRotationMatrix();
}

void RigidModes::place(const Ref<const Points>& x, const VectorXd& mass)
{
    m_mass = mass;
    m_total_mass = mass.sum();
    // About a node first: far from the origin the digits of the arms are those of the positions.
    const Vector3d origin = x.col(0);
    m_arms = x.colwise() - origin;
    const Vector3d centre = m_arms * mass / m_total_mass;
    m_arms.colwise() -= centre;
    m_second.setZero();
    for (Index k = 0; k < m_arms.cols(); ++k) {
        m_second += mass[k] * m_arms.col(k) * m_arms.col(k).transpose();
    }
    const Matrix3d inertia = m_second.trace() * Matrix3d::Identity() - m_second;
    m_inverse_inertia = inertia.inverse();
}

RigidModes::Motion RigidModes::of_velocity(const Ref<const VectorXd>& v) const
{
    Vector3d linear = Vector3d::Zero();
    Vector3d angular = Vector3d::Zero();
    for (Index k = 0; k < m_arms.cols(); ++k) {
        const Vector3d momentum = m_mass[k] * v.segment<3>(3 * k);
        linear += momentum;
        angular += m_arms.col(k).cross(momentum);
    }
    return {linear / m_total_mass, m_inverse_inertia * angular};
}

RigidModes::Motion RigidModes::of_impulse(const Ref<const VectorXd>& p) const
{
    Vector3d linear = Vector3d::Zero();
    Vector3d angular = Vector3d::Zero();
    for (Index k = 0; k < m_arms.cols(); ++k) {
        const Vector3d impulse = p.segment<3>(3 * k);
        linear += impulse;
        angular += m_arms.col(k).cross(impulse);
    }
    return {linear / m_total_mass, m_inverse_inertia * angular};
}

Vector3d RigidModes::angular_momentum(const Ref<const VectorXd>& v) const
{
    Vector3d sum = Vector3d::Zero();
    for (Index k = 0; k < m_arms.cols(); ++k) {
        sum += m_mass[k] * m_arms.col(k).cross(v.segment<3>(3 * k));
    }
    return sum;
}

Vector3d RigidModes::chord_turn(const Vector3d& angular_momentum, double h) const
{
    const Vector3d start = h * (m_inverse_inertia * angular_momentum);
    return settle(start, [&](const Vector3d& turn) -> Vector3d {
        const Matrix3d a = rotation_by(turn) * m_second;
        const Vector3d reached(a(2, 1) - a(1, 2), a(0, 2) - a(2, 0), a(1, 0) - a(0, 1));
        return turn + m_inverse_inertia * (h * angular_momentum - reached);
    });
}

Vector3d RigidModes::middle_turn(const Vector3d& angular_momentum, double h) const
{
    const Vector3d start = h * (m_inverse_inertia * angular_momentum);
    return settle(start, [&](const Vector3d& turn) -> Vector3d {
        const Matrix3d half = rotation_by(0.5 * turn);
        return h * (half * (m_inverse_inertia * (half.transpose() * angular_momentum)));
    });
}

void RigidModes::add(const Motion& motion, double scale, Ref<VectorXd> v) const
{
    for (Index k = 0; k < m_arms.cols(); ++k) {
        v.segment<3>(3 * k) += scale * (motion.velocity + motion.rate.cross(m_arms.col(k)));
    }
}

void RigidModes::add_momentum(const Motion& motion, double scale, Ref<VectorXd> p) const
{
    for (Index k = 0; k < m_arms.cols(); ++k) {
        p.segment<3>(3 * k) += scale * m_mass[k] * (motion.velocity + motion.rate.cross(m_arms.col(k)));
    }
}

}  // namespace softcontact
