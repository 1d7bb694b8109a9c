// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/friction/block_descriptor.hpp"

namespace softcontact {

/// Solution of the rows of one block.
struct BlockSolution {
    BlockVector force;  ///< as the block's rows [N, N m], always admissible
    ContactState state = ContactState::separate;
    bool converged = true;
};

/// Solve all rows of one block that bears moments together.
///
///     u = W λ + q,   (N, M_t, M_s) in C ⟂ (u_n, ω_t, ω_s) in C*,   friction by its law with bound mu N
///
/// Take-off, then face by face of C: on a face the tilts are plain linear rows, and the block that is left of
/// normal and friction has an exact solution; the next face is that of the natural map. Where this runs in
/// circles, proximal points from `guess` (friction/proximal_points.hpp). W (rows, rows) is
/// symmetric positive semidefinite, with any coupling between the rows; where it is singular, the load found
/// is one near the guess. A block of any other kind is solved in the same way.
/// converged is false where no load was found that holds the laws: the force is then the best that was met.
[[nodiscard]] BlockSolution solve_moment_block(const BlockMatrix& W, const BlockVector& q,
                                               const BlockDescriptor& block, const DecoupledBounds& bounds,
                                               const BlockVector& guess);

}  // namespace softcontact
