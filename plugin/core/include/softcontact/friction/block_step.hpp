// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>
#include <vector>

#include "softcontact/friction/block_descriptor.hpp"

namespace softcontact {

/// Law of one contact block: what it needs to be solved, whoever holds the rows.
struct BlockLaw {
    /// Rows of the contact: 1 (n), 3 (n, t, s), 4 (n, t, s, ω), 5 (n, t, s, ω, m) or 6 (n, t, s, ω, m_t,
    /// m_s).
    int rows = 3;
    FrictionLaw law = FrictionLaw::contensou;  ///< of 4 rows and more; 3 rows are Coulomb whatever it says
    double mu = 0.0;                           ///< [-] >= 0
    DecoupledBounds bounds{};                  ///< of contensou_decoupled
    std::vector<double> shares;                ///< a_i of the points of a patch [-]
    std::vector<double> offsets;               ///< r_i in (t, s) [m], two numbers a point
    std::vector<double> corners;               ///< of 5 and 6 rows: hull in (t, s) [m], two numbers a corner
    Vector2d axis = Vector2d::UnitX();         ///< of 5 rows: the tilt's axis in (t, s), a unit vector
};

/// One step of a block solver on one block: the exact solution of its rows, the rest of the problem fixed.
///
/// Copies what it needs, so that it may outlive the patch; not to be copied itself, since friction views its
/// arrays. Multipliers may be forces or impulses and velocities displacements: the laws are homogeneous.
class BlockStep {
public:
    static constexpr int max_rows = max_block_rows;
    using Rows = BlockVector;
    using Matrix = BlockMatrix;

    /// Raises std::invalid_argument where the law names impossible rows or a negative mu.
    explicit BlockStep(BlockLaw law);
    BlockStep(const BlockStep&) = delete;
    BlockStep& operator=(const BlockStep&) = delete;
    BlockStep(BlockStep&&) = delete;
    BlockStep& operator=(BlockStep&&) = delete;
    ~BlockStep() = default;

    [[nodiscard]] int row_count() const { return m_law.rows; }
    [[nodiscard]] const BlockLaw& law() const { return m_law; }

    /// Looks at the block's own W (row_count, row_count) [m/(N s)], once a problem.
    void prepare(const Eigen::Ref<const MatrixXd>& delassus);

    /// Solves u = W λ + q for the block; lambda holds the guess and then the solution. Returns whether the
    /// block could be solved; where it could not, lambda is admissible all the same (or zero, where nothing
    /// in the block can move).
    bool solve(const Eigen::Ref<const VectorXd>& q, Eigen::Ref<VectorXd> lambda) const;

private:
    BlockLaw m_law;
    BlockDescriptor m_block;  ///< views m_law
    Matrix m_delassus;        ///< W of the block
};

}  // namespace softcontact
