// SPDX-License-Identifier: LGPL-2.1-or-later
#include "linear_step.hpp"

#include <Eigen/LU>
#include <Eigen/SparseLU>
#include <future>
#include <memory>
#include <thread>

namespace softcontact {

namespace {

// Dense systems of up to this many rows are done within a poll period.
constexpr Index quick_rows = 500;

struct DenseSystem {
    MatrixXd matrix;
    VectorXd right;

    bool solve()
    {
        right = Eigen::PartialPivLU<Eigen::Ref<MatrixXd>>(matrix).solve(right).eval();
        return right.allFinite();
    }
};

struct SparseSystem {
    Eigen::SparseMatrix<double> matrix;
    VectorXd right;

    bool solve()
    {
        Eigen::SparseLU<Eigen::SparseMatrix<double>> factor;
        factor.compute(matrix);
        if (factor.info() != Eigen::Success) {
            return false;
        }
        right = factor.solve(right).eval();
        return right.allFinite();
    }
};

template <typename System>
bool solve_apart(System& system, ContactRun& run)
{
    // Owned by the thread as well: it may outlive the run.
    const auto shared = std::make_shared<System>(std::move(system));
    std::promise<bool> promise;
    std::future<bool> solved = promise.get_future();
    std::thread([shared, done = std::move(promise)]() mutable {
        try {
            done.set_value(shared->solve());
        } catch (...) {
            done.set_exception(std::current_exception());
        }
    }).detach();
    while (solved.wait_for(ContactRun::poll_period) != std::future_status::ready) {
        run.poll();
    }
    const bool found = solved.get();
    system = std::move(*shared);
    return found;
}

template <typename System, typename Matrix>
bool solve(Matrix& matrix, VectorXd& right, bool quick, ContactRun& run)
{
    System system{std::move(matrix), std::move(right)};
    const bool found = quick || !run.polls() ? system.solve() : solve_apart(system, run);
    matrix = std::move(system.matrix);
    right = std::move(system.right);
    return found;
}

}  // namespace

bool solve_dense(MatrixXd& matrix, VectorXd& right, ContactRun& run)
{
    return solve<DenseSystem>(matrix, right, matrix.rows() <= quick_rows, run);
}

bool solve_sparse(Eigen::SparseMatrix<double>& matrix, VectorXd& right, ContactRun& run)
{
    return solve<SparseSystem>(matrix, right, false, run);
}

}  // namespace softcontact
