// SPDX-License-Identifier: LGPL-2.1-or-later
#include <softcontact/world/tool_system.hpp>
#include <stdexcept>

namespace softcontact {

ToolSystem::ToolSystem(std::string name, const ToolProperties& properties, const VirtualCoupling& coupling,
                       const RigidPose& pose, const Vector3d& gravity)
    : System(std::move(name)),
      m_dynamics(properties),
      m_coupling(coupling),
      m_gravity(gravity),
      m_velocity(VectorXd::Zero(6)),
      m_free_velocity(VectorXd::Zero(6))
{
    if (!pose.finite()) {
        throw std::invalid_argument("pose of tool '" + this->name() + "' must be finite");
    }
    m_dynamics.reset(pose);
    const RigidPose& handle = coupling.handle();
    m_device = {m_dynamics.pose() * handle.position, m_dynamics.pose().orientation * handle.orientation};
    place();
}

void ToolSystem::set_device(const RigidPose& device, const Twist& motion)
{
    if (!device.finite() || !motion.finite()) {
        throw std::invalid_argument("device of tool '" + name() +
                                    "': pose and twist must be finite; keep the last good pose");
    }
    m_device = {device.position, device.orientation.normalized()};
    m_device_motion = motion;
}

bool ToolSystem::free_motion(double /*time*/, double step)
{
    const Wrench weight{m_dynamics.properties().mass * m_gravity, Vector3d::Zero()};
    if (!m_dynamics.prepare(m_coupling, m_device, m_device_motion, weight, step)) {
        return false;
    }
    m_free_velocity = m_dynamics.free_velocity();
    return true;
}

void ToolSystem::show(double /*step*/, const Eigen::Ref<const VectorXd>& velocity_change, double share)
{
    m_dynamics.finish(m_dynamics.free_velocity() + velocity_change, share);
    place();
}

void ToolSystem::keep()
{
    m_kept = m_dynamics;
    m_kept_velocity = m_velocity;
}

void ToolSystem::go_back()
{
    m_dynamics = m_kept;
    m_velocity = m_kept_velocity;
    place();
}

void ToolSystem::finish(double /*step*/, const Eigen::Ref<const VectorXd>& velocity_change, bool /*touched*/)
{
    m_dynamics.finish(m_dynamics.free_velocity() + velocity_change);
    m_velocity = m_dynamics.motion().vector();
    place();
}

void ToolSystem::correct(const Eigen::Ref<const VectorXd>& position_change)
{
    m_dynamics.move(position_change);
    m_velocity = m_dynamics.motion().vector();
    place();
}

void ToolSystem::place()
{
    m_pose.rotation = m_dynamics.pose().orientation.toRotationMatrix();
    m_pose.translation = m_dynamics.pose().position;
    m_centre = m_dynamics.centre();
}

CouplingLoad ToolSystem::coupling_load() const
{
    return m_coupling.load(m_device, m_device_motion, m_dynamics.pose(), m_dynamics.centre(),
                           m_dynamics.motion());
}

double ToolSystem::elastic_energy() const
{
    const auto& gains = m_coupling.gains();
    const RigidPose& tool = m_dynamics.pose();
    const RigidPose handle{tool * m_coupling.handle().position,
                           tool.orientation * m_coupling.handle().orientation};
    const Vector6d stretch = displacement(handle, m_device);
    return 0.5 * gains.stiffness * stretch.head<3>().squaredNorm() +
           0.5 * gains.angular_stiffness * stretch.tail<3>().squaredNorm();
}

double ToolSystem::potential_energy() const
{
    return -m_dynamics.properties().mass * m_gravity.dot(m_dynamics.centre());
}

Health ToolSystem::health() const
{
    if (!m_dynamics.finite()) {
        return {false, "state is not finite"};
    }
    return {};
}

void ToolSystem::append_state(std::vector<double>& out) const
{
    const RigidPose& pose = m_dynamics.pose();
    out.insert(out.end(), pose.position.begin(), pose.position.end());
    out.insert(out.end(), pose.orientation.coeffs().begin(), pose.orientation.coeffs().end());
    out.insert(out.end(), m_velocity.begin(), m_velocity.end());
}

void ToolSystem::write_wrenches(int /*link*/, MatrixXd& columns) const
{
    columns.setIdentity(6, 6);
    const Vector3d arm = m_pose.translation - m_centre;
    for (int axis = 0; axis < 3; ++axis) {
        columns.col(axis).tail<3>() = arm.cross(Vector3d::Unit(axis));
    }
}

}  // namespace softcontact
