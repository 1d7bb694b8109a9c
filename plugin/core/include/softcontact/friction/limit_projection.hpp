// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/friction/contensou.hpp"

namespace softcontact {

/// The load of a limit surface nearest to another one, and how it answers.
struct LimitProjection {
    Vector3d load = Vector3d::Zero();  ///< (F_t, F_s, τ) [N, N, N m], in B to the last bit but where inside
    Matrix3d by_load = Matrix3d::Zero();   ///< derivative against the load given, of the generalised Jacobian
    Vector3d by_bound = Vector3d::Zero();  ///< against bound = mu N [-, -, m]
    bool inside = false;                   ///< the load given was in B
};

/// Nearest load of B, torques measured in forces at patch.length: friction at the velocity (y - load) of a
/// patch whose compliance is one.
///
/// With e the direction of that velocity, its size ρ = y · e - bound Φ(e) is the largest over all e: Newton
/// on the unit sphere finds it, |u| smoothed as √(|u|²+ε²) with ε driven to round-off, and a spin about a
/// contact point, where Φ has a kink, is found in closed form. As e has size one, the load is as accurate for
/// y just outside of B as far from it, where solve_contensou is not.
[[nodiscard]] LimitProjection project_to_limit_surface(const FrictionPatch& patch, double bound,
                                                       const Vector3d& load);

}  // namespace softcontact
