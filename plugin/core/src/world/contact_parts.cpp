// SPDX-License-Identifier: LGPL-2.1-or-later
// Forces of a step that was taken in parts: the mean of theirs over the time of the step.
#include <algorithm>
#include <softcontact/world/contact_problem_builder.hpp>
#include <softcontact/world/patch_load.hpp>

namespace softcontact {

namespace {

void scale(PatchReport& report, double share)
{
    report.force *= share;
    report.torque *= share;
    report.normal_force *= share;
    report.pressure_mean *= share;
    report.pressure_max *= share;
}

bool same_patch(const PatchReport& one, const PatchReport& other)
{
    return one.surface_a == other.surface_a && one.surface_b == other.surface_b && one.number == other.number;
}

/// Adds what a patch did in another part, without its points.
void add(PatchReport& sum, const PatchReport& part)
{
    const double both = sum.normal_force + part.normal_force;
    sum.centre = (sum.normal_force * sum.centre + part.normal_force * part.centre) / both;
    sum.normal = (sum.normal_force * sum.normal + part.normal_force * part.normal).normalized();
    sum.force += part.force;
    sum.normal_force = both;
    sum.area = std::max(sum.area, part.area);
    sum.volume = std::max(sum.volume, part.volume);
    sum.pressure_max = std::max(sum.pressure_max, part.pressure_max);
    sum.sliding = sum.sliding || part.sliding;
}

}  // namespace

void ContactProblemBuilder::forget_parts()
{
    m_part_reports.clear();
    m_part_points.clear();
    m_part_contacts.clear();
}

void ContactProblemBuilder::keep_part(double share)
{
    for (PatchReport report : m_reports) {
        const auto* const first = m_report_points.data() + report.first_point;
        scale(report, share);
        report.first_point = m_part_points.size();
        report.block = -1;  // of a solve that is gone
        m_part_reports.push_back(report);
        for (const PatchPoint* point = first; point != first + report.point_count; ++point) {
            m_part_points.push_back(*point);
            m_part_points.back().force *= share;
            m_part_points.back().contact = static_cast<int>(m_part_contacts.size());
            m_part_contacts.push_back(contact_of(*point));
        }
    }
}

void ContactProblemBuilder::merge_parts(double share)
{
    for (PatchReport& report : m_reports) scale(report, share);
    for (PatchPoint& point : m_report_points) point.force *= share;
    m_own_points = m_report_points;
    m_report_points.clear();
    const std::size_t own = m_reports.size();
    for (const PatchReport& part : m_part_reports) {
        const auto same = [&part](const PatchReport& report) { return same_patch(report, part); };
        const auto found = std::find_if(m_reports.begin(), m_reports.end(), same);
        if (found == m_reports.end()) {
            m_reports.push_back(part);
        } else {
            add(*found, part);
        }
    }
    const int shift = static_cast<int>(m_points.size());
    for (std::size_t r = 0; r < m_reports.size(); ++r) {
        PatchReport& report = m_reports[r];
        const std::size_t start = m_report_points.size();
        if (r < own) {
            const auto first = m_own_points.begin() + static_cast<std::ptrdiff_t>(report.first_point);
            m_report_points.insert(m_report_points.end(), first, first + report.point_count);
        }
        for (const PatchReport& part : m_part_reports) {
            if (!same_patch(report, part)) continue;
            for (int i = 0; i < part.point_count; ++i) {
                m_report_points.push_back(m_part_points[part.first_point + static_cast<std::size_t>(i)]);
                m_report_points.back().contact += shift;
            }
        }
        report.first_point = start;
        report.torque.setZero();
        complete_report(report, m_report_points);
    }
}

}  // namespace softcontact
