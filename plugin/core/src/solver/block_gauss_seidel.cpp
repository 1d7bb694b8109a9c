// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/solver/block_gauss_seidel.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "softcontact/friction/moment_block.hpp"

namespace softcontact {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Changes of sweeps go up and down: only this many without one of half the least so far count as going
// nowhere.
constexpr int patience = 60;
// A sweep that moves no block by more than this share of the tolerance is its own residual: what a block's
// change does to the blocks before it is of the same size.
constexpr double settled_share = 1e-3;
// Sweeps beyond the tolerance that what is at rest is given to come to it more closely.
constexpr int rest_sweeps = 10;
// Share of a block's change that relaxed sweeps take: the first time, and at least.
constexpr double under_relaxation = 0.5, least_relaxation = 0.1;

/// The larger one, and not a number where one is none: std::max would hide it.
double worse(double a, double b)
{
    return std::isnan(a) || b <= a ? a : b;
}

/// What to try where one way of extrapolation gets nowhere.
Acceleration other(Acceleration extrapolation)
{
    return extrapolation == Acceleration::anderson ? Acceleration::conjugate : Acceleration::anderson;
}

}  // namespace

DecoupledBounds block_bounds(const BlockDescriptor& block, const Eigen::Ref<const VectorXd>& q)
{
    if (block.has_torsion() && block.law == FrictionLaw::contensou_decoupled) {
        return decoupled_bounds(block.patch, q.segment<3>(block.offset + 1));
    }
    return {1.0, 0.0};
}

void BlockGaussSeidel::reserve(int rows, int blocks)
{
    m_look.reserve(rows, blocks);
    m_bounds.reserve(static_cast<std::size_t>(blocks));
    m_acceleration.reserve(rows);
    for (VectorXd* buffer : {&m_previous, &m_best}) {
        if (buffer->size() < rows) {
            buffer->resize(rows);
        }
    }
}

void BlockGaussSeidel::prepare(const RowMajorRef& W, const Eigen::Ref<const VectorXd>& q,
                               std::span<const BlockDescriptor> blocks)
{
    m_look.look_at(W, blocks);
    prepare(m_look, q, blocks);
}

void BlockGaussSeidel::prepare(const BlockRows& W, const Eigen::Ref<const VectorXd>& q,
                               std::span<const BlockDescriptor> blocks)
{
    m_rows = &W;
    m_size = q.size();
    m_free = q.data();
    m_blocks = blocks;
    for (VectorXd* buffer : {&m_previous, &m_best}) {
        if (buffer->size() < m_size) {
            buffer->resize(m_size);
        }
    }
    m_acceleration.start(m_size);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const auto own = W.own(static_cast<int>(b));
        for (int i = 0; i < blocks[b].rows; ++i) {
            m_acceleration.set_weight(blocks[b].offset + i, own(i, i));
        }
    }
    m_bounds.clear();
    for (const BlockDescriptor& block : blocks) {
        m_bounds.push_back(block_bounds(block, q));
    }
}

double BlockGaussSeidel::solve_block(int index, const double* lambda, double* next) const
{
    const BlockDescriptor& block = m_blocks[static_cast<std::size_t>(index)];
    const BlockRows::ConstBlock own = m_rows->own(index);
    const double* now = lambda + block.offset;
    double u[max_block_rows];
    m_rows->multiply(index, lambda, m_motion, u);
    for (int i = 0; i < block.rows; ++i) {
        u[i] += m_free[block.offset + i];
    }
    bool solved = true;
    if (block.rows == 1) {
        const double compliance = own(0, 0);
        if (compliance > 0.0) {
            next[0] = std::min(block.upper, std::max(block.lower, now[0] - u[0] / compliance));
        } else {
            next[0] = std::max(block.lower, 0.0);
            solved = u[0] >= 0.0 || block.lower < 0.0;
        }
        return solved ? block.length * std::abs(compliance * (next[0] - now[0])) : infinity;
    }
    if (block.tilts > 0) {
        const BlockMatrix W = own;
        const BlockVector force = Eigen::Map<const VectorXd>(now, block.rows);
        const BlockVector q = Eigen::Map<const VectorXd>(u, block.rows) - W * force;
        const BlockSolution solution =
            solve_moment_block(W, q, block, m_bounds[static_cast<std::size_t>(index)], force);
        Eigen::Map<VectorXd>(next, block.rows) = solution.force;
        return solution.converged ? largest_velocity(block, W * (solution.force - force)) : infinity;
    }
    if (block.rows == 3) {
        const Matrix3d W = own.topLeftCorner<3, 3>();
        const Eigen::Map<const Vector3d> force(now);
        const Vector3d q = Eigen::Map<const Vector3d>(u) - W * force;
        const CoulombSolution solution = solve_coulomb_block(W, q, block.mu);
        Eigen::Map<Vector3d>(next, 3) = solution.force;
        const double change = (W * (solution.force - force)).lpNorm<Eigen::Infinity>();
        return solution.converged ? change : infinity;
    }
    const Matrix4d W = own.topLeftCorner<4, 4>();
    const Vector4d force = Eigen::Map<const Vector4d>(now);
    const Vector4d q = Eigen::Map<const Vector4d>(u) - W * force;
    const PatchSolution solution =
        block.law == FrictionLaw::contensou
            ? solve_contensou_block(W, q, block.patch, block.mu, force)
            : solve_decoupled_block(W, q, m_bounds[static_cast<std::size_t>(index)], block.mu, force);
    Eigen::Map<Vector4d>(next, 4) = solution.force;
    return solution.converged ? largest_velocity(block, W * (solution.force - force)) : infinity;
}

