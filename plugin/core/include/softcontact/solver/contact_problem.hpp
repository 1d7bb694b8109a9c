// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/solver/block_gauss_seidel.hpp"

namespace softcontact {

/// ‖r - P_K(r - û)‖ / max(‖q‖, ‖r‖, ‖u‖), u = W r + q, û = u + mu |u_t| n: the natural map of the De Saxcé
/// form. Zero just at solutions of the Signorini–Coulomb problem of point contacts (n, t, s); owned by no
/// solver.
[[nodiscard]] double natural_map_residual(const RowMajorRef& W, const Eigen::Ref<const VectorXd>& q,
                                          const Eigen::Ref<const VectorXd>& mu,
                                          const Eigen::Ref<const VectorXd>& r);

enum class ContactMethod { block_gauss_seidel, nncg, anderson, local_uzawa, global_uzawa };

/// What stops an iteration: the natural-map residual, or Talbi's "Uzawa error" |r(k+1) - r(k)| / rho.
enum class StoppingRule { natural_map, uzawa_error };

struct ContactSolverOptions {
    ContactMethod method = ContactMethod::block_gauss_seidel;
    StoppingRule rule = StoppingRule::natural_map;
    double tolerance = 1e-8;
    int max_iterations = 10000;
    double rho = 0.0;            ///< Uzawa step [N s/m]; 0: min over the problem of 1/W_ii
    bool rho_per_block = false;  ///< one over the Gershgorin bound of each diagonal block instead
    double inner_tolerance =
        0.0;  ///< local Uzawa, |Δr_b| / rho of a contact; 0: a tenth of what the outer loop asks
    int max_inner_iterations = 1000;  ///< local Uzawa, per contact and sweep
};

struct ContactSolverResult {
    VectorXd force;     ///< (3n,) in (n, t, s) order
    VectorXd velocity;  ///< W force + q
    int iterations = 0;
    long inner_iterations = 0;  ///< projections or block solves, all contacts together
    double residual = 0.0;      ///< natural map at force
    double uzawa_error = 0.0;   ///< |r(k+1) - r(k)| / rho of the last sweep
    bool converged = false;
    std::vector<double> history;  ///< what the stopping rule looked at, a number a sweep
};

/// Solve u = W r + q with Signorini–Coulomb contacts, from r = guess. W (3n, 3n) need not be symmetric.
/// Source: Talbi, Joli, Feng and Kheddar, Sec. 3.3, for the Uzawa schemes: local (inner prediction–projection
/// loop per contact) and global (one step per contact and sweep), both with the freshest velocities.
[[nodiscard]] ContactSolverResult solve_contact_problem(const RowMajorRef& W,
                                                        const Eigen::Ref<const VectorXd>& q,
                                                        const Eigen::Ref<const VectorXd>& mu,
                                                        const Eigen::Ref<const VectorXd>& guess,
                                                        const ContactSolverOptions& options);

}  // namespace softcontact
