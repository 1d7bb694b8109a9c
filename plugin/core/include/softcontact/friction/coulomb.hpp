// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/types.hpp"

namespace softcontact {

/// What a contact does at the solution of its block.
enum class ContactState { separate, stick, slip };

/// Project a force (n, t, s) [N] onto the Coulomb cone K = { r : |r_t| <= mu r_n }.
///
///     P(r) = argmin_{p in K} |p - r|²
///
/// mu [-] must be >= 0. Source: De Saxcé and Feng 1998; mechanics of Talbi et al., Sec. 3.2.
[[nodiscard]] Vector3d project_to_cone(const Vector3d& force, double mu);

/// Solution of one Signorini–Coulomb block.
struct CoulombSolution {
    Vector3d force = Vector3d::Zero();  ///< (n, t, s) [N]
    ContactState state = ContactState::separate;
    bool converged = true;  ///< false only for a degenerate block (no normal compliance, or not positive)
};

/// Solve one Signorini–Coulomb contact exactly.
///
///     u = W r + q,   0 <= r_n ⟂ u_n >= 0,   |r_t| <= mu r_n,   r_t = -mu r_n u_t/|u_t| where u_t != 0
///
/// Take-off and stick are tried directly. In slip u_t = -x r_t with x > 0; with the normal row eliminated,
/// the tangential force is r_t(x) = -(S + x I)⁻¹ c, and |r_t(x)| - mu r_n(x) changes sign on (0, inf), so
/// that a bracketed Newton iteration on one scalar always ends. Where several solutions exist, take-off comes
/// first, then stick. W (3, 3) [m/(N s)] has a positive definite symmetric part; q (3,) [m/s]; mu >= 0.
/// With impulses in place of forces the units change and nothing else.
[[nodiscard]] CoulombSolution solve_coulomb_block(const Matrix3d& W, const Vector3d& q, double mu);

}  // namespace softcontact
