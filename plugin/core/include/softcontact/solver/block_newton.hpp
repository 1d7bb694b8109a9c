// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <memory>

#include "softcontact/solver/block_gauss_seidel.hpp"
#include "softcontact/solver/contact_operator.hpp"

namespace softcontact {

struct BlockNewtonOptions {
    double velocity_tolerance = 1e-9;  ///< [m/s], absolute
    int max_steps = 300;               ///< Newton steps, all together
    /// Told the best loads so far after each step; false ends the search.
    std::function<bool(const VectorXd&)> go_on = {};
};

/// Semismooth Newton method over contact blocks of every kind, for the problems that sweeps do not solve.
///
///     u = W λ + q;  each block: its contact and friction laws, as the equation λ_b = Λ_b(λ_b - u_b / R_b)
///
/// Λ_b is the block's answer (friction/natural_map.hpp) and R_b as stiff as its own W. The method follows
/// proximal points (friction/proximal_points.hpp): problems with compliance added that is free of load at the
/// last λ, each better posed than the problem itself, so that W may be singular. The solution holds the laws
/// of all blocks even where the exact solution of a single block is not the only one, so that sweeps jump
/// between two. Same inputs, same bits; buffers are kept.
/// Sources: Alart and Curnier 1991; Qi and Sun 1993; Rockafellar 1976.
class BlockNewton {
public:
    BlockNewton();
    ~BlockNewton();
    BlockNewton(BlockNewton&&) noexcept;
    BlockNewton& operator=(BlockNewton&&) noexcept;

    /// λ (rows) [N] is the start, and the best found afterwards, which respects the bounds of all laws.
    /// `residual` is max over blocks of |R_b (λ_b - Λ_b)|_inf [m/s], rotations times the length of their rows
    /// (row_length); `iterations` counts steps.
    /// guess (rows, or none): loads that may be near the solution, whose states the first step begins with;
    /// what is found is near the start all the same, where there are several.
    GaussSeidelResult solve(ContactOperator& W, const Eigen::Ref<const VectorXd>& q,
                            std::span<const BlockDescriptor> blocks, const BlockNewtonOptions& options,
                            Eigen::Ref<VectorXd> lambda, const VectorXd& guess = {});

private:
    struct Buffers;
    class Problem;
    std::unique_ptr<Buffers> m_buffers;
};

}  // namespace softcontact
