// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/contact/aggregate.hpp>
#include <softcontact/friction/patch_block.hpp>
#include <softcontact/world/patch.hpp>
#include <span>
#include <vector>

namespace softcontact {

/// Spreads the solved load of a patch over its contact points, and adds up what a report says of it.
///
/// multipliers: those of the patch's rows, AggregatePatch::row_count() [N, N m]. pressed (points.size()):
/// shares of the normal force to tell instead of those of the rows, where bodies do not yield and the rows
/// are only a way to write their wrench; empty for none. Points with a share are appended to `points_out`;
/// report gets normal, normal_force, first_point, area, pressure_max, force and centre; PatchPoint::contact
/// is the index within `points`. Source: Talvas et al. 2015, Sec. 3; the transposed rows.
void spread_patch_load(const AggregatePatch& patch, std::span<const ContactPoint> points,
                       const Eigen::Ref<const VectorXd>& multipliers, std::span<const double> pressed,
                       PatchReport& report, std::vector<PatchPoint>& points_out);

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
