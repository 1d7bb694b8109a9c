// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/types.hpp>

namespace softcontact {

/// How far modes move a node [m]: Σ_k modes(k, 3 node + c) amplitudes[k] for each component c, by the
/// processor's widest registers, and by the same bits whatever they are.
[[nodiscard]] Vector3d sum_of_modes(const MatrixXd& modes, const VectorXd& amplitudes, Index node) noexcept;

}  // namespace softcontact
