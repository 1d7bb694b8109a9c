// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <Eigen/LU>
#include <softcontact/types.hpp>
#include <span>
#include <utility>
#include <vector>

namespace softcontact {

/// LU factorisation of a matrix of dense blocks with a symmetric pattern, a block a pair of bodies that
/// touch.
///
/// Bodies are eliminated in the order of least degree; pivots are sought within the diagonal blocks alone, so
/// those have to be regular as they come. Fill costs what the graph of contacts makes of it: linear for
/// stacks and heaps. Memory is kept.
class BlockLu {
public:
    /// Sizes of the diagonal blocks, and the pairs (i, j), i != j, that are not zero, in any order.
    void set_pattern(std::span<const int> sizes, std::span<const std::pair<int, int>> pairs);
    /// All blocks zero, the diagonal one.
    void set_identity();
    /// A block of the pattern, to be added to.
    [[nodiscard]] Eigen::Map<MatrixXd> block(int i, int j);
    /// Returns false where a pivot is not regular.
    bool factor();
    /// x ← A⁻¹ x, the segments of the bodies in the order of their numbers.
    void solve(VectorXd& x) const;
    [[nodiscard]] Index size() const { return m_size; }

private:
    struct Column {
        int body = 0;
        std::vector<int> later;                ///< places of the bodies it is coupled to, eliminated after it
        std::vector<std::size_t> row, column;  ///< offsets of those blocks right of the pivot and below it
        std::size_t pivot = 0;                 ///< of its block, small ones inverted
        std::vector<int> active;               ///< columns of a large one that are not those of the identity
        Eigen::PartialPivLU<MatrixXd> lu;      ///< of its active rows and columns
    };
    [[nodiscard]] bool factor_pivot(Column& column, int size);
    void divide_row(const Column& column, double* row, int size, int columns) const;
    void order(std::span<const std::pair<int, int>> pairs);
    [[nodiscard]] int size_at(int place) const;
    [[nodiscard]] std::size_t find(int i, int j) const;

    std::vector<int> m_sizes, m_first, m_place;
    std::vector<Column> m_columns;  ///< in the order of elimination
    std::vector<double> m_values;
    Index m_size = 0;
};

}  // namespace softcontact
