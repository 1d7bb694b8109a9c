// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/types.hpp"

namespace softcontact {

/// Rotation about a vector by its length [rad].
[[nodiscard]] Matrix3d rotation_by(const Vector3d& turn);

/// Rigid motions of point masses at given places, and what of a velocity or an impulse belongs to them.
///
/// A velocity v splits into a rigid one that has all its momentum and angular momentum, and a rest without
/// either: the deformation (Tisserand's axes). The two are orthogonal in the kinetic energy.
class RigidModes {
public:
    struct Motion {
        Vector3d velocity = Vector3d::Zero();  ///< of the centre of mass [m/s]
        Vector3d rate = Vector3d::Zero();      ///< angular velocity [rad/s]
    };

    /// Places the modes at x (3, n) [m], masses (n,) [kg]. Allocates the first time only.
    void place(const Eigen::Ref<const Points>& x, const VectorXd& mass);

    /// Rigid motion with the momenta of velocities v (3n,).
    [[nodiscard]] Motion of_velocity(const Eigen::Ref<const VectorXd>& v) const;
    /// Rigid motion that impulses p (3n,) [N s] give a body at rest.
    [[nodiscard]] Motion of_impulse(const Eigen::Ref<const VectorXd>& p) const;
    /// v += scale · motion at every point.
    void add(const Motion& motion, double scale, Eigen::Ref<VectorXd> v) const;
    /// p += scale · mass · motion at every point.
    void add_momentum(const Motion& motion, double scale, Eigen::Ref<VectorXd> p) const;

    /// Angular momentum of velocities v (3n,) about the centre of mass [kg m²/s].
    [[nodiscard]] Vector3d angular_momentum(const Eigen::Ref<const VectorXd>& v) const;

    /// Turn Q [rad] of a rigid body of these masses in h with Σ m y × Q y = h L, the discrete rule of Moser &
    /// Veselov (Comm. Math. Phys. 139, 1991), whose energy does not drift; h times J⁻¹L where there is none.
    [[nodiscard]] Vector3d chord_turn(const Vector3d& angular_momentum, double h) const;
    /// Turn in h [rad] at the angular velocity that L gives at the orientation half-way, J(Q^½) ω = L.
    [[nodiscard]] Vector3d middle_turn(const Vector3d& angular_momentum, double h) const;

    /// Places about the centre of mass (3, n) [m].
    [[nodiscard]] const Points& arms() const { return m_arms; }
    [[nodiscard]] const VectorXd& mass() const { return m_mass; }

private:
    Points m_arms;
    VectorXd m_mass;
    double m_total_mass = 0.0;
    Matrix3d m_second = Matrix3d::Zero();  // Σ m y yᵀ
    Matrix3d m_inverse_inertia = Matrix3d::Zero();
};

}  // namespace softcontact
