// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>
#include <string>
#include <vector>

#include "softcontact/bodies/joint.hpp"
#include "softcontact/types.hpp"

namespace softcontact {

using Matrix6Xd = Eigen::Matrix<double, 6, Eigen::Dynamic>;
using JacobianRef = Eigen::Ref<Eigen::Matrix<double, 3, Eigen::Dynamic>>;

/// One link with the joint that carries it. The link frame is the joint frame after the joint's motion.
struct LinkDescription {
    std::string name;
    int parent = -1;  ///< index of the parent link; -1: the world
    JointType joint = JointType::fixed;
    Vector3d axis = Vector3d::UnitZ();    ///< unit; revolute, prismatic, first of universal; joint frame
    Vector3d axis2 = Vector3d::UnitX();   ///< unit; second of universal, in the frame turned by the first
    Pose placement;                       ///< joint frame in the parent's link frame (or in the world)
    double mass = 0.0;                    ///< [kg] >= 0
    Vector3d com = Vector3d::Zero();      ///< centre of mass in the link frame [m]
    Matrix3d inertia = Matrix3d::Zero();  ///< about the centre of mass, link axes [kg m²]
    VectorXd armature;                    ///< empty, or nv values >= 0 added to the mass matrix's diagonal
};

/// Mass, first moment and rotational inertia about the link origin, in link axes.
struct RigidInertia {
    double mass = 0.0;
    Vector3d moment = Vector3d::Zero();
    Matrix3d rotational = Matrix3d::Zero();

    [[nodiscard]] Vector6d operator*(const Vector6d& motion) const;
    /// This inertia seen from a frame in which its own frame has placement `local`.
    [[nodiscard]] RigidInertia seen_from(const Pose& local) const;
    void operator+=(const RigidInertia& other);
    [[nodiscard]] Matrix6d matrix() const;
};

/// A tree of links in reduced coordinates: constant after the last add_link. Source: Featherstone, Rigid Body
/// Dynamics Algorithms (2008), with spatial vectors ordered (linear, angular) and expressed in link axes.
class ArticulatedModel {
public:
    Vector3d gravity{0.0, 0.0, -9.81};  ///< [m/s²], world axes

    /// Appends a link and returns its index; axes and rotation are normalised to round-off. Throws
    /// std::invalid_argument naming link, field and value on: a parent that is not an earlier link, an axis
    /// that is not unit, a placement that is not a rotation, a negative mass, an inertia that no body has
    /// (not symmetric, a negative principal moment, or one greater than the sum of the others), a massless
    /// link with inertia, a wrong armature, a non-finite number.
    int add_link(const LinkDescription& link);

    [[nodiscard]] int nq() const { return m_nq; }
    [[nodiscard]] int nv() const { return m_nv; }
    [[nodiscard]] int link_count() const { return static_cast<int>(m_links.size()); }
    [[nodiscard]] const LinkDescription& link(int i) const { return m_links[static_cast<std::size_t>(i)]; }
    [[nodiscard]] const RigidInertia& inertia(int i) const { return m_inertias[static_cast<std::size_t>(i)]; }
    [[nodiscard]] int q_offset(int i) const { return m_q_offsets[static_cast<std::size_t>(i)]; }
    [[nodiscard]] int v_offset(int i) const { return m_v_offsets[static_cast<std::size_t>(i)]; }
    [[nodiscard]] int dofs(int i) const { return velocity_size(link(i).joint); }
    [[nodiscard]] const VectorXd& armature() const { return m_armature; }  ///< (nv)
    [[nodiscard]] int find_link(std::string_view name) const;              ///< -1 where no link has the name

    [[nodiscard]] VectorXd neutral() const;  ///< zeros and unit quaternions (nq)

    /// out = q ⊕ dv, dv = velocity × time (nv). Exponential map on rotations, unit quaternions out; `out` may
    /// be `q`.
    void integrate(const Eigen::Ref<const VectorXd>& q, const Eigen::Ref<const VectorXd>& dv,
                   Eigen::Ref<VectorXd> out) const;
    /// out (nv) with q0 ⊕ out = q1.
    void difference(const Eigen::Ref<const VectorXd>& q0, const Eigen::Ref<const VectorXd>& q1,
                    Eigen::Ref<VectorXd> out) const;

private:
    std::vector<LinkDescription> m_links;
    std::vector<RigidInertia> m_inertias;
    std::vector<int> m_q_offsets, m_v_offsets;
    VectorXd m_armature;
    int m_nq = 0;
    int m_nv = 0;
};

/// Workspace and results for one model. Sized once; the functions below allocate nothing.
struct ArticulatedData {
    /// Throws std::invalid_argument naming the link whose joint moves no inertia (a massless tip, two
    /// massless coaxial joints): its mass matrix would be singular in every configuration.
    explicit ArticulatedData(const ArticulatedModel& model);

