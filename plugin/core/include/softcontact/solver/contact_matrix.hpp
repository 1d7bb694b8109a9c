// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>
#include <vector>

#include "softcontact/solver/block_rows.hpp"

namespace softcontact {

/// The Delassus operator W of n point contacts, (3n, 3n), stored by columns of 3x3 blocks without the zero
/// blocks off the diagonal. Need not be symmetric or of full rank.
///
/// Neighbouring blocks of a column lie together, so that a product runs over long stretches whether W is
/// sparse or full.
class ContactMatrix {
public:
    ContactMatrix() = default;
    /// From compressed rows: start (3n + 1,), column and value (nnz,). Entries met twice are added.
    ContactMatrix(std::span<const int> start, std::span<const int> column, std::span<const double> value);
    explicit ContactMatrix(const RowMajorRef& W);

    [[nodiscard]] Index contacts() const { return static_cast<Index>(m_diagonal.size()); }
    [[nodiscard]] Index rows() const { return 3 * contacts(); }
    /// Blocks that are stored.
    [[nodiscard]] Index blocks() const { return static_cast<Index>(m_values.size()) / 9; }
    [[nodiscard]] const Matrix3d& diagonal(Index contact) const
    {
        return m_diagonal[static_cast<std::size_t>(contact)];
    }

    /// u += W[:, contact] Δ.
    void add_column(Index contact, const Vector3d& delta, double* u) const;
    /// out = W r.
    void multiply(const VectorXd& r, VectorXd& out) const;

    /// Blocks of one column from the top: visit(row contact, 3x3 block).
    template <typename Visitor>
    void for_each_in_column(Index contact, Visitor&& visit) const
    {
        const auto c = static_cast<std::size_t>(contact);
        for (std::size_t k = m_first_run[c]; k < m_first_run[c + 1]; ++k) {
            const Run& run = m_runs[k];
            const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, 3>> values(
                m_values.data() + run.values, run.length, 3);
            for (Index i = 0; i < run.length; i += 3) {
                visit((run.row + i) / 3, Matrix3d(values.middleRows<3>(i)));
            }
        }
    }

private:
    struct Run {
        Index row = 0, length = 0;  // first row and number of rows
        std::size_t values = 0;     // where its (length, 3) numbers begin, by columns
    };

    void make_runs(const std::vector<std::vector<int>>& columns);
    double& entry(Index row, Index column);

    std::vector<Run> m_runs;
    std::vector<std::size_t> m_first_run;  // per contact, and one past the end
    std::vector<double> m_values;
    std::vector<Matrix3d> m_diagonal;
};

}  // namespace softcontact
