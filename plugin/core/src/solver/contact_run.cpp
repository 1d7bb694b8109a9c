// SPDX-License-Identifier: LGPL-2.1-or-later
#include "contact_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace softcontact {

ContactRun::ContactRun(const VectorXd& q, const VectorXd& mu, VectorXd compliance,
                       const ContactSolverOptions& options)
    : m_q(q),
      m_mu(mu),
      m_options(options),
      m_compliance(std::move(compliance)),
      m_best_error(std::numeric_limits<double>::infinity())
{
    const bool clocked = options.time_budget_s > 0.0 || options.poll != nullptr;
    const auto start = clocked ? Clock::now() : Clock::time_point{};
    m_end = start +
            std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.time_budget_s));
    m_next_poll = start + poll_period;
}

ContactRun::ContactRun(const ContactProblem& problem, const ContactSolverOptions& options)
    : ContactRun(problem.q, problem.mu, block_compliances(problem.W), options)
{
    m_matrix = &problem.W;
}

void ContactRun::weigh(const VectorXd& r)
{
    m_load = m_matrix != nullptr ? load_of(*m_matrix, m_q, r) : m_compliance[0] * r.norm() + m_q.norm();
    m_load_age = 0;
}

double ContactRun::scaled(const VectorXd& r, const VectorXd& u)
{
    if (r.size() > 0) {
        weigh(r);
    }
    return scaled_residual(m_mu, m_compliance, m_load, r, u);
}

double ContactRun::error(const VectorXd& r, const VectorXd& u)
{
    const double plain = natural_map_residual(m_q, m_mu, r, u);
    // The load takes a product, and changes less and less from step to step.
    constexpr int longest_period = 16;
    double now = 0.0;
    if (++m_load_age >= m_load_period) {
        now = scaled(r, u);
        m_load_period = std::min(2 * m_load_period, longest_period);
    } else {
        now = scaled_residual(m_mu, m_compliance, m_load, r, u);
        if (plain <= m_options.tolerance && now <= m_options.tolerance) {
            now = scaled(r, u);
        }
    }
    return std::isnan(plain) || plain > now ? plain : now;
}

void ContactRun::offer(const VectorXd& r, double error)
{
    if (error < m_best_error || m_best.size() == 0) {
        m_best_error = error < m_best_error ? error : m_best_error;
        m_best = r;
    }
}

double ContactRun::judge(const VectorXd& before, const VectorXd& r, double error) const
{
    switch (m_options.rule) {
        case StoppingRule::natural_map:
            return error;
        case StoppingRule::uzawa_error:
            return result.uzawa_error;
        case StoppingRule::epsilon_1:
            return (r - before).norm();
        case StoppingRule::epsilon_3:
            break;
    }
    const double change = (r - before).norm();
    return change > 0.0 ? change / r.norm() : 0.0;
}

void ContactRun::accept(const VectorXd& r, double judged)
{
    ++result.iterations;
    result.history.push_back(judged);
    result.force = r;
    result.reason = StopReason::converged;
}

bool ContactRun::out_of_time() const
{
    return m_options.time_budget_s > 0.0 && Clock::now() >= m_end;
}

double ContactRun::time_left() const
{
    return m_options.time_budget_s > 0.0 ? std::chrono::duration<double>(m_end - Clock::now()).count()
                                         : std::numeric_limits<double>::infinity();
}

bool ContactRun::count(double judged)
{
    ++result.iterations;
    result.history.push_back(judged);
    return within_budget();
}

bool ContactRun::within_budget()
{
    poll();
    if (out_of_time()) {
        result.reason = StopReason::time_budget;
        return false;
    }
    if (result.iterations >= m_options.max_iterations) {
        result.reason = StopReason::max_iterations;
        return false;
    }
    return true;
}

}  // namespace softcontact
