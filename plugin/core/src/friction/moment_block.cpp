// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/friction/moment_block.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "softcontact/friction/natural_map.hpp"
#include "softcontact/friction/proximal_points.hpp"

namespace softcontact {

namespace {

// Violation of the laws, against the size of the velocities, that is aimed at, near enough, and no solution.
constexpr double aimed_ratio = 1e-12, near_ratio = 1e-11, accepted_ratio = 1e-10;

/// One block as the problem whose proximal points are followed: x is the load, y what the laws answer to,
/// y = λ_k - (W x + q) / (ε R), and x - Λ(y) = 0 is to hold.
class OneBlock {
public:
    OneBlock(const BlockMatrix& W, const BlockVector& q, const BlockDescriptor& block,
             const DecoupledBounds& bounds, const BlockVector& guess)
        : m_W(W),
          m_q(q),
          m_block(block),
          m_bounds(bounds),
          m_compliance(compliance_of(block, W) * unit_compliance(block)),
          m_root(m_compliance.cwiseSqrt()),
          m_centre(natural_answer(block, bounds, guess, false).load),
          m_best(m_centre),
          m_now{BlockVector::Zero(block.rows), m_centre, {m_centre, {}}},
          m_least(measure(m_centre))
    {
    }

    /// Violation of the laws at a load [m/s].
    [[nodiscard]] double measure(const BlockVector& load) const
    {
        const BlockVector y = load - (m_W * load + m_q).cwiseQuotient(m_compliance);
        const BlockVector off = load - natural_answer(m_block, m_bounds, y, false).load;
        const double worst = largest_velocity(m_block, m_compliance.cwiseProduct(off));
        return std::isfinite(worst) ? worst : std::numeric_limits<double>::infinity();
    }
    [[nodiscard]] double size() const { return largest_velocity(m_block, m_q); }
    [[nodiscard]] const BlockVector& best() const { return m_best; }
    [[nodiscard]] double least() const { return m_least; }

    double centre(double strength)
    {
        m_added = strength * m_compliance;
        m_now.x = m_centre;
        m_now.y = m_centre - (m_W * m_centre + m_q).cwiseQuotient(m_added);
        const double merit = evaluate(m_now);
        m_linear = m_now.answer.load;
        return merit;
    }
    [[nodiscard]] double floor() const
    {
        return 8.0 * std::numeric_limits<double>::epsilon() * m_root.cwiseProduct(m_now.answer.load).norm();
    }
    bool find_step()
    {
        m_now.answer = natural_answer(m_block, m_bounds, m_now.y, true);  // with its slope
        BlockMatrix system = m_now.answer.slope * m_added.cwiseInverse().asDiagonal() * m_W;
        system.diagonal().array() += 1.0;
        m_step = system.partialPivLu().solve(m_now.answer.load - m_now.x);
        m_turn = -(m_W * m_step).cwiseQuotient(m_added);
        m_linear = m_now.answer.load + m_now.answer.slope * m_turn;
        return m_step.allFinite() && m_turn.allFinite();
    }
    double try_step(double share)
    {
        m_next.x = m_now.x + share * m_step;
        m_next.y = m_now.y + share * m_turn;
        return evaluate(m_next);
    }
    void take_step() { std::swap(m_now, m_next); }
    double offer(bool solved)
    {
        const BlockVector linear = natural_answer(m_block, m_bounds, m_linear, false).load;
        const double reached = std::min(keep(m_now.answer.load), keep(linear));
        if (solved) {
            m_centre = linear;
        }
        return reached;
    }
    [[nodiscard]] double unit() const { return 1.0 / m_root[0]; }
    bool go_on() { return true; }

private:
    struct Point {
        BlockVector x, y;
        BlockAnswer answer;
    };

