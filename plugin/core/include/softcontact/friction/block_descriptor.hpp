// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <limits>

#include "softcontact/friction/moment_cone.hpp"
#include "softcontact/friction/patch_block.hpp"

namespace softcontact {

/// What belongs to the rows of one block: at most six.
inline constexpr int max_block_rows = 6;
using BlockVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, max_block_rows, 1>;
using BlockMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, max_block_rows, max_block_rows>;

/// One contact in a stacked problem u = W λ + q: its rows and its law. Vectors are (n), then friction: none,
/// (t, s) or (t, s, ω), then tilts: none, the one of a line, or (m_t, m_s).
///
/// 1 row: bounded; 3: Coulomb point, or patch without torsion; 4: patch with torsion; 5 and 6: the same
/// bearing moments. Friction and the bounds of its law follow N alone; moments (N, M_t, M_s) stay in the cone
/// of `hull`, complementary to (u_n, ω_t, ω_s) in its dual.
struct BlockDescriptor {
    int offset = 0;  ///< first row
    int rows = 1;
    FrictionLaw law =
        FrictionLaw::contensou;  ///< of friction with torsion; two rows are Coulomb whatever it says
    double mu = 0.0;
    FrictionPatch patch{};  ///< of friction with torsion: shares and offsets stay with the caller
    /// Of a 1-row block: u > 0 only at the lower bound, u < 0 only at the upper one. As it is, the normal
    /// law; −f and f are dry friction of strength f.
    double lower = 0.0, upper = std::numeric_limits<double>::infinity();
    int tilts = 0;        ///< rows of tilt moments, the last of the block
    MomentHull hull{};    ///< of tilts: the corners stay with the caller
    double length = 1.0;  ///< of a 1-row block: turns its u into m/s; the lever of a joint [m], else 1

    [[nodiscard]] int friction_rows() const { return rows - 1 - tilts; }
    [[nodiscard]] bool has_torsion() const { return friction_rows() == 3; }
};

/// Length that turns row `row` of a block into a velocity of its points [m], 1 where it is one.
[[nodiscard]] inline double row_length(const BlockDescriptor& block, int row)
{
    if (block.rows == 1) {
        return block.length;
    }
    if (row >= block.rows - block.tilts) {
        return block.hull.length;
    }
    return row == 3 ? block.patch.length : 1.0;
}

/// Largest of a block's velocities [m/s]; a spin about a single point is none.
[[nodiscard]] double largest_velocity(const BlockDescriptor& block, const BlockVector& u);

/// The normal row and the tilts of a block's vector.
[[nodiscard]] NormalLoad normal_part(const BlockDescriptor& block, const BlockVector& v);

}  // namespace softcontact
