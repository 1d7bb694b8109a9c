// SPDX-License-Identifier: LGPL-2.1-or-later
// The velocity and the position pass of a step, and what the systems' own constraints add to them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <softcontact/geometry/shape_separation.hpp>
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

GaussSeidelResult ContactProblemBuilder::solve_blocks(const RowMajorRef& W, const Eigen::Map<VectorXd>& q,
                                                      GaussSeidelOptions options,
                                                      Eigen::Map<VectorXd> multipliers)
{
    // More sweeps than nearly all steps take; Newton's method is cheaper than many more.
    constexpr int usual_sweeps = 60;
    const int most = options.max_iterations;
    m_warm_start.assign(multipliers.data(), multipliers.data() + multipliers.size());
    options.max_iterations = std::min(most, usual_sweeps);
    GaussSeidelResult result = m_solver.solve(W, q, m_descriptors, options, multipliers);
    VectorXd found;
    const auto keep = [&](const GaussSeidelResult& other) {
        result.iterations += other.iterations;
        if (other.residual < result.residual) {
            multipliers = found;
            result.residual = other.residual;
            result.converged = other.converged;
        }
        return result.converged;
    };
    const auto newton = [&] {
        return m_newton.solve(W, q, m_descriptors, {.velocity_tolerance = options.velocity_tolerance}, found);
    };
    if (result.converged && result.iterations <= 1) {
        // What the forces of the last step solve is at rest, and would wander at the speed of the tolerance.
        constexpr double rest_share = 1e-2;
        constexpr int rest_sweeps = 10;
        options.velocity_tolerance *= rest_share;
        options.max_iterations = rest_sweeps;
        found = multipliers;
        keep(m_solver.solve(W, q, m_descriptors, options, found));
        result.converged = true;
    }
    if (result.converged) {
        return result;
    }
    // Where sweeps end is near a kink more often than where they began: it is the second start.
    found = view(m_warm_start);
    if (keep(newton())) {
        return result;
    }
    found = multipliers;
    if (m_patch_count == 0 && m_constraints == 0 && keep(solve_points(W, q, options, found))) {
        return result;
    }
    if (most > usual_sweeps) {
        options.max_iterations = most - usual_sweeps;
        found = multipliers;
        if (keep(m_solver.solve(W, q, m_descriptors, options, found))) {
            return result;
        }
    }
    found = multipliers;
    keep(newton());
    return result;
}

GaussSeidelResult ContactProblemBuilder::solve_points(const RowMajorRef& W, const Eigen::Map<VectorXd>& q,
                                                      const GaussSeidelOptions& options,
                                                      VectorXd& multipliers) const
{
    constexpr int newton_steps = 200;
    constexpr double newton_tolerance = 1e-12;
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
    multipliers = found.force;
    const double residual = m_solver.residual(multipliers);
    return {found.iterations, residual, residual <= options.velocity_tolerance};
}

std::optional<VelocityProblem> ContactProblemBuilder::velocity_problem() const
{
    if (m_patch_count > 0) {
        return std::nullopt;
    }
    return VelocityProblem{m_rows.delassus(), view(m_right_hand_side), multipliers(), m_descriptors};
}

double ContactProblemBuilder::overlap_beside(const PairContacts& contacts, const ContactSurface& a,
                                             const ContactSurface& b) const
{
    if (!a.shape || !b.shape) {
        return 0.0;
    }
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < contacts.count; ++i) {
        least = std::min(least, end_gap(m_points[contacts.first + i], a, b));
    }
    return std::min(0.0, separation(a.placed(), b.placed()).gap - least);
}

void ContactProblemBuilder::list_corners(const std::vector<ContactSurface>& surfaces,
                                         const std::vector<ContactPair>& pairs)
{
    m_corners.clear();
    auto shifted = static_cast<std::size_t>(-1);
    double shift = 0.0;
    for (std::size_t i = 0; i < m_blocks.size(); ++i) {
        const Block& block = m_blocks[i];
        const PairContacts& contacts = m_contacts[block.contacts];
        const auto& a = surfaces[static_cast<std::size_t>(pairs[contacts.pair].a)];
        const auto& b = surfaces[static_cast<std::size_t>(pairs[contacts.pair].b)];
        if (contacts.pair != shifted) {
            shifted = contacts.pair;
            shift = overlap_beside(contacts, a, b);
        }
        const auto gap = [&](const ContactPoint& point) { return end_gap(point, a, b) + shift; };
        const int row = m_rows.block_offset(static_cast<int>(i));
        if (block.patch < 0) {
            m_corners.push_back({row, row, 0, Vector2d::Zero(), gap(m_points[block.point])});
            continue;
        }
        const AggregatePatch& patch = m_patches[static_cast<std::size_t>(block.patch)];
        const std::span<const ContactPoint> points(m_points.data() + contacts.first, contacts.count);
        PatchGap found = patch.gap_of(points, gap);
        found[0] += block.slack;
        const int tilt = row + patch.row_count() - patch.tilts;
        if (patch.tilts == 0) {
            m_corners.push_back({row, row, 0, Vector2d::Zero(), found[0]});
            continue;
        }
        for (std::size_t k = 0; k + 1 < patch.corners.size(); k += 2) {
            m_corners.push_back(
                {row, tilt, patch.tilts, patch.levers(k / 2), patch.corner_gap(k / 2, found)});
        }
    }
}

