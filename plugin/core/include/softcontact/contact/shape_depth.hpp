// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/geometry/convex_shape.hpp"
#include "softcontact/geometry/surface.hpp"

namespace softcontact {

/// How deep a placed round shape and a closed mesh overlap, by vertices of the mesh inside the shape, and by
/// the points of the shape that lie furthest behind the faces near it [m]; 0 where they do not.
[[nodiscard]] double depth_of_shape(const PlacedShape& shape, const Surface& mesh);

}  // namespace softcontact
