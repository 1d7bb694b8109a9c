// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/solver/block_rows.hpp"

#include <cstddef>

namespace softcontact {

namespace {

// Gaps of zeros shorter than this are cheaper to multiply than to skip.
constexpr int shortest_gap = 8;

bool has_nonzero(const double* matrix, Index size, const BlockDescriptor& row, const BlockDescriptor& column)
{
    for (int i = 0; i < row.rows; ++i) {
        const double* entry = matrix + (row.offset + i) * size + column.offset;
        for (int j = 0; j < column.rows; ++j) {
            if (entry[j] != 0.0) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace

void BlockRows::reserve(int rows, int blocks)
{
    // At most one run a gap: half the blocks in each row, and never more than the columns allow.
    const auto most = static_cast<std::size_t>(rows / shortest_gap + 1);
    m_runs.reserve(static_cast<std::size_t>(blocks) * most);
    m_first_run.reserve(static_cast<std::size_t>(blocks) + 1);
}

void BlockRows::prepare(const RowMajorRef& W, std::span<const BlockDescriptor> blocks)
{
    m_matrix = W.data();
    m_stride = W.outerStride();
    m_blocks = blocks;
    m_runs.clear();
    m_first_run.clear();
    for (const BlockDescriptor& row : blocks) {
        m_first_run.push_back(static_cast<int>(m_runs.size()));
        bool open = false;
        for (const BlockDescriptor& column : blocks) {
            if (!has_nonzero(m_matrix, m_stride, row, column)) {
                continue;
            }
            const int end = open ? m_runs.back().first + m_runs.back().second : 0;
            if (open && column.offset - end < shortest_gap) {
                m_runs.back().second = column.offset + column.rows - m_runs.back().first;
            } else {
                m_runs.emplace_back(column.offset, column.rows);
                open = true;
            }
        }
    }
    m_first_run.push_back(static_cast<int>(m_runs.size()));
}

void BlockRows::multiply(int block, const double* lambda, double* out) const
{
    const BlockDescriptor& row = m_blocks[static_cast<std::size_t>(block)];
    const auto first = static_cast<std::size_t>(m_first_run[static_cast<std::size_t>(block)]);
    const auto last = static_cast<std::size_t>(m_first_run[static_cast<std::size_t>(block) + 1]);
    for (int i = 0; i < row.rows; ++i) {
        const double* entries = m_matrix + (row.offset + i) * m_stride;
        double sum = 0.0;
        for (std::size_t k = first; k < last; ++k) {
            const auto [start, length] = m_runs[k];
            sum += Eigen::Map<const VectorXd>(entries + start, length)
                       .dot(Eigen::Map<const VectorXd>(lambda + start, length));
        }
        out[i] = sum;
    }
}

}  // namespace softcontact