    std::vector<Pose> pose;          ///< link frames in the world       [forward_kinematics]
    std::vector<Pose> local;         ///< link frames in the parent's     [forward_kinematics]
    Matrix6Xd motion;                ///< (6, nv) joint axes, link axes, at the link origin
    Matrix6Xd world_motion;          ///< (6, nv) the same in world axes  [forward_kinematics]
    std::vector<Vector6d> velocity;  ///< of the link frame, link axes    [forward_velocity]
    MatrixXd mass;                   ///< (nv, nv) symmetric              [mass_matrix]
    VectorXd bias;                   ///< (nv) N, N·m                     [bias_force]
    VectorXd acceleration;           ///< (nv)                            [forward_dynamics]

    // Workspaces of the recursions.
    std::vector<Vector6d> velocity_product, force, link_acceleration;
    std::vector<RigidInertia> composite;
    std::vector<Matrix6d> articulated;
    Matrix6Xd projected;      ///< (6, nv) U = IA S
    Matrix6Xd pivot_inverse;  ///< (Sᵀ IA S + diagonal)⁻¹, the rows 0..dofs-1 of each joint's columns
    VectorXd pivot_load;      ///< (nv)
};

/// Link poses and joint axes at q (nq).
void forward_kinematics(const ArticulatedModel& model, ArticulatedData& data,
                        const Eigen::Ref<const VectorXd>& q);

/// forward_kinematics, then link velocities at v (nv).
void forward_velocity(const ArticulatedModel& model, ArticulatedData& data,
                      const Eigen::Ref<const VectorXd>& q, const Eigen::Ref<const VectorXd>& v);

/// Composite rigid body algorithm: data.mass, both triangles, armature included. Source: Featherstone 6.2.
void mass_matrix(const ArticulatedModel& model, ArticulatedData& data, const Eigen::Ref<const VectorXd>& q);

/// Recursive Newton-Euler at zero acceleration: data.bias, with M v̇ + bias = tau. Source: Featherstone 5.3.
void bias_force(const ArticulatedModel& model, ArticulatedData& data, const Eigen::Ref<const VectorXd>& q,
                const Eigen::Ref<const VectorXd>& v, const Vector3d& gravity);

/// Articulated body algorithm, O(links): data.acceleration under joint forces tau (nv) and one wrench a link
/// (empty: none), world axes at the link origin, (force [N], torque [N·m]). Source: Featherstone 7.3.
void forward_dynamics(const ArticulatedModel& model, ArticulatedData& data,
                      const Eigen::Ref<const VectorXd>& q, const Eigen::Ref<const VectorXd>& v,
                      const Eigen::Ref<const VectorXd>& tau, std::span<const Vector6d> external = {});

/// Factorises M + diag(diagonal), O(links), at the configuration of the last forward_kinematics.
/// `diagonal` (nv) >= 0, or empty; h·damping + h²·stiffness makes joint springs implicit.
void factorize_mass(const ArticulatedModel& model, ArticulatedData& data,
                    const Eigen::Ref<const VectorXd>& diagonal);

/// x ← (M + diag)⁻¹ x, O(links), with the last factorize_mass (forward_dynamics replaces it, with diagonal
/// 0).
void solve_mass(const ArticulatedModel& model, ArticulatedData& data, Eigen::Ref<VectorXd> x);

// The following need forward_kinematics (point_velocity, kinetic_energy: forward_velocity) at the same state.
// `world_point` is a point fixed to the link, given where it lies now in the world.

/// World linear velocity of the point = jacobian (3, nv) · v.
void point_jacobian(const ArticulatedModel& model, const ArticulatedData& data, int link,
                    const Vector3d& world_point, JacobianRef jacobian);

/// World angular velocity of the link = jacobian (3, nv) · v.
void angular_jacobian(const ArticulatedModel& model, const ArticulatedData& data, int link,
                      JacobianRef jacobian);

/// (nv, 6): point_jacobianᵀ of the link's origin, and angular_jacobianᵀ beside it; visits only the chain from
/// the link to the root.
void link_jacobian_transpose(const ArticulatedModel& model, const ArticulatedData& data, int link,
                             MatrixXd& columns);

[[nodiscard]] Vector3d point_velocity(const ArticulatedModel& model, const ArticulatedData& data, int link,
                                      const Vector3d& world_point);

/// [J], armature included.
[[nodiscard]] double kinetic_energy(const ArticulatedModel& model, const ArticulatedData& data,
                                    const Eigen::Ref<const VectorXd>& v);
/// [J] under model.gravity, zero with every centre of mass at the world origin.
[[nodiscard]] double potential_energy(const ArticulatedModel& model, const ArticulatedData& data);
[[nodiscard]] Vector3d centre_of_mass(const ArticulatedModel& model, const ArticulatedData& data);

}  // namespace softcontact
