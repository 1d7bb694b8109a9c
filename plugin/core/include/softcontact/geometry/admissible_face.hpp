// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cmath>

#include "softcontact/geometry/closest_point.hpp"

namespace softcontact {

/// Nearest face, within max_distance [m], that a point is behind, whose interior it projects to, and for
/// whose outward normal admissible(normal) is true; all in the local frame. Of equally near ones the lowest
/// index wins. Says nothing about whether the point is inside the surface. Does not allocate.
template <typename Admissible>
[[nodiscard]] ClosestPoint closest_admissible_face(const Surface& surface, const Vector3d& point,
                                                   double max_distance, const Admissible& admissible)
{
    const Triangles& triangles = surface.triangles();
    const Points& vertices = surface.local_vertices();
    ClosestPoint closest;
    surface.tree().search_nearest(point, max_distance * max_distance, [&](int triangle, double& bound) {
        const Vector3d normal = surface.face_normals().col(triangle);
        const Vector3d corner = vertices.col(triangles(0, triangle));
        if (!(normal.dot(point - corner) < 0.0) || !admissible(normal)) return;
        const TrianglePoint nearest = closest_point_on_triangle(
            point, corner, vertices.col(triangles(1, triangle)), vertices.col(triangles(2, triangle)));
        if (nearest.feature != Feature::face || !(nearest.squared_distance <= bound)) return;
        if (nearest.squared_distance == bound && closest.found() && closest.triangle < triangle) return;
        bound = nearest.squared_distance;
        closest.triangle = closest.feature_index = triangle;
        closest.signed_distance = -std::sqrt(bound);
        closest.point = nearest.point;
        closest.barycentric = nearest.barycentric;
        closest.normal = normal;
    });
    return closest;
}

}  // namespace softcontact
