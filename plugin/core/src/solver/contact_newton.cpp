// SPDX-License-Identifier: LGPL-2.1-or-later
#include "contact_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "contact_projection.hpp"
#include "contact_sweeps.hpp"
#include "linear_step.hpp"

namespace softcontact {

namespace {

// Compliance on the diagonal, against the block's own.
constexpr double least_extra = 1e-13, first_extra = 1e-8, most_extra = 1.0;
// A step is taken when it lowers the merit below the worst of this many past ones.
constexpr std::size_t memory = 4;
// Time of a dense step, guessed high.
constexpr double seconds_a_cubed_row = 3e-10;
constexpr int most_halvings = 6, most_failures = 6;
// Systems larger than this are factorised sparse where at most this share of W is stored.
constexpr Index dense_size = 400;
constexpr double sparse_share = 0.2;

}  // namespace

ContactNewton::ContactNewton(const ContactProblem& problem, const VectorXd& compliance)
    : m_problem(problem),
      m_rho(compliance.cwiseInverse()),
      m_extra(first_extra),
      m_equations(static_cast<std::size_t>(problem.mu.size())),
      m_place(static_cast<std::size_t>(problem.mu.size()))
{
}

template <typename Visitor>
void ContactNewton::for_each_block(double extra, Visitor&& visit) const
{
    for (Index j = 0; j < m_rho.size(); ++j) {
        const Index column = m_place[static_cast<std::size_t>(j)];
        if (column < 0) {
            continue;
        }
        bool diagonal = false;
        const auto own = [&](const ContactEquation& e, const Matrix3d& W) -> Matrix3d {
            return e.A * (W + extra / m_rho[j] * Matrix3d::Identity()) + e.B;
        };
        m_problem.W.for_each_in_column(j, [&](Index i, const Matrix3d& W) {
            const auto row = static_cast<std::size_t>(i);
            if (m_place[row] >= 0) {
                diagonal = diagonal || i == j;
                visit(m_place[row], column,
                      i == j ? own(m_equations[row], W) : Matrix3d(m_equations[row].A * W));
            }
        });
        if (!diagonal) {
            visit(column, column, own(m_equations[static_cast<std::size_t>(j)], Matrix3d::Zero()));
        }
    }
}

bool ContactNewton::solve_system(Index size, double extra, VectorXd& right, ContactRun& run)
{
    const auto n = static_cast<double>(m_rho.size());
    const double share = static_cast<double>(m_problem.W.blocks()) / (n * n);
    if (size <= dense_size || share > sparse_share) {
        m_matrix.setZero(size, size);
        for_each_block(extra,
                       [&](Index i, Index j, const Matrix3d& block) { m_matrix.block<3, 3>(i, j) = block; });
        return solve_dense(m_matrix, right, run);
    }
    std::vector<Eigen::Triplet<double>> entries;
    for_each_block(extra, [&](Index i, Index j, const Matrix3d& block) {
        for (Index c = 0; c < 3; ++c) {
            for (Index k = 0; k < 3; ++k) {
                entries.emplace_back(static_cast<int>(i + k), static_cast<int>(j + c), block(k, c));
            }
        }
    });
    Eigen::SparseMatrix<double> matrix(size, size);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return solve_sparse(matrix, right, run);
}

bool ContactNewton::direction(const VectorXd& r, const VectorXd& u, double extra, VectorXd& step,
                              ContactRun& run)
{
    const Index n = m_rho.size();
    Index size = 0;
    step.setZero(3 * n);
    for (Index i = 0; i < n; ++i) {
        const auto k = static_cast<std::size_t>(i);
        m_equations[k] =
            contact_equation(m_rho[i], m_problem.mu[i], r.segment<3>(3 * i), u.segment<3>(3 * i));
        m_place[k] = m_equations[k].parted ? -1 : size;
        if (m_equations[k].parted) {
            step.segment<3>(3 * i) = -r.segment<3>(3 * i);
        } else {
            size += 3;
        }
    }
    VectorXd forced, right(size);
    m_problem.W.multiply(step, forced);
    for (Index i = 0; i < n; ++i) {
        const auto k = static_cast<std::size_t>(i);
        if (m_place[k] >= 0) {
            right.segment<3>(m_place[k]) = -m_equations[k].phi - m_equations[k].A * forced.segment<3>(3 * i);
        }
    }
    if (size > 0 && !solve_system(size, extra, right, run)) {
        return false;
    }
    for (Index i = 0; i < n; ++i) {
        const Index place = m_place[static_cast<std::size_t>(i)];
        if (place >= 0) {
            step.segment<3>(3 * i) = right.segment<3>(place);
        }
    }
    return true;
}

ContactNewton::End ContactNewton::run(VectorXd& r, int most, ContactRun& run)
{
    VectorXd u, step, image, next, next_u;
    const auto velocity = [&] {
        m_problem.W.multiply(r, u);
        u += m_problem.q;
    };
    velocity();
    std::vector<double> past{contact_merit(m_rho, m_problem.mu, r, u)};
    int failures = 0;
    for (int k = 0; k < most; ++k) {
        run.poll();
        // A factorisation cannot be cut short: where it might outlast the budget, the sweeps have the time.
        const auto active =
            3.0 * static_cast<double>((r.reshaped(3, m_rho.size()).row(0).array() > 0.0).count());
        if (run.time_left() < active * active * active * seconds_a_cubed_row) {
            return End::no_progress;
        }
        bool taken = false;
        if (direction(r, u, m_extra, step, run)) {
            m_problem.W.multiply(step, image);
            const double worst = *std::ranges::max_element(past);
            double t = 1.0;
            for (int h = 0; h <= most_halvings && !taken; ++h, t *= 0.5) {
                next = r + t * step;
                next_u = u + t * image;
                ++run.result.inner_iterations;
                const double now = contact_merit(m_rho, m_problem.mu, next, next_u);
                if (now <= (1.0 - 1e-4 * t) * worst) {
                    taken = true;
                    past.push_back(now);
                    if (past.size() > memory) {
                        past.erase(past.begin());
                    }
                    m_extra = h == 0  ? std::max(least_extra, 0.1 * m_extra)
                              : h > 2 ? std::min(most_extra, 10.0 * m_extra)
                                      : m_extra;
                }
            }
        }
        if (!taken) {
            m_extra *= 100.0;
            if (++failures >= most_failures || m_extra > most_extra) {
                m_extra = first_extra;
                return End::no_progress;
            }
            continue;
        }
        r = next;
        velocity();
        const double error = run.error(r, u);
        if (error <= run.options().tolerance) {
            run.accept(r, error);
            return End::converged;
        }
        run.offer(r, error);
        if (!run.count(error)) {
            return End::budget;
        }
    }
    return End::no_progress;
}

namespace {

void approach(const ContactProblem& problem, const VectorXd& guess, int patience, bool pulls,
              ContactRun& run);

// Proximal points: compliance added at first, against the block's own, and how it moves.
constexpr double first_pull = 1e-3, least_pull = 1e-9, most_pull = 10.0;
constexpr int part_iterations = 400, most_pulls = 60, most_idle_pulls = 12;

/// Proximal points: r -> the solution of the problem with compliance added that is free of load at r. Each is
/// better posed than the problem itself. True when the run is over.
bool pull(const ContactProblem& problem, ContactRun& run)
{
    VectorXd compliance(problem.mu.size());
    for (Index i = 0; i < compliance.size(); ++i) {
        compliance[i] = problem.W.diagonal(i).trace() / 3.0;
    }
    VectorXd r = run.best(), u;
    double error = run.best_error(), milestone = error, strength = first_pull;
    int idle = 0;
    for (int k = 0; k < most_pulls && idle < most_idle_pulls; ++k) {
        ContactProblem eased{problem.W, problem.q, problem.mu};
        eased.W.add_diagonal(strength * compliance);
        for (Index i = 0; i < r.size(); ++i) {
            eased.q[i] -= strength * compliance[i / 3] * r[i];
        }
        const ContactSolverOptions options = run.part(std::max(1e-13, 1e-2 * error), part_iterations);
        ContactRun part(eased, options);
        part.offer(r, std::numeric_limits<double>::infinity());
        approach(eased, r, 30, false, part);
        r = part.result.converged() ? part.result.force : part.best();
        problem.W.multiply(r, u);
        u += problem.q;
        error = run.error(r, u);
        run.offer(r, error);
        const bool more = run.count_part(part.result, error);
        if (error <= run.options().tolerance) {
            run.result.force = r;
            run.result.reason = StopReason::converged;
            return true;
        }
        if (!more) {
            return true;
        }
        if (!std::isfinite(error)) {
            return false;
        }
        idle = run.best_error() <= 0.5 * milestone ? 0 : idle + 1;
        milestone = idle == 0 ? run.best_error() : milestone;
        strength = part.result.converged() ? std::max(least_pull, 0.5 * strength)
                                           : std::min(most_pull, 3.0 * strength);
    }
    return false;
}

/// Projections from zero: another way to come near, where the others are caught at a bad place. True when the
/// run is over.
bool start_elsewhere(const ContactProblem& problem, int most, ContactRun& run)
{
    const ContactSolverOptions options = run.part(run.options().tolerance, most);
    ContactRun part(problem, options);
    const VectorXd zero = VectorXd::Zero(problem.q.size());
    part.offer(zero, run.error(zero, problem.q));
    const MatrixOperator W(problem.W);
    run_projection(W, operator_compliances(W, problem.mu.size())[0], problem.q, problem.mu, zero, part);
    const bool solved = part.result.converged();
    VectorXd r = solved ? part.result.force : part.best(), u;
    problem.W.multiply(r, u);
    u += problem.q;
    const double error = run.error(r, u);
    run.offer(r, error);
    const bool more = run.count_part(part.result, error);
    if (solved) {
        run.result.force = r;
        run.result.reason = StopReason::converged;
        return true;
    }
    return !more;
}

/// Sweeps and Newton steps in turn, and where those do not get on and `pulls` allows it, proximal points and
/// projections.
void approach(const ContactProblem& problem, const VectorXd& guess, int patience, bool pulls, ContactRun& run)
{
    ContactNewton newton(problem, run.compliance());
    ContactSweeps sweeps(problem);
    constexpr int newton_steps = 40;
    constexpr int projections = 700;
    VectorXd r = guess;
    for (int turn = 1;; ++turn, patience *= 2) {
        sweeps.start(r);
        if (run_sweeps(problem, sweeps, Acceleration::anderson, patience, run)) {
            return;
        }
        r = run.best();
        if (newton.run(r, newton_steps, run) != ContactNewton::End::no_progress) {
            return;
        }
        if (pulls && turn > 1 &&
            (turn % 2 == 0 ? start_elsewhere(problem, projections * turn, run) : pull(problem, run))) {
            return;
        }
        r = run.best();
    }
}

}  // namespace

void run_newton(const ContactProblem& problem, const VectorXd& guess, int patience, ContactRun& run)
{
    approach(problem, guess, patience, true, run);
}

}  // namespace softcontact
