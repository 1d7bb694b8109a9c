// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cstdint>

#include "softcontact/types.hpp"

namespace softcontact {

/// Where a rigid shape is touched that is known as it is, not by its mesh: what is `radius` away from a place
/// of the body. The place turns with the body; the point rolls, it stays on the side that faces the other
/// body.
struct ShapePoint {
    Vector3d place = Vector3d::Zero();  ///< in the body's axes [m]
    Vector3d axis =
        Vector3d::Zero();  ///< unit; the radius is across this axis of the body, or any way where zero
    double radius = 0.0;   ///< [m], 0: a material point

    /// The point of the placed shape that faces a unit direction.
    [[nodiscard]] Vector3d position(const Pose& pose, const Vector3d& towards) const
    {
        const Vector3d own_axis = pose.rotation * axis;
        const Vector3d across = towards - own_axis * own_axis.dot(towards);
        const double length = across.norm();
        return pose * place + (length > 0.0 ? radius / length : 0.0) * across;
    }
};

/// Material point of a surface: Σ weights[k] · vertex(vertices[k]). Unused entries repeat a vertex with
/// weight 0, so that indexing is always safe. Of a body that is known by its shape: the point of that, and no
/// weights.
struct SurfacePoint {
    std::array<int, 3> vertices{};
    Vector3d weights = Vector3d::Zero();  ///< >= 0, sum 1
    bool on_shape = false;
    ShapePoint of_shape{};

    /// The vertex that it lies on, or -1.
    [[nodiscard]] int vertex() const
    {
        constexpr double whole_vertex = 1.0 - 1e-6;
        Eigen::Index heaviest = 0;
        return weights.maxCoeff(&heaviest) >= whole_vertex ? vertices[static_cast<std::size_t>(heaviest)]
                                                           : -1;
    }
};

/// What a contact's identity rests on.
enum class ContactKind : std::uint8_t { vertex_of_a = 0, vertex_of_b = 1, edge_edge = 2, shape = 3 };

/// One pair of near points of the bodies A and B, world coordinates.
struct ContactPoint {
    SurfacePoint a;
    SurfacePoint b;
    Vector3d p = Vector3d::Zero();       ///< point of A
    Vector3d q = Vector3d::Zero();       ///< point of B
    Vector3d normal = Vector3d::Zero();  ///< unit, from B to A
    double offset = 0.0;                 ///< distance kept along the normal [m]
    double gap = 0.0;                    ///< normal·(p − q) − offset [m], negative where they penetrate
    double area = 0.0;                   ///< share of A's surface [m²]
    std::uint64_t key = 0;               ///< the same while the same features touch, see contact_key
    bool smooth = false;                 ///< of edges that cross and are not both sharp
};

/// Identity of a contact within its pair of surfaces: the kind and the indices of the vertex (first, second
/// unused), of A's and B's edge, or of their shapes' features. A vertex keeps its key while it slides over
/// the other surface. Ascending keys order the kinds as ContactKind does.
[[nodiscard]] constexpr std::uint64_t contact_key(ContactKind kind, int first, int second = 0)
{
    return (static_cast<std::uint64_t>(kind) << 62) | (static_cast<std::uint64_t>(first) << 31) |
           static_cast<std::uint64_t>(second);
}

[[nodiscard]] constexpr ContactKind contact_kind(std::uint64_t key)
{
    return static_cast<ContactKind>(key >> 62);
}

}  // namespace softcontact
