// SPDX-License-Identifier: LGPL-2.1-or-later
#include "contact_sweeps.hpp"

#include <algorithm>
#include <cmath>

namespace softcontact {

namespace {

// u is carried along by differences; this often it is computed afresh.
constexpr int refresh_period = 16;

}  // namespace

ContactSweeps::ContactSweeps(const ContactProblem& problem) : m_problem(problem)
{
    m_blocks.reserve(static_cast<std::size_t>(problem.mu.size()));
    for (Index i = 0; i < problem.mu.size(); ++i) {
        m_blocks.emplace_back(problem.W.diagonal(i), problem.mu[i]);
    }
}

void ContactSweeps::start(const VectorXd& force)
{
    r = force;
    refresh();
    before = r;
    u_before = u;
}

void ContactSweeps::refresh()
{
    m_problem.W.multiply(r, u);
    u += m_problem.q;
}

void ContactSweeps::sweep(ContactRun& run)
{
    before = r;
    u_before = u;
    unsolved = 0;
    for (Index i = 0; i < m_problem.mu.size(); ++i) {
        if (i % contacts_a_poll == 0) {
            run.poll();
        }
        const Vector3d old = r.segment<3>(3 * i);
        const bool idle = old.x() == 0.0 && old.y() == 0.0 && old.z() == 0.0;
        if (idle && u[3 * i] >= 0.0) {
            continue;
        }
        Vector3d next = old;
        if (!m_blocks[static_cast<std::size_t>(i)].solve(u.segment<3>(3 * i) - m_problem.W.diagonal(i) * old,
                                                         next)) {
            ++unsolved;
        }
        const Vector3d delta = next - old;
        if (delta.x() != 0.0 || delta.y() != 0.0 || delta.z() != 0.0) {
            r.segment<3>(3 * i) = next;
            m_problem.W.add_column(i, delta, u.data());
        }
    }
}

bool run_sweeps(const ContactProblem& problem, ContactSweeps& sweeps, Acceleration acceleration, int patience,
                ContactRun& run)
{
    SweepAcceleration mixing;
    if (acceleration != Acceleration::none) {
        mixing.start(problem.W.rows());
        for (Index row = 0; row < problem.W.rows(); ++row) {
            mixing.set_weight(row, problem.W.diagonal(row / 3)(row % 3, row % 3));
        }
    }
    double largest = 0.0;
    for (Index i = 0; i < problem.mu.size(); ++i) {
        largest = std::max(largest, problem.W.diagonal(i).diagonal().maxCoeff());
    }
    const double rho = 1.0 / largest;
    double milestone = run.best_error();
    int waited = 0;
    for (int k = 1;; ++k) {
        sweeps.sweep(run);
        run.result.inner_iterations += problem.mu.size();
        double error = run.error(sweeps.r, sweeps.u);
        run.result.uzawa_error =
            (sweeps.r - sweeps.before).reshaped(3, problem.mu.size()).colwise().norm().maxCoeff() / rho;
        double judged = run.judge(sweeps.before, sweeps.r, error);
        if (judged <= run.options().tolerance && run.by_map()) {
            sweeps.refresh();
            judged = error = run.error(sweeps.r, sweeps.u);
        }
        if (!std::isfinite(error)) {
            run.result.reason = StopReason::not_finite;
            run.count(judged);
            return true;
        }
        if (judged <= run.options().tolerance && (run.by_map() || sweeps.unsolved == 0)) {
            run.accept(sweeps.r, judged);
            return true;
        }
        run.offer(sweeps.r, error);
        if (!run.count(judged)) {
            return true;
        }
        if (run.best_error() <= 0.1 * milestone) {
            milestone = run.best_error();
            waited = 0;
        } else if (patience > 0 && ++waited >= patience) {
            return false;
        }
        if (!mixing.apply(acceleration, sweeps.before, sweeps.u_before, sweeps.r, sweeps.u) ||
            k % refresh_period == 0) {
            sweeps.refresh();
        }
    }
}

}  // namespace softcontact