    double evaluate(Point& point) const
    {
        point.answer = natural_answer(m_block, m_bounds, point.y, false);
        const double merit = m_root.cwiseProduct(point.x - point.answer.load).norm();
        return std::isfinite(merit) ? merit : std::numeric_limits<double>::infinity();
    }
    double keep(const BlockVector& load)
    {
        const double reached = measure(load);
        if (reached < m_least) {
            m_least = reached;
            m_best = load;
        }
        return reached;
    }

    const BlockMatrix& m_W;
    const BlockVector& m_q;
    const BlockDescriptor& m_block;
    const DecoupledBounds& m_bounds;
    BlockVector m_compliance, m_root, m_added, m_centre, m_best, m_step, m_turn, m_linear;
    Point m_now, m_next;
    double m_least;
};

/// A face of the moment cone: the corners that push. As many as normal rows are the inside.
struct Face {
    std::array<int, 3> corners{};
    int count = 0;

    [[nodiscard]] bool operator==(const Face& other) const
    {
        return count == other.count &&
               (count == 3 ||
                std::is_permutation(corners.begin(), corners.begin() + count, other.corners.begin()));
    }
};

/// Solves a block face by face: where the face is known the tilts are plain linear rows, and what is left
/// once they are eliminated is a block of normal and friction, whose exact solution is at hand.
class FaceSearch {
public:
    FaceSearch(const BlockMatrix& W, const BlockVector& q, const BlockDescriptor& block,
               const DecoupledBounds& bounds, const BlockVector& guess)
        : m_W(W),
          m_q(q),
          m_block(block),
          m_bounds(bounds),
          m_guess(guess),
          m_compliance(compliance_of(block, W) * unit_compliance(block)),
          m_size(largest_velocity(block, q))
    {
    }

    /// Primal-dual active set from the face of the guess; false where it runs in circles.
    bool find(BlockSolution& solution)
    {
        Face face = start();
        std::array<Face, most_faces> met{};
        for (int k = 0; k < most_faces; ++k) {
            met[static_cast<std::size_t>(k)] = face;
            if (!solve_on(face, solution)) {
                return false;
            }
            double off = 0.0;
            const Face next = answer(solution.force, off);
            if (off <= accepted_ratio * m_size && (off <= aimed_ratio * m_size || next == face)) {
                return true;
            }
            if (std::find(met.begin(), met.begin() + k + 1, next) != met.begin() + k + 1) {
                return false;
            }
            face = next;
        }
        return false;
    }

private:
    static constexpr int most_faces = 12;

    [[nodiscard]] Face inside() const { return {{0, 1, 2}, m_block.tilts + 1}; }

    Face start()
    {
        double off = 0.0;
        return m_guess[0] > 0.0 ? answer(m_guess, off) : inside();
    }

    /// The face that the laws answer a load with, and how far the load's normal part is from that answer
    /// [m/s].
    Face answer(const BlockVector& force, double& off) const
    {
        const BlockVector y = force - (m_W * force + m_q).cwiseQuotient(m_compliance);
        const MomentProjection wanted = project_to_moment_cone(m_block.hull, normal_part(m_block, y));
        const NormalLoad left =
            (normal_part(m_block, force) - wanted.load).cwiseProduct(normal_part(m_block, m_compliance));
        off = std::abs(left[0]);
        for (int i = 1; i <= m_block.tilts; ++i) {
            off = std::max(off, std::abs(left[i]) * m_block.hull.length);
        }
        return wanted.pushing == 0 ? inside() : Face{wanted.corners, wanted.pushing};
    }

