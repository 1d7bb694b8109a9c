// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "softcontact/geometry/aabb_tree.hpp"
#include "softcontact/types.hpp"

namespace softcontact {

class Surface;

/// A convex solid as it is, not as a mesh: a core with a layer of `radius` around it, in its own axes.
///
/// The core of a sphere is its centre, of a capsule its axis; a cylinder (axis z), a box, a hull and a plane
/// are cores without a layer. The plane is the half-space below z = 0. All are centred at the origin but
/// hulls.
class ConvexShape {
public:
    enum class Kind { sphere, capsule, cylinder, box, hull, plane };
    /// A flat side, its corners counter-clockwise seen from outside.
    struct Face {
        Vector3d normal;
        std::vector<int> corners;
    };
    /// An edge and the faces on its two sides; −1 for the axis of a capsule, which has none.
    struct Edge {
        int start = 0, end = 0;
        int left = -1, right = -1;
    };
    /// Hulls of more corners than this stay meshes: their edges are compared pair by pair.
    static constexpr int most_corners = 64;

    /// Lengths [m] > 0; a capsule's height is that between the centres of its ends. Raise
    /// std::invalid_argument.
    [[nodiscard]] static ConvexShape sphere(double radius);
    [[nodiscard]] static ConvexShape capsule(double radius, double height);
    [[nodiscard]] static ConvexShape cylinder(double radius, double height);
    [[nodiscard]] static ConvexShape box(const Vector3d& size);
    [[nodiscard]] static ConvexShape plane();
    /// Of no extent: the origin; and a segment, moved by set_segment without allocating. Corners and edges of
    /// meshes.
    [[nodiscard]] static ConvexShape point();
    [[nodiscard]] static ConvexShape segment();
    void set_segment(const Vector3d& start, const Vector3d& end);
    /// The solid inside a closed surface that is convex to round-off, 1e-7 of its size; nothing for others,
    /// and for those of too many corners. Triangles in one plane are one face.
    [[nodiscard]] static std::optional<ConvexShape> hull(const Surface& surface);

    [[nodiscard]] Kind kind() const { return m_kind; }
    [[nodiscard]] bool is_plane() const { return m_kind == Kind::plane; }
    /// The core is a disc swept along z: of this radius and half this height [m].
    [[nodiscard]] bool is_cylinder() const { return m_kind == Kind::cylinder; }
    [[nodiscard]] bool is_round() const
    {
        return m_kind == Kind::sphere || m_kind == Kind::capsule || m_kind == Kind::cylinder;
    }
    [[nodiscard]] double disc_radius() const { return m_disc_radius; }
    [[nodiscard]] double half_height() const { return m_half_height; }
    /// Of the layer around the core [m].
    [[nodiscard]] double radius() const { return m_radius; }
    /// Corners (3, n) of the core of all but cylinders and planes, its faces and edges.
    [[nodiscard]] const Points& corners() const { return m_corners; }
    [[nodiscard]] const std::vector<Face>& faces() const { return m_faces; }
    [[nodiscard]] const std::vector<Edge>& edges() const { return m_edges; }
    /// Diameter of a ball that holds the shape [m], the scale of round-off; of a plane 0.
    [[nodiscard]] double size() const { return m_size; }
    /// Distance of the point that is furthest from the origin [m]; of a plane 0.
    [[nodiscard]] double reach() const { return m_reach; }

    /// Point of the core furthest along a direction, in the shape's axes. Not for planes.
    [[nodiscard]] Vector3d core_support(const Vector3d& direction) const;
    /// Point of the shape furthest along a unit direction. Not for planes.
    [[nodiscard]] Vector3d support(const Vector3d& direction) const
    {
        return core_support(direction) + m_radius * direction;
    }
    /// Box around the placed shape; of a plane without end, but for the side it faces along an axis.
    [[nodiscard]] Aabb bounds(const Pose& pose) const;

private:
    explicit ConvexShape(Kind kind) : m_kind(kind) {}
    void finish();

    Kind m_kind;
    double m_radius = 0.0, m_disc_radius = 0.0, m_half_height = 0.0, m_size = 0.0, m_reach = 0.0;
    Points m_corners;
    std::vector<Face> m_faces;
    std::vector<Edge> m_edges;
};

/// A shape where it stands.
struct PlacedShape {
    const ConvexShape* shape;
    Pose pose;

    [[nodiscard]] Vector3d core_support(const Vector3d& direction) const
    {
        return pose * shape->core_support(pose.rotation.transpose() * direction);
    }
    [[nodiscard]] Vector3d support(const Vector3d& direction) const
    {
        return core_support(direction) + shape->radius() * direction;
    }
    [[nodiscard]] Vector3d corner(int index) const { return pose * shape->corners().col(index); }
    [[nodiscard]] Vector3d axis() const { return pose.rotation.col(2); }
};

}  // namespace softcontact
