// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/haptics/rigid_state.hpp>
#include <softcontact/vademecum/deformed_boundary.hpp>
#include <span>
#include <vector>

namespace softcontact {

struct PenaltySettings {
    double stiffness = 1e3;             ///< k_c of a point of the shell [N/m], > 0
    double friction = 0.0;              ///< μ [-], >= 0
    double tangential_stiffness = 0.0;  ///< k_t of a point [N/m], >= 0; 0: as `stiffness`

    /// Throws std::invalid_argument.
    void validate() const;
};

/// A point of the shell that is inside the body.
struct PenaltyPoint {
    Index number = 0;                       ///< of the point in the shell
    BoundaryPlace place;                    ///< nearest on the boundary: where the forces on both act
    Vector3d point = Vector3d::Zero();      ///< where that is [m]
    double depth = 0.0;                     ///< d [m], > 0
    Vector3d normal = Vector3d::Zero();     ///< n out of the body: gradient of its distance
    bool anchored = false;                  ///< friction holds it
    Vector3d way = Vector3d::Zero();        ///< tangential, from the anchor [m]
    Vector3d slip = Vector3d::Zero();       ///< ξ that the tangential spring holds of it [m]
    Vector3d force = Vector3d::Zero();      ///< on the shell [N]; its opposite on the body
    Matrix3d stiffness = Matrix3d::Zero();  ///< change of `force` with what the place moves [N/m]
    bool slides = false;                    ///< at the bound of friction
};

/// Measures how deep points are, in place of the way to the nearest place of the boundary.
class DepthMeasure {
public:
    virtual ~DepthMeasure() = default;
    /// Change `distance` and `normal` of what was found for a point.
    virtual void measure(DeformedBoundary& boundary, const Vector3d& point,
                         BoundaryPoint& found) noexcept = 0;
};

/// Contact of a pointshell with the boundary of a vademecum's body: at each point that is inside by a depth
/// d,
///
///     F = k_c d n − k_t ξ  on the shell,  −F on the body,   ǀk_t ξǀ <= μ k_c d
///
/// n out of the body, ξ the tangential way from an anchor in the body's material, where the point first
/// touched it, to the point. Where the spring would pull more than friction holds, the anchor follows: the
/// return map of an elastic, perfectly plastic law. So a resting point neither creeps nor drifts, and the
/// anchor goes with the body as that deforms. Forces on both act at the same place, so that momentum and its
/// moment are kept. Source: González et al. 2015, Sec. 3 (normal force); friction beyond it, after Wriggers
/// 2006, Sec. 5.2.
///
/// Points far from the boundary are not looked at before they, or it, have moved as far as it takes. Nothing
/// allocates after the construction.
class PenaltyContact {
public:
    /// `points` of the shell, 1 or more; `boundary` without anybody else who refreshes it.
    /// @throws std::invalid_argument settings out of range.
    PenaltyContact(DeformedBoundary boundary, const PenaltySettings& settings, Index points);

    /// Forces with the shell's points (3, n) [m] here and the body as its field has it. A trial: anchors
    /// stay. Points that are not finite touch nothing. Depths are those of `measure`, where it is given.
    /// Points outside by less than `reach` [m] are kept apart, for who looks ahead. Returns the number of
    /// contacts.
    Index evaluate(const Eigen::Ref<const Points>& points, DepthMeasure* measure = nullptr,
                   double reach = 0.0) noexcept;
    /// The last trial has come true: anchors of what slides follow, what is apart loses its own.
    void commit() noexcept;
    /// Forget all anchors.
    void release() noexcept;

    [[nodiscard]] std::span<const PenaltyPoint> contacts() const
    {
        return {m_contacts.data(), static_cast<std::size_t>(m_count)};
    }
    /// Points within the reach: no force, depth <= 0, and the stiffness that they would have inside.
    [[nodiscard]] std::span<const PenaltyPoint> near_points() const
    {
        return {m_near_points.data(), static_cast<std::size_t>(m_near_count)};
    }
    /// On the shell, about a centre [m].
    [[nodiscard]] Wrench wrench(const Vector3d& centre) const noexcept;
    /// Adds the forces on the body (3, nodes) [N], at the corners of the triangles that are touched.
    void add_nodal_forces(Eigen::Ref<Points> out) const noexcept;

    [[nodiscard]] DeformedBoundary& boundary() { return m_boundary; }
    [[nodiscard]] const DeformedBoundary& boundary() const { return m_boundary; }
    [[nodiscard]] const PenaltySettings& settings() const { return m_settings; }
    [[nodiscard]] Index point_count() const { return m_last.cols(); }

private:
    void draw(PenaltyPoint& contact, const Vector3d& point) noexcept;
    void press(PenaltyPoint& contact) noexcept;

    DeformedBoundary m_boundary;
    PenaltySettings m_settings;
    Index m_count = 0, m_near_count = 0;
    std::vector<PenaltyPoint> m_contacts, m_near_points;
    Points m_last;                         ///< points of the last trial
    std::vector<double> m_clearance;       ///< of each point, less what has moved since it was measured [m]
    std::vector<NearMemory> m_near;        ///< of the last search for each point
    std::vector<BoundaryPlace> m_anchors;  ///< of each point; nowhere: it was apart
};

}  // namespace softcontact
