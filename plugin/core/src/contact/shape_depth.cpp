// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/contact/shape_depth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "softcontact/contact/shape_side.hpp"
#include "softcontact/geometry/closest_point.hpp"
#include "softcontact/geometry/round_distance.hpp"

namespace softcontact {

namespace {

/// visit(point) of the side of a shape that faces a direction: the points that tell it, and that of a line or
/// cap which is nearest to a place.
template <typename Visitor>
void for_each_lowest(const PlacedShape& placed, const Vector3d& towards, const Vector3d& place,
                     const Visitor& visit)
{
    const ShapeSide side(placed, towards);
    const Vector3d layer = placed.shape->radius() * towards;
    for (int k = 0; k < side.count; ++k) {
        visit(Vector3d(side.points[static_cast<std::size_t>(k)] + layer));
    }
    if (side.cap) {
        const Vector3d middle = placed.pose.translation + placed.shape->half_height() * side.normal;
        const Vector3d from = place - middle, aside = from - side.normal * side.normal.dot(from);
        const double away = aside.norm(), most = placed.shape->disc_radius();
        visit(Vector3d(middle + (away > most ? most / away : 1.0) * aside));
    } else if (side.count == 2) {
        const Vector3d start = side.points[0], line = side.points[1] - start;
        visit(Vector3d(start + std::clamp((place - start).dot(line) / line.squaredNorm(), 0.0, 1.0) * line +
                       layer));
    }
}

}  // namespace

double depth_of_shape(const PlacedShape& shape, const Surface& mesh)
{
    const Aabb box = shape.shape->bounds(shape.pose);
    double deepest = 0.0;
    for (int vertex = 0; vertex < mesh.vertex_count(); ++vertex) {
        const Vector3d place = mesh.world_vertex(vertex);
        if (box.contains(place)) {
            deepest =
                std::max(deepest, -distance_from_round(*shape.shape, shape.pose.inverse_times(place)).gap);
        }
    }
    if (!mesh.is_closed()) return deepest;
    const PlacedShape local{shape.shape,
                            {mesh.pose().rotation.transpose() * shape.pose.rotation,
                             mesh.pose().inverse_times(shape.pose.translation)}};
    const Aabb near = shape.shape->bounds(local.pose);
    const auto look = [&](int triangle) {
        const auto corners = mesh.triangles().col(triangle);
        const Vector3d a = mesh.local_vertices().col(corners[0]);
        const Vector3d middle =
            (a + mesh.local_vertices().col(corners[1]) + mesh.local_vertices().col(corners[2])) / 3.0;
        const Vector3d normal = mesh.face_normals().col(triangle);
        for_each_lowest(local, -normal, middle, [&](const Vector3d& point) {
            if (!(normal.dot(point - a) < -deepest)) return;  // in front, or less deep than what is known
            const ClosestPoint closest =
                closest_point_local(mesh, point, std::numeric_limits<double>::infinity());
            if (closest.found()) deepest = std::max(deepest, -closest.signed_distance);
        });
    };
    mesh.tree().for_each([&](const Aabb& part) { return part.overlaps(near); }, look);
    return deepest;
}

}  // namespace softcontact
