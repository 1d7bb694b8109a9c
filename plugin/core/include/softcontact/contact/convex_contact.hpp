// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "softcontact/contact/contact_point.hpp"
#include "softcontact/geometry/convex_shape.hpp"
#include "softcontact/geometry/shape_separation.hpp"

namespace softcontact {

/// Where two convex shapes touch, or would first: up to 8 points along one normal, that along which the
/// shapes are furthest apart (`separation`). One normal is enough: shapes that stay apart along it do not
/// overlap.
///
/// The points are the corners of what the sides that face each other have in common, seen along the normal:
/// one for a sphere, two for a capsule or cylinder that lies, the rim for a cylinder that stands. The nearest
/// points of the two are always among them. Only those at most `alarm_distance` apart [m]; gaps without
/// contact offset. They replace the content of `out`, ascending in their key.
void contact_points(const PlacedShape& a, const PlacedShape& b, double alarm_distance,
                    std::vector<ContactPoint>& out);
/// The same where their separation is known.
void contact_points(const PlacedShape& a, const PlacedShape& b, const ShapeSeparation& apart,
                    double alarm_distance, std::vector<ContactPoint>& out);

}  // namespace softcontact
