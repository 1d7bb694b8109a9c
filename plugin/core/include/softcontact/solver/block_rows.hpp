// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "softcontact/friction/patch_block.hpp"

namespace softcontact {

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// A dense W without copying it: row-major maps, blocks and matrices bind to it.
using RowMajorRef = Eigen::Ref<const RowMajorMatrix>;

/// One contact in a stacked problem u = W λ + q: its rows and its law. Vectors are (n), (n, t, s) or (n, t,
/// s, ω).
struct BlockDescriptor {
    int offset = 0;  ///< first row
    int rows = 1;    ///< 1: bounded row; 3: Coulomb point, or patch without torsion; 4: patch with torsion
    FrictionLaw law = FrictionLaw::contensou;  ///< of a 4-row block; 3 rows are Coulomb whatever it says
    double mu = 0.0;
    FrictionPatch patch{};  ///< of a 4-row block: shares and offsets stay with the caller
    /// Of a 1-row block: u > 0 only at the lower bound, u < 0 only at the upper one. As it is, the normal
    /// law; −f and f are dry friction of strength f.
    double lower = 0.0, upper = std::numeric_limits<double>::infinity();
};

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
