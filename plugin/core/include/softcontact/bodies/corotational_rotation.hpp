// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/types.hpp"

namespace softcontact {

/// Rotation R that maximises tr(Rᵀ F): the polar rotation of F, and for det F < 0 the proper rotation
/// with the smallest singular value negated, so that inverted elements are pushed back the short way.
///
/// Newton's method on SO(3) from the warm start, quadratic, error about 1e-15; where the Hessian
/// tr(S) I − S is not safely positive, or 12 steps are not enough, a singular value decomposition.
/// The result does not depend on the warm start beyond round-off, since the maximiser is unique
/// unless the two smallest signed singular values cancel.
///
/// @param deformation_gradient F (3,3) [-]
/// @param rotation in: warm start (unit quaternion); out: the rotation. Not a number in F: left as it was.
/// @return false if F is not finite.
/// Source: the objective and the warm start are Müller, Bender, Chentanez, Macklin, "A robust method to
/// extract the rotational part of deformations", MIG 2016, Sec. 3; differs by the exact Hessian (theirs
/// converges linearly) and the fallback.
bool extract_rotation(const Matrix3d& deformation_gradient, Quaterniond& rotation);

}  // namespace softcontact
