// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/friction/block_step.hpp"

#include <Eigen/LU>
#include <stdexcept>
#include <string>

namespace softcontact {

BlockStep::BlockStep(BlockLaw law) : m_law(std::move(law))
{
    const int rows = m_law.rows;
    if (rows != 1 && rows != 3 && rows != 4) {
        throw std::invalid_argument("rows is " + std::to_string(rows) + "; a contact block has 1, 3 or 4");
    }
    if (m_law.linear_rows < 0 || rows + m_law.linear_rows > max_rows) {
        throw std::invalid_argument("linear_rows is " + std::to_string(m_law.linear_rows) +
                                    "; a block has 0 to " + std::to_string(max_rows - rows) + " of them");
    }
    if (!(m_law.mu >= 0.0)) {
        throw std::invalid_argument("mu is " + std::to_string(m_law.mu) + "; it must be >= 0");
    }
    if (m_law.offsets.size() != 2 * m_law.shares.size()) {
        throw std::invalid_argument("offsets has " + std::to_string(m_law.offsets.size()) +
                                    " numbers; it must have two a share");
    }
    m_patch =
        make_friction_patch(m_law.shares.data(), m_law.offsets.data(), static_cast<int>(m_law.shares.size()));
}

void BlockStep::prepare(const Eigen::Ref<const MatrixXd>& delassus)
{
    const int c = m_law.rows, l = m_law.linear_rows;
    m_effective = delassus.topLeftCorner(c, c);
    if (l > 0) {
        const Matrix pivot = Matrix::Identity(l, l) + delassus.bottomRightCorner(l, l);
        m_inverse = pivot.inverse();
        m_coupling = m_inverse * delassus.bottomLeftCorner(l, c);
        m_effective -= delassus.topRightCorner(c, l) * m_coupling;
        m_effective = 0.5 * (m_effective + Matrix(m_effective.transpose()));
    }
}

bool BlockStep::solve(const Eigen::Ref<const VectorXd>& q, Eigen::Ref<VectorXd> lambda) const
{
    const int c = m_law.rows, l = m_law.linear_rows;
    Rows reduced = q.head(c);
    if (l > 0) {
        reduced -= m_coupling.transpose() * q.tail(l);
    }
    const bool solved = solve_contact(reduced, lambda.head(c));
    if (l > 0) {
        lambda.tail(l) = -(m_coupling * lambda.head(c) + m_inverse * q.tail(l));
    }
    return solved;
}

bool BlockStep::solve_contact(const Rows& q, Eigen::Ref<VectorXd> lambda) const
{
    if (!(m_effective(0, 0) > 0.0) || !q.allFinite()) {
        lambda.setZero();  // nothing that this contact could move
        return q[0] >= 0.0;
    }
    if (m_law.rows == 1) {
        lambda[0] = std::max(0.0, -q[0] / m_effective(0, 0));
        return true;
    }
    if (m_law.rows == 3) {
        const CoulombSolution solution = solve_coulomb_block(Matrix3d(m_effective), Vector3d(q), m_law.mu);
        lambda = solution.force;
        return solution.converged;
    }
    const Vector4d guess = lambda;
    PatchSolution solution;
    if (m_law.law == FrictionLaw::contensou_decoupled) {
        solution = solve_decoupled_block(Matrix4d(m_effective), Vector4d(q), m_law.bounds, m_law.mu, guess);
    } else if (m_law.law == FrictionLaw::coulomb) {
        const DecoupledBounds disc{1.0, 0.0};
        solution = solve_decoupled_block(Matrix4d(m_effective), Vector4d(q), disc, m_law.mu, guess);
    } else {
        solution = solve_contensou_block(Matrix4d(m_effective), Vector4d(q), m_patch, m_law.mu, guess);
    }
    lambda = solution.force;
    return solution.converged;
}

}  // namespace softcontact
