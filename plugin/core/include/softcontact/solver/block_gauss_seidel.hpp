// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/solver/acceleration.hpp"
#include "softcontact/solver/block_rows.hpp"

namespace softcontact {

/// Settings of BlockGaussSeidel. Velocities are those of the rows: m/s, the spin of a patch times its
/// gyration radius. (For a position problem read metres, and the scalar projected Gauss–Seidel is the same
/// with blocks of one row.)
struct GaussSeidelOptions {
    double velocity_tolerance = 1e-9;  ///< [m/s], absolute; see GaussSeidelResult::residual
    double relative_tolerance = 0.0;   ///< of max |q|; the larger of the two limits counts
    /// What is at rest would wander at the speed of the tolerance: where the first sweep moves no block by
    /// more than rest_change [m/s], some sweeps more go on to rest_tolerance [m/s]. 0: they do not.
    double rest_change = 0.0, rest_tolerance = 0.0;
    /// [m/s] sweeps that get nowhere end early once they move no block by more; they do not count as
    /// converged.
    double resigned_tolerance = 0.0;
    int max_iterations = 1000;  ///< sweeps
    Acceleration acceleration = Acceleration::anderson;
    /// Stop after this long [s]; 0: no limit (with a limit, results depend on the clock).
    double time_budget_s = 0.0;
};

struct GaussSeidelResult {
    int iterations = 0;
    /// max over blocks of |W_bb (λ_b* - λ_b)|_inf, λ_b* the exact solution of block b with the others as they
    /// are [m/s]; spins and tilts times the length of their rows (row_length): the gyration radius of the
    /// shares, the longest lever of the hull. Infinity where a block has no solution. A block with more than
    /// one solution, as strong friction on a normal row that it moves can make it, may show some at a λ that
    /// holds all laws; BlockNewton measures those.
    double residual = 0.0;
    bool converged = false;
};

/// Bounds of a block's friction in decoupled form, from the free velocity q of all rows; those of a point
/// contact where its law is another one.
[[nodiscard]] DecoupledBounds block_bounds(const BlockDescriptor& block, const Eigen::Ref<const VectorXd>& q);

/// Gauss–Seidel over contact blocks with exact block solves.
///
///     u = W λ + q;  each block: 0 <= λ_n ⟂ u_n >= 0 and its friction law
///
/// λ are forces [N] (impulses if W and q say so) and start where the caller leaves them (warm start). A sweep
/// that moves no block by more than the tolerance is confirmed by the residual at the final λ before it
/// counts as convergence; one that moves none by a thousandth of it is taken at its word. Where sweeps get
/// nowhere, others go on: without acceleration, then with another one, for extrapolation can run in circles.
/// Out of sweeps or time, λ is the best of them. Same inputs, same bits; no allocation once reserve has been
/// called for the size, or a problem of the size solved.
class BlockGaussSeidel {
public:
    void reserve(int rows, int blocks);

    GaussSeidelResult solve(const RowMajorRef& W, const Eigen::Ref<const VectorXd>& q,
                            std::span<const BlockDescriptor> blocks, const GaussSeidelOptions& options,
                            Eigen::Ref<VectorXd> lambda);
    GaussSeidelResult solve(const BlockRows& W, const Eigen::Ref<const VectorXd>& q,
                            std::span<const BlockDescriptor> blocks, const GaussSeidelOptions& options,
                            Eigen::Ref<VectorXd> lambda);

    // The pieces, for callers with a stopping rule of their own: prepare, then sweep (and accelerate) as
    // often as wanted.

    /// W, q and blocks must outlive the sweeps.
    void prepare(const RowMajorRef& W, const Eigen::Ref<const VectorXd>& q,
                 std::span<const BlockDescriptor> blocks);
    void prepare(const BlockRows& W, const Eigen::Ref<const VectorXd>& q,
                 std::span<const BlockDescriptor> blocks);
    /// One sweep in place; returns max |W_bb Δλ_b|_inf over the blocks [m/s], infinity when a block has no
    /// solution.
    double sweep(Eigen::Ref<VectorXd> lambda, double relaxation);
    /// Move λ, as it is after a sweep, to where the next sweep should begin.
    void accelerate(Acceleration method, Eigen::Ref<VectorXd> lambda);
    /// GaussSeidelResult::residual at λ, and what each block has of it, until the next call.
    [[nodiscard]] double residual(const Eigen::Ref<const VectorXd>& lambda);
    std::span<const double> residuals(const Eigen::Ref<const VectorXd>& lambda);

    /// Bounds of a block with decoupled friction, as prepare took them from the free velocity.
    [[nodiscard]] const DecoupledBounds& bounds(int block) const
    {
        return m_bounds[static_cast<std::size_t>(block)];
    }

private:
    double solve_block(int block, const double* lambda, double* next) const;

    BlockRows m_look;  ///< at a dense W
    const BlockRows* m_rows = nullptr;
    const double* m_free = nullptr;
    Index m_size = 0;
    std::span<const BlockDescriptor> m_blocks;
    std::vector<DecoupledBounds> m_bounds;
    VectorXd m_previous, m_best;
    std::vector<double> m_motion, m_residuals;  ///< Gᵀ λ of the last sweep or residual; of the blocks
    SweepAcceleration m_acceleration;
};

}  // namespace softcontact