    bool solve_on(const Face& face, BlockSolution& solution) const
    {
        const int rows = m_block.rows, tilts = m_block.tilts, friction = m_block.friction_rows();
        BlockMatrix carried = BlockMatrix::Zero(rows, 1 + friction);  // N at the first corner, and friction
        carried.topLeftCorner(1 + friction, 1 + friction).setIdentity();
        BlockMatrix along = BlockMatrix::Zero(rows, face.count - 1);  // moments at a given N, on the face
        if (face.count > tilts) {
            along.bottomRows(tilts).diagonal().setConstant(m_block.hull.length);
        } else {
            const NormalLoad first = m_block.hull.direction(face.corners[0], tilts);
            carried.col(0).tail(tilts) = first.tail(tilts);
            if (face.count == 2) {
                along.col(0).tail(tilts) =
                    (m_block.hull.direction(face.corners[1], tilts) - first).tail(tilts);
            }
        }
        const BlockMatrix given = m_W * carried;
        BlockMatrix W = carried.transpose() * given;
        BlockVector q = carried.transpose() * m_q;
        BlockMatrix turn;  // of the tilts against the rest, and against q
        BlockVector own;
        if (along.cols() > 0) {
            const BlockMatrix pivot = along.transpose() * m_W * along;
            const Eigen::LLT<BlockMatrix> factor(pivot);
            if (factor.info() != Eigen::Success) {
                return false;
            }
            const BlockMatrix coupling = along.transpose() * given;
            turn = factor.solve(coupling);
            own = factor.solve(BlockVector(along.transpose() * m_q));
            W -= coupling.transpose() * turn;
            q -= coupling.transpose() * own;
            W = 0.5 * (W + BlockMatrix(W.transpose()));
        }
        BlockVector load = m_guess.head(1 + friction);
        solution.converged = solve_carried(W, q, load, solution.state);
        solution.force = carried * load;
        if (along.cols() > 0) {
            solution.force -= along * (turn * load + own);
            if (!(load[0] > 0.0)) {
                solution.force.setZero();
            }
        }
        return solution.converged && solution.force.allFinite();
    }

    /// The block that is left without its tilts.
    bool solve_carried(const BlockMatrix& W, const BlockVector& q, BlockVector& load,
                       ContactState& state) const
    {
        if (m_block.has_torsion()) {
            const PatchSolution solution =
                m_block.law == FrictionLaw::contensou
                    ? solve_contensou_block(Matrix4d(W), Vector4d(q), m_block.patch, m_block.mu,
                                            Vector4d(load))
                    : solve_decoupled_block(Matrix4d(W), Vector4d(q), m_bounds, m_block.mu, Vector4d(load));
            load = solution.force;
            state = solution.state;
            return solution.converged;
        }
        if (m_block.friction_rows() == 2) {
            const CoulombSolution solution = solve_coulomb_block(Matrix3d(W), Vector3d(q), m_block.mu);
            load = solution.force;
            state = solution.state;
            return solution.converged;
        }
        load[0] = std::max(0.0, -q[0] / W(0, 0));
        state = load[0] > 0.0 ? ContactState::slip : ContactState::separate;
        return std::isfinite(load[0]);
    }

    const BlockMatrix& m_W;
    const BlockVector& m_q;
    const BlockDescriptor& m_block;
    const DecoupledBounds& m_bounds;
    const BlockVector& m_guess;
    BlockVector m_compliance;
    double m_size;
};

}  // namespace

BlockSolution solve_moment_block(const BlockMatrix& W, const BlockVector& q, const BlockDescriptor& block,
                                 const DecoupledBounds& bounds, const BlockVector& guess)
{
    BlockSolution solution{BlockVector::Zero(block.rows)};
    if (least_corner_velocity(block.hull, normal_part(block, q)) >= 0.0) {
        return solution;
    }
    if (!(W(0, 0) > 0.0) || !q.allFinite()) {
        solution.converged = false;
        return solution;
    }
    if (FaceSearch(W, q, block, bounds, guess).find(solution)) {
        return solution;
    }
    OneBlock problem(W, q, block, bounds, guess);
    const double size = problem.size();
    follow_proximal_points(
        problem, problem.least(),
        {.tolerance = aimed_ratio * size, .accepted = near_ratio * size, .max_steps = 150});
    solution.force = problem.best();
    solution.state = solution.force[0] > 0.0 ? ContactState::slip : ContactState::separate;
    solution.converged = problem.least() <= accepted_ratio * size;
    return solution;
}

}  // namespace softcontact
