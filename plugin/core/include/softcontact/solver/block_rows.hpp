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

/// Products of one block row of W with λ, skipping the zeros between bodies that do not touch each other.
/// Keeps its buffers.
class BlockRows {
public:
    void reserve(int rows, int blocks);

    /// Look at W once; W and blocks must stay alive and unchanged until the next call.
    void prepare(const RowMajorRef& W, std::span<const BlockDescriptor> blocks);

    /// out[0..rows) = (W λ) at the rows of one block.
    void multiply(int block, const double* lambda, double* out) const;

private:
    const double* m_matrix = nullptr;
    Index m_stride = 0;
    std::span<const BlockDescriptor> m_blocks;
    std::vector<std::pair<int, int>> m_runs;  // (first column, length)
    std::vector<int> m_first_run;             // per block, and one past the end
};

}  // namespace softcontact
