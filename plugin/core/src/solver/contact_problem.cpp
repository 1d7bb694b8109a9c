// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/solver/contact_problem.hpp"

#include <algorithm>

#include "contact_newton.hpp"
#include "contact_projection.hpp"
#include "contact_sweeps.hpp"
#include "contact_uzawa.hpp"

namespace softcontact {

namespace {

/// Sweeps without a tenfold gain that cost about as much as a Newton step, within reason.
int patience(const ContactProblem& problem)
{
    constexpr double least = 12.0, most = 300.0;
    const auto rows = static_cast<double>(problem.W.rows());
    // Operations: of a block (product), of a row (mixing, block solve); a factorisation runs twice as fast.
    const double sweep = 18.0 * static_cast<double>(problem.W.blocks()) + 180.0 * rows;
    return static_cast<int>(std::clamp(rows * rows * rows / 3.0 / sweep, least, most));
}

/// One contact: its block, exactly. False: not to the tolerance.
bool solve_one(const ContactProblem& problem, ContactRun& run)
{
    Vector3d force;
    ContactBlock(problem.W.diagonal(0), problem.mu[0]).solve(problem.q, force);
    const VectorXd r = force, u = problem.W.diagonal(0) * force + problem.q;
    const double residual = run.residual(r, u);
    run.result.inner_iterations = 1;
    if (residual <= run.options().tolerance) {
        run.accept(r, residual);
        return true;
    }
    run.offer(r, residual);
    return false;
}

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
            run_newton(problem, guess, 10, run);
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
    if (problem.mu.size() == 1 && method == ContactMethod::automatic && run.by_map() &&
        solve_one(problem, run)) {
        run.result.method = ContactMethod::block_gauss_seidel;
        return;
    }
    ContactSweeps sweeps(problem);
    sweeps.start(guess);
    const bool helped = method == ContactMethod::automatic && run.by_map();
    if (run_sweeps(problem, sweeps, acceleration, helped ? patience(problem) : 0, run)) {
        return;
    }
    run.result.method = ContactMethod::newton;
    run_newton(problem, VectorXd(run.best()), patience(problem), run);
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
