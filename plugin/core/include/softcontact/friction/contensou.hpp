// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/friction/coulomb.hpp"
#include "softcontact/types.hpp"

namespace softcontact {

/// The contact points of one patch as friction sees them: a view, the arrays stay with the caller.
///
/// Point i carries the share a_i >= 0 of the normal force and lies at r_i = (t, s) [m] from the moment
/// centre.
struct FrictionPatch {
    const double* shares = nullptr;   ///< (count,) [-]
    const double* offsets = nullptr;  ///< (count, 2) [m], t and s of a point side by side
    int count = 0;

    // Moments of the shares, from make_friction_patch; they make the common tests cheap.
    double total = 0.0;                 ///< Σ a_i
    double mean_t = 0.0, mean_s = 0.0;  ///< Σ a_i r_i / Σ a_i [m]
    double gyration = 0.0;              ///< √(Σ a_i |r_i - mean|² / Σ a_i) [m]
    double lever = 0.0;                 ///< Σ a_i |r_i| [m]
    double reach = 0.0;                 ///< max |r_i - mean| over points with a share [m]
    double length = 1.0;  ///< unit of length used inside: about the gyration radius; 1 for a point [m]

    [[nodiscard]] bool is_point() const { return !(gyration > 0.0); }
};

/// Build the view and its moments. Arrays must outlive the view.
[[nodiscard]] FrictionPatch make_friction_patch(const double* shares, const double* offsets, int count);

/// Velocity potential Φ(v, ω) = bound Σ a_i |v + ω n × r_i| [W], with bound = mu N [N]; velocity (v_t, v_s,
/// ω).
[[nodiscard]] double contensou_potential(const FrictionPatch& patch, double bound, const Vector3d& velocity);

/// Support point of the limit surface B for a direction x = (v_t, v_s, ω): the load (F_t, F_s, τ) [N, N, N m]
/// of B that maximises load · x. It is the gradient of Φ where Φ has one; a point that does not move carries
/// nothing.
[[nodiscard]] Vector3d contensou_limit(const FrictionPatch& patch, double bound, const Vector3d& direction);

/// Gauge of a load (F_t, F_s, τ): the least g >= 0 with load in g B; <= 1 inside, infinity where no g will
/// do.
[[nodiscard]] double contensou_gauge(const FrictionPatch& patch, double bound, const Vector3d& load);

/// Is the load inside B? Cheap certificates first, a convex 3-dof search only between them; a load within
/// about 1e-12 of the surface may count as outside.
[[nodiscard]] bool contensou_holds(const FrictionPatch& patch, double bound, const Vector3d& load);

/// Solution of the friction rows at a fixed normal force.
struct ContensouSolution {
    Vector3d load = Vector3d::Zero();      ///< (F_t, F_s, τ) [N, N, N m], always in B
    Vector3d velocity = Vector3d::Zero();  ///< (v_t, v_s, ω) [m/s, m/s, rad/s], W load + d
    ContactState state = ContactState::stick;
    int iterations = 0;  ///< Newton steps
    bool converged = true;
    int pivot = -1;  ///< contact point about which the patch spins, where it does; -1 else
};

/// Solve the friction rows of one patch at a fixed normal force.
///
///     (v, ω) = W load + d,   load in B,   -(load · (v, ω)) = Φ(v, ω)      (maximum dissipation)
///
/// that is the strictly convex min over x of ½ (x-d)ᵀ W⁻¹ (x-d) + Φ(x). Stick test first; then Newton with
/// the exact Hessian and a line search, |u| smoothed as √(|u|²+ε²) with ε driven to round-off; a solution
/// that spins about a contact point, where Φ has a kink, is found in closed form. W (3, 3) symmetric positive
/// semidefinite.
///
/// guess: a load to start from, or nullptr.
/// Source: Contensou 1963; Leine and Glocker 2003; Talvas et al. 2015, Sec. 3.4, as a set-valued law.
[[nodiscard]] ContensouSolution solve_contensou(const Matrix3d& W, const Vector3d& d,
                                                const FrictionPatch& patch, double bound,
                                                const Vector3d* guess = nullptr);

/// Bounds of the decoupled form, per unit of bound: |∂Φ/∂v| [-] and |∂Φ/∂ω| [m] at a given velocity.
/// Where nothing moves, the whole disc and the whole lever: 1 and Σ a_i |r_i|.
/// Source: Talvas et al. 2015, Eqs. 17-20, with the total normal force in place of a pressure.
struct DecoupledBounds {
    double tangential = 0.0;
    double torsional = 0.0;
};
[[nodiscard]] DecoupledBounds decoupled_bounds(const FrictionPatch& patch, const Vector3d& velocity);

}  // namespace softcontact
