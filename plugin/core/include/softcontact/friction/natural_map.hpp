// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/friction/block_descriptor.hpp"

namespace softcontact {

/// The load that the laws of one block answer with.
struct BlockAnswer {
    BlockVector load;   ///< Λ(y), which respects the bounds to the last bit
    BlockMatrix slope;  ///< ∂Λ/∂y, an element of the generalised Jacobian
};

/// The load λ = Λ(y) with which the laws of a block hold for the velocity u = R (λ - y): what the block would
/// do if it gave with R alone.
///
/// R is diagonal, the same for all translations, and over squared lengths for rotations (unit_compliance);
/// its size does not count, because the laws are homogeneous. A load λ solves u = W λ + q just where
/// λ = Λ(λ - u / R) in all blocks. Λ depends on y without a jump and has one value, unlike the exact solution
/// of a block under its own W.
///
///     N*, M* = the nearest of the moment cone,  F* = the friction at the bound mu N* for the velocity -R y_f
///
/// With `slope` false the slope is left out.
/// Sources: Alart and Curnier 1991 (the map of a point); Robinson 1992 (normal maps).
[[nodiscard]] BlockAnswer natural_answer(const BlockDescriptor& block, const DecoupledBounds& bounds,
                                         const BlockVector& y, bool slope);

/// Diagonal of R for a compliance of 1: 1 for translations, 1 / length² for rotations [1/m²].
[[nodiscard]] BlockVector unit_compliance(const BlockDescriptor& block);

/// Size of a block's own W [m/(s N)] (its unit where the block has one row): the mean of its translations.
[[nodiscard]] double compliance_of(const BlockDescriptor& block, const BlockMatrix& own);

}  // namespace softcontact
