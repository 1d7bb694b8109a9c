// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <softcontact/geometry/topology.hpp>
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

/// The boundary of a solid that a LoadedField deforms. Only the places that are asked for are evaluated, once
/// for each state, so that a question costs what it touches. Nothing allocates after the construction.
class DeformedBoundary {
public:
    /// @param nodes rest positions (3, n) [m] of the field's nodes, finite.
    /// @param triangles of the boundary (3, m), node numbers, counter-clockwise from outside.
    /// @param field has to live on.
    /// @throws std::invalid_argument arrays that do not fit together.
    DeformedBoundary(Points nodes, const Eigen::Ref<const Triangles>& triangles, const LoadedField& field);

    /// The field has changed. Returns a bound of how far any node has moved since the last call [m].
    double refresh() noexcept;

    [[nodiscard]] Vector3d position(int node) noexcept;
    [[nodiscard]] Vector3d position(const BoundaryPlace& place) noexcept;
    /// Angle-weighted pseudo-normal of the feature that a place is on; zero where all around is flat.
    /// Source: Bærentzen & Aanæs 2005.
    [[nodiscard]] Vector3d normal(const BoundaryPlace& place) noexcept;

    /// Nearest place to a point, looked for along the boundary from the node `from`; from all nodes where
    /// `from` is -1. A point that is not finite finds nothing.
    [[nodiscard]] BoundaryPoint closest(const Vector3d& point, int from = -1) noexcept;
    /// The corner that a place is nearest to.
    [[nodiscard]] int nearest_corner(const BoundaryPlace& place) const noexcept;

    [[nodiscard]] const SurfaceTopology& topology() const { return m_topology; }
    [[nodiscard]] const std::vector<int>& boundary_nodes() const { return m_boundary_nodes; }
    [[nodiscard]] const LoadedField& field() const { return m_field; }

private:
    [[nodiscard]] int nearest_node(const Vector3d& point, const std::vector<int>& among) noexcept;
    [[nodiscard]] Vector3d face_normal(int triangle) noexcept;  ///< as long as twice the area
    void look_around(const Vector3d& point, int node, BoundaryPlace& best, Vector3d& where,
                     double& squared) noexcept;
    void descend(const Vector3d& point, int from, BoundaryPlace& best, Vector3d& where,
                 double& squared) noexcept;

    Points m_rest;
    SurfaceTopology m_topology;
    const LoadedField& m_field;
    std::vector<int> m_boundary_nodes;
    std::vector<int> m_seeds;  ///< some of them, far from each other
    Points m_position;
    std::vector<std::uint64_t> m_known;    ///< state for which a position holds
    std::vector<std::uint64_t> m_visited;  ///< question in which a node was looked around
    std::uint64_t m_state = 1, m_question = 0;
    VectorXd m_amplitudes;
    double m_dents = 0.0;
};

}  // namespace softcontact
