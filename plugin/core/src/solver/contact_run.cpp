// SPDX-License-Identifier: LGPL-2.1-or-later
#include "contact_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace softcontact {

double natural_map_residual(const VectorXd& q, const VectorXd& mu, const VectorXd& r, const VectorXd& u)
{
    double squared = 0.0, r_squared = 0.0, u_squared = 0.0;
    for (Index i = 0; i < mu.size(); ++i) {
        const Vector3d force = r.segment<3>(3 * i), velocity = u.segment<3>(3 * i);
        r_squared += force.squaredNorm();
        u_squared += velocity.squaredNorm();
        const double friction = mu[i];
        const double slip = std::sqrt(velocity.y() * velocity.y() + velocity.z() * velocity.z());
        // P_K(r - û), as project_to_cone
        const double n = force.x() - velocity.x() - friction * slip;
        const double t = force.y() - velocity.y(), s = force.z() - velocity.z();
        const double length = std::sqrt(t * t + s * s);
        if (length <= friction * n) {
            const double normal = force.x() - n;
            squared += normal * normal + velocity.y() * velocity.y() + velocity.z() * velocity.z();
        } else if (friction * length <= -n) {
            squared += force.squaredNorm();
        } else {
            const double normal = (n + friction * length) / (1.0 + friction * friction);
            const double scale = friction * normal / length;
            squared += (force - Vector3d(normal, scale * t, scale * s)).squaredNorm();
        }
    }
    const double size = std::max({q.norm(), std::sqrt(r_squared), std::sqrt(u_squared)});
    // Not std::max of the parts: a NaN must come out as one.
    return squared == 0.0 ? 0.0 : std::sqrt(squared) / size;
}

ContactRun::ContactRun(const VectorXd& q, const VectorXd& mu, const ContactSolverOptions& options)
    : m_q(q), m_mu(mu), m_options(options), m_best_residual(std::numeric_limits<double>::infinity())
{
    if (options.time_budget_s > 0.0) {
        m_end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                   std::chrono::duration<double>(options.time_budget_s));
    }
}

void ContactRun::offer(const VectorXd& r, double residual)
{
    if (residual < m_best_residual || m_best.size() == 0) {
        m_best_residual = residual < m_best_residual ? residual : m_best_residual;
        m_best = r;
    }
}

double ContactRun::judge(const VectorXd& before, const VectorXd& r, double residual) const
{
    switch (m_options.rule) {
        case StoppingRule::natural_map:
            return residual;
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

ContactSolverOptions ContactRun::part(double tolerance, int most) const
{
    ContactSolverOptions options = m_options;
    options.tolerance = tolerance;
    options.max_iterations = std::min(most, m_options.max_iterations - result.iterations);
    if (m_options.time_budget_s > 0.0) {
        options.time_budget_s = std::max(time_left(), 1e-9);
    }
    return options;
}

bool ContactRun::count_part(const ContactSolverResult& part, double residual)
{
    result.inner_iterations += part.inner_iterations;
    result.iterations += part.iterations;
    result.history.insert(result.history.end(), part.history.size(), residual);
    return within_budget();
}

bool ContactRun::count(double judged)
{
    ++result.iterations;
    result.history.push_back(judged);
    return within_budget();
}

bool ContactRun::within_budget()
{
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
