// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <softcontact/friction/slip_gauge.hpp>
#include <softcontact/world/patch_load.hpp>

namespace softcontact {

CouplePressure couple_pressure(const AggregatePatch& patch, std::span<const ContactPoint> points,
                               const Eigen::Vector2d& moment)
{
    // About the centroid of the areas, where a linear pressure has no resultant.
    double area = 0.0;
    Eigen::Vector2d first = Eigen::Vector2d::Zero();
    Eigen::Matrix2d second = Eigen::Matrix2d::Zero();
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (patch.shares[i] != 0.0) {
            const Eigen::Map<const Eigen::Vector2d> r(patch.offsets.data() + 2 * i);
            area += points[i].area;
            first += points[i].area * r;
            second += points[i].area * r * r.transpose();
        }
    }
    if (!(area > 0.0)) {
        return {};
    }
    const Eigen::Vector2d centre = first / area;
    const Eigen::Matrix2d spread = second - area * centre * centre.transpose();
    constexpr double line_ratio = 1e-9;
    const double trace = spread.trace();
    if (!(spread.determinant() > line_ratio * trace * trace)) {
        return {};
    }
    const Eigen::Vector2d slope = spread.inverse() * Eigen::Vector2d(-moment[1], moment[0]);
    return {slope, -slope.dot(centre)};
}

void spread_patch_load(const AggregatePatch& patch, std::span<const ContactPoint> points,
                       const Vector4d& load, const Eigen::Vector2d& slope, PatchReport& report,
                       std::vector<PatchPoint>& points_out, double shift)
{
    const double normal_force = load[0];
    const Vector3d friction = patch.frame.rightCols<2>() * load.segment<2>(1);
    report.aggregated = true;
    report.normal = patch.normal;
    report.normal_force = normal_force;
    report.first_point = points_out.size();
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (patch.shares[i] == 0.0) {
            continue;
        }
        const ContactPoint& contact = points[i];
        const auto column = static_cast<Index>(i);
        PatchPoint point;
        point.position = contact.p;
        point.area = contact.area;
        point.contact = static_cast<int>(i);
        const Eigen::Map<const Eigen::Vector2d> r(patch.offsets.data() + 2 * i);
        point.force = normal_force * patch.normal_row.col(column) + patch.shares[i] * friction +
                      contact.area * (slope.dot(r) + shift) * patch.normal;
        if (patch.has_torsion) {
            point.force += load[3] * patch.torsion_row.col(column);
        }
        report.area += contact.area;
        if (contact.area > 0.0) {
            report.pressure_max =
                std::max(report.pressure_max, normal_force * patch.shares[i] / contact.area);
        }
        report.force += point.force;
        report.centre += patch.shares[i] * contact.p;
        points_out.push_back(point);
    }
}

void complete_report(PatchReport& report, const std::vector<PatchPoint>& points)
{
    report.point_count = static_cast<int>(points.size() - report.first_point);
    report.pressure_mean = report.area > 0.0 ? report.normal_force / report.area : 0.0;
    for (int i = 0; i < report.point_count; ++i) {
        const PatchPoint& point = points[report.first_point + static_cast<std::size_t>(i)];
        report.torque += (point.position - report.centre).cross(point.force);
    }
}

bool patch_slides(const FrictionPatch& patch, double mu, const Vector4d& load)
{
    return load[0] > 0.0 &&
           !contensou_holds(patch, mu * load[0] * (1.0 - slip_margin), Vector3d(load.tail<3>()));
}

bool patch_slides(FrictionLaw law, const FrictionPatch& patch, const DecoupledBounds& bounds, double mu,
                  const Vector4d& load)
{
    return law == FrictionLaw::contensou ? patch_slides(patch, mu, load)
                                         : slip_gauge(law, patch, bounds, mu, load) > 1.0 - slip_margin;
}

}  // namespace softcontact
