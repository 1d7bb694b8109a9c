// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <softcontact/solver/contact_problem.hpp>
#include <softcontact/world/contact_problem_builder.hpp>

namespace softcontact {

namespace {

/// Zeros in memory that is kept when fewer are needed, unlike that of an Eigen vector.
Eigen::Map<VectorXd> zeros(std::vector<double>& memory, Index size)
{
    memory.clear();
    memory.resize(static_cast<std::size_t>(size), 0.0);
    return {memory.data(), size};
}

Eigen::Map<VectorXd> all(std::vector<double>& memory)
{
    return {memory.data(), static_cast<Index>(memory.size())};
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
            m_rows.add_point(sign > 0.0 ? point.a : point.b, sign > 0.0 ? point.p : point.q, directions);
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
        tilt.from_start = tissue_alone;
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
            // No link to take the moment: it comes as a pressure that is linear over the patch.
            const Eigen::Matrix2d moments = patch.frame.rightCols<2>().transpose() * tilt.axes;
            Eigen::Matrix2d slopes;
            slopes << linear_pressure(tilt, moments.col(0)), linear_pressure(tilt, moments.col(1));
            for (std::size_t i = 0; i < contacts.count; ++i) {
                if (patch.shares[i] == 0.0) {
                    continue;
                }
                const ContactPoint& point = m_points[contacts.first + i];
                const Eigen::Map<const Eigen::RowVector2d> r(patch.offsets.data() + 2 * i);
                const RowForces directions = point.area * patch.normal * (r * slopes);
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
        m_rows.begin_side(a, point.p, 1.0);
        m_rows.add_point(point.a, point.p, directions);
        m_rows.end_side();
        m_rows.begin_side(b, point.q, -1.0);
        m_rows.add_point(point.b, point.q, directions);
        m_rows.end_side();
        m_blocks.push_back(block);
    }
    pair.memory.tangent = m_blocks.back().frame.col(1);
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
    m_contact_rows = m_rows.row_count();
    for (const auto& tilt : m_tilts) {
        add_tilt(tilt, surfaces,
                 pairs[m_contacts[m_blocks[static_cast<std::size_t>(tilt.block)].contacts].pair]);
    }
    m_rows.assemble();

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
}

void ContactProblemBuilder::warm_start(std::vector<ContactPair>& pairs)
{
    Eigen::Map<VectorXd> multipliers = zeros(m_multipliers, m_rows.row_count());
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

GaussSeidelResult ContactProblemBuilder::solve_velocity(const WorldSettings& settings, double step)
{
    Eigen::Map<VectorXd> right_hand_side = zeros(m_right_hand_side, m_contact_rows);
    Eigen::Map<VectorXd> multipliers = all(m_multipliers);
    right_hand_side = m_rows.free_velocity().head(m_contact_rows);
    for (std::size_t i = 0; i < m_blocks.size(); ++i) {
        right_hand_side[m_rows.block_offset(static_cast<int>(i))] +=
            std::max(m_blocks[i].start_gap, 0.0) / step;
    }
    GaussSeidelOptions options;
    options.velocity_tolerance = settings.solver_tolerance;
    options.max_iterations = settings.solver_max_iterations;
    options.resigned_tolerance = settings.accepted_residual;
    const auto effective = m_elimination.eliminate(m_rows.delassus(), m_contact_rows);
    const Index tilt_rows = multipliers.size() - m_contact_rows;
    Eigen::Map<VectorXd> tilt_velocity = zeros(m_tilt_velocity, tilt_rows);
    for (std::size_t k = 0; k < m_tilts.size(); ++k) {
        const auto row = 2 * static_cast<Index>(k);
        if (m_tilts[k].from_start) {
            tilt_velocity.segment<2>(row) = m_rows.free_velocity().segment<2>(m_contact_rows + row);
        }
    }
    m_elimination.shift(tilt_velocity, right_hand_side);
    const GaussSeidelResult result =
        m_patch_count > 0
            ? solve_patches(effective, right_hand_side, options, multipliers.head(m_contact_rows))
            : solve_points(effective, right_hand_side, options, multipliers);
    m_elimination.recover(m_rows.delassus(), multipliers.head(m_contact_rows), tilt_velocity,
                          multipliers.tail(tilt_rows));
    return result;
}

GaussSeidelResult ContactProblemBuilder::solve_patches(const RowMajorRef& W, const Eigen::Map<VectorXd>& q,
                                                       const GaussSeidelOptions& options,
                                                       Eigen::Ref<VectorXd> multipliers)
{
    m_warm_start.assign(multipliers.data(), multipliers.data() + multipliers.size());
    GaussSeidelResult result = m_solver.solve(W, q, m_descriptors, options, multipliers);
    if (result.converged || result.residual <= options.resigned_tolerance) {
        return result;
    }
    // Where sweeps end is near a kink more often than where they began.
    VectorXd found = view(m_warm_start);
    const GaussSeidelResult newton =
        m_newton.solve(W, q, m_descriptors, {.velocity_tolerance = options.velocity_tolerance}, found);
    result.iterations += newton.iterations;
    if (newton.residual < result.residual) {
        multipliers = found;
        result.residual = newton.residual;
        result.converged = newton.converged;
    }
    return result;
}

GaussSeidelResult ContactProblemBuilder::solve_points(const RowMajorRef& W, const Eigen::Map<VectorXd>& q,
                                                      GaussSeidelOptions options,
                                                      Eigen::Map<VectorXd> multipliers)
{
    // More sweeps than nearly all steps take; what they leave unsolved is rare, and costs memory.
    constexpr int usual_sweeps = 500;
    constexpr int newton_steps = 200;
    constexpr double newton_tolerance = 1e-12;
    const int most = options.max_iterations;
    options.max_iterations = std::min(most, usual_sweeps);
    GaussSeidelResult result = m_solver.solve(W, q, m_descriptors, options, multipliers);
    if (result.converged || options.max_iterations == most) {
        return result;
    }
    VectorXd friction(static_cast<Index>(m_descriptors.size()));
    for (std::size_t i = 0; i < m_descriptors.size(); ++i) {
        friction[static_cast<Index>(i)] = m_descriptors[i].mu;
    }
    ContactSolverOptions newton;
    newton.method = ContactMethod::newton;
    newton.tolerance = newton_tolerance;
    newton.max_iterations = newton_steps;
    const ContactSolverResult found =
        solve_contact_problem(ContactProblem{ContactMatrix(W), q, friction}, multipliers, newton);
    const double residual = m_solver.residual(found.force);
    result.iterations += found.iterations;
    if (residual < result.residual) {
        multipliers = found.force;
        result.residual = residual;
        result.converged = residual <= options.velocity_tolerance;
    }
    if (result.residual > options.resigned_tolerance) {
        options.max_iterations = most - options.max_iterations;
        const int before = result.iterations;
        result = m_solver.solve(W, q, m_descriptors, options, multipliers);
        result.iterations += before;
    }
    return result;
}

std::optional<VelocityProblem> ContactProblemBuilder::velocity_problem() const
{
    if (m_patch_count > 0) {
        return std::nullopt;
    }
    return VelocityProblem{m_rows.delassus(), view(m_right_hand_side), multipliers(), m_descriptors};
}

GaussSeidelResult ContactProblemBuilder::solve_position(const WorldSettings& settings, double step)
{
    const auto count = static_cast<Index>(m_blocks.size());
    const auto delassus = m_rows.delassus();
    m_normal_delassus.resize(static_cast<std::size_t>(count * count));
    Eigen::Map<RowMajorMatrix> normal(m_normal_delassus.data(), count, count);
    const Eigen::Map<VectorXd> multipliers = all(m_multipliers);
    Eigen::Map<VectorXd> gap = zeros(m_position_gap, count);
    Eigen::Map<VectorXd> solution = zeros(m_position_solution, count);
    for (Index i = 0; i < count; ++i) {
        const int row = m_rows.block_offset(static_cast<int>(i));
        for (Index j = 0; j < count; ++j) {
            normal(i, j) = step * delassus(row, m_rows.block_offset(static_cast<int>(j)));
        }
        // Gap where the velocity pass left it, with this step's rows: start + h u.
        const double velocity = delassus.row(row).dot(multipliers) + m_rows.free_velocity()[row];
        gap[i] = m_blocks[static_cast<std::size_t>(i)].start_gap + step * velocity;
    }
    GaussSeidelOptions options;
    options.velocity_tolerance = settings.position_tolerance;
    options.max_iterations = settings.position_max_iterations;
    const GaussSeidelResult result = solve_unilateral(normal, gap, options, solution);
    Eigen::Map<VectorXd> position_multipliers = zeros(m_position_multipliers, m_rows.row_count());
    for (Index i = 0; i < count; ++i) {
        position_multipliers[m_rows.block_offset(static_cast<int>(i))] = solution[i];
    }
    return result;
}

}  // namespace softcontact
