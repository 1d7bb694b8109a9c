// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/friction/patch_block.hpp>
#include <span>

namespace softcontact {

/// How near a load (N, F_t, F_s, τ) [N, N, N, N m] is to slip: the least g >= 0 with its friction in g times
/// the limit surface of the law at this N. 0: no friction load; 1: it slips; infinity where no g will do.
///
/// contensou: gauge of B, see contensou_gauge; contensou_decoupled: the larger of |F_T| and |τ| over their
/// bounds, mu N times `bounds`, where a part below 1e-9 of what the patch bears at most counts as none;
/// coulomb: |F_T| / (mu N), whatever the torque. No normal force: 0.
[[nodiscard]] double slip_gauge(FrictionLaw law, const FrictionPatch& patch, const DecoupledBounds& bounds,
                                double mu, const Vector4d& load);

/// A Coulomb contact point and its friction.
struct PointFriction {
    Vector3d position = Vector3d::Zero();  ///< [m]
    Vector3d normal = Vector3d::UnitZ();   ///< unit
    Vector3d friction = Vector3d::Zero();  ///< across the normal [N]
    double bound = 0.0;                    ///< mu N [N]
};

/// How near point contacts of one pair are to slip as a whole: the least g >= 0 such that forces within g
/// times each point's own disc have the same resultant and moment. Single points may slide below 1. 0 without
/// friction.
///
/// 1/g is the minimum of Φ(x) = Σ mu N_i |P_i (v + ω × r_i)|, P_i across the normal, over twists x = (v, ω)
/// on which the friction does work 1; Newton on Φ with |u| smoothed.
[[nodiscard]] double slip_gauge(std::span<const PointFriction> points);

}  // namespace softcontact
