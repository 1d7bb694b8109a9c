// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/contact/picture_contact.hpp"

#include <algorithm>

#include "softcontact/geometry/shape_separation.hpp"

namespace softcontact {

namespace {

constexpr double same_side_cosine = 0.5;

const ConvexShape& bare_point()
{
    static const ConvexShape shape = ConvexShape::point();
    return shape;
}

PlacedShape at(const Vector3d& place)
{
    return {&bare_point(), {Matrix3d::Identity(), place}};
}

}  // namespace

double picture_error(const ConvexShape& shape, const Surface& picture)
{
    const PlacedShape placed{&shape, Pose()};
    double most = 0.0;
    const auto look = [&](const Vector3d& place) {
        most = std::max(most, -separation(placed, at(place)).gap);
    };
    for (Index i = 0; i < picture.triangles().cols(); ++i) {
        const auto corners = picture.triangles().col(i);
        const Vector3d a = picture.local_vertices().col(corners[0]),
                       b = picture.local_vertices().col(corners[1]),
                       c = picture.local_vertices().col(corners[2]);
        look((a + b + c) / 3.0);
        look(0.5 * (a + b));
        look(0.5 * (b + c));
        look(0.5 * (c + a));
    }
    return most;
}

void correct_picture(const PlacedShape& shape, bool shape_is_a, std::vector<ContactPoint>& points)
{
    for (ContactPoint& point : points) {
        const PlacedShape other = at(shape_is_a ? point.q : point.p);
        const ShapeSeparation apart = shape_is_a ? separation(shape, other) : separation(other, shape);
        if (!(apart.normal.dot(point.normal) > same_side_cosine)) continue;
        const double kept = point.offset;
        point.normal = apart.normal;
        point.gap = apart.gap - kept;
        point.offset = point.normal.dot(point.p - point.q) - point.gap;
    }
}

double depth_of_vertices(const PlacedShape& shape, const Surface& mesh)
{
    const Aabb box = shape.shape->bounds(shape.pose);
    double deepest = 0.0;
    for (int vertex = 0; vertex < mesh.vertex_count(); ++vertex) {
        const Vector3d place = mesh.world_vertex(vertex);
        if (box.contains(place)) deepest = std::max(deepest, -separation(shape, at(place)).gap);
    }
    return deepest;
}

}  // namespace softcontact
