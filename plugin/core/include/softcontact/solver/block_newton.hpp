// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/solver/block_gauss_seidel.hpp"

namespace softcontact {

struct BlockNewtonOptions {
    double velocity_tolerance = 1e-9;  ///< [m/s], absolute
    int max_steps = 60;                ///< from one start
    int max_pulls = 40;                ///< proximal points, where no start leads to a solution
};

/// Semismooth Newton method over contact blocks of every kind, for the problems that sweeps do not solve.
///
///     u = W λ + q;  each block: 0 <= λ_n ⟂ u_n >= 0 and its friction law, as an equation φ_b(λ_b, u_b) = 0
///
/// φ_b is the natural map of the block (block_equation.hpp). A step solves the linearised equations of all
/// blocks at once; a line search on Σ |φ_i|² / W_ii, not below the last value but the worst of the last few,
/// and compliance added to W in the linearisation, where steps do not help, keep it from going astray. Starts
/// from λ, then from zero, then proximal points: problems with compliance added that is free of load at the
/// last λ, each better posed than the problem itself. The solution holds the laws of all blocks even where
/// the exact solution of a single block is not the only one, so that sweeps jump between two. Same inputs,
/// same bits; buffers are kept. Sources: Alart and Curnier 1991; Grippo, Lampariello and Lucidi 1986
/// (nonmonotone search); Rockafellar 1976.
class BlockNewton {
public:
    /// λ (rows) [N] is the start, and the best found afterwards. `residual` is max over blocks of |φ_b|_inf
    /// [m/s], the spin of a patch times its length; `iterations` counts steps.
    GaussSeidelResult solve(const RowMajorRef& W, const Eigen::Ref<const VectorXd>& q,
                            std::span<const BlockDescriptor> blocks, const BlockNewtonOptions& options,
                            Eigen::Ref<VectorXd> lambda);

private:
    /// Newton steps from m_lambda, on the problem as pulled. Returns the violation it ends with.
    double descend(int most, double tolerance);
    bool find_step(double extra);
    double evaluate(const VectorXd& lambda, const VectorXd& u);
    void pull(double strength, const VectorXd& to);
    [[nodiscard]] double violation(const VectorXd& lambda);
    /// Proximal points from the best.
    void pull_along(const BlockNewtonOptions& options);
    /// Makes m_lambda admissible and keeps the best; whether that is within the tolerance.
    bool offer(double tolerance);

    [[nodiscard]] Matrix4d own(const BlockDescriptor& block) const;
    [[nodiscard]] static Vector4d rows(const BlockDescriptor& block, const VectorXd& v);

    std::span<const BlockDescriptor> m_blocks;
    std::vector<DecoupledBounds> m_bounds;
    RowMajorMatrix m_matrix, m_system;  // W as pulled; the linearised equations
    VectorXd m_free, m_plain_free, m_compliance;
    VectorXd m_lambda, m_velocity, m_step, m_image, m_next, m_next_velocity, m_right, m_best;
    double m_worst = 0.0;  // violation where evaluate was last
    double m_best_violation = 0.0;
    int m_steps = 0;
};

}  // namespace softcontact
