// SPDX-License-Identifier: LGPL-2.1-or-later
#include <Eigen/LU>

#include "softcontact/solver/contact_operator.hpp"

namespace softcontact {

void DenseOperator::multiply(const VectorXd& load, VectorXd& velocity)
{
    velocity.noalias() = m_W * load;
}

BlockMatrix DenseOperator::own(const BlockDescriptor& block) const
{
    return m_W.block(block.offset, block.offset, block.rows, block.rows);
}

/// (added + A S A⁻¹ W) step = A off, A the diagonal of `added`; where S is zero, step = off.
bool DenseOperator::find_step(std::span<const BlockDescriptor> blocks, std::span<const BlockMatrix> slopes,
                              const VectorXd& added, const VectorXd& off, VectorXd& step, VectorXd& turn)
{
    m_kept.clear();
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        for (int i = 0; i < blocks[b].rows && !slopes[b].isZero(0.0); ++i) {
            m_kept.push_back(blocks[b].offset + i);
        }
    }
    const auto count = static_cast<Index>(m_kept.size());
    step = off;
    m_known = off;
    for (const int row : m_kept) {
        m_known[row] = 0.0;
    }
    m_aside.noalias() = m_W * m_known;
    m_system.resize(count, count);
    m_right.resize(count);
    Index first = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const int o = blocks[b].offset, r = blocks[b].rows;
        if (first >= count || m_kept[static_cast<std::size_t>(first)] != o) {
            continue;
        }
        const auto A = added.segment(o, r);
        const BlockMatrix scaled = A.asDiagonal() * slopes[b] * A.cwiseInverse().asDiagonal();
        for (Index j = 0; j < count; ++j) {
            const Index column = m_kept[static_cast<std::size_t>(j)];
            const BlockVector reach = m_W.block(o, column, r, 1);
            m_system.block(first, j, r, 1) = scaled.lazyProduct(reach);
        }
        m_right.segment(first, r) = A.cwiseProduct(off.segment(o, r)) - scaled * m_aside.segment(o, r);
        m_system.block(first, first, r, r).diagonal() += A;
        first += r;
    }
    if (count > 0) {
        m_right = Eigen::PartialPivLU<Eigen::Ref<RowMajorMatrix>>(m_system).solve(m_right).eval();
    }
    for (Index i = 0; i < count; ++i) {
        step[m_kept[static_cast<std::size_t>(i)]] = m_right[i];
    }
    turn.noalias() = -(m_W * step);
    turn = turn.cwiseQuotient(added).eval();
    return step.allFinite() && turn.allFinite();
}

}  // namespace softcontact
