// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/bodies/symmetric_factor.hpp"

#include <Eigen/OrderingMethods>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <stdexcept>
#include <string>

namespace softcontact {

namespace {

constexpr double kSmallestPivot = 1e-14;  // relative to the diagonal entry: below it is cancellation

/// Inverse of the lower Cholesky factor of the lower triangle of a; false if a is not positive.
bool invert_cholesky(const Matrix3d& a, const Vector3d& scale, Matrix3d& inverse)
{
    const double p0 = a(0, 0);
    if (!(p0 > kSmallestPivot * scale[0])) return false;
    const double i0 = 1.0 / std::sqrt(p0);
    const double l10 = a(1, 0) * i0;
    const double l20 = a(2, 0) * i0;
    const double p1 = a(1, 1) - l10 * l10;
    if (!(p1 > kSmallestPivot * scale[1])) return false;
    const double i1 = 1.0 / std::sqrt(p1);
    const double l21 = (a(2, 1) - l20 * l10) * i1;
    const double p2 = a(2, 2) - l20 * l20 - l21 * l21;
    if (!(p2 > kSmallestPivot * scale[2]) || !std::isfinite(p0 + p1 + p2)) return false;
    const double i2 = 1.0 / std::sqrt(p2);
    const double m10 = -l10 * i0 * i1;
    inverse << i0, 0.0, 0.0, m10, i1, 0.0, -(l20 * i0 + l21 * m10) * i2, -l21 * i1 * i2, i2;
    return true;
}

/// order[k]: the block eliminated as k-th.
std::vector<int> minimum_degree_order(const std::vector<std::vector<int>>& neighbours)
{
    const int blocks = static_cast<int>(neighbours.size());
    std::vector<Eigen::Triplet<double, int>> entries;
    for (int j = 0; j < blocks; ++j) {
        entries.emplace_back(j, j, 1.0);
        for (const int i : neighbours[j]) entries.emplace_back(i, j, 1.0);
    }
    Eigen::SparseMatrix<double> graph(blocks, blocks);
    graph.setFromTriplets(entries.begin(), entries.end());
    Eigen::AMDOrdering<int>::PermutationType permutation;
    Eigen::AMDOrdering<int>()(graph.selfadjointView<Eigen::Lower>(), permutation);
    const auto& indices = permutation.indices();
    return {indices.data(), indices.data() + indices.size()};
}

}  // namespace

void SymmetricFactor::analyse(const Eigen::SparseMatrix<double>& lower)
{
    if (lower.rows() != lower.cols() || !lower.isCompressed()) {
        throw std::invalid_argument(
            "matrix is " + std::to_string(lower.rows()) + " x " + std::to_string(lower.cols()) +
            (lower.isCompressed() ? "" : ", not compressed") + ": give a square matrix in compressed form");
    }
    m_size = lower.rows();
    m_blocks = static_cast<int>((m_size + 2) / 3);
    m_status = Status::not_factorized;
    const int* outer = lower.outerIndexPtr();
    const int* inner = lower.innerIndexPtr();

    std::vector<std::vector<int>> neighbours(m_blocks);  // of a block column: block rows below it
    for (int c = 0; c < m_size; ++c) {
        for (int k = outer[c]; k < outer[c + 1]; ++k) {
            if (inner[k] / 3 > c / 3) neighbours[c / 3].push_back(inner[k] / 3);
        }
    }
    for (auto& list : neighbours) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    const std::vector<int> order = minimum_degree_order(neighbours);
    m_position.assign(m_blocks, 0);
    for (int k = 0; k < m_blocks; ++k) m_position[order[k]] = k;

    std::vector<std::vector<int>> row_columns(m_blocks);
    for (int j = 0; j < m_blocks; ++j) {
        for (const int i : neighbours[j]) {
            row_columns[std::max(m_position[i], m_position[j])].push_back(
                std::min(m_position[i], m_position[j]));
        }
    }
    m_row_start.assign(1, 0);
    m_row_column.clear();
    for (auto& list : row_columns) {
        std::sort(list.begin(), list.end());
        m_row_column.insert(m_row_column.end(), list.begin(), list.end());
        m_row_start.push_back(static_cast<int>(m_row_column.size()));
    }
    m_values.assign(m_row_column.size() + m_blocks, Matrix3d::Zero());

    m_scatter.assign(lower.nonZeros(), -1);
    for (int c = 0; c < m_size; ++c) {
        for (int k = outer[c]; k < outer[c + 1]; ++k) {
            const int r = inner[k];
            if (r < c) continue;
            int row = m_position[r / 3];
            int column = m_position[c / 3];
            int a = r % 3;
            int b = c % 3;
            if (row < column) {
                std::swap(row, column);
                std::swap(a, b);
            }
            int block = static_cast<int>(m_row_column.size()) + row;
            if (row != column) {
                const auto begin = m_row_column.begin() + m_row_start[row];
                const auto end = m_row_column.begin() + m_row_start[row + 1];
                block = static_cast<int>(std::lower_bound(begin, end, column) - m_row_column.begin());
            }
            m_scatter[k] = 9 * block + 3 * b + a;
        }
    }
    analyse_tree(row_columns);
}

void SymmetricFactor::analyse_tree(const std::vector<std::vector<int>>& row_columns)
{
    std::vector<int> parent(m_blocks, -1);
    std::vector<int> tag(m_blocks, -1);
    std::vector<int> count(m_blocks, 0);
    std::vector<int> reached;
    m_entry_start.assign(1, 0);
    m_entry.clear();
    for (int k = 0; k < m_blocks; ++k) {
        tag[k] = k;
        reached.clear();
        for (int j : row_columns[k]) {
            for (; tag[j] != k; j = parent[j]) {
                if (parent[j] < 0) parent[j] = k;
                tag[j] = k;
                reached.push_back(j);
            }
        }
        std::sort(reached.begin(), reached.end());  // a topological order: parents come after children
        for (const int j : reached) m_entry.push_back({j, count[j]++});
        m_entry_start.push_back(static_cast<int>(m_entry.size()));
    }
    m_column_start.assign(1, 0);
    for (int j = 0; j < m_blocks; ++j) m_column_start.push_back(m_column_start.back() + count[j]);
    m_rows.assign(m_entry.size(), 0);
    for (int k = 0; k < m_blocks; ++k) {
        for (int e = m_entry_start[k]; e < m_entry_start[k + 1]; ++e) {
            m_entry[e].position += m_column_start[m_entry[e].column];
            m_rows[m_entry[e].position] = k;
        }
    }
    m_factor.assign(m_entry.size(), Matrix3d::Zero());
    m_inverse_diagonal.assign(m_blocks, Matrix3d::Identity());
    m_row.assign(m_blocks, Matrix3d::Zero());
    m_solution.assign(3 * kWide * static_cast<std::size_t>(m_blocks), 0.0);
}

SymmetricFactor::Status SymmetricFactor::factorize(const Eigen::SparseMatrix<double>& lower)
{
    assert(static_cast<std::size_t>(lower.nonZeros()) == m_scatter.size());
    for (Matrix3d& block : m_values) block.setZero();
    if (!m_values.empty()) {
        double* values = m_values.front().data();
        for (std::size_t k = 0; k < m_scatter.size(); ++k) {
            if (m_scatter[k] >= 0) values[m_scatter[k]] += lower.valuePtr()[k];
        }
    }
    const std::size_t diagonal = m_row_column.size();
    for (Index k = m_size; k < 3 * m_blocks; ++k) {  // padding
        m_values[diagonal + m_position[m_blocks - 1]](k % 3, k % 3) = 1.0;
    }

    m_status = Status::not_positive;
    for (int k = 0; k < m_blocks; ++k) {
        for (int e = m_entry_start[k]; e < m_entry_start[k + 1]; ++e) m_row[m_entry[e].column].setZero();
        for (int p = m_row_start[k]; p < m_row_start[k + 1]; ++p) m_row[m_row_column[p]] = m_values[p];
        Matrix3d pivot = m_values[diagonal + k];
        const Vector3d scale = pivot.diagonal();
        for (int e = m_entry_start[k]; e < m_entry_start[k + 1]; ++e) {
            const auto [column, position] = m_entry[e];
            const Matrix3d block = m_row[column].lazyProduct(m_inverse_diagonal[column].transpose());
            for (int p = m_column_start[column]; p < position; ++p) {
                m_row[m_rows[p]].noalias() -= block.lazyProduct(m_factor[p].transpose());
            }
            pivot.noalias() -= block.lazyProduct(block.transpose());
            m_factor[position] = block;
        }
        if (!invert_cholesky(pivot, scale, m_inverse_diagonal[k])) return m_status;
    }
    m_status = Status::ok;
    return m_status;
}

void SymmetricFactor::solve_in_place(Eigen::Ref<MatrixXd> rhs) const
{
    assert(m_status == Status::ok && rhs.rows() == m_size);
    Index first = 0;
    // A pass over the factor costs as much for one column as for kWide: few columns share one, padded.
    for (; first + 1 < rhs.cols(); first += kWide) solve_columns<kWide>(rhs, first);
    if (first < rhs.cols()) solve_columns<1>(rhs, first);
}

template <int Width>
void SymmetricFactor::solve_columns(Eigen::Ref<MatrixXd> rhs, Index first) const
{
    // Right-hand sides lie side by side, so that one pass over the factor serves Width of them.
    using Block = Eigen::Matrix<double, 3, Width, Width == 1 ? Eigen::ColMajor : Eigen::RowMajor>;
    const auto at = [this](int k) { return Eigen::Map<Block>(m_solution.data() + 3 * Width * k); };
    const int columns = static_cast<int>(std::min<Index>(Width, rhs.cols() - first));
    int start = m_blocks;  // leading zeros stay zero: contact rows touch few nodes
    std::fill(m_solution.begin(), m_solution.begin() + 3 * Width * static_cast<std::ptrdiff_t>(m_blocks),
              0.0);
    for (Index block = 0; block < m_blocks; ++block) {
        const int k = m_position[block];
        const Index rows = std::min<Index>(3, m_size - 3 * block);
        auto target = at(k);
        for (int c = 0; c < columns; ++c) {
            for (Index a = 0; a < rows; ++a) target(a, c) = rhs(3 * block + a, first + c);
        }
        if (k < start && !(target.array() == 0.0).all()) start = k;
    }
    for (int k = start; k < m_blocks; ++k) {
        const Block value = m_inverse_diagonal[k].lazyProduct(at(k));
        at(k) = value;
        for (int p = m_column_start[k]; p < m_column_start[k + 1]; ++p) {
            at(m_rows[p]).noalias() -= m_factor[p].lazyProduct(value);
        }
    }
    for (int k = m_blocks - 1; k >= 0; --k) {
        Block value = at(k);
        for (int p = m_column_start[k]; p < m_column_start[k + 1]; ++p) {
            value.noalias() -= m_factor[p].transpose().lazyProduct(at(m_rows[p]));
        }
        at(k) = m_inverse_diagonal[k].transpose().lazyProduct(value);
    }
    for (Index block = 0; block < m_blocks; ++block) {
        const Index rows = std::min<Index>(3, m_size - 3 * block);
        const auto source = at(m_position[block]);
        for (int c = 0; c < columns; ++c) {
            for (Index a = 0; a < rows; ++a) rhs(3 * block + a, first + c) = source(a, c);
        }
    }
}

}  // namespace softcontact
