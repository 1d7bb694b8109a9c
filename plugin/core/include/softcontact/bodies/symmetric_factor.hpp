// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <Eigen/SparseCore>
#include <vector>

#include "softcontact/types.hpp"

namespace softcontact {

/// Sparse Cholesky factorisation A = Pᵀ L Lᵀ P of a symmetric positive definite matrix in 3×3 blocks,
/// for matrices of nodes with three unknowns each (any other size works, padded with unit rows).
///
/// analyse() orders (approximate minimum degree) and allocates; factorize() and solve_in_place() then
/// never allocate. Deterministic. solve_in_place() uses the object's workspace: one thread at a time.
///
/// Source: Davis, "Direct Methods for Sparse Linear Systems", SIAM 2006, Sec. 4.1-4.7 (elimination tree,
/// up-looking factorisation); differs by the blocks.
class SymmetricFactor {
public:
    enum class Status { not_factorized, ok, not_positive };

    /// Takes the structure of a compressed matrix whose lower triangle is meant; entries above the
    /// diagonal are ignored. Throws std::invalid_argument if it is not square or not compressed.
    void analyse(const Eigen::SparseMatrix<double>& lower);
    /// Numeric factorisation; lower must have the structure given to analyse(). not_positive: a pivot is
    /// not above 1e-14 of its diagonal entry, or something is not a number; the factor is then unusable.
    Status factorize(const Eigen::SparseMatrix<double>& lower);
    /// rhs (size, k) := A⁻¹ rhs. Needs status() == ok.
    void solve_in_place(Eigen::Ref<MatrixXd> rhs) const;

    [[nodiscard]] Status status() const { return m_status; }
    [[nodiscard]] Index size() const { return m_size; }
    [[nodiscard]] Index factor_blocks() const { return static_cast<Index>(m_rows.size()); }

private:
    static constexpr int kWide = 4;  // columns solved together

    struct Entry {
        int column;
        int position;  // in m_rows, m_factor
    };

    void analyse_tree(const std::vector<std::vector<int>>& row_columns);
    template <int Width>
    void solve_columns(Eigen::Ref<MatrixXd> rhs, Index first) const;

    Index m_size = 0;
    int m_blocks = 0;
    Status m_status = Status::not_factorized;
    std::vector<int> m_position;  // block of the matrix -> place in the elimination order
    // Permuted matrix by block rows, columns below the row; diagonal blocks apart.
    std::vector<int> m_scatter;  // entry of the matrix -> scalar in m_values, -1 above the diagonal
    std::vector<int> m_row_start;
    std::vector<int> m_row_column;
    std::vector<Matrix3d> m_values;  // off-diagonal blocks, then m_blocks diagonal ones
    // Factor by block columns; m_entry lists the blocks of each row of the factor.
    std::vector<int> m_entry_start;
    std::vector<Entry> m_entry;
    std::vector<int> m_column_start;
    std::vector<int> m_rows;
    std::vector<Matrix3d> m_factor;
    std::vector<Matrix3d> m_inverse_diagonal;
    std::vector<Matrix3d> m_row;  // workspace: the row under elimination
    mutable std::vector<double> m_solution;
};

}  // namespace softcontact
