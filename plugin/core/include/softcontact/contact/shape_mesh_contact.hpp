// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "softcontact/contact/contact_point.hpp"
#include "softcontact/contact/detection.hpp"
#include "softcontact/geometry/convex_shape.hpp"

namespace softcontact {

/// Where a round shape touches a mesh that need not be convex: at local minima of the distance.
///
/// Over each face the points of the side of the shape that faces it, at each edge and corner the nearest
/// point of the shape, where the normal lies in the normal cone there: so edges between triangles in one
/// plane, and hollow ones, do not count, and a ball on a floor of many triangles has one contact. Faces count
/// where the middle of the shape is in front of them. Of tissue (Surface::folds) all edges count, hollow in
/// one step and standing out in the next, and all vertices near the shape but those on its back, so that it
/// bears what presses on it wherever that lies. Gaps between −search_depth and alarm_distance, without
/// contact offset; the contacts replace the content of `out`, ascending in their key.
void shape_mesh_contacts(const PlacedShape& shape, const Surface& mesh, bool shape_is_a,
                         const DetectionOptions& options, std::vector<ContactPoint>& out);

}  // namespace softcontact
