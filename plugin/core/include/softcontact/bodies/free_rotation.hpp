// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/types.hpp"

namespace softcontact {

/// A turn as its Cayley vector y = 2 tan(θ/2) n: the rotation is (1 − ŷ/2)⁻¹(1 + ŷ/2).
/// Source: Simo, Wong, Unconditionally stable algorithms for rigid body dynamics, IJNME 31 (1991).
class CayleyTurn {
public:
    explicit CayleyTurn(const Vector3d& vector);
    explicit CayleyTurn(const Matrix3d& rotation);  ///< by less than π

    [[nodiscard]] Quaterniond rotation() const;
    /// θ n, the rotation vector [rad].
    [[nodiscard]] Vector3d turned() const { return m_scale * m_vector; }
    /// Time × angular momentum of a free body that turned so, in axes of the start: with the mean rate ω̄ = θ
    /// n/h and Π the momenta in body axes at start and end, I ω̄ = (Π₀ + Π₁)/2, and Π₁ is Π₀ turned back. Both
    /// the momentum in the world and ½ Π·I⁻¹Π are kept exactly, and a steady spin turns by exactly h ω.
    [[nodiscard]] Vector3d momentum(const Matrix3d& inertia) const;
    /// ∂ momentum / ∂ vector.
    [[nodiscard]] Matrix3d momentum_slope(const Matrix3d& inertia) const;

private:
    Vector3d m_vector;
    double m_scale;  ///< θ / |y|
};

/// Time × momentum of a body that turned by the rotation vector `turned` [rad], in axes of the start: the
/// discrete Legendre transform of its kinetic energy at the mean rate, which makes the motion of coupled
/// bodies symplectic. Source: Lee, Liu, Park, Srinivasa, A linear-time variational integrator for multibody
/// systems (2016).
[[nodiscard]] Vector3d variational_momentum(const Matrix3d& inertia, const Vector3d& turned);

/// A rigid body that no moment acts on, after some time.
struct FreeRotation {
    Quaterniond turn = Quaterniond::Identity();  ///< axes at the end in those of the start
    Vector3d momentum = Vector3d::Zero();        ///< about the centre of mass, axes of the end [kg m²/s]
    Vector3d rate = Vector3d::Zero();            ///< mean over the time, axes of the body [rad/s]
    bool found = true;
};

/// `inertia` about the centre of mass [kg m²], `momentum` about it in axes of the start [kg m²/s], `time`
/// [s]. Energy and world momentum are kept to round-off.
[[nodiscard]] FreeRotation rotate_freely(const Matrix3d& inertia, const Vector3d& momentum, double time);

}  // namespace softcontact
