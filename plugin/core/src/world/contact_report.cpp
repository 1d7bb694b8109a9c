// SPDX-License-Identifier: LGPL-2.1-or-later
// What a step tells of its contacts: forces a pair, and what pairs remember.
#include <algorithm>
#include <limits>
#include <softcontact/friction/slip_gauge.hpp>
#include <softcontact/geometry/closest_point.hpp>
#include <softcontact/world/contact_problem_builder.hpp>
#include <softcontact/world/patch_load.hpp>
#include <softcontact/world/pressure_memory.hpp>

namespace softcontact {

namespace {

/// A patch without torsion row has Coulomb's disc as its limit surface.
FrictionLaw slip_law(const BlockDescriptor& block)
{
    return block.has_torsion() ? block.law : FrictionLaw::coulomb;
}

/// Normal force and friction of a block (N, F_t, F_s, τ).
Vector4d friction_load(const BlockDescriptor& block, const Eigen::Ref<const VectorXd>& multipliers)
{
    Vector4d load = Vector4d::Zero();
    load.head(1 + block.friction_rows()) = multipliers.segment(block.offset, 1 + block.friction_rows());
    return load;
}

}  // namespace

void ContactProblemBuilder::report_patch(const Block& block, int index, PatchReport& report,
                                         ContactPair& pair)
{
    const AggregatePatch& patch = m_patches[static_cast<std::size_t>(block.patch)];
    PressureSpread& spread = m_spreads[static_cast<std::size_t>(block.patch)];
    const BlockDescriptor& law = m_descriptors[static_cast<std::size_t>(index)];
    const PairContacts& contacts = m_contacts[block.contacts];
    const std::span<const ContactPoint> points(m_points.data() + contacts.first, contacts.count);
    const VectorXd multipliers = this->multipliers().segment(law.offset, law.rows);
    const Vector2d moment = patch.moment_of(multipliers.tail(law.tilts));
    const double normal_force = multipliers[0];

    PairMemory& memory = this->memory(contacts, pair);
    memory.normal_force = normal_force;
    memory.friction = patch.frame.rightCols<2>() * multipliers.segment<2>(1);
    memory.torque = patch.has_torsion ? multipliers[3] : 0.0;
    memory.moment = patch.frame.rightCols<2>() * moment;
    spread.remember(points, patch, normal_force, moment, memory);

    report.volume = patch.volume;
    spread_patch_load(patch, points, multipliers, patch.flat ? spread.shares() : std::span<const double>(),
                      report, m_report_points);
    for (std::size_t i = report.first_point; i < m_report_points.size(); ++i) {
        m_report_points[i].contact += static_cast<int>(contacts.first);
    }
    report.block = index;
    report.sliding = patch_slides(slip_law(law), law.patch, m_solver.bounds(index), pair.friction,
                                  friction_load(law, this->multipliers()));
}

double ContactProblemBuilder::slip_gauge(const PatchReport& report) const
{
    if (report.block < 0) {
        std::vector<PointFriction> points;
        for (int i = 0; i < report.point_count; ++i) {
            const PatchPoint& point = m_report_points[report.first_point + static_cast<std::size_t>(i)];
            const Vector3d& normal = contact_of(point).normal;
            const double normal_force = normal.dot(point.force);
            points.push_back({point.position, normal, point.force - normal_force * normal,
                              report.point_friction * normal_force});
        }
        return softcontact::slip_gauge(points);
    }
    const BlockDescriptor& block = m_descriptors[static_cast<std::size_t>(report.block)];
    return softcontact::slip_gauge(slip_law(block), block.patch, m_solver.bounds(report.block), block.mu,
                                   friction_load(block, multipliers()));
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
        pair.memory.clear_points();
    }
    std::size_t next = 0;
    for (std::size_t c = 0; c < m_contacts.size(); ++c) {
        ContactPair& pair = pairs[m_contacts[c].pair];
        PatchReport report;
        report.surface_a = pair.a;
        report.surface_b = pair.b;
        report.point_friction = pair.friction;
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

void ContactProblemBuilder::vertex_forces(const std::vector<ContactSurface>& surfaces, int surface,
                                          Points& forces, VectorXd& normal_forces) const
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
            const ContactPoint& contact = contact_of(point);
            SurfacePoint place = is_a ? contact.a : contact.b;
            if (place.on_shape) {  // the nearest triangle of the picture bears it
                const ContactSurface& own = surfaces[static_cast<std::size_t>(surface)];
                const Vector3d place_of_force = own.start_pose().inverse_times(is_a ? contact.p : contact.q);
                const ClosestPoint closest = closest_point_local(own.geometry, place_of_force,
                                                                 std::numeric_limits<double>::infinity());
                const auto corners = own.geometry.triangles().col(closest.triangle);
                place = {{corners[0], corners[1], corners[2]}, closest.barycentric};
            }
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
        pairs[i].memory = i < m_kept_memory.size() ? m_kept_memory[i] : PairMemory();
    }
    m_tracker = m_kept_tracker;
}

}  // namespace softcontact
