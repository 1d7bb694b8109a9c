// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/solver/contact_matrix.hpp"
#include "softcontact/solver/delassus_operator.hpp"

namespace softcontact {

/// ‖r - P_K(r - û)‖ / max(‖q‖, ‖r‖, ‖u‖), û = u + mu |u_t| n: the natural map of the De Saxcé form, from
/// u = W r + q. Zero just at solutions of the Signorini–Coulomb problem; owned by no solver.
///
/// It adds newtons to metres a second. Where forces and velocities differ by many orders of magnitude it is
/// small for any force whatever; scaled_residual is not.
[[nodiscard]] double natural_map_residual(const VectorXd& q, const VectorXd& mu, const VectorXd& r,
                                          const VectorXd& u);

/// ‖c Φ‖ / load, a ratio of velocities that changes with no unit: by how much the contacts
/// violate their laws, against what their velocities are made of.
///
///     c Φ_n = c r_n - max(0, y_n),  c Φ_t = c r_t - P(y_t),  y = c r - u,
///     P onto the disc of radius mu max(0, y_n);  load = ‖|W| |r| + |q|‖
///
/// c (n,) [m/(N s)] > 0 is a compliance of each contact, see block_compliances. A backward error: such a
/// share of W and q, changed, makes r a solution. Zero just where natural_map_residual is.
/// Source: Alart and Curnier 1991 (Φ); Rigal and Gaches 1967 (backward error).
[[nodiscard]] double scaled_residual(const VectorXd& mu, const VectorXd& compliance, double load,
                                     const VectorXd& r, const VectorXd& u);

/// ‖|W| |r| + |q|‖ with the magnitudes of the entries: what a velocity is made of.
[[nodiscard]] double load_of(const ContactMatrix& W, const VectorXd& q, const VectorXd& r);

/// A third of the trace of each diagonal block; the largest of them where a block has none to speak of, and 1
/// where none has.
[[nodiscard]] VectorXd block_compliances(const ContactMatrix& W);

/// The same for a W that is only applied: its size, an estimate of the largest |W x| / |x|, for each of n
/// contacts.
[[nodiscard]] VectorXd operator_compliances(const DelassusOperator& W, Index contacts);

}  // namespace softcontact
