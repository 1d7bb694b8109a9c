// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <limits>
#include <vector>

#include "softcontact/geometry/closest_point.hpp"

namespace softcontact {

/// How far vertices of one surface were from another one when they were last looked at: most of them are
/// still too far away to touch, which the motion since then tells without looking again.
///
/// A distance changes by no more than the vertex moves in the other surface's frame and that surface deforms.
/// Only for closed surfaces: outside an open one, the far side is reached without coming near.
class Clearance {
public:
    /// Makes room for the vertices of a surface; forgets nothing if it has the same number.
    void reserve(int vertex_count) { m_vertices.resize(static_cast<std::size_t>(vertex_count)); }

    /// Whether a vertex at `point` (in the frame of `other`) must still be outside and further than
    /// `distance` [m].
    [[nodiscard]] bool is_beyond(int vertex, const Vector3d& point, const Surface& other,
                                 double distance) const
    {
        const Entry& entry = m_vertices[static_cast<std::size_t>(vertex)];
        const double slack = entry.distance - other.deformed_path() - distance -
                             coincidence_ratio * other.reference_size();  // for round-off
        return slack > 0.0 && (point - entry.point).squaredNorm() < slack * slack;
    }

    /// Nearest point of the other surface to a vertex at `point`, however far, so that the side is known of
    /// what will not be looked at again; keeps what it finds.
    ClosestPoint look(int vertex, const Vector3d& point, const Surface& other)
    {
        Entry& entry = m_vertices[static_cast<std::size_t>(vertex)];
        const ClosestPoint closest =
            closest_point_local(other, point, std::numeric_limits<double>::infinity(), &entry.near);
        const bool outside = closest.found() && closest.signed_distance > 0.0 && other.is_closed();
        entry.point = point;
        entry.distance = outside ? closest.signed_distance + other.deformed_path() : nowhere;
        return closest;
    }

private:
    static constexpr double nowhere = -std::numeric_limits<double>::infinity();
    struct Entry {
        Vector3d point = Vector3d::Zero();
        double distance = nowhere;  ///< with the other surface's deformed path at that time [m]
        NearTriangle near;
    };
    std::vector<Entry> m_vertices;
};

}  // namespace softcontact
