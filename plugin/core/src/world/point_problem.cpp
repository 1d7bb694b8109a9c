// SPDX-License-Identifier: LGPL-2.1-or-later
#include <Eigen/Cholesky>
#include <softcontact/world/point_problem.hpp>

namespace softcontact {

namespace {

constexpr double slide_margin = 1e-9;  ///< share of μ λ_n within which a contact counts as sliding
constexpr double redundant = 1e-10;    ///< share of its own mobility that a redundant row has left

enum class Role { open, holds, pushes };

Role role_of(const BlockDescriptor& block, const VelocityProblem& problem)
{
    const double force = problem.multipliers[block.offset];
    if (block.rows == 1) {
        if (block.lower == 0.0) {
            return force > 0.0 ? Role::holds : Role::open;
        }
        return force > block.lower && force < block.upper ? Role::holds : Role::pushes;
    }
    if (!(force > 0.0)) {
        return Role::open;
    }
    const double friction = problem.multipliers.segment<2>(block.offset + 1).norm();
    return friction >= block.mu * force * (1.0 - slide_margin) ? Role::pushes : Role::holds;
}

}  // namespace

void PointProblem::keep_contacts(const VelocityProblem& problem)
{
    blocks.clear();
    for (const BlockDescriptor& block : problem.blocks) {
        if (block.rows > 1) {
            blocks.push_back(block);
        }
    }
    eliminate(problem);
}

void PointProblem::keep_tool(const VelocityProblem& problem, const MatrixXd& reach_of_all)
{
    blocks.clear();
    for (const BlockDescriptor& block : problem.blocks) {
        const bool of_tool = !reach_of_all.middleCols(block.offset, block.rows).isZero(0.0);
        if (block.rows > 1 && (of_tool || role_of(block, problem) == Role::pushes)) {
            blocks.push_back(block);
        }
    }
    eliminate(problem);
    reach.resize(6, static_cast<Index>(m_kept.size()));
    for (std::size_t i = 0; i < m_kept.size(); ++i) {
        reach.col(static_cast<Index>(i)) = reach_of_all.col(m_kept[i]);
    }
}

void PointProblem::eliminate(const VelocityProblem& problem)
{
    m_kept.clear();
    m_held.clear();
    m_own = problem.right_hand_side;
    auto kept = blocks.begin();
    for (const BlockDescriptor& block : problem.blocks) {
        if (kept != blocks.end() && kept->offset == block.offset) {
            kept->offset = static_cast<int>(m_kept.size());
            for (int k = 0; k < block.rows; ++k) {
                m_kept.push_back(block.offset + k);
            }
            ++kept;
            continue;
        }
        const Role role = role_of(block, problem);
        for (int k = 0; k < block.rows && role != Role::open; ++k) {
            if (role == Role::holds) {
                m_held.push_back(block.offset + k);
            } else {
                m_own += problem.multipliers[block.offset + k] * problem.delassus.col(block.offset + k);
            }
        }
    }
    const auto rows = static_cast<Index>(m_kept.size());
    delassus.resize(rows, rows);
    right_hand_side.resize(rows);
    multipliers.resize(rows);
    for (Index i = 0; i < rows; ++i) {
        const Index at = m_kept[static_cast<std::size_t>(i)];
        right_hand_side[i] = m_own[at];
        multipliers[i] = problem.multipliers[at];
        for (Index j = 0; j < rows; ++j) {
            delassus(i, j) = problem.delassus(at, m_kept[static_cast<std::size_t>(j)]);
        }
    }
    if (m_held.empty()) {
        return;
    }
    choose_basis(problem);
    const auto count = static_cast<Index>(m_basis.size());
    m_system.resize(count, count);
    m_coupling.resize(count, rows + 1);  // on the kept rows, and the velocity to stop
    for (Index i = 0; i < count; ++i) {
        const Index at = m_basis[static_cast<std::size_t>(i)];
        for (Index j = 0; j < count; ++j) {
            m_system(i, j) = problem.delassus(at, m_basis[static_cast<std::size_t>(j)]);
        }
        for (Index j = 0; j < rows; ++j) {
            m_coupling(i, j) = problem.delassus(at, m_kept[static_cast<std::size_t>(j)]);
        }
        m_coupling(i, rows) = m_own[at];
    }
    const RowMajorMatrix answer = m_system.llt().solve(m_coupling);
    delassus.noalias() -= m_coupling.leftCols(rows).transpose() * answer.leftCols(rows);
    right_hand_side.noalias() -= m_coupling.leftCols(rows).transpose() * answer.col(rows);
}

/// Held rows that the others follow from: a foot on many points has six.
void PointProblem::choose_basis(const VelocityProblem& problem)
{
    const auto held = [this](Index i) { return m_held[static_cast<std::size_t>(i)]; };
    m_root.compute(static_cast<Index>(m_held.size()), redundant,
                   [&](Index i, Index j) { return problem.delassus(held(i), held(j)); });
    m_basis.clear();
    for (const Index pivot : m_root.pivots()) {
        m_basis.push_back(held(pivot));
    }
}

}  // namespace softcontact
