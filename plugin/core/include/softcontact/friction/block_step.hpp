// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>
#include <vector>

#include "softcontact/friction/patch_block.hpp"

namespace softcontact {

/// Law of one contact block: what it needs to be solved, whoever holds the rows.
struct BlockLaw {
    /// Rows of the contact: 1 (n), 3 (n, t, s) or 4 (n, t, s, ω).
    int rows = 3;
    /// Linear rows after them, u + λ = 0 at the solution (an implicit tilt, see world/pressure_tilt.hpp).
    int linear_rows = 0;
    FrictionLaw law = FrictionLaw::contensou;  ///< of 4 rows; 3 rows are Coulomb whatever it says
    double mu = 0.0;                           ///< [-] >= 0
    DecoupledBounds bounds{};                  ///< of contensou_decoupled
    std::vector<double> shares;                ///< a_i of the points of a patch [-]
    std::vector<double> offsets;               ///< r_i in (t, s) [m], two numbers a point
};

/// One step of a block solver on one block: the exact solution of its rows, the rest of the problem fixed.
///
/// Copies what it needs, so that it may outlive the patch; not to be copied itself, since friction views its
/// arrays. Multipliers may be forces or impulses and velocities displacements: the laws are homogeneous.
class BlockStep {
public:
    static constexpr int max_rows = 6;
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, max_rows, 1>;
    using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, max_rows, max_rows>;

    /// Raises std::invalid_argument where the law names impossible rows or a negative mu.
    explicit BlockStep(BlockLaw law);
    BlockStep(const BlockStep&) = delete;
    BlockStep& operator=(const BlockStep&) = delete;
    BlockStep(BlockStep&&) = delete;
    BlockStep& operator=(BlockStep&&) = delete;
    ~BlockStep() = default;

    [[nodiscard]] int row_count() const { return m_law.rows + m_law.linear_rows; }
    [[nodiscard]] const BlockLaw& law() const { return m_law; }

    /// Looks at the block's own W (row_count, row_count) [m/(N s)], once a problem.
    void prepare(const Eigen::Ref<const MatrixXd>& delassus);

    /// Solves u = W λ + q for the block; lambda holds the guess and then the solution. Returns whether the
    /// block could be solved; where it could not, lambda is admissible all the same (or zero, where nothing
    /// in the block can move).
    bool solve(const Eigen::Ref<const VectorXd>& q, Eigen::Ref<VectorXd> lambda) const;

private:
    bool solve_contact(const Rows& q, Eigen::Ref<VectorXd> lambda) const;

    BlockLaw m_law;
    FrictionPatch m_patch;
    Matrix m_effective;  ///< W with the linear rows eliminated
    Matrix m_coupling;   ///< (1 + W_ll)⁻¹ W_lc
    Matrix m_inverse;    ///< (1 + W_ll)⁻¹
};

}  // namespace softcontact
