// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "softcontact/contact/contact_point.hpp"

namespace softcontact {

/// Adds points all over the face that the corners of a contact between shapes enclose, as a patch wants them
/// for its torsion: those corners alone would all be far out.
///
/// The face is cut into triangles around its middle, each in four; corners and middles of those share their
/// area so that integrals of quadratic functions are exact. The area is what the corners had [m²], their keys
/// and places stay. Nothing happens to fewer than three points, to points on a line, and to points of
/// different layers. Neither the order of the points nor their common placement has a say.
void spread_over_face(std::vector<ContactPoint>& points);

}  // namespace softcontact
