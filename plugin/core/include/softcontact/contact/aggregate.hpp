// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <span>
#include <vector>

#include "softcontact/contact/contact_point.hpp"

namespace softcontact {

/// Pressure over a patch. nonuniform: proportional to penetration, w_i = n_p d_i / Σ d_k; uniform: w_i = 1.
enum class PressureWeights { nonuniform, uniform };

/// Gap of a patch's normal row [m] and of its tilts [rad]; zero where it has none.
using PatchGap = Vector3d;

/// All contact points of a pair of bodies as one set of rows: normal, two tangents, torsion, and the moments
/// about both tangents where the patch bears them.
///
/// Every row is a 3-vector a contact point, to be applied to the relative velocity of that point (A minus B):
/// row value = Σ_i row_i · u_i, and a multiplier λ puts the force λ row_i on A at point i. The normal row is
/// scaled by 1/Σ w S: it reads a mean gap velocity [m/s] and its multiplier is the total normal force N [N]
/// (for parallel normals). Compute again for the next set of points: buffers grow to the largest patch seen
/// and then stay.
///
/// Source: Talvas, Marchal, Duriez and Otaduy 2015, Sec. 3.2-3.4; differs by: the scaling above; shares a_i =
/// w_i S_i / Σ w S for friction too, moments about c = Σ a_i p_i; a torsion row a_i (n × r_i) / Σ a_k |n
/// × r_k|², which reads ω [rad/s] for a rigid spin and whose multiplier is a torque [N m]; and the moments.
struct AggregatePatch {
    /// Points on a line, or in one: spread across over spread along, and spread along over √area, below which
    /// there is no torsion row.
    static constexpr double collinear_ratio_limit = 1e-6;
    static constexpr double point_ratio_limit = 1e-6;
    /// The same for moments: a patch so much narrower than long bears none about its length.
    static constexpr double line_ratio_limit = 1e-3;
    /// Normals that cancel: |Σ S n| against Σ S, below which the deepest point's normal is taken instead.
    static constexpr double opposed_normals_limit = 1e-6;
    static constexpr std::size_t most_corners = 16;

    double volume = 0.0;                    ///< Σ w_i S_i d_i [m³]
    double area = 0.0;                      ///< Σ S_i [m²]
    double gap = 0.0;                       ///< Σ a_i g_i [m], the gap of the normal row
    double lever_sum = 0.0;                 ///< Σ a_i |n × r_i|² [m²]
    Vector3d centroid = Vector3d::Zero();   ///< Σ S_i p_i / S
    Vector3d centre = Vector3d::Zero();     ///< c = Σ a_i p_i, where friction moments are taken
    Vector3d normal = Vector3d::UnitX();    ///< normalised Σ S_i n_i
    Matrix3d frame = Matrix3d::Identity();  ///< columns n, t, s, right-handed
    bool has_torsion = false;
    bool flat = false;  ///< see bear_moments
    int count = 0;      ///< contact points

    std::vector<double> weights;  ///< w_i [-]
    std::vector<double> shares;   ///< a_i [-], sum 1
    std::vector<double> offsets;  ///< r_i in (t, s), two numbers a point [m]
    Points normal_row;            ///< a_i n_i; the first `count` columns are valid, as below
    Points torsion_row;           ///< [1/m]; valid only where has_torsion

    /// Moments that the patch bears: 0 where it has none or its points coincide, 1 about `tilt_axis` where
    /// they lie on a line, 2 about t and s. A unit of moment is a pressure linear over the patch, on top of
    /// the shares of the normal row, that adds no force; its row reads the tilt rate [rad/s] that fits the
    /// normal velocities best. Conjugate rows, so that no energy is made.
    int tilts = 0;
    Vector2d tilt_axis = Vector2d::UnitX();
    std::array<Points, 2> tilt_rows;            ///< [1/m]
    Vector3d moment_centre = Vector3d::Zero();  ///< that moments are about: the centre of the normal row [m]
    /// Where the centre of pressure may lie: a convex polygon from moment_centre, (t, s) a corner [m]. It is
    /// the hull of what may be pressed where bodies do not yield; for tissue, the kern of its pressure,
    /// inside which a linear change of the pressure makes it negative nowhere.
    std::vector<double> corners;

