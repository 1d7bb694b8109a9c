// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/types.hpp>
#include <softcontact/vademecum/deformed_boundary.hpp>
#include <softcontact/vademecum/distance_field.hpp>

namespace softcontact {

/// The boundary of a body as it lies now, and exact distances to it: those to the nearest triangle, with the
/// sign of the angle-weighted pseudonormal. Any displacement will do, tabulated or not.
///
/// A distance field of a state near by sorts out the points that cannot be in contact: where it interpolates
/// d at a point with the weights w_i of the corners c_i, the distance is d − Σ w_i |p − c_i| at least,
/// because no distance changes faster than the point moves, and Σ w_i |p − c_i| is at most (Σ_k h_k² f_k (1 −
/// f_k))^½, with f the place in the cell. A boundary that lies elsewhere by up to `apart` takes as much off.
/// Nothing allocates after the construction.
/// Source: Bærentzen & Aanæs 2005 for the sign.
class BoundaryDistance {
public:
    /// @param boundary (3, m) nodes of the triangles, counter-clockwise from outside.
    /// @param nodes (3, n) [m], anywhere.
    /// @param field has to live on; none: only the box around the boundary sorts out points.
    /// @throws std::invalid_argument a boundary that is no closed surface, or nodes that are not finite.
    BoundaryDistance(const Eigen::Ref<const Points>& nodes, const Eigen::Ref<const Triangles>& boundary,
                     const DistanceField* field = nullptr);

    /// The boundary that a field of displacements moves; the field has to live on, and nodes are its own.
    BoundaryDistance(const Eigen::Ref<const Points>& nodes, const Eigen::Ref<const Triangles>& boundary,
                     const LoadedField& loaded, const DistanceField* field = nullptr);

    /// Remember so many points of a shell from one question for contacts to the next, which are faster while
    /// little moves in between, and the same. Allocates.
    void remember(Index points);

    /// Where the nodes (3, n) [m] are now, where no field moves them. False, and nothing changed, where they
    /// are not as many or not finite.
    bool set(const Eigen::Ref<const Points>& nodes) noexcept;

    /// The same beside a state of the field, of whose boundary no node is further than `apart` [m] off.
    /// False, and nothing changed, also where there is no such state or `apart` is no length.
    bool set(const Eigen::Ref<const Points>& nodes, const DistanceState& state, double apart = 0.0) noexcept;

    /// The loads of the field that moves the boundary have changed.
    void follow() noexcept;
    /// The same beside a state of the distance field; as `set` of it.
    bool follow(const DistanceState& state, double apart = 0.0) noexcept;

    /// Signed distance [m] of a point, negative inside, and its gradient, a unit vector, where `gradient` is
    /// given; on the boundary that is the pseudonormal. NaN for a point that is not finite.
    [[nodiscard]] double distance(const Vector3d& point, Vector3d* gradient = nullptr) noexcept;

    /// Points of a pointshell (3, n) [m] whose distance is negative, as DistanceField::contacts. Only
    /// what is near points that may be in contact is looked at.
    [[nodiscard]] Index contacts(const Eigen::Ref<const Points>& points, const ContactRoom& room) noexcept;

private:
    BoundaryDistance(DeformedBoundary boundary, const DistanceField* field);
    bool sort_out(const DistanceState& state, double apart) noexcept;
    [[nodiscard]] bool is_outside(const Vector3d& point) noexcept;
    [[nodiscard]] BoundaryPoint ask(const Vector3d& point, NearMemory& memory, Vector3d* gradient) noexcept;

    /// What is known of a point that was asked before.
    struct Clearance {
        Vector3d point = Vector3d::Zero();
        double path = 0.0;      ///< of the boundary then
        double distance = 0.0;  ///< to it, 0 where unknown or inside
    };

    DeformedBoundary m_boundary;
    double m_size = 0.0;  ///< of it at first [m]
    const DistanceField* m_field;
    bool m_moved = false;       ///< by a field
    bool m_sorted_out = false;  ///< by the distance field, in m_state
    DistanceState m_state;
    double m_apart = 0.0;
    NearMemory m_near;                   ///< of points that are not remembered
    std::vector<NearMemory> m_memories;  ///< of each point that is
    std::vector<Clearance> m_clearances;
};

}  // namespace softcontact
