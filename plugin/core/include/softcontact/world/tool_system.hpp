// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/haptics/tool_dynamics.hpp>
#include <softcontact/world/link_carrier.hpp>
#include <softcontact/world/system.hpp>

namespace softcontact {

/// The visual tool: a rigid body of the world that a virtual coupling holds to the device, the coupling's
/// Jacobians in its system matrix. Unknowns are the velocity of the centre of mass and the angular velocity,
/// in world axes. Source: Otaduy & Gross 2007, Sec. 4.1.
class ToolSystem final : public System, public LinkCarrier {
public:
    ToolSystem(std::string name, const ToolProperties& properties, const VirtualCoupling& coupling,
               const RigidPose& pose, const Vector3d& gravity);

    /// Pose and twist of the device at the start of the next step. Throws std::invalid_argument unless
    /// finite.
    void set_device(const RigidPose& device, const Twist& motion);
    void set_coupling(const VirtualCoupling& coupling) { m_coupling = coupling; }

    [[nodiscard]] Index dof() const override { return 6; }
    [[nodiscard]] bool free_motion(double time, double step) override;
    [[nodiscard]] const VectorXd& velocity() const override { return m_velocity; }
    [[nodiscard]] const VectorXd& free_velocity() const override { return m_free_velocity; }
    [[nodiscard]] const LinkCarrier* links() const override { return this; }
    [[nodiscard]] Index freedoms() const override { return dof(); }
    void half_solve(Eigen::Ref<MatrixXd> columns) const override { m_dynamics.half_solve(columns); }
    void other_half(Eigen::Ref<VectorXd> column) const override { m_dynamics.other_half(column); }
    void show(double step, const Eigen::Ref<const VectorXd>& velocity_change, double share) override;
    void finish(double step, const Eigen::Ref<const VectorXd>& velocity_change, bool touched) override;
    void keep() override;
    void go_back() override;
    void correct(const Eigen::Ref<const VectorXd>& position_change) override;
    [[nodiscard]] double kinetic_energy() const override { return m_dynamics.kinetic_energy(); }
    /// Of the coupling's springs at the device's last pose [J].
    [[nodiscard]] double elastic_energy() const override;
    [[nodiscard]] double potential_energy() const override;
    [[nodiscard]] Health health() const override;
    void append_state(std::vector<double>& out) const override;

    [[nodiscard]] const Pose& link_pose(int /*link*/) const override { return m_pose; }
    void write_wrenches(int link, MatrixXd& columns) const override;

    [[nodiscard]] const ToolDynamics& dynamics() const { return m_dynamics; }
    [[nodiscard]] const VirtualCoupling& coupling() const { return m_coupling; }
    [[nodiscard]] const RigidPose& device() const { return m_device; }
    /// Load of the coupling at the present state: what the device would feel without a fast thread.
    [[nodiscard]] CouplingLoad coupling_load() const;

private:
    void place();

    ToolDynamics m_dynamics, m_kept;
    VectorXd m_kept_velocity;
    VirtualCoupling m_coupling;
    RigidPose m_device;
    Twist m_device_motion;
    Vector3d m_gravity;
    Pose m_pose;
    Vector3d m_centre = Vector3d::Zero();  ///< of mass at m_pose
    VectorXd m_velocity, m_free_velocity;
};

}  // namespace softcontact
