// SPDX-License-Identifier: LGPL-2.1-or-later
#include "contact_newton.hpp"

#include <algorithm>
#include <vector>

#include "contact_sweeps.hpp"
#include "linear_step.hpp"
#include "softcontact/solver/block_newton.hpp"

namespace softcontact {

namespace {

// Time of a dense step, guessed high.
constexpr double seconds_a_cubed_row = 3e-10;
// Systems larger than this are factorised sparse where at most this share of W is stored.
constexpr Index dense_size = 400;
constexpr double sparse_share = 0.2;

/// W of point contacts, with what a run knows of its time.
class PointOperator final : public ContactOperator {
public:
    PointOperator(const ContactMatrix& W, ContactRun& run)
        : m_W(W), m_run(run), m_place(static_cast<std::size_t>(W.contacts()))
    {
    }

    /// A factorisation that might have outlasted the time was not begun.
    [[nodiscard]] bool short_of_time() const { return m_short_of_time; }

    void multiply(const VectorXd& load, VectorXd& velocity) override { m_W.multiply(load, velocity); }
    [[nodiscard]] BlockMatrix own(const BlockDescriptor& block) const override
    {
        return m_W.diagonal(block.offset / 3);
    }
    [[nodiscard]] bool is_finite() const override
    {
        bool finite = true;
        for (Index j = 0; j < m_W.contacts(); ++j) {
            m_W.for_each_in_column(j, [&](Index, const Matrix3d& W) { finite = finite && W.allFinite(); });
        }
        return finite;
    }
    /// (added + A S A⁻¹ W) step = A off, A the diagonal of `added`; where S is zero, step = off.
    bool find_step(std::span<const BlockDescriptor> blocks, std::span<const BlockMatrix> slopes,
                   const VectorXd& added, const VectorXd& off, VectorXd& step, VectorXd& turn) override
    {
        Index size = 0;
        m_known = off;
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            m_place[b] = slopes[b].isZero(0.0) ? -1 : size;
            if (m_place[b] >= 0) {
                m_known.segment<3>(blocks[b].offset).setZero();
                size += 3;
            }
        }
        const auto rows = static_cast<double>(size);
        m_short_of_time = m_run.time_left() < rows * rows * rows * seconds_a_cubed_row;
        if (m_short_of_time) {
            return false;
        }
        m_W.multiply(m_known, turn);
        VectorXd right(size);
        m_scaled.resize(blocks.size());
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            if (m_place[b] >= 0) {
                const Vector3d A = added.segment<3>(blocks[b].offset);
                m_scaled[b] = A.asDiagonal() * slopes[b] * A.cwiseInverse().asDiagonal();
                right.segment<3>(m_place[b]) = A.cwiseProduct(off.segment<3>(blocks[b].offset)) -
                                               m_scaled[b] * turn.segment<3>(blocks[b].offset);
            }
        }
        if (size > 0 && !solve(added, size, right)) {
            return false;
        }
        step = m_known;
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            if (m_place[b] >= 0) {
                step.segment<3>(blocks[b].offset) = right.segment<3>(m_place[b]);
            }
        }
        m_W.multiply(step, turn);
        turn = -turn.cwiseQuotient(added).eval();
        return step.allFinite() && turn.allFinite();
    }

private:
    template <typename Visitor>
    void for_each_block(const VectorXd& added, Visitor&& visit) const
    {
        for (Index j = 0; j < m_W.contacts(); ++j) {
            const Index column = m_place[static_cast<std::size_t>(j)];
            if (column < 0) {
                continue;
            }
            m_W.for_each_in_column(j, [&](Index i, const Matrix3d& W) {
                const auto row = static_cast<std::size_t>(i);
                if (m_place[row] >= 0) {
                    visit(m_place[row], column, Matrix3d(m_scaled[row] * W));
                }
            });
            visit(column, column, Matrix3d(added.segment<3>(3 * j).asDiagonal()));
        }
    }

    bool solve(const VectorXd& added, Index size, VectorXd& right)
    {
        const auto n = static_cast<double>(m_W.contacts());
        if (size <= dense_size || static_cast<double>(m_W.blocks()) / (n * n) > sparse_share) {
            m_matrix.setZero(size, size);
            for_each_block(
                added, [&](Index i, Index j, const Matrix3d& block) { m_matrix.block<3, 3>(i, j) += block; });
            return solve_dense(m_matrix, right, m_run);
        }
        std::vector<Eigen::Triplet<double>> entries;
        for_each_block(added, [&](Index i, Index j, const Matrix3d& block) {
            for (Index c = 0; c < 3; ++c) {
                for (Index k = 0; k < 3; ++k) {
                    entries.emplace_back(static_cast<int>(i + k), static_cast<int>(j + c), block(k, c));
                }
            }
        });
        Eigen::SparseMatrix<double> matrix(size, size);
        matrix.setFromTriplets(entries.begin(), entries.end());
        return solve_sparse(matrix, right, m_run);
    }

    const ContactMatrix& m_W;
    ContactRun& m_run;
    std::vector<Index> m_place;  ///< of a contact in the linear system; -1 where its load does not move
    std::vector<Matrix3d> m_scaled;
    MatrixXd m_matrix;
    VectorXd m_known;
    bool m_short_of_time = false;
};

std::vector<BlockDescriptor> descriptors(const VectorXd& mu)
{
    std::vector<BlockDescriptor> blocks;
    for (Index i = 0; i < mu.size(); ++i) {
        blocks.push_back({.offset = static_cast<int>(3 * i), .rows = 3, .mu = mu[i]});
    }
    return blocks;
}

}  // namespace

void run_newton(const ContactProblem& problem, const VectorXd& guess, int patience, ContactRun& run)
{
    constexpr int newton_steps = 1500;  // a rock pile of 463 contacts takes 1200
    ContactSweeps sweeps(problem);
    PointOperator W(problem.W, run);
    BlockNewton newton;
    const std::vector<BlockDescriptor> blocks = descriptors(problem.mu);
    VectorXd r = guess, u;
    bool over = false;
    const auto go_on = [&](const VectorXd& best) {
        problem.W.multiply(best, u);
        u += problem.q;
        const double error = run.error(best, u);
        ++run.result.inner_iterations;
        run.offer(best, error);
        if (error <= run.options().tolerance) {
            run.accept(best, error);
            over = true;
        } else {
            over = !run.count(error);
        }
        return !over && !W.short_of_time();
    };
    for (;; patience *= 2) {
        sweeps.start(r);
        if (run_sweeps(problem, sweeps, Acceleration::anderson, patience, run)) {
            return;
        }
        r = run.best();
        newton.solve(W, problem.q, blocks,
                     {.velocity_tolerance = 0.0, .max_steps = newton_steps, .go_on = go_on}, r, VectorXd(r));
        if (over) {
            return;
        }
        r = run.best();
    }
}

}  // namespace softcontact
