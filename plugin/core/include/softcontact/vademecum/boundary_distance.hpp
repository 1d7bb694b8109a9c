// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/geometry/surface.hpp>
#include <softcontact/types.hpp>
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

    /// Where the nodes (3, n) [m] are now. False, and nothing changed, where they are not as many or not
    /// finite.
    bool set(const Eigen::Ref<const Points>& nodes) noexcept;

    /// The same beside a state of the field, of whose boundary no node is further than `apart` [m] off.
    /// False, and nothing changed, also where there is no such state or `apart` is no length.
    bool set(const Eigen::Ref<const Points>& nodes, const DistanceState& state, double apart = 0.0) noexcept;

    /// Signed distance [m] of a point, negative inside, and its gradient, a unit vector, where `gradient` is
    /// given; on the boundary that is the pseudonormal. NaN for a point that is not finite.
    [[nodiscard]] double distance(const Vector3d& point, Vector3d* gradient = nullptr) noexcept;

    /// Points of a pointshell (3, n) [m] whose distance is negative, as DistanceField::contacts. The boxes
    /// around the triangles are made anew only where a point may be in contact.
    [[nodiscard]] Index contacts(const Eigen::Ref<const Points>& points, const ContactRoom& room) noexcept;

private:
    [[nodiscard]] bool is_outside(const Vector3d& point) const noexcept;

    Surface m_surface;
    const DistanceField* m_field;
    bool m_sorted_out = false;  ///< by the field, in m_state
    DistanceState m_state;
    double m_apart = 0.0;
};

}  // namespace softcontact
