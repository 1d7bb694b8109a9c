// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>

#include "softcontact/types.hpp"

namespace softcontact {

/// Shares of a normal force that follow a profile as far as its centre of pressure lets them.
///
///     shares_i = profile_i (α + β·r_i)₊,   Σ shares = 1,   Σ shares r = centre
///
/// with the unique (α, β) that there are wherever `centre` lies inside the convex hull of the points with a
/// profile; on the hull, and outside of it, the points of the hull that are nearest bear all. profile (n) >=
/// 0, with an area in it; offsets (2 n), (t, s) of a point side by side [m]; shares (n), may be profile.
void fit_pressure(std::span<const double> profile, std::span<const double> offsets, const Vector2d& centre,
                  std::span<double> shares);

}  // namespace softcontact
