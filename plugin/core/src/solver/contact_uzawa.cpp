// SPDX-License-Identifier: LGPL-2.1-or-later
#include "contact_uzawa.hpp"

#include <algorithm>
#include <cmath>

#include "contact_sweeps.hpp"
#include "softcontact/solver/uzawa.hpp"

namespace softcontact {

namespace {

VectorXd uzawa_steps(const ContactMatrix& W, const ContactSolverOptions& options)
{
    double largest = 0.0;
    for (Index i = 0; i < W.contacts(); ++i) {
        largest = std::max(largest, W.diagonal(i).diagonal().maxCoeff());
    }
    VectorXd rho = VectorXd::Constant(W.contacts(), options.rho > 0.0 ? options.rho : 1.0 / largest);
    if (options.rho_per_block) {
        for (Index i = 0; i < W.contacts(); ++i) {
            const double own = uzawa_rho(W.diagonal(i));
            if (own > 0.0) {
                rho[i] = own;
            }
        }
    }
    return rho;
}

/// What the outer loop asks for, as a |Δr| / rho.
double outer_demand(const ContactProblem& problem, const ContactRun& run, const VectorXd& r, double defect,
                    double rho)
{
    const double tolerance = run.options().tolerance;
    switch (run.options().rule) {
        case StoppingRule::uzawa_error:
            return tolerance;
        case StoppingRule::epsilon_1:
            return tolerance / rho;
        case StoppingRule::epsilon_3:
            return tolerance * r.norm() / rho;
        case StoppingRule::natural_map:
            break;
    }
    return std::max(tolerance, defect * 1e-2) * problem.q.norm();
}

}  // namespace

void run_uzawa(const ContactProblem& problem, const VectorXd& guess, ContactRun& run)
{
    const ContactSolverOptions& options = run.options();
    const ContactMatrix& W = problem.W;
    const Index n = problem.mu.size();
    const VectorXd rho = uzawa_steps(W, options);
    const bool global = options.method == ContactMethod::global_uzawa;
    VectorXd r = guess, u(3 * n), before(3 * n), fresh(3 * n);
    W.multiply(r, fresh);
    fresh += problem.q;
    u = fresh;  // what the predictor sees
    double defect = run.error(r, fresh);
    for (;;) {
        before = r;
        const double inner_tolerance = options.epsilon_2 > 0.0
                                           ? options.epsilon_2
                                           : 0.1 * outer_demand(problem, run, r, defect, rho.maxCoeff());
        if (options.velocity == UzawaVelocity::jacobi) {
            u = fresh;
        }
        double error = 0.0;
        for (Index i = 0; i < n; ++i) {
            if (i % ContactSweeps::contacts_a_poll == 0) {
                run.poll();
            }
            const Vector3d old = r.segment<3>(3 * i);
            const Vector3d now = fresh.segment<3>(3 * i);
            Vector3d force = old;
            if (global) {
                const bool kept = options.velocity != UzawaVelocity::fresh;
                force = uzawa_step(old, kept ? Vector3d(u.segment<3>(3 * i)) : now, problem.mu[i], rho[i]);
                ++run.result.inner_iterations;
            } else {
                if (options.inner_from_zero) {
                    force.setZero();
                }
                run.result.inner_iterations +=
                    local_uzawa(W.diagonal(i), now - W.diagonal(i) * old, problem.mu[i], rho[i],
                                inner_tolerance, options.max_inner_iterations, force);
            }
            const Vector3d delta = force - old;
            r.segment<3>(3 * i) = force;
            W.add_column(i, delta, fresh.data());
            if (options.velocity == UzawaVelocity::stored) {
                u.segment<3>(3 * i) = fresh.segment<3>(3 * i);
            }
            error = std::max(error, delta.norm() / rho[i]);
        }
        run.result.uzawa_error = error;
        W.multiply(r, fresh);
        fresh += problem.q;
        defect = run.error(r, fresh);
        const double judged = run.judge(before, r, defect);
        if (!std::isfinite(defect)) {
            run.count(judged);
            run.result.reason = StopReason::not_finite;
            return;
        }
        if (judged <= options.tolerance) {
            run.accept(r, judged);
            return;
        }
        run.offer(r, defect);
        if (!run.count(judged)) {
            return;
        }
    }
}

}  // namespace softcontact
