// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/friction/patch_block.hpp>

namespace softcontact {

/// How near a load (N, F_t, F_s, τ) [N, N, N, N m] is to slip: the least g >= 0 with its friction in g times
/// the limit surface of the law at this N. 0: no friction load; 1: it slips; infinity where no g will do.
///
/// contensou: gauge of B, see contensou_gauge; contensou_decoupled: the larger of |F_T| and |τ| over their
/// bounds, mu N times `bounds`; coulomb: |F_T| / (mu N), whatever the torque. No normal force: 0.
[[nodiscard]] double slip_gauge(FrictionLaw law, const FrictionPatch& patch, const DecoupledBounds& bounds,
                                double mu, const Vector4d& load);

}  // namespace softcontact
