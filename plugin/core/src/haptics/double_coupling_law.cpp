// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/haptics/double_coupling_law.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace softcontact {

DoubleCouplingLaw::DoubleCouplingLaw(const ToolProperties& properties, const VirtualCoupling& first,
                                     const VirtualCoupling& second, double step)
    : m_dynamics(properties), m_first(first), m_second(second), m_step(step)
{
    if (!(step > 0.0) || !std::isfinite(step)) {
        throw std::invalid_argument("step = " + std::to_string(step) +
                                    " s of the fast thread must be finite and > 0");
    }
}

void DoubleCouplingLaw::take(const double* parameters, Index) noexcept
{
    const Eigen::Map<const Eigen::Matrix<double, 13, 1>> in(parameters);
    RigidPose tool;
    tool.position = in.head<3>();
    tool.orientation.coeffs() = in.segment<4>(3);
    tool.orientation.normalize();
    const RigidPose& handle = m_second.handle();
    m_visual.position = tool * handle.position;
    m_visual.orientation = tool.orientation * handle.orientation;
    const Vector3d arm = m_visual.position - tool * m_dynamics.properties().centre;
    m_visual_motion.angular = in.tail<3>();
    m_visual_motion.linear = in.segment<3>(7) + m_visual_motion.angular.cross(arm);
    m_joined = m_visual.finite() && m_visual_motion.finite();
}

void DoubleCouplingLaw::reset(const DeviceState& state) noexcept
{
    const RigidPose& handle = m_first.handle();
    RigidPose tool;
    tool.orientation = state.orientation * handle.orientation.conjugate();
    tool.position = state.position - tool.orientation * handle.position;
    m_dynamics.reset(tool);
    m_pull = {};
}

Vector6d DoubleCouplingLaw::wrench(const DeviceState& state, double) noexcept
{
    const RigidPose device{state.position, state.orientation};
    const Twist motion{state.linear_velocity, state.angular_velocity};
    const auto fail = [&] {
        reset(state);
        return Vector6d(Vector6d::Constant(std::numeric_limits<double>::quiet_NaN()));
    };
    if (!device.finite() || !motion.finite() || !m_dynamics.finite()) {
        return fail();
    }
    const RigidPose pose = m_dynamics.pose();
    const Twist twist = m_dynamics.motion();
    Matrix6d system = m_dynamics.system_matrix(m_first, device, pose, m_step);
    Vector6d other = Vector6d::Zero();
    other.head<3>() = m_force;
    m_pull = {};
    if (m_joined) {
        Matrix6d stiffness, damping;
        m_second.system_matrices(m_visual, pose, m_dynamics.centre(), stiffness, damping);
        system += m_step * damping + m_step * m_step * stiffness;
        m_pull = m_second.load(m_visual, m_visual_motion, pose, m_dynamics.centre(), twist).tool;
        other += m_pull.vector() + damping * twist.vector();
    }
    if (!m_dynamics.prepare_with(system, m_first, device, motion, Wrench::from(other), m_step)) {
        return fail();
    }
    m_dynamics.finish(m_dynamics.free_velocity());
    return m_first.load(device, motion, m_dynamics.pose(), m_dynamics.centre(), m_dynamics.motion())
        .device.vector();
}

void DoubleCouplingLaw::tell(double* outputs) const noexcept
{
    const RigidPose& pose = m_dynamics.pose();
    Eigen::Map<Eigen::Matrix<double, 19, 1>> out(outputs);
    out << pose.position, pose.orientation.coeffs(), m_dynamics.motion().vector(), m_pull.vector();
    outputs[19] = m_joined ? 1.0 : 0.0;
}

}  // namespace softcontact
