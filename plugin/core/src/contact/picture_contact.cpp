// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/contact/picture_contact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "softcontact/contact/shape_side.hpp"
#include "softcontact/geometry/closest_point.hpp"

namespace softcontact {

namespace {

constexpr double same_side_cosine = 0.5;

/// Signed distance of a point from a round shape [m], and the unit normal outwards, in the shape's axes.
struct Outside {
    double gap = 0.0;
    Vector3d normal = Vector3d::UnitX();
};

Outside outside_of(const ConvexShape& shape, const Vector3d& place)
{
    Outside found;
    if (!shape.is_cylinder()) {
        const Vector3d end = shape.corners().col(shape.corners().cols() - 1);  // of the axis, or the centre
        const double half = std::abs(end.z());
        const Vector3d from = place - Vector3d(0.0, 0.0, std::clamp(place.z(), -half, half));
        const double away = from.norm();
        if (away > 0.0) found.normal = from / away;
        found.gap = away - shape.radius();
        return found;
    }
    const Vector3d across(place.x(), place.y(), 0.0), up(0.0, 0.0, std::copysign(1.0, place.z()));
    const double from_axis = across.norm();
    const Vector3d out = from_axis > 0.0 ? Vector3d(across / from_axis) : Vector3d(Vector3d::UnitX());
    const double beside = from_axis - shape.disc_radius();
    const double above = std::abs(place.z()) - shape.half_height();
    if (beside > 0.0 && above > 0.0) {
        const Vector3d from = beside * out + above * up;
        found.gap = from.norm();
        found.normal = from / found.gap;
    } else {
        found.gap = std::max(beside, above);
        found.normal = beside > above ? out : up;
    }
    return found;
}

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

double picture_error(const ConvexShape& shape, const Surface& picture)
{
    double most = 0.0;
    const auto look = [&](const Vector3d& place) { most = std::max(most, -outside_of(shape, place).gap); };
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
        const Outside found =
            outside_of(*shape.shape, shape.pose.inverse_times(shape_is_a ? point.q : point.p));
        const Vector3d outwards = shape.pose.rotation * found.normal;
        const Vector3d normal = shape_is_a ? Vector3d(-outwards) : outwards;
        if (!(normal.dot(point.normal) > same_side_cosine)) continue;
        point.normal = normal;
        point.gap = found.gap - point.offset;
        point.offset = point.normal.dot(point.p - point.q) - point.gap;
    }
}

double depth_of_shape(const PlacedShape& shape, const Surface& mesh)
{
    const Aabb box = shape.shape->bounds(shape.pose);
    double deepest = 0.0;
    for (int vertex = 0; vertex < mesh.vertex_count(); ++vertex) {
        const Vector3d place = mesh.world_vertex(vertex);
        if (box.contains(place)) {
            deepest = std::max(deepest, -outside_of(*shape.shape, shape.pose.inverse_times(place)).gap);
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
