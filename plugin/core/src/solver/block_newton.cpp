// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/solver/block_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "softcontact/friction/natural_map.hpp"
#include "softcontact/friction/proximal_points.hpp"

namespace softcontact {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Blocks with less compliance than this, against the largest, have none to speak of.
constexpr double least_compliance = 1e-12;

double finite_or_infinity(double value)
{
    return std::isfinite(value) ? value : infinity;
}

}  // namespace

struct BlockNewton::Buffers {
    /// A load, what its blocks answer to, and their answers.
    struct Point {
        VectorXd x, y, answer;
    };
    Point now, next;
    std::vector<DecoupledBounds> bounds;
    std::vector<BlockMatrix> slopes;
    VectorXd compliance, added;  // R; ε R
    VectorXd guess;              ///< at which the first step of a point is taken; empty where there is none
    VectorXd centre, best, step, turn, linear, right, velocity;
};

BlockNewton::BlockNewton() : m_buffers(std::make_unique<Buffers>()) {}
BlockNewton::~BlockNewton() = default;
BlockNewton::BlockNewton(BlockNewton&&) noexcept = default;
BlockNewton& BlockNewton::operator=(BlockNewton&&) noexcept = default;

/// The problem whose proximal points are followed: y = λ_k - (W x + q) / (ε R), and x - Λ(y) = 0 is to hold.
class BlockNewton::Problem {
public:
    Problem(Buffers& own, ContactOperator& W, const Eigen::Ref<const VectorXd>& q,
            std::span<const BlockDescriptor> blocks, const Eigen::Ref<const VectorXd>& start,
            const VectorXd& guess, const BlockNewtonOptions& options)
        : m(own), m_W(W), m_q(q), m_blocks(blocks), m_go_on(options.go_on)
    {
        m.bounds.clear();
        for (const BlockDescriptor& block : blocks) {
            m.bounds.push_back(block_bounds(block, q));
        }
        m.slopes.resize(blocks.size());
        set_compliance();
        m.now.y.resize(0);
        if (guess.size() == q.size() && guess.allFinite()) {
            m.now.y = guess - velocity(guess).cwiseQuotient(m.compliance);
        }
        m.centre.resize(q.size());
        answer(start, m.centre);
        m.best = m.centre;
        m_least = measure(m.centre);
    }

    [[nodiscard]] double least() const { return m_least; }
    [[nodiscard]] int steps() const { return m_steps; }

    double centre(double strength)
    {
        m.added = strength * m.compliance;
        std::swap(m.guess, m.now.y);  // the states of the last point's end, or of the guess
        m.now.x = m.centre;
        m.now.y = m.centre - velocity(m.centre).cwiseQuotient(m.added);
        m_merit = evaluate(m.now);
        m.linear = m.now.answer;
        return m_merit;
    }
    [[nodiscard]] double floor() const
    {
        constexpr double round_off = 8.0 * std::numeric_limits<double>::epsilon();
        return round_off * weighted_norm(m.now.answer);
    }
    bool find_step();
    bool find_step_at(const VectorXd& y);
    double try_step(double share)
    {
        m.next.x = m.now.x + share * m.step;
        m.next.y = m.now.y + share * m.turn;
        return evaluate(m.next);
    }
    void take_step() { std::swap(m.now, m.next); }
    double offer(bool solved)
    {
        double reached = keep(m.now.answer);
        answer(m.linear, m.next.answer);
        reached = std::min(reached, keep(m.next.answer));
        if (solved) {
            m.centre = m.next.answer;
        }
        return reached;
    }
    [[nodiscard]] double unit() const { return 1.0 / std::sqrt(m.compliance.maxCoeff()); }
    bool go_on()
    {
        ++m_steps;
        return !m_go_on || m_go_on(m.best);
    }

private:
    void set_compliance()
    {
        m.compliance.resize(m_q.size());
        double largest = 0.0;
        const auto own = [this](const BlockDescriptor& block) {
            return compliance_of(block, m_W.own(block));
        };
        for (const BlockDescriptor& block : m_blocks) {
            largest = std::max(largest, block.rows > 1 ? own(block) : 0.0);
        }
        for (const BlockDescriptor& block : m_blocks) {
            const double compliance = own(block);
            const double fallback = largest > 0.0 ? largest : 1.0;
            const bool gives = block.rows > 1 ? compliance > least_compliance * largest : compliance > 0.0;
            m.compliance.segment(block.offset, block.rows) =
                (gives ? compliance : fallback) * unit_compliance(block);
        }
    }
    const VectorXd& velocity(const VectorXd& load)
    {
        m_W.multiply(load, m.velocity);
        m.velocity += m_q;
        return m.velocity;
    }
    void answer(const Eigen::Ref<const VectorXd>& y, VectorXd& load) const
    {
        load.resize(y.size());
        for (std::size_t b = 0; b < m_blocks.size(); ++b) {
            const BlockDescriptor& block = m_blocks[b];
            load.segment(block.offset, block.rows) =
                natural_answer(block, m.bounds[b], y.segment(block.offset, block.rows), false).load;
        }
    }
    double measure(const VectorXd& load)
    {
        m.right = load - velocity(load).cwiseQuotient(m.compliance);
        double worst = 0.0;
        for (std::size_t b = 0; b < m_blocks.size(); ++b) {
            const BlockDescriptor& block = m_blocks[b];
            const auto rows = [&block](const VectorXd& v) { return v.segment(block.offset, block.rows); };
            const BlockVector off =
                rows(load) - natural_answer(block, m.bounds[b], rows(m.right), false).load;
            const double own = largest_velocity(block, rows(m.compliance).cwiseProduct(off));
            worst = std::max(worst, finite_or_infinity(own));
        }
        return worst;
    }
    double evaluate(Buffers::Point& point) const
    {
        answer(point.y, point.answer);
        return finite_or_infinity(weighted_norm(point.x - point.answer));
    }
    [[nodiscard]] double weighted_norm(const VectorXd& load) const
    {
        return std::sqrt(load.cwiseAbs2().dot(m.compliance));
    }
    double keep(const VectorXd& load)
    {
        const double reached = measure(load);
        if (reached < m_least) {
            m_least = reached;
            m.best = load;
        }
        return reached;
    }

