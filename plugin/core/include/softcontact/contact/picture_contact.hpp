// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "softcontact/contact/contact_point.hpp"
#include "softcontact/geometry/convex_shape.hpp"
#include "softcontact/geometry/surface.hpp"

namespace softcontact {

/// How far a round shape stands out beyond a surface that is drawn for it, in its axes [m]: that of the
/// points in the middle of triangles and edges.
[[nodiscard]] double picture_error(const ConvexShape& shape, const Surface& picture);

/// Contacts of a mesh that were found with the picture of a round shape, told of the shape itself: each
/// point of the mesh is as far from it, along such a normal, as it is from the shape. What the picture lacks
/// goes into the distance that is kept (ContactPoint::offset). Normals that differ by more than 60° are those
/// of another side; there the picture's counts.
void correct_picture(const PlacedShape& shape, bool shape_is_a, std::vector<ContactPoint>& points);

/// How deep a placed round shape and a closed mesh overlap, by vertices of the mesh inside the shape, and by
/// the points of the shape that lie furthest behind the faces near it [m]; 0 where they do not.
[[nodiscard]] double depth_of_shape(const PlacedShape& shape, const Surface& mesh);

}  // namespace softcontact
