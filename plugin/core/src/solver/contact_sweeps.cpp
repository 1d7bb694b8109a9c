// SPDX-License-Identifier: LGPL-2.1-or-later
#include "contact_sweeps.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace softcontact {

namespace {

// A step this many times longer than the last, squared, starts Anderson mixing afresh.
constexpr double restart_growth = 4.0;
// Tikhonov term of its least squares, against the trace.
constexpr double mixing_regularisation = 1e-12;
// u is carried along by differences; this often it is computed afresh.
constexpr int refresh_period = 16;
// Sum of mixing weights up to which that is good enough.
constexpr double most_weight = 3.0;

}  // namespace

SweepMixing::SweepMixing(Acceleration method, const ContactMatrix& W) : m_method(method), m_matrix(&W) {}

SweepMixing::SweepMixing(Index rows) : m_method(Acceleration::anderson), m_weight(VectorXd::Ones(rows)) {}

void SweepMixing::begin()
{
    if (m_matrix != nullptr) {
        m_weight = step_weights(*m_matrix);
    }
    const Index rows = m_weight.size();
    if (m_method == Acceleration::anderson) {
        for (MatrixXd* changes : {&m_step_changes, &m_x_changes, &m_u_changes}) {
            changes->resize(rows, window);
        }
    }
    m_direction.setZero(rows);
    m_direction_u.setZero(rows);
    m_begun = true;
}

bool SweepMixing::apply(const VectorXd& before, const VectorXd& u_before, VectorXd& x, VectorXd& u)
{
    if (m_method == Acceleration::none) {
        return true;
    }
    if (!m_begun) {
        begin();
    }
    if (m_method == Acceleration::conjugate) {
        conjugate(before, u_before, x, u);
    } else if (m_method == Acceleration::anderson) {
        return mix(before, x, u);
    }
    return true;
}

void SweepMixing::conjugate(const VectorXd& before, const VectorXd& u_before, VectorXd& x, VectorXd& u)
{
    m_step = x - before;
    m_last_step = u - u_before;
    const double norm = m_weight.cwiseProduct(m_step).squaredNorm();
    const double ratio = m_last_norm > 0.0 ? norm / m_last_norm : 2.0;
    m_last_norm = norm;
    const double beta = ratio > 1.0 ? 0.0 : ratio;
    x += beta * m_direction;
    u += beta * m_direction_u;
    m_direction = beta * m_direction + m_step;
    m_direction_u = beta * m_direction_u + m_last_step;
}

bool SweepMixing::mix(const VectorXd& before, VectorXd& x, VectorXd& u)
{
    m_step = m_weight.cwiseProduct(x - before);
    const double norm = m_step.squaredNorm();
    if (norm > restart_growth * m_last_norm) {
        m_used = m_next = 0;
    } else if (m_started) {
        m_step_changes.col(m_next) = m_step - m_last_step;
        m_x_changes.col(m_next) = x - m_last_x;
        m_u_changes.col(m_next) = u - m_last_u;
        m_used = std::min(m_used + 1, window);
        for (int j = 0; j < m_used; ++j) {
            m_gram(m_next, j) = m_gram(j, m_next) = m_step_changes.col(m_next).dot(m_step_changes.col(j));
        }
        m_next = (m_next + 1) % window;
    }
    m_last_norm = norm;
    m_started = true;
    m_last_step = m_step;
    m_last_x = x;
    m_last_u = u;
    if (m_used == 0) {
        return true;
    }
    using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, window, 1>;
    using SmallMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, window, window>;
    SmallVector right(m_used);
    for (int j = 0; j < m_used; ++j) {
        right[j] = m_step_changes.col(j).dot(m_step);
    }
    SmallMatrix gram = m_gram.topLeftCorner(m_used, m_used);
    gram.diagonal().array() += mixing_regularisation * gram.trace();
    const SmallVector weights = gram.ldlt().solve(right);
    if (!weights.allFinite()) {
        return true;
    }
    for (int j = 0; j < m_used; ++j) {
        x -= weights[j] * m_x_changes.col(j);
        u -= weights[j] * m_u_changes.col(j);
    }
    return weights.lpNorm<1>() <= most_weight;
}

VectorXd step_weights(const ContactMatrix& W)
{
    VectorXd weights(W.rows());
    for (Index i = 0; i < W.contacts(); ++i) {
        weights.segment<3>(3 * i) = W.diagonal(i).diagonal().cwiseMax(0.0).cwiseSqrt();
    }
    return weights;
}

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
    SweepMixing mixing(acceleration, problem.W);
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
        if (!mixing.apply(sweeps.before, sweeps.u_before, sweeps.r, sweeps.u) || k % refresh_period == 0) {
            sweeps.refresh();
        }
    }
}

}  // namespace softcontact
