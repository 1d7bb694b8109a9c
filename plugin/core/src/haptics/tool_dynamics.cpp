// SPDX-License-Identifier: LGPL-2.1-or-later
#include <Eigen/Eigenvalues>
#include <cmath>
#include <softcontact/haptics/tool_dynamics.hpp>
#include <stdexcept>
#include <string>

namespace softcontact {

namespace {

constexpr double inertia_tolerance = 1e-6;

void check(const ToolProperties& tool)
{
    if (!(tool.mass > 0.0) || !std::isfinite(tool.mass)) {
        throw std::invalid_argument("mass = " + std::to_string(tool.mass) +
                                    " kg of the tool must be finite and > 0; a light tool, such as 0.01 kg, "
                                    "is stable");
    }
    if (!tool.centre.allFinite()) {
        throw std::invalid_argument("centre of the tool must be finite");
    }
    const Matrix3d& inertia = tool.inertia;
    if (!inertia.allFinite() || (inertia - inertia.transpose()).norm() > inertia_tolerance * inertia.norm()) {
        throw std::invalid_argument("inertia of the tool must be finite and symmetric");
    }
    const Vector3d moments = Eigen::SelfAdjointEigenSolver<Matrix3d>(inertia).eigenvalues();
    if (!(moments[0] > 0.0) || moments[2] > (1.0 + inertia_tolerance) * (moments[0] + moments[1])) {
        throw std::invalid_argument(
            "inertia of the tool: principal moments must be > 0, none above the sum of the others");
    }
}

}  // namespace

ToolDynamics::ToolDynamics(const ToolProperties& properties) : m_properties(properties)
{
    check(properties);
    reset({});
}

void ToolDynamics::reset(const RigidPose& pose, const Twist& motion)
{
    m_pose = pose;
    m_pose.orientation.normalize();
    m_start = m_pose;
    m_velocity = motion.vector();
    m_momentum = inertia(m_pose) * motion.angular;
}

Matrix3d ToolDynamics::inertia(const RigidPose& pose) const
{
    const Matrix3d rotation = pose.orientation.toRotationMatrix();
    return rotation * m_properties.inertia * rotation.transpose();
}

Matrix6d ToolDynamics::system_matrix(const VirtualCoupling& coupling, const RigidPose& device,
                                     const RigidPose& pose, double step) const
{
    Matrix6d stiffness, damping;
    coupling.system_matrices(device, pose, pose * m_properties.centre, stiffness, damping);
    Matrix6d out = step * damping + step * step * stiffness;
    out.diagonal().head<3>().array() += m_properties.mass;
    out.bottomRightCorner<3, 3>() += inertia(pose);
    return out;
}

bool ToolDynamics::prepare(const VirtualCoupling& coupling, const RigidPose& device,
                           const Twist& device_motion, const Wrench& other, double step)
{
    return prepare_with(system_matrix(coupling, device, m_pose, step), coupling, device, device_motion, other,
                        step);
}

bool ToolDynamics::prepare_with(const Matrix6d& system, const VirtualCoupling& coupling,
                                const RigidPose& device, const Twist& device_motion, const Wrench& other,
                                double step)
{
    m_start = m_pose;
    m_step = step;
    Matrix6d stiffness, damping;
    coupling.system_matrices(device, m_pose, centre(), stiffness, damping);
    const CouplingLoad load = coupling.load(device, device_motion, m_pose, centre(), motion());
    m_free_force = load.tool.vector() + other.vector() + damping * m_velocity;
    m_free_force.head<3>() += (m_properties.mass / step) * m_velocity.head<3>();
    m_free_force.tail<3>() += m_momentum / step;
    m_factor.compute(system);
    m_free_velocity = step * m_factor.solve(m_free_force);
    return m_factor.info() == Eigen::Success && m_free_velocity.allFinite();
}

void ToolDynamics::place(const RigidPose& from, const Vector6d& moved)
{
    const Vector3d centre = from * m_properties.centre + moved.head<3>();
    m_pose.orientation = (rotation_of(moved.tail<3>()) * from.orientation).normalized();
    m_pose.position = centre - m_pose.orientation * m_properties.centre;
}

void ToolDynamics::finish(const Vector6d& velocity, double share)
{
    m_momentum = inertia(m_start) * velocity.tail<3>();
    place(m_start, share * m_step * velocity);
    m_velocity.head<3>() = velocity.head<3>();
    m_velocity.tail<3>() = inertia(m_pose).inverse() * m_momentum;
}

void ToolDynamics::move(const Vector6d& moved)
{
    place(m_pose, moved);
    m_velocity.tail<3>() = inertia(m_pose).inverse() * m_momentum;
}

double ToolDynamics::kinetic_energy() const
{
    return 0.5 * m_properties.mass * m_velocity.head<3>().squaredNorm() +
           0.5 * m_velocity.tail<3>().dot(m_momentum);
}

}  // namespace softcontact
