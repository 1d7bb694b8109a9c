// SPDX-License-Identifier: LGPL-2.1-or-later
#include <limits>
#include <softcontact/geometry/closest_point.hpp>
#include <softcontact/world/passage.hpp>

namespace softcontact {

namespace {

/// Where a path first goes in and last comes out, as shares of its length.
struct Crossings {
    double entry = std::numeric_limits<double>::infinity();
    double exit = -std::numeric_limits<double>::infinity();
    Vector3d entry_normal = Vector3d::Zero();
    Vector3d exit_normal = Vector3d::Zero();
};

void cross_triangle(const Surface& surface, int triangle, const Vector3d& start, const Vector3d& end,
                    Crossings& found)
{
    const auto corners = surface.triangles().col(triangle);
    const Vector3d a = surface.local_vertices().col(corners[0]);
    const Vector3d b = surface.local_vertices().col(corners[1]);
    const Vector3d c = surface.local_vertices().col(corners[2]);
    const Vector3d normal = surface.face_normals().col(triangle);
    const double before = normal.dot(start - a);
    const double after = normal.dot(end - a);
    if ((before > 0.0) == (after > 0.0)) {
        return;
    }
    const double share = before / (before - after);
    const Vector3d point = start + share * (end - start);
    if (normal.dot((b - a).cross(point - a)) < 0.0 || normal.dot((c - b).cross(point - b)) < 0.0 ||
        normal.dot((a - c).cross(point - c)) < 0.0) {
        return;
    }
    if (before > 0.0 && share < found.entry) {
        found.entry = share;
        found.entry_normal = normal;
    } else if (!(before > 0.0) && share > found.exit) {
        found.exit = share;
        found.exit_normal = normal;
    }
}

double depth(const Surface& surface, const Vector3d& point)
{
    return -closest_point_local(surface, point, std::numeric_limits<double>::infinity()).signed_distance;
}

}  // namespace

bool passed_into(const ContactSurface& mover, const ContactSurface& other, double max_penetration,
                 double grazing_depth)
{
    const Surface& surface = other.geometry;
    for (int vertex = 0; vertex < mover.geometry.vertex_count(); ++vertex) {
        const Vector3d start = other.carried_start(mover.start_vertex(vertex));
        const Vector3d end = surface.pose().inverse_times(mover.geometry.world_vertex(vertex));
        Crossings found;
        surface.tree().for_each([&](const Aabb& box) { return box.meets_segment(start, end); },
                                [&](int triangle) { cross_triangle(surface, triangle, start, end, found); });
        if (found.exit > found.entry) {
            const Vector3d half_way = start + 0.5 * (found.entry + found.exit) * (end - start);
            if (found.entry_normal.dot(found.exit_normal) < 0.0 && depth(surface, half_way) > grazing_depth) {
                return true;
            }
        } else if (found.entry <= 1.0 && depth(surface, end) > max_penetration) {
            return true;
        }
    }
    return false;
}

}  // namespace softcontact
