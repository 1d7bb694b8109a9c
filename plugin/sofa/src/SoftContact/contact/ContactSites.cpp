// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/Vectors.h>
#include <SoftContact/contact/ContactSites.h>

#include <algorithm>

namespace softcontact::plugin {

namespace {

/// Detection rounds: weights a little outside go back into the element.
Vector3d inside(Vector3d weights)
{
    weights = weights.cwiseMax(0.0);
    const double sum = weights.sum();
    return sum > 0.0 ? Vector3d(weights / sum) : Vector3d(Vector3d::UnitX());
}

}  // namespace

ContactSite vertex_site(int vertex)
{
    return {SurfacePoint{{vertex, vertex, vertex}, Vector3d::UnitX()}, vertex};
}

ContactSite segment_site(int element, std::array<int, 2> vertices, std::array<sofa::type::Vec3, 2> corners,
                         const sofa::type::Vec3& point)
{
    const Vector3d edge = vector3(corners[1] - corners[0]);
    const double length = edge.squaredNorm();
    const double along = length > 0.0 ? edge.dot(vector3(point - corners[0])) / length : 0.0;
    return {SurfacePoint{{vertices[0], vertices[1], vertices[0]}, inside({1.0 - along, along, 0.0})},
            element};
}

ContactSite triangle_site(int element, std::array<int, 3> vertices, std::array<sofa::type::Vec3, 3> corners,
                          const sofa::type::Vec3& point)
{
    const Vector3d u = vector3(corners[1] - corners[0]), v = vector3(corners[2] - corners[0]);
    const Vector3d p = vector3(point - corners[0]);
    const double uu = u.dot(u), uv = u.dot(v), vv = v.dot(v);
    const double determinant = uu * vv - uv * uv;
    Vector3d weights = Vector3d::UnitX();
    if (determinant > 0.0) {
        const double s = (vv * u.dot(p) - uv * v.dot(p)) / determinant;
        const double t = (uu * v.dot(p) - uv * u.dot(p)) / determinant;
        weights = {1.0 - s - t, s, t};
    }
    return {SurfacePoint{vertices, inside(weights)}, element};
}

}  // namespace softcontact::plugin
