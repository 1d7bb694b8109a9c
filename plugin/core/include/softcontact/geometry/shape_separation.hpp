// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/geometry/convex_shape.hpp"

namespace softcontact {

/// How far two shapes are apart, or how far they must move to part.
struct ShapeSeparation {
    double gap = 0.0;                     ///< [m], negative: minus the depth
    Vector3d normal = Vector3d::UnitZ();  ///< unit, from B to A: along it the shapes are `gap` apart
    /// Points of the cores that are nearest along the normal [m], where `has_points`.
    Vector3d on_a = Vector3d::Zero(), on_b = Vector3d::Zero();
    bool has_points = false;
};

/// Signed distance of two convex shapes: the most that they are apart along any direction n,
/// max_n (−h_A(−n) − h_B(n)), h the support functions.
///
/// The gap is that along the normal, by the support functions alone: whatever direction the search ends at,
/// shapes that are told apart are, and depths are never told too small. Distances by core_distance; depths by
/// comparing all directions in which features of the two can meet: faces, pairs of edges, and for cylinders
/// arcs of directions. At most one of the two is a plane. Does not allocate.
[[nodiscard]] ShapeSeparation separation(const PlacedShape& a, const PlacedShape& b);

/// How far two shapes, no planes, are apart along a unit normal from B to A [m]: no more than their
/// separation.
[[nodiscard]] double gap_along(const PlacedShape& a, const PlacedShape& b, const Vector3d& normal);

}  // namespace softcontact
