// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/types.hpp"

namespace softcontact {

/// One prediction–projection step of a point contact: P_K(r - rho (u + mu |u_t| n)). rho [N s/m] > 0.
/// Source: Talbi et al., Sec. 3.3; De Saxcé and Feng 1998.
[[nodiscard]] Vector3d uzawa_step(const Vector3d& force, const Vector3d& velocity, double mu, double rho);

/// Step rho [N s/m] that suits a contact's own block of W (3, 3) [m/(N s)]: 1 over the largest sum of a row's
/// absolute values, a bound of the largest eigenvalue. 0 where W is zero or not finite.
[[nodiscard]] double uzawa_rho(const Matrix3d& W);

/// Local Uzawa on one contact: steps with u = W r + q until |Δr| / rho <= tolerance. Returns the steps taken,
/// and leaves the force where it got; as many as max_iterations means that it did not converge.
int local_uzawa(const Matrix3d& W, const Vector3d& q, double mu, double rho, double tolerance,
                int max_iterations, Vector3d& force);

}  // namespace softcontact
