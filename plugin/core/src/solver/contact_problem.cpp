// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/solver/contact_problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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
    const double error = run.error(r, u);
    run.result.inner_iterations = 1;
    if (error <= run.options().tolerance) {
        run.accept(r, error);
        return true;
    }
    run.offer(r, error);
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
            run_projection(MatrixOperator(problem.W),
                           operator_compliances(MatrixOperator(problem.W), problem.mu.size())[0], problem.q,
                           problem.mu, guess, run);
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

/// Forces and velocities are divided by a power of two before a solve where their squares might overflow or
/// vanish, which changes no digit of them.
class Unit {
public:
    explicit Unit(const VectorXd& q)
    {
        const double largest = q.size() > 0 ? q.lpNorm<Eigen::Infinity>() : 0.0;
        constexpr int most = 200;
        if (largest > 0.0 && std::isfinite(largest) && std::abs(std::ilogb(largest)) > most) {
            m_power = std::ilogb(largest);
        }
    }
    [[nodiscard]] bool plain() const { return m_power == 0; }
    [[nodiscard]] VectorXd in(const VectorXd& x) const { return scaled(x, -m_power); }

    [[nodiscard]] ContactSolverOptions in(ContactSolverOptions options) const
    {
        if (options.rule == StoppingRule::uzawa_error || options.rule == StoppingRule::epsilon_1) {
            options.tolerance = std::ldexp(options.tolerance, -m_power);
        }
        options.epsilon_2 = std::ldexp(options.epsilon_2, -m_power);
        return options;
    }

    [[nodiscard]] ContactSolverResult out(ContactSolverResult result, StoppingRule rule) const
    {
        result.force = scaled(result.force, m_power);
        result.velocity = scaled(result.velocity, m_power);
        result.uzawa_error = std::ldexp(result.uzawa_error, m_power);
        if (rule == StoppingRule::uzawa_error || rule == StoppingRule::epsilon_1) {
            for (double& judged : result.history) {
                judged = std::ldexp(judged, m_power);
            }
        }
        return result;
    }

private:
    static VectorXd scaled(const VectorXd& x, int power)
    {
        return x.unaryExpr([power](double value) { return std::ldexp(value, power); });
    }

    int m_power = 0;
};

/// From the guess, by `method`, to a result with all its figures; product(r, u): u = W r.
template <typename Product, typename Method>
ContactSolverResult run_from(const VectorXd& q, const VectorXd& mu, const VectorXd& guess, ContactRun& run,
                             const Product& product, const Method& method)
{
    ContactSolverResult& result = run.result;
    const auto velocity = [&](const VectorXd& r) {
        product(r, result.velocity);
        result.velocity += q;
    };
    velocity(guess);
    const double error = run.error(guess, result.velocity);
    run.offer(guess, error);
    if (mu.size() == 0 || (run.by_map() && error <= run.options().tolerance)) {
        result.force = guess;
        result.reason = StopReason::converged;
    } else {
        method();
    }
    if (!result.converged()) {
        result.force = run.best();
    }
    velocity(result.force);
    result.residual = natural_map_residual(q, mu, result.force, result.velocity);
    result.scaled_residual = run.scaled(result.force, result.velocity);
    return std::move(result);
}

}  // namespace

ContactSolverResult solve_contact_problem(const ContactProblem& problem, const VectorXd& guess,
                                          const ContactSolverOptions& options)
{
    const Unit unit(problem.q);
    if (!unit.plain()) {
        const ContactProblem inside{problem.W, unit.in(problem.q), problem.mu};
        return unit.out(solve_contact_problem(inside, unit.in(guess), unit.in(options)), options.rule);
    }
    ContactRun run(problem, options);
    run.result.method = options.method == ContactMethod::automatic ? ContactMethod::anderson : options.method;
    return run_from(
        problem.q, problem.mu, guess, run, [&](const VectorXd& r, VectorXd& u) { problem.W.multiply(r, u); },
        [&] { run_method(problem, guess, run); });
}

ContactSolverResult solve_contact_problem(const DelassusOperator& W, const VectorXd& q, const VectorXd& mu,
                                          const VectorXd& guess, const ContactSolverOptions& options)
{
    const Unit unit(q);
    if (!unit.plain()) {
        return unit.out(solve_contact_problem(W, unit.in(q), mu, unit.in(guess), unit.in(options)),
                        options.rule);
    }
    const VectorXd compliance = operator_compliances(W, mu.size());
    ContactRun run(q, mu, compliance, options);
    run.result.method = ContactMethod::projection;
    return run_from(
        q, mu, guess, run, [&](const VectorXd& r, VectorXd& u) { W.apply(r, u); },
        [&] { run_projection(W, compliance[0], q, mu, guess, run); });
}

}  // namespace softcontact
