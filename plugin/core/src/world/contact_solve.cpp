// SPDX-License-Identifier: LGPL-2.1-or-later
// The velocity pass of a step, what the systems' own constraints add to it, and Newton's method by islands.
#include <algorithm>
#include <cmath>
#include <limits>
#include <softcontact/world/contact_problem_builder.hpp>

namespace softcontact {

namespace {

constexpr int rows_of_point = 3;

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
    for (const auto& system : systems) {
        for (const auto& constraint : system->constraints()) {
            BlockDescriptor descriptor;
            descriptor.offset = m_rows.block_offset(static_cast<int>(m_descriptors.size()));
            descriptor.lower = constraint.lower;
            descriptor.upper = constraint.upper;
            m_multipliers[static_cast<std::size_t>(descriptor.offset)] = constraint.force;
            m_descriptors.push_back(descriptor);
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
            right_hand_side[m_descriptors[row++].offset] += std::max(constraint.gap, 0.0) / step;
        }
    }
}

GaussSeidelResult ContactProblemBuilder::solve_velocity(const Systems& systems, const WorldSettings& settings,
                                                        double step)
{
    GaussSeidelResult result = solve_bounced(systems, settings, step, 1.0);
    if (!m_bounces || !(impact_gain() > 0.0)) {
        return result;
    }
    constexpr int bisections = 16;
    double low = 0.0, high = 1.0;
    for (int k = 0; k < bisections; ++k) {
        const double middle = 0.5 * (low + high);
        result = solve_bounced(systems, settings, step, middle);
        (impact_gain() > 0.0 ? high : low) = middle;
    }
    return solve_bounced(systems, settings, step, low);
}

GaussSeidelResult ContactProblemBuilder::solve_bounced(const Systems& systems, const WorldSettings& settings,
                                                       double step, double bounced)
{
    Eigen::Map<VectorXd> right_hand_side = zeros(m_right_hand_side, m_rows.row_count());
    Eigen::Map<VectorXd> multipliers = all(m_multipliers);
    right_hand_side = m_rows.free_velocity();
    for (std::size_t i = 0; i < m_blocks.size(); ++i) {
        const PatchGap allowed = allowance(i, step, bounced);
        const int first = m_rows.block_offset(static_cast<int>(i));
        right_hand_side[first] += allowed[0];
        const int tilts = m_descriptors[i].tilts;
        right_hand_side.segment(first + m_rows.block_rows(static_cast<int>(i)) - tilts, tilts) +=
            allowed.segment(1, tilts);
    }
    shift_by_gaps(systems, step, right_hand_side);
    GaussSeidelOptions options;
    options.velocity_tolerance = settings.solver_tolerance;
    options.max_iterations = settings.solver_max_iterations;
    options.resigned_tolerance = settings.accepted_residual;
    const GaussSeidelResult result = solve_blocks(m_rows.delassus(), right_hand_side, options, multipliers);
    keep_constraint_forces(systems);
    return result;
}

GaussSeidelResult ContactProblemBuilder::solve_blocks(const BlockRows& W, const Eigen::Map<VectorXd>& q,
                                                      GaussSeidelOptions options,
                                                      Eigen::Map<VectorXd> multipliers)
{
    // More sweeps than nearly all steps take; Newton's method is cheaper than many more.
    constexpr int usual_sweeps = 60;
    const int most = options.max_iterations;
    m_warm_start.assign(multipliers.data(), multipliers.data() + multipliers.size());
    m_tried = m_warm_start;
    Eigen::Map<VectorXd> found = all(m_tried);
    GaussSeidelResult result;
    const auto keep = [&](const GaussSeidelResult& other) {
        result.iterations += other.iterations;
        if (other.residual < result.residual) {
            multipliers = found;
            result.residual = other.residual;
            result.converged = other.converged;
        }
        return result.converged;
    };
    const auto sweep = [&](int sweeps, double tolerance) {
        GaussSeidelOptions own = options;
        own.max_iterations = sweeps;
        own.velocity_tolerance = tolerance;
        return m_solver.solve(W, q, m_descriptors, own, found);
    };
    const auto newton = [&](bool points_alone) {
        return solve_islands({m_descriptors, q, m_solver, {}, points_alone, m_guess},
                             options.velocity_tolerance, found);
    };
    result.residual = std::numeric_limits<double>::infinity();
    const bool by_newton = has_rigid_points();
    // What is at rest would wander at the speed of the tolerance.
    constexpr double hardly_moved = 1e-6, rest_share = 1e-2;  // [m/s]; of the tolerance
    constexpr int rest_sweeps = 10;
    options.rest_change = hardly_moved;
    options.rest_tolerance = rest_share * options.velocity_tolerance;
    if (keep(sweep(by_newton ? 1 : std::min(most, usual_sweeps), options.velocity_tolerance))) {
        if (by_newton) {
            keep(sweep(rest_sweeps, options.rest_tolerance));
            result.converged = true;
        }
        return result;
    }
    // Forces of rigid bodies are not unique, and those of sweeps depend on their order: Newton's are near
    // those of the last step, in any axes. Sweeps tell it which contacts stick, slide or part.
    if (by_newton) {
        // As many for each island as if it were alone, and nothing that mixes them.
        constexpr int first_sweeps = 10;  // after which most contacts are in their states
        const GaussSeidelOptions plain{
            .velocity_tolerance = 0.0, .max_iterations = first_sweeps, .acceleration = Acceleration::none};
        result.iterations += m_solver.solve(W, q, m_descriptors, plain, found).iterations;
        m_guess = m_tried;
        found = view(m_warm_start);
        if (keep(newton(true))) {
            return result;
        }
        found = view(m_warm_start);
        if (keep(sweep(std::min(most, usual_sweeps), options.velocity_tolerance))) {
            return result;
        }
    }
    // Where sweeps end is near a kink more often than where they began: it is the second start.
    m_guess = m_tried;
    found = view(m_warm_start);
    if (keep(newton(false))) {
        return result;
    }
    found = multipliers;
    if (most > usual_sweeps && keep(sweep(most - usual_sweeps, options.velocity_tolerance))) {
        return result;
    }
    found = multipliers;
    keep(newton(false));
    return result;
}

bool ContactProblemBuilder::has_rigid_points()
{
    m_rows.find_islands(m_islands);
    std::vector<bool> in_points = m_islands.rigid;
    for (std::size_t b = 0; b < m_descriptors.size(); ++b) {
        if (m_descriptors[b].rows > rows_of_point) {
            in_points[static_cast<std::size_t>(m_islands.of_block[b])] = false;
        }
    }
    return std::find(in_points.begin(), in_points.end(), true) != in_points.end();
}

GaussSeidelResult ContactProblemBuilder::solve_islands(const IslandProblem& problem, double tolerance,
                                                       Eigen::Ref<VectorXd> multipliers, double scale)
{
    m_rows.find_islands(m_islands);
    const auto island_of = [&](int item) {
        const auto i = static_cast<std::size_t>(item);
        return m_islands
            .of_block[problem.mixes.empty() ? i : static_cast<std::size_t>(problem.mixes[i].block)];
    };
    sort_by_group(static_cast<int>(problem.blocks.size()), m_islands.count(), island_of, m_first_item,
                  m_items);
    GaussSeidelResult result{0, 0.0, true};
    const std::span<const double> residuals = problem.judge.residuals(multipliers);
    for (int island = 0; island < m_islands.count(); ++island) {
        const auto first = static_cast<std::size_t>(m_first_item[static_cast<std::size_t>(island)]);
        const auto end = static_cast<std::size_t>(m_first_item[static_cast<std::size_t>(island) + 1]);
        const std::span<const int> items = std::span<const int>(m_items).subspan(first, end - first);
        double residual = 0.0;
        bool in_points = m_islands.rigid[static_cast<std::size_t>(island)];
        for (const int item : items) {
            residual = std::max(residual, residuals[static_cast<std::size_t>(item)]);
            in_points = in_points && problem.blocks[static_cast<std::size_t>(item)].rows <= rows_of_point;
        }
        if (residual <= tolerance || (problem.points_alone && !in_points)) {
            result.residual = std::max(result.residual, residual);
            result.converged = result.converged && residual <= tolerance;
            continue;
        }
        const GaussSeidelResult found = solve_island(problem, island, items, tolerance, multipliers, scale);
        result.iterations += found.iterations;
        result.residual = std::max(result.residual, found.residual);
        result.converged = result.converged && found.converged;
    }
    return result;
}

GaussSeidelResult ContactProblemBuilder::solve_island(const IslandProblem& problem, int island,
                                                      std::span<const int> items, double tolerance,
                                                      Eigen::Ref<VectorXd> multipliers, double scale)
{
    m_island.clear();
    m_island_mixes.clear();
    int rows = 0;
    for (const int item : items) {
        m_island.push_back(problem.blocks[static_cast<std::size_t>(item)]);
        m_island.back().offset = rows;
        rows += m_island.back().rows;
        if (!problem.mixes.empty()) {
            m_island_mixes.push_back(problem.mixes[static_cast<std::size_t>(item)]);
        }
    }
    m_rows.describe(m_islands.systems_of(island), problem.mixes.empty() ? items : std::span<const int>(),
                    m_island_mixes, scale, m_operator);
    VectorXd q(rows), own(rows), guess(problem.guess.empty() ? 0 : rows);
    for (std::size_t k = 0; k < items.size(); ++k) {
        const int offset = problem.blocks[static_cast<std::size_t>(items[k])].offset;
        q.segment(m_island[k].offset, m_island[k].rows) = problem.q.segment(offset, m_island[k].rows);
        own.segment(m_island[k].offset, m_island[k].rows) = multipliers.segment(offset, m_island[k].rows);
        for (int row = 0; row < m_island[k].rows && guess.size() > 0; ++row) {
            guess[m_island[k].offset + row] = problem.guess[static_cast<std::size_t>(offset + row)];
        }
    }
    const GaussSeidelResult found =
        m_newton.solve(m_operator, q, m_island, {.velocity_tolerance = tolerance}, own, guess);
    for (std::size_t k = 0; k < items.size(); ++k) {
        multipliers.segment(problem.blocks[static_cast<std::size_t>(items[k])].offset, m_island[k].rows) =
            own.segment(m_island[k].offset, m_island[k].rows);
    }
    return found;
}

std::optional<VelocityProblem> ContactProblemBuilder::velocity_problem() const
{
    if (m_patch_count > 0) {
        return std::nullopt;
    }
    m_rows.delassus().write(m_dense);
    return VelocityProblem{m_dense, view(m_right_hand_side), multipliers(), m_descriptors};
}

}  // namespace softcontact
