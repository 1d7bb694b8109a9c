// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cmath>
#include <softcontact/haptics/length_limit.hpp>
#include <softcontact/haptics/virtual_coupling.hpp>
#include <stdexcept>
#include <string>

namespace softcontact {

namespace {

constexpr double small_angle = 1e-4;  ///< [rad] below: series, good to round-off

void require_gain(double value, const char* name)
{
    if (!(value >= 0.0) || !std::isfinite(value)) {
        throw std::invalid_argument(std::string(name) + " = " + std::to_string(value) +
                                    " of the coupling must be finite and >= 0; give 0 to switch it off");
    }
}

void require_limit(double value, const char* name)
{
    if (!(value > 0.0)) {
        throw std::invalid_argument(std::string(name) + " = " + std::to_string(value) +
                                    " of the coupling must be > 0; give inf for no limit");
    }
}

/// Derivative of limited_length() with respect to v.
Matrix3d limit_derivative(const Vector3d& v, double limit)
{
    const double length = v.norm();
    if (!(length > limit)) {
        return Matrix3d::Identity();
    }
    const Vector3d axis = v / length;
    return (limit / length) * (Matrix3d::Identity() - axis * axis.transpose());
}

/// −∂θ/∂φ, θ the rotation vector that is left when the tool is turned by φ.
Matrix3d rotation_derivative(const Vector3d& theta)
{
    const double angle = theta.norm();
    const Matrix3d cross = cross_matrix(theta);
    const double half = 0.5 * angle;
    const double factor = angle < small_angle
                              ? 1.0 / 12.0 + angle * angle / 720.0
                              : (1.0 - half * std::cos(half) / std::sin(half)) / (angle * angle);
    return Matrix3d::Identity() + 0.5 * cross + factor * cross * cross;
}

}  // namespace

Vector3d rotation_vector(const Quaterniond& rotation)
{
    const double sign = rotation.w() < 0.0 ? -1.0 : 1.0;
    const Vector3d axis = sign * rotation.vec();
    const double sine = axis.norm();
    if (sine < 0.5 * small_angle) {
        return (2.0 + sine * sine / 3.0) * axis;
    }
    return (2.0 * std::atan2(sine, sign * rotation.w()) / sine) * axis;
}

Quaterniond rotation_of(const Vector3d& vector)
{
    const double angle = vector.norm();
    const double factor = angle < small_angle ? 0.5 - angle * angle / 48.0 : std::sin(0.5 * angle) / angle;
    const Vector3d part = factor * vector;
    return Quaterniond(std::cos(0.5 * angle), part.x(), part.y(), part.z()).normalized();
}

Vector6d displacement(const RigidPose& from, const RigidPose& to)
{
    Vector6d out;
    out << to.position - from.position, rotation_vector(to.orientation * from.orientation.conjugate());
    return out;
}

VirtualCoupling::VirtualCoupling(const Gains& gains, const RigidPose& handle)
    : m_gains(gains), m_handle(handle)
{
    require_gain(gains.stiffness, "stiffness");
    require_gain(gains.damping, "damping");
    require_gain(gains.angular_stiffness, "angular_stiffness");
    require_gain(gains.angular_damping, "angular_damping");
    require_limit(gains.max_force, "max_force");
    require_limit(gains.max_torque, "max_torque");
    if (!handle.finite()) {
        throw std::invalid_argument("handle of the coupling: position and orientation must be finite");
    }
    m_handle.orientation.normalize();
}

VirtualCoupling::Gains VirtualCoupling::dragging(double mass, double least_inertia, double stiffness,
                                                 double angular_stiffness)
{
    require_gain(mass, "mass");
    require_gain(least_inertia, "least_inertia");
    require_gain(stiffness, "stiffness");
    require_gain(angular_stiffness, "angular_stiffness");
    Gains gains;
    gains.stiffness = stiffness;
    gains.damping = std::sqrt(2.0 * mass * stiffness);
    gains.angular_stiffness = angular_stiffness;
    gains.angular_damping = std::sqrt(2.0 * least_inertia * angular_stiffness);
    return gains;
}

CouplingLoad VirtualCoupling::load(const RigidPose& device, const Twist& device_motion, const RigidPose& tool,
                                   const Vector3d& centre, const Twist& motion) const
{
    const Vector3d handle = tool * m_handle.position;
    const Vector3d arm = handle - centre;
    const Vector3d handle_velocity = motion.linear + motion.angular.cross(arm);
    const Vector3d theta =
        rotation_vector(device.orientation * (tool.orientation * m_handle.orientation).conjugate());
    const Vector3d force = limited_length(m_gains.stiffness * (device.position - handle) +
                                              m_gains.damping * (device_motion.linear - handle_velocity),
                                          m_gains.max_force);
    const Vector3d couple =
        limited_length(m_gains.angular_stiffness * theta +
                           m_gains.angular_damping * (device_motion.angular - motion.angular),
                       m_gains.max_torque);
    CouplingLoad out;
    out.tool = {force, arm.cross(force) + couple};
    out.device = {-force, -couple};
    out.stiffness.setZero();
    out.damping.setZero();
    return out;
}

CouplingLoad VirtualCoupling::evaluate(const RigidPose& device, const Twist& device_motion,
                                       const RigidPose& tool, const Vector3d& centre,
                                       const Twist& motion) const
{
    CouplingLoad out = load(device, device_motion, tool, centre, motion);
    const Vector3d arm = tool * m_handle.position - centre;
    const Matrix3d arm_cross = cross_matrix(arm);
    const Vector3d theta =
        rotation_vector(device.orientation * (tool.orientation * m_handle.orientation).conjugate());
    const Vector3d uncut_force =
        m_gains.stiffness * (device.position - tool * m_handle.position) +
        m_gains.damping * (device_motion.linear - motion.linear - motion.angular.cross(arm));
    const Vector3d uncut_couple = m_gains.angular_stiffness * theta +
                                  m_gains.angular_damping * (device_motion.angular - motion.angular);
    const Matrix3d kept_force = limit_derivative(uncut_force, m_gains.max_force);
    const Matrix3d kept_couple = limit_derivative(uncut_couple, m_gains.max_torque);

    // −∂F/∂x, −∂F/∂φ, −∂F/∂v, −∂F/∂ω: the handle moves by −arm × φ, and its velocity turns with the arm.
    const Matrix3d k_x = m_gains.stiffness * kept_force;
    const Matrix3d k_phi = -kept_force * (m_gains.stiffness * arm_cross +
                                          m_gains.damping * cross_matrix(motion.angular) * arm_cross);
    const Matrix3d b_v = m_gains.damping * kept_force;
    const Matrix3d b_omega = -b_v * arm_cross;
    out.stiffness.topLeftCorner<3, 3>() = k_x;
    out.stiffness.topRightCorner<3, 3>() = k_phi;
    out.stiffness.bottomLeftCorner<3, 3>() = arm_cross * k_x;
    out.stiffness.bottomRightCorner<3, 3>() =
        arm_cross * k_phi - cross_matrix(out.tool.force) * arm_cross +
        m_gains.angular_stiffness * kept_couple * rotation_derivative(theta);
    out.damping.topLeftCorner<3, 3>() = b_v;
    out.damping.topRightCorner<3, 3>() = b_omega;
    out.damping.bottomLeftCorner<3, 3>() = arm_cross * b_v;
    out.damping.bottomRightCorner<3, 3>() = arm_cross * b_omega + m_gains.angular_damping * kept_couple;
    return out;
}

void VirtualCoupling::system_matrices(const RigidPose& device, const RigidPose& tool, const Vector3d& centre,
                                      Matrix6d& stiffness, Matrix6d& damping) const
{
    const Matrix3d arm_cross = cross_matrix(tool * m_handle.position - centre);
    const Vector3d theta =
        rotation_vector(device.orientation * (tool.orientation * m_handle.orientation).conjugate());
    const Matrix3d turn = rotation_derivative(theta);
    Eigen::Matrix<double, 3, 6> handle;  // velocity of the handle
    handle << Matrix3d::Identity(), -arm_cross;
    const Matrix6d reach = handle.transpose() * handle;
    stiffness = m_gains.stiffness * reach;
    stiffness.bottomRightCorner<3, 3>() += 0.5 * m_gains.angular_stiffness * (turn + turn.transpose());
    damping = m_gains.damping * reach;
    damping.bottomRightCorner<3, 3>().diagonal().array() += m_gains.angular_damping;
}

}  // namespace softcontact