    /// Tangent rows are a_i t and a_i s: shares and frame say all of them.
    [[nodiscard]] Vector3d tangent() const { return frame.col(1); }
    /// Rows in the order n, t, s, (torsion), (tilts).
    [[nodiscard]] int row_count() const { return 3 + (has_torsion ? 1 : 0) + tilts; }
    [[nodiscard]] Vector3d row(int row, std::size_t point) const;

    /// Multipliers of the tilt rows that make up a moment about (t, s) [N m], and the moment of multipliers.
    [[nodiscard]] VectorXd moment_rows(const Vector2d& moment) const;
    [[nodiscard]] Vector2d moment_of(const Eigen::Ref<const VectorXd>& multipliers) const;
    /// Gaps of the normal row and of the tilts that fit the gaps of the points, gap(point) [m].
    template <typename Gap>
    [[nodiscard]] PatchGap gap_of(std::span<const ContactPoint> points, const Gap& gap_at) const
    {
        PatchGap out = PatchGap::Zero();
        for (std::size_t i = 0; i < points.size(); ++i) {
            const Vector3d apart = gap_at(points[i]) * points[i].normal;
            out[0] += row(0, i).dot(apart);
            for (int k = 0; k < tilts; ++k) {
                out[1 + k] += row(row_count() - tilts + k, i).dot(apart);
            }
        }
        return out;
    }
    /// Levers of a corner: what a force there has in the moments of the tilt rows.
    [[nodiscard]] Vector2d levers(std::size_t corner) const
    {
        const double t = corners[2 * corner], s = corners[2 * corner + 1];
        return tilts == 1 ? Vector2d(tilt_axis[0] * s - tilt_axis[1] * t, 0.0) : Vector2d(s, -t);
    }
    /// Gap of a corner, from the gaps of the normal row and of the tilts [m].
    [[nodiscard]] double corner_gap(std::size_t corner, const PatchGap& patch_gap) const
    {
        return patch_gap[0] + levers(corner).dot(Vector2d(patch_gap.tail<2>()));
    }
    /// How far the corners may close, as gaps of the normal row and of the tilts: none further than its gap,
    /// and those that are pressed in not at all. Where some are, the patch may still tilt about one of them,
    /// or about a side of its polygon that they all lie on: a face that has come down on an edge falls on.
    [[nodiscard]] PatchGap closable_gap(const PatchGap& patch_gap) const;

    /// Makes room for a patch of so many points.
    void reserve(std::size_t points);

    /// Aggregate at least one contact point (position p, unit normal, gap, area; areas >= 0 with a positive
    /// sum, or else all points count alike). last_tangent: t of this pair's previous step, turned into the
    /// new tangent plane by the shortest way so that the frame is continuous; zero where there is none.
    void compute(std::span<const ContactPoint> points, PressureWeights pressure,
                 const Vector3d& last_tangent = Vector3d::Zero());
    /// The same with shares of the normal force that are given, >= 0 with sum 1.
    void compute(std::span<const ContactPoint> points, std::span<const double> given_shares,
                 const Vector3d& last_tangent);
    /// Adds the moments; call it after compute. profile (points.size()) >= 0, sum 1: how the normal force is
    /// spread where it bears no moment; the normal row goes by it from now on. flat: the points lie in a
    /// plane of bodies that do not yield; rows then go along the common normal, and all points may be
    /// pressed.
    void bear_moments(std::span<const ContactPoint> points, std::span<const double> profile, bool flat,
                      bool tissue);

private:
    void make_frame(std::span<const ContactPoint> points, const Vector3d& last_tangent);
    void make_rows(std::span<const ContactPoint> points, const Vector3d& last_tangent);
    void make_torsion();
    [[nodiscard]] bool spreads(std::span<const ContactPoint> points, std::span<const double> profile) const;
    void confine_to_kern(const Eigen::Matrix2d& inverse_spread);

    std::vector<double> m_places;  ///< of the points from moment_centre, as offsets
    std::vector<double> m_kern_corners, m_supports;
};

/// Unit tangent of `normal` nearest to `last`; a fixed choice by the axes where `last` is zero or along the
/// normal.
[[nodiscard]] Vector3d transport_tangent(const Vector3d& last, const Vector3d& normal);

/// Corners of the convex hull of points (t, s) whose support is > 0, two numbers a corner, counter-clockwise;
/// `most` of them at most, those that matter least left out. Degenerate sets give two corners, or one.
void convex_hull(std::span<const double> places, std::span<const double> support, std::size_t most,
                 std::vector<double>& corners);

}  // namespace softcontact
