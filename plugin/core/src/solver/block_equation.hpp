// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/solver/block_rows.hpp"

namespace softcontact {

/// The laws of one block of any kind as equations of velocities, linearised: A Δu + B Δλ = -φ.
///
///     φ_n = c (N - N*),        N* = max(0, N - u_n / c),  c = W_nn of the block
///     φ_f = C (F - F*),        F* the friction load at the bound mu N* for the free velocity u_f - C F
///
/// C is the friction compliance of the block: all of W_ff for a patch under Contensou friction, whose F* is
/// solve_contensou, and a multiple of one on each disc and interval of the other laws, whose F* is clamped.
/// φ depends on u and λ without a jump and is zero just where the block's laws hold, unlike the solution of a
/// whole block, which may jump or fail to be the only one where friction moves the normal force.
/// Sources: Alart and Curnier 1991; Jourdan, Alart and Jean 1998 (block scaling).
struct BlockEquation {
    Matrix4d A = Matrix4d::Zero(), B = Matrix4d::Zero();  ///< top left (rows, rows)
    Vector4d phi = Vector4d::Zero();
    Vector4d admissible = Vector4d::Zero();  ///< (N*, F*), which respects the bounds to the last bit
    bool parted = false;                     ///< Δλ = -λ, whatever the others do
};

/// `own` is W of the block, (rows, rows) in the top left; u and λ are its rows. With `slope` false A and B
/// are left out.
[[nodiscard]] BlockEquation block_equation(const BlockDescriptor& block, const DecoupledBounds& bounds,
                                           const Matrix4d& own, const Vector4d& lambda, const Vector4d& u,
                                           bool slope);

}  // namespace softcontact
