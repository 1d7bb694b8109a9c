// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <Eigen/Cholesky>
#include <softcontact/haptics/virtual_coupling.hpp>

namespace softcontact {

/// Mass of a rigid tool.
struct ToolProperties {
    double mass = 0.1;                               ///< [kg] > 0
    Vector3d centre = Vector3d::Zero();              ///< centre of mass in the tool's frame [m]
    Matrix3d inertia = 1e-4 * Matrix3d::Identity();  ///< about the centre of mass, tool axes [kg·m²]
};

/// Rigid tool of six degrees of freedom, integrated by backward Euler with linearised forces.
///
///     A (v, ω)⁺ = h (F̃ + F_c),    A = M + h D + h² K,    F̃ = F + (M/h + D) (v, ω)
///
/// The state is the velocity of the centre of mass and the angular momentum, so that the gyroscopic torque
/// comes with the change of axes: a tool that spins freely keeps its momentum, and its energy is bounded.
/// K and D are those of VirtualCoupling::system_matrices, so A is symmetric and positive definite whatever
/// the coupling does. Source: Otaduy & Gross 2007, Eqs. 1–4, coupled 6 × 6.
class ToolDynamics {
public:
    /// Throws std::invalid_argument where mass or inertia are not positive, or no body has such an inertia.
    explicit ToolDynamics(const ToolProperties& properties = {});

    void reset(const RigidPose& pose, const Twist& motion = {});

    /// First half of a step: A and F̃ from the coupling and another force on the centre of mass (gravity).
    /// False where A could not be factored.
    bool prepare(const VirtualCoupling& coupling, const RigidPose& device, const Twist& device_motion,
                 const Wrench& other, double step);
    /// A of a step of any length that starts at `pose`.
    [[nodiscard]] Matrix6d system_matrix(const VirtualCoupling& coupling, const RigidPose& device,
                                         const RigidPose& pose, double step) const;
    /// F̃ for an A that is given, see LinearContactModel::system. `prepare` with the forces alone.
    bool prepare_with(const Matrix6d& system, const VirtualCoupling& coupling, const RigidPose& device,
                      const Twist& device_motion, const Wrench& other, double step);

    [[nodiscard]] const Vector6d& free_force() const { return m_free_force; }        ///< F̃, T̃ [N], [N·m]
    [[nodiscard]] const Vector6d& free_velocity() const { return m_free_velocity; }  ///< h A⁻¹ F̃
    /// columns ← A⁻¹ columns.
    void solve(Eigen::Ref<MatrixXd> columns) const { m_factor.solveInPlace(columns); }
    /// The two halves of it, A = L Lᵀ: columns ← L⁻¹ columns and column ← L⁻ᵀ column.
    void half_solve(Eigen::Ref<MatrixXd> columns) const { m_factor.matrixL().solveInPlace(columns); }
    void other_half(Eigen::Ref<VectorXd> column) const { m_factor.matrixU().solveInPlace(column); }
    /// h A⁻¹ contact: what a contact wrench adds to the free velocity.
    [[nodiscard]] Vector6d velocity_change(const Vector6d& contact) const
    {
        return m_step * m_factor.solve(contact);
    }
    /// Second half: the step ends with this velocity of the centre of mass and this angular velocity. A
    /// `share` below 1 leaves the tool on its way there.
    void finish(const Vector6d& velocity, double share = 1.0);
    /// Displaces the tool; the momentum stays.
    void move(const Vector6d& displacement);

    [[nodiscard]] const RigidPose& pose() const { return m_pose; }
    [[nodiscard]] const RigidPose& start_pose() const { return m_start; }
    [[nodiscard]] Vector3d centre() const { return m_pose * m_properties.centre; }
    [[nodiscard]] Twist motion() const { return {m_velocity.head<3>(), m_velocity.tail<3>()}; }
    [[nodiscard]] const ToolProperties& properties() const { return m_properties; }
    [[nodiscard]] double kinetic_energy() const;  ///< [J]
    [[nodiscard]] bool finite() const { return m_pose.finite() && m_velocity.allFinite(); }

private:
    [[nodiscard]] Matrix3d inertia(const RigidPose& pose) const;  ///< about the centre, world axes
    void place(const RigidPose& from, const Vector6d& displacement);

    ToolProperties m_properties;
    RigidPose m_pose, m_start;
    Vector6d m_velocity = Vector6d::Zero();
    Vector3d m_momentum = Vector3d::Zero();  ///< angular, about the centre of mass
    double m_step = 1e-3;
    Eigen::LLT<Matrix6d> m_factor;
    Vector6d m_free_force = Vector6d::Zero();
    Vector6d m_free_velocity = Vector6d::Zero();
};

}  // namespace softcontact
