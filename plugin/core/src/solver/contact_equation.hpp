// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/types.hpp"

namespace softcontact {

/// The Alart–Curnier equations of one contact, linearised: A Δu + B Δr = -Φ, written for forces.
///
///     Φ_n = r_n - max(0, y_n),  Φ_t = r_t - P(y_t),  y = r - rho u,  P onto the disc of radius mu max(0,
///     y_n)
///
/// Source: Alart and Curnier 1991.
struct ContactEquation {
    Matrix3d A, B;
    Vector3d phi;
    bool parted = false;  ///< Δr = -r, whatever the others do
};

[[nodiscard]] ContactEquation contact_equation(double rho, double mu, const Vector3d& r, const Vector3d& u);

/// √(Σ |Φ_i|² / rho_i) over the contacts.
[[nodiscard]] double contact_merit(const VectorXd& rhos, const VectorXd& mu, const VectorXd& r,
                                   const VectorXd& u);

}  // namespace softcontact
