// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>
#include <vector>

#include "softcontact/contact/contact_point.hpp"

namespace softcontact {

/// Pressure over a patch. nonuniform: proportional to penetration, w_i = n_p d_i / Σ d_k; uniform: w_i = 1.
enum class PressureWeights { nonuniform, uniform };

/// All contact points of a pair of bodies as one set of rows: normal, two tangents, torsion.
///
/// Every row is a 3-vector a contact point, to be applied to the relative velocity of that point (A minus B):
/// row value = Σ_i row_i · u_i, and a multiplier λ puts the force λ row_i on A at point i. The normal row is
/// scaled by 1/Σ w S: it reads a mean gap velocity [m/s] and its multiplier is the total normal force N [N]
/// (for parallel normals). Compute again for the next set of points: buffers grow to the largest patch seen
/// and then stay.
///
/// Source: Talvas, Marchal, Duriez and Otaduy 2015, Sec. 3.2-3.4; differs by: the scaling above; shares a_i =
/// w_i S_i / Σ w S for friction too, moments about c = Σ a_i p_i; and a torsion row a_i (n × r_i) / Σ a_k |n
/// × r_k|², which reads ω [rad/s] for a rigid spin and whose multiplier is a torque [N m].
struct AggregatePatch {
    /// Points on a line, or in one: spread across over spread along, and spread along over √area, below which
    /// there is no torsion row.
    static constexpr double collinear_ratio_limit = 1e-6;
    static constexpr double point_ratio_limit = 1e-6;
    /// Normals that cancel: |Σ S n| against Σ S, below which the deepest point's normal is taken instead.
    static constexpr double opposed_normals_limit = 1e-6;

    double volume = 0.0;                    ///< Σ w_i S_i d_i [m³]
    double area = 0.0;                      ///< Σ S_i [m²]
    double gap = 0.0;                       ///< Σ a_i g_i [m], the gap of the normal row
    double lever_sum = 0.0;                 ///< Σ a_i |n × r_i|² [m²]
    Vector3d centroid = Vector3d::Zero();   ///< Σ S_i p_i / S
    Vector3d centre = Vector3d::Zero();     ///< c = Σ a_i p_i, where friction moments are taken
    Vector3d normal = Vector3d::UnitX();    ///< normalised Σ S_i n_i
    Matrix3d frame = Matrix3d::Identity();  ///< columns n, t, s, right-handed
    bool has_torsion = false;
    int count = 0;  ///< contact points

    std::vector<double> weights;  ///< w_i [-]
    std::vector<double> shares;   ///< a_i [-], sum 1
    std::vector<double> offsets;  ///< r_i in (t, s), two numbers a point [m]
    Points normal_row;            ///< a_i n_i; the first `count` columns are valid, as below
    Points torsion_row;           ///< [1/m]; valid only where has_torsion

    /// Tangent rows are a_i t and a_i s: shares and frame say all of them.
    [[nodiscard]] Vector3d tangent() const { return frame.col(1); }

    /// Makes room for a patch of so many points.
    void reserve(std::size_t points);

    /// Aggregate at least one contact point (position p, unit normal, gap, area; areas >= 0 with a positive
    /// sum, or else all points count alike). last_tangent: t of this pair's previous step, turned into the
    /// new tangent plane by the shortest way so that the frame is continuous; zero where there is none.
    void compute(std::span<const ContactPoint> points, PressureWeights pressure,
                 const Vector3d& last_tangent = Vector3d::Zero());
};

/// Unit tangent of `normal` nearest to `last`; a fixed choice by the axes where `last` is zero or along the
/// normal.
[[nodiscard]] Vector3d transport_tangent(const Vector3d& last, const Vector3d& normal);

}  // namespace softcontact
