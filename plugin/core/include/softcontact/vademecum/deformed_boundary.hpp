// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <softcontact/geometry/aabb_tree.hpp>
#include <softcontact/geometry/topology.hpp>
#include <softcontact/geometry/triangle_tree.hpp>
#include <softcontact/vademecum/separated_field.hpp>
#include <vector>

namespace softcontact {

/// A place on a boundary that goes with the material.
struct BoundaryPlace {
    int triangle = -1;                   ///< -1: nowhere
    Vector3d shares = Vector3d::Zero();  ///< of its corners, >= 0, sum 1
    [[nodiscard]] bool found() const { return triangle >= 0; }
};

/// The place of a boundary that is nearest to a point.
struct BoundaryPoint {
    BoundaryPlace place;
    Vector3d point = Vector3d::Zero();   ///< where it is [m]
    Vector3d normal = Vector3d::Zero();  ///< unit, outwards: pseudo-normal of the face, edge or corner
    double distance = 0.0;               ///< signed [m], negative inside
};

/// The boundary of a solid that a LoadedField deforms, or whose nodes are given. Only the places that a
/// question touches are evaluated, once for each state, and what is found is the nearest of all, by the same
/// bits whatever was asked before. Nothing allocates after the construction.
class DeformedBoundary {
public:
    /// @param nodes rest positions (3, n) [m] of the field's nodes, finite.
    /// @param triangles of the boundary (3, m), node numbers, counter-clockwise from outside.
    /// @param field has to live on.
    /// @throws std::invalid_argument arrays that do not fit together.
    DeformedBoundary(Points nodes, const Eigen::Ref<const Triangles>& triangles, const LoadedField& field);
    /// The same without a field: nodes are where they are moved to.
    DeformedBoundary(Points nodes, const Eigen::Ref<const Triangles>& triangles);

    /// The field may have changed. Returns a bound of how far any node has moved since the last call [m]; 0
    /// where it has not.
    double refresh() noexcept;
    /// All nodes (3, n) [m] are here now, finite, where there is no field. Returns the same.
    double move(const Eigen::Ref<const Points>& nodes) noexcept;

    [[nodiscard]] Vector3d position(int node) noexcept;
    [[nodiscard]] Vector3d position(const BoundaryPlace& place) noexcept;
    /// Angle-weighted pseudo-normal of the feature that a place is on; zero where all around is flat.
    /// Source: Bærentzen & Aanæs 2005.
    [[nodiscard]] Vector3d normal(const BoundaryPlace& place) noexcept;

    /// Nearest place to a point. What the question before left in `memory` makes the next one for a point
    /// near by shorter and changes no answer. A point that is not finite finds nothing.
    [[nodiscard]] BoundaryPoint closest(const Vector3d& point, NearMemory& memory) noexcept;
    [[nodiscard]] BoundaryPoint closest(const Vector3d& point) noexcept;

    /// A box around the boundary, perhaps larger than it need be.
    [[nodiscard]] const Aabb& box() noexcept { return m_tree.box(); }
    /// Sum of what refresh() and move() have returned [m].
    [[nodiscard]] double path() const { return m_tree.path(); }
    [[nodiscard]] const SurfaceTopology& topology() const { return m_topology; }
    [[nodiscard]] const std::vector<int>& boundary_nodes() const { return m_boundary_nodes; }
    /// There has to be one.
    [[nodiscard]] const LoadedField& field() const { return *m_field; }

private:
    /// What the loads' dents add to the nodes around them.
    struct Dents {
        Points moves;            ///< (3, n) [m], zero at other nodes
        std::vector<int> nodes;  ///< where there are any
        std::vector<char> has;   ///< whether a node is among those
    };

    DeformedBoundary(Points nodes, const Eigen::Ref<const Triangles>& triangles, const LoadedField* field);
    [[nodiscard]] double dent() noexcept;
    [[nodiscard]] Vector3d face_normal(int triangle) noexcept;
    [[nodiscard]] Vector3d edge_normal(int edge) noexcept;
    [[nodiscard]] Vector3d node_normal(int node) noexcept;

    Points m_rest;
    SurfaceTopology m_topology;
    const LoadedField* m_field;
    TriangleTree m_tree;
    NearMemory m_memory;  ///< of who has none
    std::vector<int> m_boundary_nodes;
    std::uint64_t m_state = 1;
    template <typename Value>
    struct Known {  ///< in which state something was worked out, and what
        std::uint64_t state = 0;
        Value value;
    };
    std::vector<Known<Vector3d>> m_position, m_face_normal, m_node_normal;
    VectorXd m_amplitudes;
    Dents m_dents, m_dents_before;
};

}  // namespace softcontact