    Buffers& m;
    ContactOperator& m_W;
    const Eigen::Ref<const VectorXd>& m_q;
    std::span<const BlockDescriptor> m_blocks;
    double m_least = infinity;
    double m_merit = infinity;  ///< where the point at hand begins
    const std::function<bool(const VectorXd&)>& m_go_on;
    int m_steps = 0;
};

/// A point begins in the states that the last one ended in: its own velocities, over a smaller ε, would leave
/// many of them.
bool BlockNewton::Problem::find_step()
{
    if (m.guess.size() == m.now.y.size()) {
        const bool found = find_step_at(m.guess);
        m.guess.resize(0);
        if (found && try_step(1.0) < m_merit) {
            return true;
        }
    }
    return find_step_at(m.now.y);
}

bool BlockNewton::Problem::find_step_at(const VectorXd& y)
{
    m.linear.resize(y.size());
    for (std::size_t b = 0; b < m_blocks.size(); ++b) {
        const BlockDescriptor& block = m_blocks[b];
        const int o = block.offset, r = block.rows;
        const BlockAnswer found = natural_answer(block, m.bounds[b], y.segment(o, r), true);
        m.slopes[b] = found.slope;
        m.linear.segment(o, r) = found.load + found.slope * (m.now.y - y).segment(o, r);
    }
    m.right = m.linear - m.now.x;
    const bool found = m_W.find_step(m_blocks, m.slopes, m.added, m.right, m.step, m.turn);
    for (std::size_t b = 0; b < m_blocks.size(); ++b) {
        const int o = m_blocks[b].offset, r = m_blocks[b].rows;
        m.linear.segment(o, r) += m.slopes[b] * m.turn.segment(o, r);
    }
    return found;
}

GaussSeidelResult BlockNewton::solve(ContactOperator& W, const Eigen::Ref<const VectorXd>& q,
                                     std::span<const BlockDescriptor> blocks,
                                     const BlockNewtonOptions& options, Eigen::Ref<VectorXd> lambda,
                                     const VectorXd& guess)
{
    if (!lambda.allFinite()) {
        lambda.setZero();
    }
    if (!W.is_finite() || !q.allFinite()) {
        return {0, infinity, false};
    }
    Problem problem(*m_buffers, W, q, blocks, lambda, guess, options);
    follow_proximal_points(problem, problem.least(),
                           {.tolerance = options.velocity_tolerance, .max_steps = options.max_steps});
    lambda = m_buffers->best;
    return {problem.steps(), problem.least(), problem.least() <= options.velocity_tolerance};
}

}  // namespace softcontact
