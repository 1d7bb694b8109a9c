// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/solver/contact_problem.hpp"

#include "contact_newton.hpp"
#include "contact_projection.hpp"
#include "contact_sweeps.hpp"
#include "contact_uzawa.hpp"

namespace softcontact {

namespace {

// Sweeps without a tenfold gain after which `automatic` takes Newton's help.
constexpr int patience = 150;

void run_method(const ContactProblem& problem, const VectorXd& guess, ContactRun& run)
{
    const ContactMethod method = run.options().method;
    Acceleration acceleration = Acceleration::none;
    switch (method) {
        case ContactMethod::local_uzawa:
        case ContactMethod::global_uzawa:
            run_uzawa(problem, guess, run);
            return;
        case ContactMethod::newton:
            run_newton(problem, guess, run);
            return;
        case ContactMethod::projection:
            run_projection(MatrixOperator(problem.W), problem.q, problem.mu, guess, run);
            return;
        case ContactMethod::nncg:
            acceleration = Acceleration::conjugate;
            break;
        case ContactMethod::automatic:
        case ContactMethod::anderson:
            acceleration = Acceleration::anderson;
            break;
        case ContactMethod::block_gauss_seidel:
            break;
    }
    ContactSweeps sweeps(problem);
    sweeps.start(guess);
    const bool helped = method == ContactMethod::automatic && run.by_map();
    if (run_sweeps(problem, sweeps, acceleration, helped ? patience : 0, run)) {
        return;
    }
    run.result.method = ContactMethod::newton;
    run_newton(problem, VectorXd(run.best()), run);
}

}  // namespace

ContactSolverResult solve_contact_problem(const ContactProblem& problem, const VectorXd& guess,
                                          const ContactSolverOptions& options)
{
    ContactRun run(problem.q, problem.mu, options);
    run.result.method = options.method == ContactMethod::automatic ? ContactMethod::anderson : options.method;
    const auto velocity = [&](const VectorXd& r) {
        VectorXd u;
        problem.W.multiply(r, u);
        return VectorXd(u + problem.q);
    };
    const double residual = run.residual(guess, velocity(guess));
    run.offer(guess, residual);
    if (problem.mu.size() == 0 || (run.by_map() && residual <= options.tolerance)) {
        run.result.force = guess;
        run.result.reason = StopReason::converged;
    } else {
        run_method(problem, guess, run);
    }
    if (!run.result.converged()) {
        run.result.force = run.best();
    }
    run.result.velocity = velocity(run.result.force);
    run.result.residual = run.residual(run.result.force, run.result.velocity);
    return run.result;
}

ContactSolverResult solve_contact_problem(const DelassusOperator& W, const VectorXd& q, const VectorXd& mu,
                                          const VectorXd& guess, const ContactSolverOptions& options)
{
    ContactRun run(q, mu, options);
    run.result.method = ContactMethod::projection;
    VectorXd u;
    W.apply(guess, u);
    u += q;
    const double residual = run.residual(guess, u);
    run.offer(guess, residual);
    if (mu.size() == 0 || residual <= options.tolerance) {
        run.result.force = guess;
        run.result.reason = StopReason::converged;
    } else {
        run_projection(W, q, mu, guess, run);
    }
    if (!run.result.converged()) {
        run.result.force = run.best();
    }
    W.apply(run.result.force, u);
    run.result.velocity = u + q;
    run.result.residual = run.residual(run.result.force, run.result.velocity);
    return run.result;
}

}  // namespace softcontact