void ContactProblemBuilder::add_limits(const Systems& systems)
{
    std::size_t block = m_blocks.size();
    for (const auto& system : systems) {
        for (const auto& constraint : system->constraints()) {
            const int row = m_descriptors[block++].offset;
            if (constraint.is_limit()) {
                m_corners.push_back({row, row, 0, Vector2d::Zero(), constraint.gap});
            }
        }
    }
}

GaussSeidelResult ContactProblemBuilder::solve_position(const Systems& systems,
                                                        const std::vector<ContactSurface>& surfaces,
                                                        const std::vector<ContactPair>& pairs,
                                                        const WorldSettings& settings, double step)
{
    Eigen::Map<VectorXd> position_multipliers = zeros(m_position_multipliers, m_rows.row_count());
    list_corners(surfaces, pairs);
    add_limits(systems);
    const auto count = static_cast<Index>(m_corners.size());
    Eigen::Map<VectorXd> gap = zeros(m_position_gap, count);
    for (Index i = 0; i < count; ++i) {
        gap[i] = m_corners[static_cast<std::size_t>(i)].gap;
    }
    if (count == 0 || gap.minCoeff() >= -settings.position_tolerance) {
        return {0, 0.0, true};
    }
    // A corner of a patch is a contact like a point's: its row is the normal row with its levers times those
    // of the tilts.
    const auto delassus = m_rows.delassus();
    m_normal_delassus.resize(static_cast<std::size_t>(count * count));
    Eigen::Map<RowMajorMatrix> normal(m_normal_delassus.data(), count, count);
    const auto along = [](const Corner& corner, const auto& values) {
        double sum = values[corner.row];
        for (int k = 0; k < corner.tilts; ++k) {
            sum += corner.levers[k] * values[corner.tilt + k];
        }
        return sum;
    };
    for (Index i = 0; i < count; ++i) {
        const Corner& left = m_corners[static_cast<std::size_t>(i)];
        VectorXd row = delassus.row(left.row).transpose();
        for (int k = 0; k < left.tilts; ++k) {
            row += left.levers[k] * delassus.row(left.tilt + k).transpose();
        }
        for (Index j = 0; j < count; ++j) {
            normal(i, j) = step * along(m_corners[static_cast<std::size_t>(j)], row);
        }
    }
    Eigen::Map<VectorXd> solution = zeros(m_position_solution, count);
    GaussSeidelOptions options;
    options.velocity_tolerance = settings.position_tolerance;
    options.max_iterations = settings.position_max_iterations;
    GaussSeidelResult result = solve_unilateral(normal, gap, options, solution);
    if (!result.converged) {
        std::vector<BlockDescriptor> rows(static_cast<std::size_t>(count));
        for (std::size_t i = 0; i < rows.size(); ++i) {
            rows[i].offset = static_cast<int>(i);
        }
        VectorXd found = solution;
        const GaussSeidelResult newton =
            m_newton.solve(normal, gap, rows, {.velocity_tolerance = settings.position_tolerance}, found);
        if (newton.residual < result.residual) {
            solution = found;
            result.residual = newton.residual;
            result.converged = newton.converged;
        }
    }
    for (Index i = 0; i < count; ++i) {
        const Corner& corner = m_corners[static_cast<std::size_t>(i)];
        position_multipliers[corner.row] += solution[i];
        for (int k = 0; k < corner.tilts; ++k) {
            position_multipliers[corner.tilt + k] += corner.levers[k] * solution[i];
        }
    }
    position_multipliers *= share_within_reach(settings.alarm_distance, step);
    return result;
}

double ContactProblemBuilder::share_within_reach(double reach, double step) const
{
    double farthest = 0.0;
    for (std::size_t i = 0; i < m_blocks.size(); ++i) {
        const auto tangents = m_rows.delassus().middleRows<2>(m_rows.block_offset(static_cast<int>(i)) + 1);
        farthest = std::max(farthest, (step * (tangents * position_multipliers())).norm());
    }
    return farthest > reach ? reach / farthest : 1.0;
}

}  // namespace softcontact
