// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/contact/PatchRecord.h>

#include <algorithm>
#include <cmath>
#include <softcontact/world/pressure_memory.hpp>

namespace softcontact::plugin {

void PatchRecord::beginStep()
{
    if (!m_active) {
        // Nothing touched here in the step before: neither its load nor its pressure is worth starting from.
        m_memory.normal_force = m_memory.torque = 0.0;
        m_memory.friction.setZero();
        m_memory.keys.clear();
        m_memory.pressures.clear();
    }
    m_active = false;
    m_solved->fresh = false;
    m_report = {};
    m_reportPoints.clear();
}

void PatchRecord::assemble(std::vector<ContactPoint> points, std::vector<PatchContact> contacts,
                           const PatchSettings& settings)
{
    m_points = std::move(points);
    m_contacts = std::move(contacts);
    m_settings = settings;
    const std::size_t n = m_points.size();
    const auto tissue_pressed = [](const PatchContact& contact) { return contact.tissue_gap < 0.0; };
    const bool tissue = settings.tissue && std::any_of(m_contacts.begin(), m_contacts.end(), tissue_pressed);
    m_tissuePressed = tissue;
    m_depths.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        m_depths[i] = std::max(0.0, -(tissue ? m_contacts[i].tissue_gap : m_points[i].gap));
    }
    const double recovery = settings.step / (settings.step + settings.relaxation_time);
    const double share = new_pressure_share(recovery);
    weigh_patch(m_points, settings.pressure, share, tissue, m_memory, m_depths, m_weighted, m_patch);
    m_memory.tangent = m_patch.tangent();
    m_law = {};
    m_law.mu = settings.mu;
    m_law.law = settings.law;
    const bool spins = m_patch.has_torsion && settings.law != FrictionLaw::coulomb;
    m_law.rows = settings.mu == 0.0 ? 1 : spins ? 4 : 3;
    m_law.shares = m_patch.shares;
    m_law.offsets = m_patch.offsets;
    const bool uniform = settings.pressure == PressureRule::uniform;
    if (!uniform && (tissue || settings.tilt) && m_memory.normal_force > 0.0) {
        makeTilt(share);
    }
    m_active = true;
}

void PatchRecord::makeTilt(double share)
{
    std::vector<double> areas;
    for (const ContactPoint& point : m_points) {
        areas.push_back(point.area);
    }
    const PressureTilt tilt =
        make_pressure_tilt(m_patch, areas, m_depths, m_memory.normal_force, share, m_settings.step);
    if (tilt.has_spread) {
        m_law.linear_rows = 2;
        // Made for forces and velocities; with SOFA's impulses u + λ = 0 needs another √h where u is a
        // velocity.
        const double scale = m_settings.displacements ? 1.0 : std::sqrt(m_settings.step);
        const Eigen::Matrix2d moments = scale * m_patch.frame.rightCols<2>().transpose() * tilt.axes;
        m_tiltSlopes << linear_pressure(tilt, moments.col(0)), linear_pressure(tilt, moments.col(1));
    }
}

Vector3d PatchRecord::row(int row, std::size_t contact) const
{
    const auto column = static_cast<Index>(contact);
    if (row == 0) {
        return m_patch.normal_row.col(column);
    }
    if (row < m_law.rows) {
        return row == 3 ? Vector3d(m_patch.torsion_row.col(column))
                        : Vector3d(m_patch.shares[contact] * m_patch.frame.col(row));
    }
    // A linear pressure over the patch makes up the moment; it reaches soft and rigid bodies alike.
    if (m_patch.shares[contact] == 0.0) {
        return Vector3d::Zero();
    }
    const Eigen::Map<const Eigen::Vector2d> r(m_patch.offsets.data() + 2 * contact);
    return m_points[contact].area * m_tiltSlopes.col(row - m_law.rows).dot(r) * m_patch.normal;
}

std::vector<double> PatchRecord::guess() const
{
    std::vector<double> impulses(static_cast<std::size_t>(rows()), 0.0);
    impulses[0] = m_memory.normal_force;
    if (m_law.rows > 1) {
        impulses[1] = m_patch.frame.col(1).dot(m_memory.friction);
        impulses[2] = m_patch.frame.col(2).dot(m_memory.friction);
    }
    if (m_law.rows == 4) {
        impulses[3] = m_memory.torque;
    }
    for (double& impulse : impulses) {
        impulse *= m_settings.step;
    }
    return impulses;
}

FrictionPatch PatchRecord::frictionPatch() const
{
    return make_friction_patch(m_law.shares.data(), m_law.offsets.data(),
                               static_cast<int>(m_law.shares.size()));
}

std::unique_ptr<ContensouFriction> PatchRecord::makeResolution(const VectorXd& free)
{
    if (m_law.law == FrictionLaw::contensou_decoupled && m_law.rows == 4) {
        m_law.bounds = decoupled_bounds(frictionPatch(), free.segment<3>(1));
    }
    return std::make_unique<ContensouFriction>(m_law, guess(), m_solved);
}

void PatchRecord::finish()
{
    if (!m_active || !m_solved->fresh || m_solved->impulses.size() != static_cast<std::size_t>(rows())) {
        return;
    }
    m_solved->fresh = false;
    const auto force = [&](int row) {
        return row < rows() ? m_solved->impulses[static_cast<std::size_t>(row)] / m_settings.step : 0.0;
    };
    Vector4d load(force(0), 0.0, 0.0, 0.0);
    for (int row = 1; row < m_law.rows; ++row) {
        load[row] = force(row);
    }
    Eigen::Vector2d slope = Eigen::Vector2d::Zero();
    if (m_law.linear_rows == 2) {
        slope = m_tiltSlopes * Eigen::Vector2d(force(m_law.rows), force(m_law.rows + 1));
    }
    m_report = {};
    m_reportPoints.clear();
    m_report.volume = m_patch.volume;
    spread_patch_load(m_patch, m_points, load, slope, m_report, m_reportPoints);
    complete_report(m_report, m_reportPoints);
    m_report.sliding = patch_slides(frictionPatch(), m_settings.mu, load);

    m_memory.normal_force = load[0];
    m_memory.friction = m_patch.frame.rightCols<2>() * load.segment<2>(1);
    m_memory.torque = load[3];
    remember_pressures(m_points, m_patch, load[0], m_memory);
}

}  // namespace softcontact::plugin
