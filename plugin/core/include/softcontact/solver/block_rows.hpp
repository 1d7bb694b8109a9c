// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "softcontact/friction/block_descriptor.hpp"

namespace softcontact {

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// A dense W without copying it: row-major maps, blocks and matrices bind to it.
using RowMajorRef = Eigen::Ref<const RowMajorMatrix>;

/// W by rows of blocks, without the zeros between bodies that do not touch each other: either a look at a
/// dense W, or a matrix of its own. Keeps its buffers.
class BlockRows {
public:
    using Block = Eigen::Map<RowMajorMatrix, 0, Eigen::OuterStride<>>;
    using ConstBlock = Eigen::Map<const RowMajorMatrix, 0, Eigen::OuterStride<>>;

    void reserve(int rows, int blocks);

    /// Looks at W once; it must stay alive and unchanged until the next call.
    void look_at(const RowMajorRef& W, std::span<const BlockDescriptor> blocks);
    /// A matrix of zeros: (first row, rows) of the blocks, one after the other, and the blocks that each is
    /// coupled to, itself among them, in order.
    void set_pattern(std::span<const std::pair<int, int>> blocks, std::span<const std::vector<int>> coupled);
    /// A block of the pattern.
    [[nodiscard]] Block block(int i, int j);
    [[nodiscard]] ConstBlock block(int i, int j) const;
    [[nodiscard]] std::span<const int> coupled(int block) const;

    /// The diagonal block.
    [[nodiscard]] ConstBlock own(int block) const;
    /// out[0..rows) = (W λ) at the rows of one block.
    void multiply(int block, const double* lambda, double* out) const;
    /// All of W (rows, rows).
    void write(RowMajorMatrix& out) const;
    [[nodiscard]] int block_count() const { return static_cast<int>(m_strips.size()); }

private:
    /// Columns that follow each other and are not all zero.
    struct Run {
        int first = 0, length = 0;
        const double* values = nullptr;  ///< of the block's first row
    };
    struct Strip {
        int offset = 0, rows = 0;
        std::size_t first_run = 0, end_run = 0, first_coupled = 0, end_coupled = 0, values = 0;
        Index stride = 0;
        const double* own = nullptr;
    };
    std::vector<Strip> m_strips;
    std::vector<Run> m_runs;
    std::vector<int> m_coupled, m_columns;  ///< blocks of each strip, and their columns within it
    std::vector<double> m_values;
};

}  // namespace softcontact
