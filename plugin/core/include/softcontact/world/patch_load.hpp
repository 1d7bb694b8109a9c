// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/contact/aggregate.hpp>
#include <softcontact/friction/patch_block.hpp>
#include <softcontact/world/patch.hpp>
#include <span>
#include <vector>

namespace softcontact {

/// Normal forces f_i = S_i (slope · r_i + shift) at the points with a share that make up a moment and no
/// force.
struct CouplePressure {
    Eigen::Vector2d slope = Eigen::Vector2d::Zero();  ///< [N/m³]
    double shift = 0.0;                               ///< [N/m²]
};

/// `moment` (about t, about s) [N·m]. Zero where the points lie on a line.
[[nodiscard]] CouplePressure couple_pressure(const AggregatePatch& patch,
                                             std::span<const ContactPoint> points,
                                             const Eigen::Vector2d& moment);

/// Spreads the solved load of a patch over its contact points, and adds up what a report says of it.
///
/// load: (N, F_t, F_s, τ) [N, N, N, N m]. slope, shift: a linear pressure on top, f_i = S_i (slope · r_i +
/// shift) [N/m³, N/m²], zero for none. Points with a share are appended to `points_out`; report gets normal,
/// normal_force, first_point, area, pressure_max, force and centre; PatchPoint::contact is the index within
/// `points`. Source: Talvas et al. 2015, Sec. 3; the transposed rows.
void spread_patch_load(const AggregatePatch& patch, std::span<const ContactPoint> points,
                       const Vector4d& load, const Eigen::Vector2d& slope, PatchReport& report,
                       std::vector<PatchPoint>& points_out, double shift = 0.0);

/// point_count, pressure_mean, and torque about the centre, from the points since report.first_point.
void complete_report(PatchReport& report, const std::vector<PatchPoint>& points);

/// Relative distance to the limit surface that counts as none.
inline constexpr double slip_margin = 1e-6;

/// Does the friction load lie on the limit surface of the law, to slip_margin of its size? bounds: as in
/// slip_gauge. Cheaper than the gauge.
[[nodiscard]] bool patch_slides(FrictionLaw law, const FrictionPatch& patch, const DecoupledBounds& bounds,
                                double mu, const Vector4d& load);
/// The same for Coulomb–Contensou friction.
[[nodiscard]] bool patch_slides(const FrictionPatch& patch, double mu, const Vector4d& load);

}  // namespace softcontact
