// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cmath>

#include "softcontact/geometry/closest_point.hpp"

namespace softcontact {

/// The face whose plane is nearest to a point at or behind it, among those onto which the point projects and
/// whose outward normal is admissible(normal); not found beyond max_distance [m].
///
/// Both frames are the surface's own. A point counts as behind a face, and as above it, within round_off [m],
/// so that one on an edge belongs to both of its faces. signed_distance is minus the depth behind the plane.
template <typename Admissible>
[[nodiscard]] ClosestPoint closest_admissible_face(const Surface& surface, const Vector3d& point,
                                                   double max_distance, double round_off,
                                                   const Admissible& admissible)
{
    const Triangles& triangles = surface.triangles();
    const Points& vertices = surface.local_vertices();
    ClosestPoint closest;
    const double reach = max_distance + round_off;
    surface.tree().search_nearest(point, reach * reach, [&](int triangle, double& bound) {
        const Vector3d normal = surface.face_normals().col(triangle);
        const Vector3d corner = vertices.col(triangles(0, triangle));
        const double depth = normal.dot(corner - point);
        if (!(depth >= -round_off) || !(depth <= max_distance) || !admissible(normal)) return;
        const TrianglePoint nearest = closest_point_on_triangle(
            point, corner, vertices.col(triangles(1, triangle)), vertices.col(triangles(2, triangle)));
        const double beside = nearest.squared_distance - depth * depth;
        if (!(beside <= round_off * round_off)) return;
        const bool nearer = !closest.found() || depth < -closest.signed_distance ||
                            (depth == -closest.signed_distance && triangle < closest.triangle);
        if (!nearer) return;
        const double still = std::abs(depth) + round_off;
        bound = std::min(bound, still * still);
        closest.triangle = closest.feature_index = triangle;
        closest.signed_distance = -depth;
        closest.point = nearest.point;
        closest.barycentric = nearest.barycentric;
        closest.normal = normal;
    });
    return closest;
}

}  // namespace softcontact
