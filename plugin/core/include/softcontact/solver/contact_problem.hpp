// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/solver/contact_matrix.hpp"
#include "softcontact/solver/contact_residual.hpp"
#include "softcontact/solver/delassus_operator.hpp"

namespace softcontact {

/// n contacts (n, t, s) with Signorini's law and Coulomb friction: u = W r + q.
struct ContactProblem {
    ContactMatrix W;
    VectorXd q;   ///< (3n,) free velocity [m/s]
    VectorXd mu;  ///< (n,) >= 0
};

enum class ContactMethod {
    automatic,           ///< exact for one contact; else Anderson, and Newton where that stagnates
    block_gauss_seidel,  ///< exact 3x3 block solves in turn
    nncg,                ///< the same, with nonsmooth nonlinear conjugate gradients between sweeps
    anderson,            ///< the same, with Anderson mixing between sweeps
    local_uzawa,         ///< a prediction–projection loop a contact and sweep
    global_uzawa,        ///< one prediction–projection step a contact and sweep
    newton,              ///< nonsmooth Newton, globalised by a line search, by sweeps and by proximal points
    projection,          ///< projection steps on all contacts at once with Anderson mixing: W applied only
};

/// What stops an iteration.
enum class StoppingRule {
    natural_map,  ///< natural_map_residual <= tolerance, and scaled_residual, in whatever units
    uzawa_error,  ///< Talbi's "Uzawa error": |r(k+1) - r(k)| / rho of every contact <= tolerance
    epsilon_1,    ///< |r(k+1) - r(k)| <= tolerance [N]: Talbi's test of local Uzawa
    epsilon_3,    ///< |r(k+1) - r(k)| <= tolerance |r(k+1)|: Talbi's test of global Uzawa
};

/// Which velocity a global Uzawa step sees.
enum class UzawaVelocity {
    fresh,   ///< of the forces as they are
    stored,  ///< kept from the contact's own last step, as printed in the paper
    jacobi,  ///< of the forces at the start of the sweep
};

enum class StopReason { converged, max_iterations, time_budget, not_finite };

struct ContactSolverOptions {
    ContactMethod method = ContactMethod::automatic;
    StoppingRule rule = StoppingRule::natural_map;
    double tolerance = 1e-8;
    int max_iterations = 10000;  ///< sweeps and Newton steps
    double time_budget_s = 0.0;  ///< 0: none. With one, results depend on the clock.
    double rho = 0.0;            ///< Uzawa step [N s/m]; 0: min over the problem of 1/W_ii
    bool rho_per_block = false;  ///< one over the Gershgorin bound of each diagonal block instead
    UzawaVelocity velocity = UzawaVelocity::fresh;
    /// Local Uzawa, Talbi's ε₂: |Δr| / rho of a contact; 0: a tenth of what the outer loop asks for.
    double epsilon_2 = 0.0;
    bool inner_from_zero = false;     ///< local Uzawa: a contact's loop starts from r = 0, as in the paper
    int max_inner_iterations = 1000;  ///< local Uzawa, per contact and sweep
    /// Called by the solving thread every few hundredths of a second; what it throws ends the solve.
    void (*poll)() = nullptr;
};

struct ContactSolverResult {
    VectorXd force;     ///< (3n,) in (n, t, s) order: a solution, or the best that was met
    VectorXd velocity;  ///< W force + q
    int iterations = 0;
    long inner_iterations = 0;  ///< projections and block solves, all contacts together; line-search trials
    double residual = 0.0;      ///< natural_map_residual at force, from W force + q computed afresh
    double scaled_residual = 0.0;  ///< there; of an operator with its size for all compliances
    double uzawa_error = 0.0;      ///< max over contacts of |r(k+1) - r(k)| / rho in the last sweep
    StopReason reason = StopReason::max_iterations;
    ContactMethod method = ContactMethod::automatic;  ///< that got there
    std::vector<double> history;  ///< what the stopping rule looked at, a number a sweep or step

    [[nodiscard]] bool converged() const { return reason == StopReason::converged; }
};

/// Solve from r = guess. W need be neither symmetric nor of full rank. Same inputs, same bits (without a time
/// budget).
/// Sources: Talbi, Joli, Feng and Kheddar, Sec. 3.3 (Uzawa); Silcowitz, Niebe and Erleben 2010 (NNCG);
/// Walker and Ni 2011 (Anderson mixing); Alart and Curnier 1991 (Newton); Rockafellar 1976 (proximal points).
[[nodiscard]] ContactSolverResult solve_contact_problem(const ContactProblem& problem, const VectorXd& guess,
                                                        const ContactSolverOptions& options);

/// The same with a W that is applied and never formed; method is automatic or projection.
[[nodiscard]] ContactSolverResult solve_contact_problem(const DelassusOperator& W, const VectorXd& q,
                                                        const VectorXd& mu, const VectorXd& guess,
                                                        const ContactSolverOptions& options);

}  // namespace softcontact
