// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <softcontact/world/contact_problem_builder.hpp>
#include <softcontact/world/patch_load.hpp>

namespace softcontact {

namespace {

/// Where the forces of a contact point act on both bodies: on one point, or their friction would turn them.
/// Tissue takes its own; between rigid bodies it is half way.
std::pair<Vector3d, Vector3d> acting_points(const ContactPoint& point, const ContactSurface& a,
                                            const ContactSurface& b)
{
    if (a.field != nullptr) {
        return {point.p, b.field != nullptr ? point.q : point.p};
    }
    const Vector3d common = b.field != nullptr ? point.q : Vector3d(0.5 * (point.p + point.q));
    return {common, common};
}

}  // namespace

void ContactProblemBuilder::add_patch(const PairContacts& contacts,
                                      const std::vector<ContactSurface>& surfaces, ContactPair& pair,
                                      const WorldSettings& settings, double step)
{
    const auto& a = surfaces[static_cast<std::size_t>(pair.a)];
    const auto& b = surfaces[static_cast<std::size_t>(pair.b)];
    AggregatePatch& patch = m_patches[static_cast<std::size_t>(m_patch_count)];
    const std::span<const ContactPoint> points(m_points.data() + contacts.first, contacts.count);
    const bool uniform = settings.pressure == PressureRule::uniform;
    const double share = new_pressure_share(a.recovery(step));
    const bool tissue_alone = free_penetrations(points, a, b, m_contact_offset, m_depths);
    PairMemory& memory = this->memory(contacts, pair);
    const bool rigid = a.field == nullptr && b.field == nullptr;
    const bool level =
        !uniform && rigid && level_penetrations(points, a, b, m_contact_offset, memory, m_depths);
    weigh_patch(points, settings.pressure, share, tissue_alone, memory, m_depths, m_weighted, patch);
    memory.tangent = patch.frame.col(1);
    pair.memory.tangent = memory.tangent;

    Block block;
    block.patch = m_patch_count++;
    block.frame = patch.frame;
    const int rows = patch.has_torsion ? 4 : 3;
    m_rows.begin_block(rows);
    for (const double sign : {1.0, -1.0}) {
        m_rows.begin_side(sign > 0.0 ? a : b, patch.centroid, sign);
        for (std::size_t i = 0; i < contacts.count; ++i) {
            if (patch.shares[i] == 0.0) {
                continue;
            }
            const auto column = static_cast<Index>(i);
            RowForces directions(3, rows);
            directions.col(0) = patch.normal_row.col(column);
            directions.col(1) = patch.shares[i] * patch.frame.col(1);
            directions.col(2) = patch.shares[i] * patch.frame.col(2);
            if (rows == 4) {
                directions.col(3) = patch.torsion_row.col(column);
            }
            const ContactPoint& point = points[i];
            const auto [on_a, on_b] = acting_points(point, a, b);
            m_rows.add_point(sign > 0.0 ? point.a : point.b, sign > 0.0 ? on_a : on_b, directions);
            add_belt(sign > 0.0 ? a : b, point, sign > 0.0 ? on_a : on_b, directions, sign);
        }
        m_rows.end_side();
    }
    for (std::size_t i = 0; i < contacts.count; ++i) {
        if (patch.shares[i] != 0.0) {
            block.start_gap += patch.shares[i] * start_gap(points[i], a, b);
        }
    }
    m_blocks.push_back(block);
    if (!uniform && memory.normal_force > 0.0) {
        m_areas.clear();
        for (const auto& point : points) {
            m_areas.push_back(point.area);
        }
        PressureTilt tilt = make_pressure_tilt(patch, m_areas, m_depths, memory.normal_force, share, step);
        tilt.block = static_cast<int>(m_blocks.size()) - 1;
        tilt.from_start = tissue_alone || level;
        if (!tilt.axes.isZero(0.0)) {  // a single point cannot tilt
            m_tilts.push_back(tilt);
        }
    }
}

void ContactProblemBuilder::add_tilt(const PressureTilt& tilt, const std::vector<ContactSurface>& surfaces,
                                     const ContactPair& pair)
{
    const Block& block = m_blocks[static_cast<std::size_t>(tilt.block)];
    const AggregatePatch& patch = m_patches[static_cast<std::size_t>(block.patch)];
    const PairContacts& contacts = m_contacts[block.contacts];
    m_rows.begin_block(2);
    for (const double sign : {1.0, -1.0}) {
        const auto& surface = surfaces[static_cast<std::size_t>(sign > 0.0 ? pair.a : pair.b)];
        m_rows.begin_side(surface, patch.centre, sign);
        if (surface.link_system >= 0) {
            m_rows.add_couple(tilt.axes);
        } else if (surface.field_system >= 0 && tilt.has_spread) {
            // No link to take the moment: it comes as a pressure that is linear over the patch, without
            // force.
            const Eigen::Matrix2d moments = patch.frame.rightCols<2>().transpose() * tilt.axes;
            const std::span<const ContactPoint> points(m_points.data() + contacts.first, contacts.count);
            const CouplePressure first = couple_pressure(patch, points, moments.col(0));
            const CouplePressure second = couple_pressure(patch, points, moments.col(1));
            Eigen::Matrix2d slopes;
            slopes << first.slope, second.slope;
            const Eigen::RowVector2d shifts(first.shift, second.shift);
            for (std::size_t i = 0; i < contacts.count; ++i) {
                if (patch.shares[i] == 0.0) {
                    continue;
                }
                const ContactPoint& point = m_points[contacts.first + i];
                const Eigen::Map<const Eigen::RowVector2d> r(patch.offsets.data() + 2 * i);
                const RowForces directions = point.area * patch.normal * (r * slopes + shifts);
                m_rows.add_point(sign > 0.0 ? point.a : point.b, sign > 0.0 ? point.p : point.q, directions);
            }
        }
        m_rows.end_side();
    }
}

void ContactProblemBuilder::add_points(const PairContacts& contacts,
                                       const std::vector<ContactSurface>& surfaces, ContactPair& pair)
{
    const auto& a = surfaces[static_cast<std::size_t>(pair.a)];
    const auto& b = surfaces[static_cast<std::size_t>(pair.b)];
    for (std::size_t i = 0; i < contacts.count; ++i) {
        const ContactPoint& point = m_points[contacts.first + i];
        Block block;
        block.point = contacts.first + i;
        block.frame.col(0) = point.normal;
        block.frame.col(1) = transport_tangent(pair.memory.tangent, point.normal);
        block.frame.col(2) = point.normal.cross(block.frame.col(1));
        block.start_gap = start_gap(point, a, b);
        m_rows.begin_block(3);
        const RowForces directions = block.frame;
        const auto [on_a, on_b] = acting_points(point, a, b);
        m_rows.begin_side(a, on_a, 1.0);
        m_rows.add_point(point.a, on_a, directions);
        m_rows.end_side();
        m_rows.begin_side(b, on_b, -1.0);
        m_rows.add_point(point.b, on_b, directions);
        m_rows.end_side();
        add_belt(a, point, on_a, directions, 1.0);
        add_belt(b, point, on_b, directions, -1.0);
        m_blocks.push_back(block);
    }
    pair.memory.tangent = m_blocks.back().frame.col(1);
}

void ContactProblemBuilder::add_belt(const ContactSurface& surface, const ContactPoint& point,
                                     const Vector3d& position, const RowForces& directions, double sign)
{
    if (!surface.has_belt()) {
        return;
    }
    Vector3d velocity = surface.belt_velocity(position);
    velocity -= point.normal * point.normal.dot(velocity);
    for (Index row = 0; row < directions.cols(); ++row) {
        m_rows.add_free_velocity(static_cast<int>(row), sign * directions.col(row).dot(velocity));
    }
}

void ContactProblemBuilder::set_bounces(const std::vector<ContactPair>& pairs, const WorldSettings& settings,
                                        double step)
{
    for (std::size_t i = 0; i < m_blocks.size(); ++i) {
        Block& block = m_blocks[i];
        const double restitution = pairs[m_contacts[block.contacts].pair].restitution;
        if (!(restitution > 0.0)) {
            continue;
        }
        const double approach = -m_rows.start_velocity(static_cast<int>(i), 0);
        if (!(approach > settings.least_bounce)) {
            continue;  // it comes to rest
        }
        // One that closes later than this is left to close: the step was cut where it does.
        const bool closed = block.start_gap < bounce_share * step * approach;
        block.bounce = closed ? restitution * approach : -approach - settings.least_bounce;
    }
}

double ContactProblemBuilder::allowance(std::size_t block, double step) const
{
    const Block& contact = m_blocks[block];
    return contact.bounce != 0.0 ? -contact.bounce : std::max(contact.start_gap, 0.0) / step;
}

void ContactProblemBuilder::assemble(const Systems& systems, const std::vector<ContactSurface>& surfaces,
                                     std::vector<ContactPair>& pairs, const WorldSettings& settings,
                                     double step)
{
    m_rows.begin_step(systems, step);
    m_blocks.clear();
    m_patch_count = 0;
    m_tilts.clear();
    for (std::size_t c = 0; c < m_contacts.size(); ++c) {
        const std::size_t first_block = m_blocks.size();
        ContactPair& pair = pairs[m_contacts[c].pair];
        if (pair.aggregated) {
            add_patch(m_contacts[c], surfaces, pair, settings, step);
        } else {
            add_points(m_contacts[c], surfaces, pair);
        }
        for (std::size_t i = first_block; i < m_blocks.size(); ++i) {
            m_blocks[i].contacts = c;
        }
    }
    for (std::size_t s = 0; s < systems.size(); ++s) {
        for (const auto& constraint : systems[s]->constraints()) {
            m_rows.begin_block(1);
            m_rows.add_coordinate(static_cast<int>(s), constraint.coordinate, constraint.sign);
        }
    }
    m_contact_rows = m_rows.row_count();
    for (const auto& tilt : m_tilts) {
        add_tilt(tilt, surfaces,
                 pairs[m_contacts[m_blocks[static_cast<std::size_t>(tilt.block)].contacts].pair]);
    }
    m_rows.assemble();
    set_bounces(pairs, settings, step);

    m_descriptors.clear();
    for (std::size_t i = 0; i < m_blocks.size(); ++i) {
        const Block& block = m_blocks[i];
        const double friction = pairs[m_contacts[block.contacts].pair].friction;
        BlockDescriptor descriptor;
        descriptor.offset = m_rows.block_offset(static_cast<int>(i));
        descriptor.rows = m_rows.block_rows(static_cast<int>(i));
        descriptor.mu = friction;
        if (block.patch >= 0) {
            const AggregatePatch& patch = m_patches[static_cast<std::size_t>(block.patch)];
            descriptor.law = settings.friction_law;
            descriptor.patch = make_friction_patch(patch.shares.data(), patch.offsets.data(), patch.count);
        }
        m_descriptors.push_back(descriptor);
    }
    warm_start(pairs);
    add_constraints(systems);
}

void ContactProblemBuilder::warm_start(std::vector<ContactPair>& pairs)
{
    m_multipliers.assign(static_cast<std::size_t>(m_rows.row_count()), 0.0);
    Eigen::Map<VectorXd> multipliers(m_multipliers.data(), m_rows.row_count());
    for (std::size_t i = 0; i < m_blocks.size(); ++i) {
        const Block& block = m_blocks[i];
        const PairContacts& contacts = m_contacts[block.contacts];
        const PairMemory& memory = this->memory(contacts, pairs[contacts.pair]);
        const int offset = m_rows.block_offset(static_cast<int>(i));
        if (block.patch >= 0) {
            multipliers[offset] = memory.normal_force;
            multipliers[offset + 1] = block.frame.col(1).dot(memory.friction);
            multipliers[offset + 2] = block.frame.col(2).dot(memory.friction);
            if (m_rows.block_rows(static_cast<int>(i)) == 4) {
                multipliers[offset + 3] = memory.torque;
            }
            continue;
        }
        const auto found =
            std::lower_bound(memory.keys.begin(), memory.keys.end(), m_points[block.point].key);
        if (found != memory.keys.end() && *found == m_points[block.point].key) {
            const Vector3d& force = memory.forces[static_cast<std::size_t>(found - memory.keys.begin())];
            multipliers.segment<3>(offset) = block.frame.transpose() * force;
            multipliers[offset] = std::max(0.0, multipliers[offset]);
        }
    }
}

}  // namespace softcontact
