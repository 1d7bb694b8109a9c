// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/friction/contensou.hpp"

namespace softcontact {

/// How the load of a slipping patch answers: d load = by_free · d d + by_bound · d bound, to first order.
struct ContensouSlope {
    Matrix3d by_free;   ///< against the free velocity (v_t, v_s, ω)
    Vector3d by_bound;  ///< against bound = mu N [-, -, m]
};

/// Derivative of solve_contensou where it found slip; of the closed form where the patch spins about a
/// contact point. An element of the generalised Jacobian: on a kink it is that of the side the solution lies
/// on.
///
///     p = -load = bound g(x),  x = d - W p:   dp = (1 + bound H W)⁻¹ (bound H dd + g dbound),  g = ∇Φ, H =
///     ∇²Φ
[[nodiscard]] ContensouSlope contensou_slope(const Matrix3d& W, const FrictionPatch& patch, double bound,
                                             const ContensouSolution& solution);

}  // namespace softcontact
