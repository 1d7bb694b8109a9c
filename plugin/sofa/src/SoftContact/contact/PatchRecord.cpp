// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/contact/PatchRecord.h>

#include <algorithm>

namespace softcontact::plugin {

void PatchRecord::beginStep()
{
    if (!m_active) {
        // Nothing touched here in the step before: neither its load nor its pressure is worth starting from.
        m_memory.normal_force = m_memory.torque = 0.0;
        m_memory.friction.setZero();
        m_memory.moment.setZero();
        m_memory.clear_points();
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
    weigh();
    const bool moments = settings.patch == PatchLaw::moments;
    m_spread.spread(m_points, m_weights, moments, true, m_memory);
    m_patch.compute(m_points, m_spread.shares(), m_memory.tangent);
    if (moments) {
        m_patch.bear_moments(m_points, m_spread.profile(), false, settings.tissue);
    }
    m_memory.tangent = m_patch.tangent();
    m_law = {};
    m_law.mu = settings.mu;
    m_law.law = settings.law;
    const bool spins = m_patch.has_torsion && settings.law != FrictionLaw::coulomb;
    m_law.rows = m_patch.tilts > 0 ? m_patch.row_count() : settings.mu == 0.0 ? 1 : spins ? 4 : 3;
    m_law.shares = m_patch.shares;
    m_law.offsets = m_patch.offsets;
    m_law.corners = m_patch.corners;
    m_law.axis = m_patch.tilt_axis;
    m_active = true;
}

void PatchRecord::weigh()
{
    const auto pressed = [](const PatchContact& contact) { return contact.tissue_gap < 0.0; };
    const bool tissue = m_settings.tissue && std::any_of(m_contacts.begin(), m_contacts.end(), pressed);
    const bool by_depth = m_settings.pressure == PressureRule::nonuniform;
    m_weights.clear();
    double total = 0.0;
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const double depth = std::max(0.0, -(tissue ? m_contacts[i].tissue_gap : m_points[i].gap));
        m_weights.push_back(m_points[i].area * (by_depth ? depth : 1.0));
        total += m_weights.back();
    }
    if (total > 0.0) {
        return;
    }
    // Nothing is pressed yet, or what touches has no area: what is nearest bears alike.
    const auto nearest = std::min_element(m_points.begin(), m_points.end(),
                                          [](const auto& x, const auto& y) { return x.gap < y.gap; });
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        m_weights[i] = m_points[i].gap <= nearest->gap ? 1.0 : 0.0;
    }
}

int PatchRecord::cornerRows() const
{
    return tilts() > 0 ? static_cast<int>(m_patch.corners.size() / 2) : 1;
}

Vector3d PatchRecord::cornerRow(int corner, std::size_t contact) const
{
    Vector3d sum = row(0, contact);
    const Vector2d levers = tilts() > 0 ? m_patch.levers(static_cast<std::size_t>(corner)) : Vector2d::Zero();
    for (int k = 0; k < tilts(); ++k) {
        sum += levers[k] * row(rows() - tilts() + k, contact);
    }
    return sum;
}

std::vector<double> PatchRecord::guess() const
{
    VectorXd impulses = VectorXd::Zero(rows());
    impulses[0] = m_memory.normal_force;
    if (rows() > 1) {
        impulses[1] = m_patch.frame.col(1).dot(m_memory.friction);
        impulses[2] = m_patch.frame.col(2).dot(m_memory.friction);
    }
    if (rows() > 3) {
        impulses[3] = m_memory.torque;
    }
    if (tilts() > 0) {
        impulses.tail(tilts()) =
            m_patch.moment_rows(m_patch.frame.rightCols<2>().transpose() * m_memory.moment);
    }
    impulses *= m_settings.step;
    return {impulses.data(), impulses.data() + impulses.size()};
}

FrictionPatch PatchRecord::frictionPatch() const
{
    return make_friction_patch(m_law.shares.data(), m_law.offsets.data(),
                               static_cast<int>(m_law.shares.size()));
}

std::unique_ptr<ContensouFriction> PatchRecord::makeResolution(const VectorXd& free)
{
    if (m_law.law == FrictionLaw::contensou_decoupled && m_law.rows >= 4) {
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
    // Rows that the law leaves out bear nothing.
    VectorXd multipliers = VectorXd::Zero(m_patch.row_count());
    for (int row = 0; row < rows(); ++row) {
        multipliers[row] = m_solved->impulses[static_cast<std::size_t>(row)] / m_settings.step;
    }
    const Vector2d moment = m_patch.moment_of(multipliers.tail(m_patch.tilts));
    m_report = {};
    m_reportPoints.clear();
    m_report.volume = m_patch.volume;
    spread_patch_load(m_patch, m_points, multipliers, {}, m_report, m_reportPoints);
    complete_report(m_report, m_reportPoints);
    Vector4d load = Vector4d::Zero();
    load.head(std::min<Index>(rows(), 4)) = multipliers.head(std::min<Index>(rows(), 4));
    m_report.sliding = patch_slides(frictionPatch(), m_settings.mu, load);

    m_memory.normal_force = load[0];
    m_memory.friction = m_patch.frame.rightCols<2>() * load.segment<2>(1);
    m_memory.torque = load[3];
    m_memory.moment = m_patch.frame.rightCols<2>() * moment;
    m_spread.remember(m_points, m_patch, load[0], moment, m_memory);
}

}  // namespace softcontact::plugin
