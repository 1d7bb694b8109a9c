// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <softcontact/friction/slip_gauge.hpp>
#include <softcontact/world/patch_load.hpp>

namespace softcontact {

void spread_patch_load(const AggregatePatch& patch, std::span<const ContactPoint> points,
                       const Eigen::Ref<const VectorXd>& multipliers, std::span<const double> pressed,
                       PatchReport& report, std::vector<PatchPoint>& points_out)
{
    const double normal_force = multipliers[0];
    const int first_tilt = patch.row_count() - patch.tilts;
    report.aggregated = true;
    report.normal = patch.normal;
    report.normal_force = normal_force;
    report.first_point = points_out.size();
    double counted = 0.0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const ContactPoint& contact = points[i];
        Vector3d normal_part = pressed.empty() ? Vector3d(normal_force * patch.row(0, i))
                                               : Vector3d(normal_force * pressed[i] * contact.normal);
        for (int k = first_tilt; pressed.empty() && k < patch.row_count(); ++k) {
            normal_part += multipliers[k] * patch.row(k, i);
        }
        PatchPoint point;
        point.force = normal_part;
        for (int k = 1; k < first_tilt; ++k) {
            point.force += multipliers[k] * patch.row(k, i);
        }
        const double pressure = contact.normal.dot(normal_part);
        if (pressure == 0.0 && patch.shares[i] == 0.0) {
            continue;
        }
        point.position = contact.p;
        point.area = contact.area;
        point.contact = static_cast<int>(i);
        report.area += contact.area;
        if (contact.area > 0.0) {
            report.pressure_max = std::max(report.pressure_max, pressure / contact.area);
        }
        report.force += point.force;
        report.centre += pressure * contact.p;
        counted += pressure;
        points_out.push_back(point);
    }
    report.centre = counted > 0.0 ? Vector3d(report.centre / counted) : patch.centre;
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
