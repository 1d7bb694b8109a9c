// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>

#include "softcontact/types.hpp"

namespace softcontact {

/// Normal force of a patch with its tilt moments, (N), (N, M) or (N, M_t, M_s) [N, N m].
using NormalLoad = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 3, 1>;
using NormalMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3, 3>;

/// The corners of a patch's hull as its normal force and tilt moments see them: a view, the array stays with
/// the caller.
///
/// Corner k lies at (t_k, s_k) [m] from the centre that moments are taken about. The moment cone
/// C = cone{(1, s_k, -t_k)} holds the loads that pushing points make; its dual C* the velocities
/// (u_n, ω_t, ω_s) at which no corner approaches, u_n + ω_t s_k - ω_s t_k >= 0. On a line of points there is
/// one moment, about `axis`, and the levers are axis_t s_k - axis_s t_k.
struct MomentHull {
    const double* corners = nullptr;  ///< (count, 2) [m], t and s of a corner side by side; in any order
    int count = 0;
    Vector2d axis = Vector2d::UnitX();  ///< of the one tilt row of a line, (t, s), a unit vector
    double length = 1.0;                ///< of the longest lever; 1 where all corners are at the centre [m]

    /// Corner k as a direction of C, (1, levers): of `tilts` tilt rows.
    [[nodiscard]] NormalLoad direction(int k, int tilts) const;
};

/// Build the view. The array must outlive it.
[[nodiscard]] MomentHull make_moment_hull(const double* corners, int count,
                                          const Vector2d& axis = Vector2d::UnitX());

/// The load of C nearest to y, moments measured in forces at hull.length, and how it answers to y.
struct MomentProjection {
    NormalLoad load;
    NormalMatrix slope;  ///< an element of the generalised Jacobian
    /// Corners that push: the load lies on their face of C, inside of C where there are as many as rows.
    std::array<int, 3> corners{};
    int pushing = 0;
};

/// Nonnegative least squares over the corners. y has 1 + tilts numbers; without tilts C is N >= 0.
/// Source: Lawson and Hanson 1974, ch. 23.
[[nodiscard]] MomentProjection project_to_moment_cone(const MomentHull& hull, const NormalLoad& y);

/// Least velocity of a corner along the normal [m/s], from (u_n, ω): negative where one approaches.
[[nodiscard]] double least_corner_velocity(const MomentHull& hull, const NormalLoad& velocity);

}  // namespace softcontact
