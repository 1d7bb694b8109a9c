// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/solver/block_newton.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "block_equation.hpp"

namespace softcontact {

namespace {

// Compliance added in the linearisation, against the diagonal.
constexpr double least_extra = 1e-13, first_extra = 1e-8, most_extra = 1.0;
// A step is taken when it lowers the merit below the worst of this many past ones.
constexpr std::size_t memory = 4;
constexpr int most_halvings = 6, most_failures = 6;
// Compliance of proximal points, against the diagonal.
constexpr double first_pull = 1e-2, least_pull = 1e-9, most_pull = 10.0;
// Steps go on to this share of the tolerance: what is made admissible then is still within it.
constexpr double admissible_share = 1e-2;

}  // namespace

Matrix4d BlockNewton::own(const BlockDescriptor& block) const
{
    Matrix4d W = Matrix4d::Zero();
    W.topLeftCorner(block.rows, block.rows) =
        m_matrix.block(block.offset, block.offset, block.rows, block.rows);
    return W;
}

Vector4d BlockNewton::rows(const BlockDescriptor& block, const VectorXd& v)
{
    Vector4d r = Vector4d::Zero();
    r.head(block.rows) = v.segment(block.offset, block.rows);
    return r;
}

void BlockNewton::pull(double strength, const VectorXd& to)
{
    m_matrix.diagonal() = (1.0 + strength) * m_compliance;
    m_free = m_plain_free - strength * m_compliance.cwiseProduct(to);
}

double BlockNewton::evaluate(const VectorXd& lambda, const VectorXd& u)
{
    double sum = 0.0;
    m_worst = 0.0;
    for (std::size_t b = 0; b < m_blocks.size(); ++b) {
        const BlockDescriptor& block = m_blocks[b];
        const Matrix4d W = own(block);
        const BlockEquation e =
            block_equation(block, m_bounds[b], W, rows(block, lambda), rows(block, u), false);
        for (int i = 0; i < block.rows; ++i) {
            sum += W(i, i) > 0.0 ? e.phi[i] * e.phi[i] / W(i, i) : 0.0;
            m_worst = std::max(m_worst, std::abs(e.phi[i]) * row_length(block, i));
        }
    }
    return std::isfinite(sum) ? std::sqrt(sum) : std::numeric_limits<double>::infinity();
}

bool BlockNewton::find_step(double extra)
{
    const Index n = m_free.size();
    m_system.resize(n, n);
    m_right.resize(n);
    for (std::size_t b = 0; b < m_blocks.size(); ++b) {
        const BlockDescriptor& block = m_blocks[b];
        const int o = block.offset, r = block.rows;
        const BlockEquation e = block_equation(block, m_bounds[b], own(block), rows(block, m_lambda),
                                               rows(block, m_velocity), true);
        if (e.parted) {
            m_system.middleRows(o, r).setZero();
            m_system.block(o, o, r, r).setIdentity();
            m_right.segment(o, r) = -m_lambda.segment(o, r);
            continue;
        }
        const auto A = e.A.topLeftCorner(r, r);
        m_system.middleRows(o, r).noalias() = A.lazyProduct(m_matrix.middleRows(o, r));
        m_system.block(o, o, r, r) +=
            e.B.topLeftCorner(r, r) + extra * A * m_compliance.segment(o, r).asDiagonal();
        m_right.segment(o, r) = -e.phi.head(r);
    }
    m_step = Eigen::PartialPivLU<Eigen::Ref<RowMajorMatrix>>(m_system).solve(m_right);
    return m_step.allFinite();
}

double BlockNewton::descend(int most, double tolerance)
{
    m_velocity = m_matrix * m_lambda + m_free;
    std::array<double, memory> past{};
    past.fill(-1.0);
    past[0] = evaluate(m_lambda, m_velocity);
    std::size_t taken_steps = 1;
    double worst = m_worst, extra = first_extra;
    int failures = 0;
    for (int k = 0; k < most && worst > tolerance; ++k) {
        ++m_steps;
        bool taken = false;
        if (find_step(extra)) {
            m_image.noalias() = m_matrix * m_step;
            const double limit = *std::ranges::max_element(past);
            double t = 1.0;
            for (int h = 0; h <= most_halvings && !taken; ++h, t *= 0.5) {
                m_next = m_lambda + t * m_step;
                m_next_velocity = m_velocity + t * m_image;
                const double now = evaluate(m_next, m_next_velocity);
                if (now <= (1.0 - 1e-4 * t) * limit) {
                    taken = true;
                    past[taken_steps++ % memory] = now;
                    extra = h == 0  ? std::max(least_extra, 0.1 * extra)
                            : h > 2 ? std::min(most_extra, 10.0 * extra)
                                    : extra;
                }
            }
        }
        if (!taken) {
            extra *= 100.0;
            if (++failures >= most_failures || extra > most_extra) {
                break;
            }
            continue;
        }
        m_lambda.swap(m_next);
        m_velocity = m_matrix * m_lambda + m_free;
        worst = m_worst;
    }
    return worst;
}

double BlockNewton::violation(const VectorXd& lambda)
{
    m_next_velocity = m_matrix * lambda + m_free;
    evaluate(lambda, m_next_velocity);
    return m_worst;
}

bool BlockNewton::offer(double tolerance)
{
    m_velocity = m_matrix * m_lambda + m_free;
    for (std::size_t b = 0; b < m_blocks.size(); ++b) {
        const BlockDescriptor& block = m_blocks[b];
        m_next.segment(block.offset, block.rows) =
            block_equation(block, m_bounds[b], own(block), rows(block, m_lambda), rows(block, m_velocity),
                           false)
                .admissible.head(block.rows);
    }
    m_lambda.swap(m_next);
    const double now = violation(m_lambda);
    if (now < m_best_violation) {
        m_best = m_lambda;
        m_best_violation = now;
    }
    return m_best_violation <= tolerance;
}

void BlockNewton::pull_along(const BlockNewtonOptions& options)
{
    m_lambda = m_best;
    double strength = first_pull, now = m_best_violation;
    VectorXd centre;
    for (int k = 0; k < options.max_pulls; ++k) {
        centre = m_lambda;
        pull(strength, centre);
        const double wanted = std::max(admissible_share * options.velocity_tolerance, 1e-2 * now);
        const bool solved = descend(options.max_steps, wanted) <= wanted;
        pull(0.0, centre);
        if (offer(options.velocity_tolerance)) {
            return;
        }
        now = m_worst;
        strength = solved ? std::max(least_pull, 0.5 * strength) : std::min(most_pull, 3.0 * strength);
    }
}

GaussSeidelResult BlockNewton::solve(const RowMajorRef& W, const Eigen::Ref<const VectorXd>& q,
                                     std::span<const BlockDescriptor> blocks,
                                     const BlockNewtonOptions& options, Eigen::Ref<VectorXd> lambda)
{
    m_blocks = blocks;
    m_bounds.clear();
    for (const BlockDescriptor& block : blocks) {
        m_bounds.push_back(block_bounds(block, q));
    }
    m_matrix = W;
    m_plain_free = m_free = q;
    m_compliance = W.diagonal();
    m_best = m_lambda = m_next = lambda;
    m_best_violation = violation(m_lambda);
    m_steps = 0;
    const double wanted = admissible_share * options.velocity_tolerance;
    descend(options.max_steps, wanted);
    if (!offer(options.velocity_tolerance)) {
        m_lambda.setZero();
        descend(options.max_steps, wanted);
        if (!offer(options.velocity_tolerance)) {
            pull_along(options);
        }
    }
    lambda = m_best;
    return {m_steps, m_best_violation, m_best_violation <= options.velocity_tolerance};
}

}  // namespace softcontact
