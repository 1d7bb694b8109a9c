// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/friction/contensou.hpp"

namespace softcontact {

/// Friction of a patch with a torsion row.
enum class FrictionLaw {
    contensou,            ///< coupled slip and spin: the limit surface
    contensou_decoupled,  ///< Talvas et al. 2015 to the letter: bounds at the free velocity, slip and spin
                          ///< tested apart
    coulomb,              ///< |λ_T| <= mu N, no torque
};

using Vector4d = Eigen::Matrix<double, 4, 1>;
using Matrix4d = Eigen::Matrix<double, 4, 4>;

/// Solution of one patch block.
struct PatchSolution {
    Vector4d force = Vector4d::Zero();  ///< (N, F_t, F_s, τ) [N, N, N, N m]
    ContactState state = ContactState::separate;
    bool converged = true;
};

/// Solve the four rows (n, t, s, ω) of one patch together.
///
///     u = W λ + q,   0 <= N ⟂ u_n >= 0,   (F_t, F_s, τ), (v_t, v_s, ω) by Coulomb–Contensou, bound mu N
///
/// Take-off, then stick, then slip: a joint Newton from `guess` where that converges, else a bracketed Newton
/// on the scalar N -> u_n(N), each value an exact friction solve. W (4, 4) symmetric positive semidefinite
/// with W_nn > 0. converged is false when no N > 0 closes the normal law (the block has no solution, or W is
/// not what it must be): the force is then that of a point contact, without torque.
[[nodiscard]] PatchSolution solve_contensou_block(const Matrix4d& W, const Vector4d& q,
                                                  const FrictionPatch& patch, double mu,
                                                  const Vector4d& guess);

/// The same rows with decoupled bounds |λ_T| <= mu N tangential, |τ| <= mu N torsional, each with its own
/// stick test; zero bounds for the torsion give plain Coulomb friction. Source: Talvas et al. 2015, Eqs.
/// 17-20.
[[nodiscard]] PatchSolution solve_decoupled_block(const Matrix4d& W, const Vector4d& q,
                                                  const DecoupledBounds& bounds, double mu,
                                                  const Vector4d& guess);

}  // namespace softcontact
