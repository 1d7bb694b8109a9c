// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/geometry/convex_shape.hpp"

namespace softcontact {

/// Nearest points of the cores of two shapes, none of them a plane.
struct CoreDistance {
    bool apart = false;                ///< otherwise the cores touch or overlap, to round-off
    double distance = 0.0;             ///< [m]
    Vector3d on_a = Vector3d::Zero();  ///< [m]
    Vector3d on_b = Vector3d::Zero();
    /// Unit, from B to A: of all directions that were tried the one that parts the cores most, apart or not.
    Vector3d normal = Vector3d::Zero();
};

/// Source: Gilbert, Johnson & Keerthi 1988; van den Bergen 1999 for when to stop. `start`: where to look
/// first, not zero.
[[nodiscard]] CoreDistance core_distance(const PlacedShape& a, const PlacedShape& b, const Vector3d& start);

}  // namespace softcontact
