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

using Stretch = Eigen::Matrix<double, BlockRows::stretch, 1>;

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
    clear();
    for (const BlockDescriptor& row : blocks) {
        const double* values = W.data() + row.offset * W.outerStride();
        Strip strip;
        strip.offset = row.offset;
        strip.rows = row.rows;
        strip.stride = W.outerStride();
        strip.own = values + row.offset;
        strip.own_stride = strip.stride;
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
    clear();
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
        strip.own_stride = strip.stride;
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
    return {strip.own, strip.rows, strip.rows, Eigen::OuterStride<>(strip.own_stride)};
}

void BlockRows::clear()
{
    m_strips.clear();
    m_runs.clear();
    m_coupled.clear();
    m_columns.clear();
    m_parts.clear();
    m_motion_values.clear();
    m_motions = 0;
}

void BlockRows::add_motions(int block, int first, const Motions& rows)
{
    m_parts.push_back({block, first, m_motion_values.size()});
    m_motion_values.insert(m_motion_values.end(), rows.data(), rows.data() + rows.size());
}

void BlockRows::prepare(int motions)
{
    m_motions = motions;
    if (m_parts.empty()) {
        return;
    }
    std::stable_sort(m_parts.begin(), m_parts.end(),
                     [](const Part& a, const Part& b) { return a.block < b.block; });
    std::size_t size = 0, next = 0;
    for (Strip& strip : m_strips) {
        size += at(strip.rows) * at(strip.rows);
    }
    m_own.resize(size);
    size = 0;
    for (std::size_t b = 0; b < m_strips.size(); ++b) {
        Strip& strip = m_strips[b];
        strip.first_part = next;
        while (next < m_parts.size() && at(m_parts[next].block) == b) {
            ++next;
        }
        strip.end_part = next;
        Eigen::Map<RowMajorMatrix> sum(m_own.data() + size, strip.rows, strip.rows);
        sum = own(static_cast<int>(b));
        for_each_motion(static_cast<int>(b), [&sum](int, const auto& rows) {
            for (Index i = 0; i < rows.rows(); ++i) {
                for (Index j = 0; j <= i; ++j) {
                    const double product = rows.row(i).dot(rows.row(j));
                    sum(i, j) += product;
                    sum(j, i) += i == j ? 0.0 : product;
                }
            }
        });
        strip.own = sum.data();
        strip.own_stride = strip.rows;
        strip.own_place = size;
        size += at(strip.rows) * at(strip.rows);
    }
}

void BlockRows::yield(int block, int row, double compliance)
{
    this->block(block, block)(row, row) += compliance;
    const Strip& strip = m_strips[at(block)];
    if (!m_parts.empty()) {
        m_own[strip.own_place + at(row) * (at(strip.rows) + 1)] += compliance;
    }
}

void BlockRows::gather(const double* lambda, std::vector<double>& motion) const
{
    motion.assign(at(m_motions + stretch), 0.0);  // the last stretch may reach beyond the last motion
    for (std::size_t b = 0; b < m_strips.size() && !m_parts.empty(); ++b) {
        move(static_cast<int>(b), lambda + m_strips[b].offset, motion);
    }
}

void BlockRows::move(int block, const double* change, std::vector<double>& motion) const
{
    const Strip& strip = m_strips[at(block)];
    for (std::size_t k = strip.first_part; k < strip.end_part; ++k) {
        const double* values = m_motion_values.data() + m_parts[k].values;
        Eigen::Map<Stretch> moved(motion.data() + m_parts[k].first);
        if (strip.rows == 3) {
            moved += change[0] * Eigen::Map<const Stretch>(values) +
                     change[1] * Eigen::Map<const Stretch>(values + stretch) +
                     change[2] * Eigen::Map<const Stretch>(values + 2 * stretch);
            continue;
        }
        for (int i = 0; i < strip.rows; ++i) {
            moved += change[i] * Eigen::Map<const Stretch>(values + i * stretch);
        }
    }
}

void BlockRows::multiply(int block, const double* lambda, const std::vector<double>& motion,
                         double* out) const
{
    const Strip& strip = m_strips[at(block)];
    for (int i = 0; i < strip.rows; ++i) {
        double sum = 0.0;
        for (std::size_t k = strip.first_part; k < strip.end_part; ++k) {
            sum += Eigen::Map<const Stretch>(m_motion_values.data() + m_parts[k].values + i * stretch)
                       .dot(Eigen::Map<const Stretch>(motion.data() + m_parts[k].first));
        }
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
    if (!m_parts.empty()) {
        RowMajorMatrix G = RowMajorMatrix::Zero(size, m_motions + stretch);
        for (int b = 0; b < block_count(); ++b) {
            for_each_motion(b, [&](int first, const auto& rows) {
                G.block(m_strips[at(b)].offset, first, rows.rows(), stretch) += rows;
            });
        }
        out.noalias() = G * G.transpose();
    }
    for (const Strip& strip : m_strips) {
        for (std::size_t k = strip.first_run; k < strip.end_run; ++k) {
            const Run& run = m_runs[k];
            out.block(strip.offset, run.first, strip.rows, run.length) +=
                ConstBlock(run.values, strip.rows, run.length, Eigen::OuterStride<>(strip.stride));
        }
    }
}

}  // namespace softcontact
