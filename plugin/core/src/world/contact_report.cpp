// SPDX-License-Identifier: LGPL-2.1-or-later
// What a step tells of its contacts: forces a pair, and what pairs remember.
#include <algorithm>
#include <softcontact/friction/slip_gauge.hpp>
#include <softcontact/world/contact_problem_builder.hpp>
#include <softcontact/world/patch_load.hpp>
#include <softcontact/world/pressure_memory.hpp>

namespace softcontact {

namespace {

/// A patch of a line or of one point has no torsion row, and Coulomb's disc is its limit surface.
FrictionLaw slip_law(const BlockDescriptor& block)
{
    return block.rows == 4 ? block.law : FrictionLaw::coulomb;
}

}  // namespace

void ContactProblemBuilder::report_patch(const Block& block, int index, PatchReport& report,
                                         ContactPair& pair)
{
    const AggregatePatch& patch = m_patches[static_cast<std::size_t>(block.patch)];
    const PairContacts& contacts = m_contacts[block.contacts];
    const Index offset = m_rows.block_offset(index);
    const auto multipliers = this->multipliers();
    const double normal_force = multipliers[offset];
    const Vector3d friction = patch.frame.rightCols<2>() * multipliers.segment<2>(offset + 1);
    const double torque = m_rows.block_rows(index) == 4 ? multipliers[offset + 3] : 0.0;
    PairMemory& memory = this->memory(contacts, pair);
    memory.normal_force = normal_force;
    memory.friction = friction;
    memory.torque = torque;
    const std::span<const ContactPoint> points(m_points.data() + contacts.first, contacts.count);
    CouplePressure tilting;
    for (std::size_t k = 0; k < m_tilts.size(); ++k) {
        const PressureTilt& tilt = m_tilts[k];
        if (tilt.block == index) {
            const Vector3d moment =
                tilt.axes * multipliers.segment<2>(m_contact_rows + 2 * static_cast<Index>(k));
            tilting = couple_pressure(patch, points, patch.frame.rightCols<2>().transpose() * moment);
        }
    }

    remember_pressures(points, patch, normal_force, memory);
    const Vector4d load(normal_force, multipliers[offset + 1], multipliers[offset + 2], torque);
    report.volume = patch.volume;
    spread_patch_load(patch, points, load, tilting.slope, report, m_report_points, tilting.shift);
    for (std::size_t i = report.first_point; i < m_report_points.size(); ++i) {
        m_report_points[i].contact += static_cast<int>(contacts.first);
    }
    report.block = index;
    const BlockDescriptor& block_law = m_descriptors[static_cast<std::size_t>(index)];
    report.sliding =
        patch_slides(slip_law(block_law), block_law.patch, m_solver.bounds(index), pair.friction, load);
}

double ContactProblemBuilder::slip_gauge(const PatchReport& report) const
{
    if (report.block < 0) {
        std::vector<PointFriction> points;
        for (int i = 0; i < report.point_count; ++i) {
            const PatchPoint& point = m_report_points[report.first_point + static_cast<std::size_t>(i)];
            const Vector3d& normal = m_points[static_cast<std::size_t>(point.contact)].normal;
            const double normal_force = normal.dot(point.force);
            points.push_back({point.position, normal, point.force - normal_force * normal,
                              report.point_friction * normal_force});
        }
        return softcontact::slip_gauge(points);
    }
    const BlockDescriptor& block = m_descriptors[static_cast<std::size_t>(report.block)];
    Vector4d load = Vector4d::Zero();
    load.head(block.rows) = multipliers().segment(block.offset, block.rows);
    return softcontact::slip_gauge(slip_law(block), block.patch, m_solver.bounds(report.block), block.mu,
                                   load);
}

void ContactProblemBuilder::report_point(const Block& block, int index, PatchReport& report,
                                         ContactPair& pair)
{
    const ContactPoint& contact = m_points[block.point];
    const Vector3d local = multipliers().segment<3>(m_rows.block_offset(index));
    PatchPoint point;
    point.position = contact.p;
    point.area = contact.area;
    point.contact = static_cast<int>(block.point);
    point.force = block.frame * local;
    pair.memory.keys.push_back(contact.key);
    pair.memory.forces.push_back(point.force);
    if (!(local[0] > 0.0)) {
        return;
    }
    report.normal += local[0] * contact.normal;
    report.normal_force += local[0];
    report.force += point.force;
    report.centre += local[0] * contact.p;
    report.area += contact.area;
    report.volume += contact.area * std::max(0.0, -contact.gap);
    if (contact.area > 0.0) {
        report.pressure_max = std::max(report.pressure_max, local[0] / contact.area);
    }
    report.point_friction = pair.friction;
    report.sliding =
        report.sliding || local.tail<2>().norm() > pair.friction * local[0] * (1.0 - slip_margin);
    m_report_points.push_back(point);
}

void ContactProblemBuilder::report(std::vector<ContactPair>& pairs)
{
    m_reports.clear();
    m_report_points.clear();
    for (auto& pair : pairs) {
        pair.memory.normal_force = 0.0;
        pair.memory.friction.setZero();
        pair.memory.torque = 0.0;
        pair.memory.keys.clear();
        pair.memory.forces.clear();
        pair.memory.pressures.clear();
    }
    std::size_t next = 0;
    for (std::size_t c = 0; c < m_contacts.size(); ++c) {
        ContactPair& pair = pairs[m_contacts[c].pair];
        PatchReport report;
        report.surface_a = pair.a;
        report.surface_b = pair.b;
        report.number = m_contacts[c].part == no_part ? 0 : m_tracker.part(m_contacts[c].part).label;
        report.normal.setZero();
        report.first_point = m_report_points.size();
        for (; next < m_blocks.size() && m_blocks[next].contacts == c; ++next) {
            if (m_blocks[next].patch >= 0) {
                report_patch(m_blocks[next], static_cast<int>(next), report, pair);
            } else {
                report_point(m_blocks[next], static_cast<int>(next), report, pair);
            }
        }
        if (!(report.normal_force > 0.0)) {
            continue;
        }
        if (!report.aggregated) {
            report.centre /= report.normal_force;
            report.normal.normalize();
        }
        complete_report(report, m_report_points);
        m_reports.push_back(report);
    }
}

void ContactProblemBuilder::vertex_forces(int surface, Points& forces, VectorXd& normal_forces) const
{
    forces.setZero();
    normal_forces.setZero();
    for (const auto& report : m_reports) {
        if (report.surface_a != surface && report.surface_b != surface) {
            continue;
        }
        const bool is_a = report.surface_a == surface;
        for (int i = 0; i < report.point_count; ++i) {
            const PatchPoint& point = m_report_points[report.first_point + static_cast<std::size_t>(i)];
            const ContactPoint& contact = m_points[static_cast<std::size_t>(point.contact)];
            const SurfacePoint& place = is_a ? contact.a : contact.b;
            for (int k = 0; k < 3; ++k) {
                const int vertex = place.vertices[static_cast<std::size_t>(k)];
                forces.col(vertex) += (is_a ? place.weights[k] : -place.weights[k]) * point.force;
                normal_forces[vertex] += place.weights[k] * point.force.dot(contact.normal);
            }
        }
    }
}

void ContactProblemBuilder::keep(const std::vector<ContactPair>& pairs)
{
    m_kept_memory.resize(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        m_kept_memory[i] = pairs[i].memory;
    }
    m_kept_tracker = m_tracker;
}

void ContactProblemBuilder::go_back(std::vector<ContactPair>& pairs)
{
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        pairs[i].memory = m_kept_memory[i];
    }
    m_tracker = m_kept_tracker;
}

}  // namespace softcontact
