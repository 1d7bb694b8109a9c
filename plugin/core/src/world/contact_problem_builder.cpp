// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>
#include <softcontact/world/contact_problem_builder.hpp>
#include <softcontact/world/patch_load.hpp>

namespace softcontact {

namespace {

// How much a tilt yields at least, as a share of what the normal row does over the length of the patch.
constexpr double least_tilt = 1e-9;

/// Where the forces of a contact point act on both bodies: on one point, or their friction would turn them.
/// Tissue takes its own; between rigid bodies it is half way. A shape that is met where it goes to along
/// tissue takes the point under it, as far on as the step takes it along: else what rolls were braked.
std::pair<Vector3d, Vector3d> acting_points(const ContactPoint& point, const ContactSurface& a,
                                            const ContactSurface& b)
{
    const Vector3d between = point.normal.dot(point.p - point.q) * point.normal;
    if (a.field != nullptr && b.field != nullptr) return {point.p, point.q};
    if (a.field != nullptr) return {point.p, point.b.on_shape ? Vector3d(point.q + between) : point.p};
    if (b.field != nullptr) return {point.a.on_shape ? Vector3d(point.p - between) : point.q, point.q};
    const Vector3d common = 0.5 * (point.p + point.q);
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
    PressureSpread& spread = m_spreads[static_cast<std::size_t>(m_patch_count)];
    const std::span<ContactPoint> points(m_points.data() + contacts.first, contacts.count);
    const bool moments = settings.patch_law == PatchLaw::moments;
    const bool rigid = a.field == nullptr && b.field == nullptr;
    PairMemory& memory = this->memory(contacts, pair);
    weigh(points, a, b, settings);
    const bool nonuniform = settings.pressure == PressureRule::nonuniform;
    const FreeTissue tissue = moments && nonuniform ? free_tissue(points, a, b, step) : FreeTissue{};
    spread.spread(points, m_weights, moments, !rigid, memory, tissue);
    patch.compute(points, spread.shares(), memory.tangent);
    if (moments) {
        patch.bear_moments(points, spread.profile(), rigid, !rigid);
    }
    memory.tangent = patch.frame.col(1);
    pair.memory.tangent = memory.tangent;

    Block block;
    block.patch = m_patch_count++;
    block.frame = patch.frame;
    if (tissue.modulus > 0.0) {
        block.slack = PressureSpread::settled_ratio * std::sqrt(patch.area);
    }
    const int rows = patch.row_count();
    m_rows.begin_block(rows);
    for (const double sign : {1.0, -1.0}) {
        m_rows.begin_side(sign > 0.0 ? a : b, patch.centroid, sign);
        for (std::size_t i = 0; i < contacts.count; ++i) {
            RowForces directions(3, rows);
            for (int row = 0; row < rows; ++row) {
                directions.col(row) = patch.row(row, i);
            }
            if (directions.isZero(0.0)) {
                continue;
            }
            const ContactPoint& point = points[i];
            const auto [on_a, on_b] = acting_points(point, a, b);
            m_rows.add_point(sign > 0.0 ? point.a : point.b, sign > 0.0 ? on_a : on_b, directions);
            add_belt(sign > 0.0 ? a : b, point, sign > 0.0 ? on_a : on_b, directions, sign);
        }
        m_rows.end_side();
    }
    block.gap = patch.gap_of(points, [&](const ContactPoint& point) { return start_gap(point, a, b); });
    m_blocks.push_back(block);
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
        block.gap[0] = start_gap(point, a, b);
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
    // What is carried round goes along an arc; along its tangent it would spiral outwards.
    const double turn = 0.5 * m_rows.step() * point.normal.dot(surface.belt_turning());
    if (turn != 0.0) {
        velocity = std::sin(turn) / turn *
                   (std::cos(turn) * velocity + std::sin(turn) * point.normal.cross(velocity));
    }
    for (Index row = 0; row < directions.cols(); ++row) {
        m_rows.add_free_velocity(static_cast<int>(row), sign * directions.col(row).dot(velocity));
    }
}

PatchGap ContactProblemBuilder::allowance(std::size_t index, double step, double bounced) const
{
    const Block& block = m_blocks[index];
    PatchGap allowed = PatchGap::Zero();
    if (block.bounce != 0.0) {
        allowed[0] = -(block.bounce > 0.0 ? bounced : 1.0) * block.bounce;
        return allowed;
    }
    if (block.patch >= 0) {
        return m_patches[static_cast<std::size_t>(block.patch)].closable_gap(block.gap) / step;
    }
    allowed[0] = std::max(block.gap[0], 0.0) / step;
    return allowed;
}

void ContactProblemBuilder::assemble(const Systems& systems, const std::vector<ContactSurface>& surfaces,
                                     std::vector<ContactPair>& pairs, const WorldSettings& settings,
                                     double step, bool may_cut)
{
    m_rows.begin_step(systems, step);
    m_blocks.clear();
    m_patch_count = 0;
    for (std::size_t c = 0; c < m_contacts.size(); ++c) {
        const std::size_t first_block = m_blocks.size();
        ContactPair& pair = pairs[m_contacts[c].pair];
        if (pair.aggregated && bears_as_one(m_contacts[c], surfaces[static_cast<std::size_t>(pair.a)],
                                            surfaces[static_cast<std::size_t>(pair.b)], settings)) {
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
    m_rows.assemble();
    set_bounces(pairs, settings, step, may_cut);

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
            descriptor.tilts = patch.tilts;
            if (patch.tilts > 0) {
                descriptor.hull = make_moment_hull(
                    patch.corners.data(), static_cast<int>(patch.corners.size() / 2), patch.tilt_axis);
                // Where nothing can tilt, the least moment of all is borne: that of the profile.
                m_rows.yield_last(static_cast<int>(i), patch.tilts,
                                  least_tilt / (descriptor.hull.length * descriptor.hull.length));
            }
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
        const PairMemory& memory =
            block.patch >= 0 ? this->memory(contacts, pairs[contacts.pair]) : pairs[contacts.pair].memory;
        const int offset = m_rows.block_offset(static_cast<int>(i));
        if (block.patch >= 0) {
            multipliers[offset] = memory.normal_force;
            multipliers[offset + 1] = block.frame.col(1).dot(memory.friction);
            multipliers[offset + 2] = block.frame.col(2).dot(memory.friction);
            const AggregatePatch& patch = m_patches[static_cast<std::size_t>(block.patch)];
            if (patch.has_torsion) {
                multipliers[offset + 3] = memory.torque;
            }
            const Vector2d moment(block.frame.col(1).dot(memory.moment),
                                  block.frame.col(2).dot(memory.moment));
            if (patch.tilts > 0) {
                const int first = offset + patch.row_count() - patch.tilts;
                multipliers.segment(first, patch.tilts) = patch.moment_rows(moment);
            }
            continue;
        }
        const auto found =
            std::lower_bound(memory.keys.begin(), memory.keys.end(), m_points[block.point].key);
        const auto place = static_cast<std::size_t>(found - memory.keys.begin());
        if (place < memory.forces.size() && *found == m_points[block.point].key) {
            const Vector3d& force = memory.forces[place];
            multipliers.segment<3>(offset) = block.frame.transpose() * force;
            multipliers[offset] = std::max(0.0, multipliers[offset]);
        }
    }
}

}  // namespace softcontact
