// SPDX-License-Identifier: LGPL-2.1-or-later
// The velocity and the position pass of a step, and what the systems' own constraints add to them.
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

void ContactProblemBuilder::add_constraints(const Systems& systems)
{
    m_constraints = 0;
    for (const auto& system : systems) {
        for (const auto& constraint : system->constraints()) {
            BlockDescriptor descriptor;
            descriptor.offset = m_rows.block_offset(static_cast<int>(m_descriptors.size()));
            descriptor.lower = constraint.lower;
            descriptor.upper = constraint.upper;
            m_multipliers[static_cast<std::size_t>(descriptor.offset)] = constraint.force;
            m_descriptors.push_back(descriptor);
            ++m_constraints;
        }
    }
}

void ContactProblemBuilder::keep_constraint_forces(const Systems& systems) const
{
    std::size_t next = m_blocks.size();
    for (const auto& system : systems) {
        for (auto& constraint : system->constraints()) {
            constraint.force = m_multipliers[static_cast<std::size_t>(m_descriptors[next++].offset)];
        }
    }
}

void ContactProblemBuilder::shift_by_gaps(const Systems& systems, double step,
                                          Eigen::Ref<VectorXd> right_hand_side) const
{
    std::size_t row = m_blocks.size();
    for (const auto& system : systems) {
        for (const auto& constraint : system->constraints()) {
            // What a solve leaves of a joint past its limit goes back slowly, so that it does not add up.
            constexpr double return_speed = 1e-3;  // [m/s] or [rad/s]
            right_hand_side[m_descriptors[row++].offset] +=
                std::max(constraint.gap, -return_speed * step) / step;
        }
    }
}

GaussSeidelResult ContactProblemBuilder::solve_velocity(const Systems& systems, const WorldSettings& settings,
                                                        double step)
{
    Eigen::Map<VectorXd> right_hand_side = zeros(m_right_hand_side, m_contact_rows);
    Eigen::Map<VectorXd> multipliers = all(m_multipliers);
    right_hand_side = m_rows.free_velocity().head(m_contact_rows);
    for (std::size_t i = 0; i < m_blocks.size(); ++i) {
        right_hand_side[m_rows.block_offset(static_cast<int>(i))] += allowance(i, step);
    }
    shift_by_gaps(systems, step, right_hand_side);
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
        m_patch_count > 0 || m_constraints > 0
            ? solve_patches(effective, right_hand_side, options, multipliers.head(m_contact_rows))
            : solve_points(effective, right_hand_side, options, multipliers);
    m_elimination.recover(m_rows.delassus(), multipliers.head(m_contact_rows), tilt_velocity,
                          multipliers.tail(tilt_rows));
    keep_constraint_forces(systems);
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

GaussSeidelResult ContactProblemBuilder::solve_position(const std::vector<ContactSurface>& surfaces,
                                                        const std::vector<ContactPair>& pairs,
                                                        const WorldSettings& settings, double step)
{
    const auto count = static_cast<Index>(m_blocks.size());
    const auto delassus = m_rows.delassus();
    m_normal_delassus.resize(static_cast<std::size_t>(count * count));
    Eigen::Map<RowMajorMatrix> normal(m_normal_delassus.data(), count, count);
    Eigen::Map<VectorXd> gap = zeros(m_position_gap, count);
    Eigen::Map<VectorXd> solution = zeros(m_position_solution, count);
    for (Index i = 0; i < count; ++i) {
        const int row = m_rows.block_offset(static_cast<int>(i));
        for (Index j = 0; j < count; ++j) {
            normal(i, j) = step * delassus(row, m_rows.block_offset(static_cast<int>(j)));
        }
        const Block& block = m_blocks[static_cast<std::size_t>(i)];
        const PairContacts& contacts = m_contacts[block.contacts];
        const auto& a = surfaces[static_cast<std::size_t>(pairs[contacts.pair].a)];
        const auto& b = surfaces[static_cast<std::size_t>(pairs[contacts.pair].b)];
        if (block.patch < 0) {
            gap[i] = end_gap(m_points[block.point], a, b);
            continue;
        }
        const AggregatePatch& patch = m_patches[static_cast<std::size_t>(block.patch)];
        for (std::size_t k = 0; k < contacts.count; ++k) {
            if (patch.shares[k] != 0.0) {
                gap[i] += patch.shares[k] * end_gap(m_points[contacts.first + k], a, b);
            }
        }
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
