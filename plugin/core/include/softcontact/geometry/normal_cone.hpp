// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/geometry/surface.hpp"

namespace softcontact {

/// Whether a unit direction (local frame) lies in the normal cone of a vertex: no edge leaves the vertex by
/// more than the angle of `sine_tolerance` towards it, so no move over the surface gets further that way.
[[nodiscard]] bool in_vertex_cone(const Surface& surface, int vertex, const Vector3d& direction,
                                  double sine_tolerance);

/// The same for an edge of at most two triangles and a direction perpendicular to the edge: no incident
/// triangle leaves the edge towards it. Empty for edges more concave than the tolerance, but for the ones of
/// a surface that folds: between the normals of both triangles then, whichever way the edge is folded at
/// the moment.
[[nodiscard]] bool in_edge_cone(const Surface& surface, int edge, const Vector3d& direction,
                                double sine_tolerance);

}  // namespace softcontact
