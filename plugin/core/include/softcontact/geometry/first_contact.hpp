// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <softcontact/types.hpp>

namespace softcontact {

/// A surface whose vertices go straight from `start` to `end` (3, n) within a step.
struct MovingSurface {
    const Triangles& triangles;
    const Points& start;
    const Points& end;
};

/// Where two moving surfaces first meet.
struct FirstContact {
    double share = 1.0;                  ///< of the step, in [0, 1]
    Vector3d point = Vector3d::Zero();   ///< [m]
    Vector3d normal = Vector3d::Zero();  ///< unit, from B to A; against the approach
};

/// Shares of a step at which four points that move straight lie in one plane, ascending, exact to round-off:
/// the roots of a cubic in [0, 1]. Columns of start and end are the points. Returns how many (at most 3).
int coplanar_shares(const Eigen::Matrix<double, 3, 4>& start, const Eigen::Matrix<double, 3, 4>& end,
                    Vector3d& shares);

/// The first contact of a vertex with a face, or of two edges, within the step; nothing where there is none.
/// Contacts that part, such as a vertex that comes out of a face, do not count.
/// Source: Provot 1997; Redon, Kheddar & Coquillart 2002 (for what it is used: Otaduy & Gross 2007,
/// Sec. 5.1).
[[nodiscard]] std::optional<FirstContact> first_contact(const MovingSurface& a, const MovingSurface& b);

}  // namespace softcontact
