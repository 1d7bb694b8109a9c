// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/friction/block_step.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "softcontact/friction/moment_block.hpp"

namespace softcontact {

BlockStep::BlockStep(BlockLaw law) : m_law(std::move(law))
{
    const int rows = m_law.rows;
    if (rows < 1 || rows == 2 || rows > max_rows) {
        throw std::invalid_argument("rows is " + std::to_string(rows) +
                                    "; a contact block has 1, 3, 4, 5 or 6");
    }
    if (!(m_law.mu >= 0.0)) {
        throw std::invalid_argument("mu is " + std::to_string(m_law.mu) + "; it must be >= 0");
    }
    if (m_law.offsets.size() != 2 * m_law.shares.size()) {
        throw std::invalid_argument("offsets has " + std::to_string(m_law.offsets.size()) +
                                    " numbers; it must have two a share");
    }
    if (m_law.corners.size() % 2 != 0 || (rows > 4 && m_law.corners.empty())) {
        throw std::invalid_argument("corners has " + std::to_string(m_law.corners.size()) +
                                    " numbers; it must have two a corner, and one corner for 5 or 6 rows");
    }
    m_block.rows = rows;
    m_block.law = m_law.law;
    m_block.mu = m_law.mu;
    m_block.tilts = std::max(0, rows - 4);
    m_block.patch =
        make_friction_patch(m_law.shares.data(), m_law.offsets.data(), static_cast<int>(m_law.shares.size()));
    m_block.hull =
        make_moment_hull(m_law.corners.data(), static_cast<int>(m_law.corners.size() / 2), m_law.axis);
}

void BlockStep::prepare(const Eigen::Ref<const MatrixXd>& delassus)
{
    m_delassus = delassus;
}

bool BlockStep::solve(const Eigen::Ref<const VectorXd>& q_given, Eigen::Ref<VectorXd> lambda) const
{
    const Rows q = q_given;
    if (!(m_delassus(0, 0) > 0.0) || !q.allFinite()) {
        lambda.setZero();  // nothing that this contact could move
        return q[0] >= 0.0;
    }
    if (m_law.rows == 1) {
        lambda[0] = std::max(0.0, -q[0] / m_delassus(0, 0));
        return true;
    }
    if (m_law.rows == 3) {
        const CoulombSolution solution = solve_coulomb_block(Matrix3d(m_delassus), Vector3d(q), m_law.mu);
        lambda = solution.force;
        return solution.converged;
    }
    if (m_law.rows > 4) {
        const DecoupledBounds bounds =
            m_law.law == FrictionLaw::coulomb ? DecoupledBounds{1.0, 0.0} : m_law.bounds;
        const BlockVector guess = lambda;
        const BlockSolution solution = solve_moment_block(m_delassus, q, m_block, bounds, guess);
        lambda = solution.force;
        return solution.converged;
    }
    const Vector4d guess = lambda;
    PatchSolution solution;
    if (m_law.law == FrictionLaw::contensou_decoupled) {
        solution = solve_decoupled_block(Matrix4d(m_delassus), Vector4d(q), m_law.bounds, m_law.mu, guess);
    } else if (m_law.law == FrictionLaw::coulomb) {
        const DecoupledBounds disc{1.0, 0.0};
        solution = solve_decoupled_block(Matrix4d(m_delassus), Vector4d(q), disc, m_law.mu, guess);
    } else {
        solution = solve_contensou_block(Matrix4d(m_delassus), Vector4d(q), m_block.patch, m_law.mu, guess);
    }
    lambda = solution.force;
    return solution.converged;
}

}  // namespace softcontact
