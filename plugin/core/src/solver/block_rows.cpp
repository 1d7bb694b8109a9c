// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/solver/block_rows.hpp"

#include <algorithm>
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

std::size_t at(int index)
{
    return static_cast<std::size_t>(index);
}

}  // namespace

void BlockRows::reserve(int rows, int blocks)
{
    // At most one run a gap: half the blocks in each row, and never more than the columns allow.
    const auto most = static_cast<std::size_t>(rows / shortest_gap + 1);
    m_runs.reserve(static_cast<std::size_t>(blocks) * most);
    m_strips.reserve(static_cast<std::size_t>(blocks));
}

void BlockRows::look_at(const RowMajorRef& W, std::span<const BlockDescriptor> blocks)
{
    m_strips.clear();
    m_runs.clear();
    for (const BlockDescriptor& row : blocks) {
        const double* values = W.data() + row.offset * W.outerStride();
        Strip strip;
        strip.offset = row.offset;
        strip.rows = row.rows;
        strip.stride = W.outerStride();
        strip.own = values + row.offset;
        strip.first_run = m_runs.size();
        bool open = false;
        for (const BlockDescriptor& column : blocks) {
            if (!has_nonzero(W.data(), W.outerStride(), row, column)) {
                continue;
            }
            const int end = open ? m_runs.back().first + m_runs.back().length : 0;
            if (open && column.offset - end < shortest_gap) {
                m_runs.back().length = column.offset + column.rows - m_runs.back().first;
            } else {
                m_runs.push_back({column.offset, column.rows, values + column.offset});
                open = true;
            }
        }
        strip.end_run = m_runs.size();
        m_strips.push_back(strip);
    }
}

void BlockRows::set_pattern(std::span<const std::pair<int, int>> blocks,
                            std::span<const std::vector<int>> coupled)
{
    m_strips.clear();
    m_runs.clear();
    m_coupled.clear();
    m_columns.clear();
    std::size_t next = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        Strip strip;
        strip.offset = blocks[b].first;
        strip.rows = blocks[b].second;
        strip.values = next;
        strip.first_run = m_runs.size();
        strip.first_coupled = m_coupled.size();
        for (const int other : coupled[b]) {
            const auto [first, rows] = blocks[at(other)];
            m_coupled.push_back(other);
            m_columns.push_back(static_cast<int>(strip.stride));
            if (m_runs.size() > strip.first_run && m_runs.back().first + m_runs.back().length == first) {
                m_runs.back().length += rows;
            } else {
                m_runs.push_back({first, rows, nullptr});
            }
            strip.stride += rows;
        }
        strip.end_run = m_runs.size();
        strip.end_coupled = m_coupled.size();
        next += at(strip.rows) * static_cast<std::size_t>(strip.stride);
        m_strips.push_back(strip);
    }
    m_values.assign(next, 0.0);
    for (std::size_t b = 0; b < m_strips.size(); ++b) {
        Strip& strip = m_strips[b];
        const double* values = m_values.data() + strip.values;
        for (std::size_t k = strip.first_run; k < strip.end_run; ++k) {
            m_runs[k].values = values;
            values += m_runs[k].length;
        }
        const int index = static_cast<int>(b);
        strip.own = block(index, index).data();
    }
}

BlockRows::Block BlockRows::block(int i, int j)
{
    const Strip& strip = m_strips[at(i)];
    const std::span<const int> others = coupled(i);
    const auto found = std::lower_bound(others.begin(), others.end(), j);
    const auto column = m_columns[strip.first_coupled + static_cast<std::size_t>(found - others.begin())];
    return {m_values.data() + strip.values + column, strip.rows, m_strips[at(j)].rows,
            Eigen::OuterStride<>(strip.stride)};
}

BlockRows::ConstBlock BlockRows::block(int i, int j) const
{
    const Block found = const_cast<BlockRows*>(this)->block(i, j);
    return {found.data(), found.rows(), found.cols(), Eigen::OuterStride<>(found.outerStride())};
}

std::span<const int> BlockRows::coupled(int block) const
{
    const Strip& strip = m_strips[at(block)];
    return std::span<const int>(m_coupled).subspan(strip.first_coupled,
                                                   strip.end_coupled - strip.first_coupled);
}

BlockRows::ConstBlock BlockRows::own(int block) const
{
    const Strip& strip = m_strips[at(block)];
    return {strip.own, strip.rows, strip.rows, Eigen::OuterStride<>(strip.stride)};
}

void BlockRows::multiply(int block, const double* lambda, double* out) const
{
    const Strip& strip = m_strips[at(block)];
    for (int i = 0; i < strip.rows; ++i) {
        double sum = 0.0;
        for (std::size_t k = strip.first_run; k < strip.end_run; ++k) {
            const Run& run = m_runs[k];
            sum += Eigen::Map<const VectorXd>(run.values + i * strip.stride, run.length)
                       .dot(Eigen::Map<const VectorXd>(lambda + run.first, run.length));
        }
        out[i] = sum;
    }
}

void BlockRows::write(RowMajorMatrix& out) const
{
    const int size = m_strips.empty() ? 0 : m_strips.back().offset + m_strips.back().rows;
    out.setZero(size, size);
    for (const Strip& strip : m_strips) {
        for (std::size_t k = strip.first_run; k < strip.end_run; ++k) {
            const Run& run = m_runs[k];
            out.block(strip.offset, run.first, strip.rows, run.length) =
                ConstBlock(run.values, strip.rows, run.length, Eigen::OuterStride<>(strip.stride));
        }
    }
}

}  // namespace softcontact