double BlockGaussSeidel::sweep(Eigen::Ref<VectorXd> lambda, double relaxation)
{
    m_previous.head(m_size) = lambda;
    m_rows->gather(lambda.data(), m_motion);
    double change = 0.0;
    for (std::size_t b = 0; b < m_blocks.size(); ++b) {
        double next[max_block_rows];
        change = worse(change, solve_block(static_cast<int>(b), lambda.data(), next));
        double* now = lambda.data() + m_blocks[b].offset;
        double moved[max_block_rows];
        for (int i = 0; i < m_blocks[b].rows; ++i) {  // between two admissible loads: admissible
            const double before = now[i];
            now[i] = relaxation == 1.0 ? next[i] : before + relaxation * (next[i] - before);
            moved[i] = now[i] - before;
        }
        m_rows->move(static_cast<int>(b), moved, m_motion);
    }
    return change;
}

void BlockGaussSeidel::accelerate(Acceleration method, Eigen::Ref<VectorXd> lambda)
{
    m_acceleration.apply(method, m_previous.head(m_size), lambda);
}

double BlockGaussSeidel::residual(const Eigen::Ref<const VectorXd>& lambda)
{
    double largest = 0.0;
    for (const double own : residuals(lambda)) {
        largest = worse(largest, own);
    }
    return largest;
}

std::span<const double> BlockGaussSeidel::residuals(const Eigen::Ref<const VectorXd>& lambda)
{
    m_rows->gather(lambda.data(), m_motion);
    m_residuals.clear();
    for (std::size_t b = 0; b < m_blocks.size(); ++b) {
        double next[max_block_rows];
        const double change = solve_block(static_cast<int>(b), lambda.data(), next);
        m_residuals.push_back(std::isnan(change) ? infinity : change);
    }
    return m_residuals;
}

GaussSeidelResult BlockGaussSeidel::solve(const RowMajorRef& W, const Eigen::Ref<const VectorXd>& q,
                                          std::span<const BlockDescriptor> blocks,
                                          const GaussSeidelOptions& options, Eigen::Ref<VectorXd> lambda)
{
    m_look.look_at(W, blocks);
    return solve(m_look, q, blocks, options, lambda);
}

GaussSeidelResult BlockGaussSeidel::solve(const BlockRows& W, const Eigen::Ref<const VectorXd>& q,
                                          std::span<const BlockDescriptor> blocks,
                                          const GaussSeidelOptions& options, Eigen::Ref<VectorXd> lambda)
{
    using Clock = std::chrono::steady_clock;
    const auto start = options.time_budget_s > 0.0 ? Clock::now() : Clock::time_point{};
    prepare(W, q, blocks);
    if (!lambda.allFinite()) {
        lambda.setZero();
    }
    double largest_free = 0.0;
    for (const BlockDescriptor& block : blocks) {
        const Eigen::Map<const VectorXd> free(m_free + block.offset, block.rows);
        largest_free = std::max(largest_free, largest_velocity(block, free));
    }
    const double tolerance = std::max(options.velocity_tolerance, options.relative_tolerance * largest_free);
    GaussSeidelResult result;
    Acceleration acceleration = options.acceleration, extrapolation = acceleration;
    double least = infinity, best = infinity, change = infinity;
    double relaxation = 1.0, next_relaxation = under_relaxation;
    int idle = 0, resting = 0;
    bool at_rest = false;
    while (result.iterations < options.max_iterations) {
        change = sweep(lambda, relaxation);
        at_rest = ++result.iterations == 1 ? change <= options.rest_change : at_rest;
        if (change < best && lambda.allFinite()) {
            best = change;
            m_best.head(m_size) = lambda;
        }
        if (change <= tolerance) {
            result.residual =
                relaxation == 1.0 && change <= settled_share * tolerance ? change : residual(lambda);
            const bool more = at_rest && result.residual > options.rest_tolerance && ++resting <= rest_sweeps;
            if (result.residual <= tolerance && !more) {
                result.converged = true;
                return result;
            }
        }
        if (options.time_budget_s > 0.0 &&
            std::chrono::duration<double>(Clock::now() - start).count() > options.time_budget_s) {
            break;
        }
        idle = change <= 0.5 * least ? 0 : idle + 1;
        least = idle == 0 ? change : least;
        if (idle >= patience) {
            // Extrapolated, plain, relaxed, then extrapolated in the other way: what one of them keeps
            // turning in circles, another one often ends.
            const bool plain = acceleration == Acceleration::none && relaxation == 1.0;
            const bool relaxed = relaxation != 1.0;
            if (plain && change <= options.resigned_tolerance &&
                residual(lambda) <= options.resigned_tolerance) {
                break;
            }
            extrapolation = relaxed ? other(extrapolation) : extrapolation;
            acceleration = relaxed ? extrapolation : Acceleration::none;
            relaxation = plain ? next_relaxation : 1.0;
            next_relaxation = plain ? std::max(least_relaxation, 0.5 * next_relaxation) : next_relaxation;
            m_acceleration.start(m_size);
            least = infinity;
            idle = 0;
        }
        if (result.iterations < options.max_iterations) {
            accelerate(acceleration, lambda);
        }
    }
    if (!lambda.allFinite()) {
        lambda.setZero();
    }
    result.residual = residual(lambda);
    if (best < infinity && !(change <= best)) {
        const double least_residual = residual(m_best.head(m_size));
        if (least_residual < result.residual) {
            lambda = m_best.head(m_size);
            result.residual = least_residual;
        }
    }
    result.converged = result.residual <= tolerance;
    return result;
}

}  // namespace softcontact
