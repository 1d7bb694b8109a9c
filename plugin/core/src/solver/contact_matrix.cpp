// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/solver/contact_matrix.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace softcontact {

namespace {

std::size_t contacts_of(Index rows)
{
    if (rows % 3 != 0) {
        throw std::invalid_argument("W: " + std::to_string(rows) + " rows, expected three a contact");
    }
    return static_cast<std::size_t>(rows / 3);
}

/// Nothing outside of the arrays is read, whatever they hold.
void check_rows(std::span<const int> start, std::span<const int> column, std::span<const double> value,
                int columns)
{
    if (start.empty() || start.front() != 0 || !std::ranges::is_sorted(start) ||
        static_cast<std::size_t>(start.back()) > std::min(column.size(), value.size())) {
        throw std::invalid_argument("W: its row pointers do not fit its entries");
    }
    for (const int place : column) {
        if (place < 0 || place >= columns) {
            throw std::invalid_argument("W: column " + std::to_string(place) + " of " +
                                        std::to_string(columns));
        }
    }
}

}  // namespace

void ContactMatrix::make_runs(const std::vector<std::vector<int>>& columns)
{
    std::size_t values = 0;
    m_first_run.reserve(columns.size() + 1);
    for (const std::vector<int>& blocks : columns) {
        m_first_run.push_back(m_runs.size());
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            if (i == 0 || blocks[i] != blocks[i - 1] + 1) {
                m_runs.push_back({.row = 3 * blocks[i], .length = 0, .values = values});
            }
            m_runs.back().length += 3;
            values += 9;
        }
    }
    m_first_run.push_back(m_runs.size());
    m_values.assign(values, 0.0);
    m_diagonal.assign(columns.size(), Matrix3d::Zero());
}

double& ContactMatrix::entry(Index row, Index column)
{
    const auto c = static_cast<std::size_t>(column / 3);
    const auto first = m_runs.begin() + static_cast<std::ptrdiff_t>(m_first_run[c]);
    const auto last = m_runs.begin() + static_cast<std::ptrdiff_t>(m_first_run[c + 1]);
    const Run& run =
        *std::prev(std::upper_bound(first, last, row, [](Index i, const Run& r) { return i < r.row; }));
    return m_values[run.values + static_cast<std::size_t>((column % 3) * run.length + row - run.row)];
}

ContactMatrix::ContactMatrix(std::span<const int> start, std::span<const int> column,
                             std::span<const double> value)
{
    const std::size_t contacts = contacts_of(static_cast<Index>(start.size()) - 1);
    check_rows(start, column, value, static_cast<int>(3 * contacts));
    std::vector<std::vector<int>> columns(contacts);
    for (std::size_t row = 0; row + 1 < start.size(); ++row) {
        const int block = static_cast<int>(row / 3);
        if (row % 3 == 0 && (columns[row / 3].empty() || columns[row / 3].back() != block)) {
            columns[row / 3].push_back(block);
        }
        for (int k = start[row]; k < start[row + 1]; ++k) {
            const auto place = static_cast<std::size_t>(k);
            std::vector<int>& blocks = columns[static_cast<std::size_t>(column[place] / 3)];
            if (value[place] != 0.0 && (blocks.empty() || blocks.back() != block)) {
                blocks.push_back(block);
            }
        }
    }
    make_runs(columns);
    for (std::size_t row = 0; row + 1 < start.size(); ++row) {
        for (int k = start[row]; k < start[row + 1]; ++k) {
            const auto place = static_cast<std::size_t>(k);
            if (value[place] != 0.0) {
                const auto i = static_cast<Index>(row), j = static_cast<Index>(column[place]);
                entry(i, j) += value[place];
                if (i / 3 == j / 3) {
                    m_diagonal[row / 3](i % 3, j % 3) += value[place];
                }
            }
        }
    }
}

ContactMatrix::ContactMatrix(const RowMajorRef& W)
{
    const std::size_t contacts = contacts_of(W.rows());
    std::vector<std::vector<int>> columns(contacts);
    for (std::size_t block = 0; block < contacts; ++block) {
        const auto rows = W.middleRows<3>(static_cast<Index>(3 * block));
        for (std::size_t c = 0; c < contacts; ++c) {
            if (c == block || (rows.middleCols<3>(static_cast<Index>(3 * c)).array() != 0.0).any()) {
                columns[c].push_back(static_cast<int>(block));
            }
        }
    }
    make_runs(columns);
    for (std::size_t c = 0; c < contacts; ++c) {
        const auto first = static_cast<Index>(3 * c);
        for (std::size_t k = m_first_run[c]; k < m_first_run[c + 1]; ++k) {
            const Run& run = m_runs[k];
            Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, 3>>(m_values.data() + run.values, run.length,
                                                                 3) = W.block(run.row, first, run.length, 3);
        }
        m_diagonal[c] = W.block<3, 3>(first, first);
    }
}

void ContactMatrix::add_column(Index contact, const Vector3d& delta, double* u) const
{
    const auto c = static_cast<std::size_t>(contact);
    const double n = delta.x(), t = delta.y(), s = delta.z();
    for (std::size_t k = m_first_run[c]; k < m_first_run[c + 1]; ++k) {
        const Run& run = m_runs[k];
        const double* a = m_values.data() + run.values;
        const double* b = a + run.length;
        const double* d = b + run.length;
        double* out = u + run.row;
        for (Index i = 0; i < run.length; ++i) {
            out[i] += a[i] * n + b[i] * t + d[i] * s;
        }
    }
}

void ContactMatrix::multiply(const VectorXd& r, VectorXd& out) const
{
    out.setZero(rows());
    for (Index c = 0; c < contacts(); ++c) {
        const Vector3d force = r.segment<3>(3 * c);
        if (force.x() != 0.0 || force.y() != 0.0 || force.z() != 0.0) {
            add_column(c, force, out.data());
        }
    }
}

}  // namespace softcontact
