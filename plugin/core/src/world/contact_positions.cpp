// SPDX-License-Identifier: LGPL-2.1-or-later
// The position pass of a step: what is inside something else, or beyond a joint limit, is taken out of it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <softcontact/geometry/shape_separation.hpp>
#include <softcontact/world/contact_problem_builder.hpp>

namespace softcontact {

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
    // As a rule it is their normal along which the bodies are nearest.
    constexpr double round_off = 1e-12;
    const PlacedShape placed_a = a.placed(), placed_b = b.placed();
    if (!a.is_plane() && !b.is_plane() &&
        gap_along(placed_a, placed_b, m_points[contacts.first].normal) >=
            least - round_off * (a.shape->size() + b.shape->size())) {
        return 0.0;
    }
    return std::min(0.0, separation(placed_a, placed_b).gap - least);
}

void ContactProblemBuilder::add_corner(std::size_t block, double gap, const Vector2d& levers)
{
    const BlockDescriptor& descriptor = m_descriptors[block];
    BlockVector along = BlockVector::Zero(descriptor.rows);
    along[0] = 1.0;
    along.tail(descriptor.tilts) = levers.head(descriptor.tilts);
    m_mixes.push_back({static_cast<int>(block), along});
    m_corner_gaps.push_back(gap);
}

void ContactProblemBuilder::list_corners(const Systems& systems, const std::vector<ContactSurface>& surfaces,
                                         const std::vector<ContactPair>& pairs)
{
    m_mixes.clear();
    m_corner_gaps.clear();
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
        if (block.patch < 0) {
            add_corner(i, gap(m_points[block.point]));
            continue;
        }
        const AggregatePatch& patch = m_patches[static_cast<std::size_t>(block.patch)];
        const std::span<const ContactPoint> points(m_points.data() + contacts.first, contacts.count);
        PatchGap found = patch.gap_of(points, gap);
        found[0] += block.slack;
        if (patch.tilts == 0) {
            add_corner(i, found[0]);
            continue;
        }
        for (std::size_t k = 0; k + 1 < patch.corners.size(); k += 2) {
            add_corner(i, patch.corner_gap(k / 2, found), patch.levers(k / 2));
        }
    }
    std::size_t block = m_blocks.size();
    for (const auto& system : systems) {
        for (const auto& constraint : system->constraints()) {
            if (constraint.is_limit()) {
                add_corner(block, constraint.gap);
            }
            ++block;
        }
    }
}

void ContactProblemBuilder::couple_corners(double step)
{
    const BlockRows& W = m_rows.delassus();
    m_first_corner.assign(m_descriptors.size() + 1, 0);
    for (const RowMix& mix : m_mixes) {
        ++m_first_corner[static_cast<std::size_t>(mix.block) + 1];
    }
    for (std::size_t b = 0; b < m_descriptors.size(); ++b) {
        m_first_corner[b + 1] += m_first_corner[b];
    }
    const auto corners = [&](int block, const auto& visit) {
        const auto index = static_cast<std::size_t>(block);
        for (int k = m_first_corner[index]; k < m_first_corner[index + 1]; ++k) {
            visit(k);
        }
    };
    if (m_corner_coupled.size() < m_mixes.size()) {
        m_corner_coupled.resize(m_mixes.size());
    }
    m_corner_rows.clear();
    m_corner_places.clear();
    for (std::size_t i = 0; i < m_mixes.size(); ++i) {
        m_corner_coupled[i].clear();
        for (const int other : W.coupled(m_mixes[i].block)) {
            corners(other, [&](int k) { m_corner_coupled[i].push_back(k); });
        }
        m_corner_places.emplace_back(static_cast<int>(i), 1);
        BlockDescriptor row;
        row.offset = static_cast<int>(i);
        m_corner_rows.push_back(row);
    }
    m_corner_delassus.set_pattern(m_corner_places,
                                  std::span<const std::vector<int>>(m_corner_coupled.data(), m_mixes.size()));
    const double root = std::sqrt(step);
    for (std::size_t i = 0; i < m_mixes.size(); ++i) {
        const RowMix& left = m_mixes[i];
        W.for_each_motion(left.block, [&](int first, const auto& rows) {
            m_corner_delassus.add_motions(static_cast<int>(i), first, root * left.along.transpose() * rows);
        });
        for (const int other : W.coupled(left.block)) {
            const BlockVector reach = W.block(left.block, other).transpose() * left.along;
            corners(other, [&](int k) {
                m_corner_delassus.block(static_cast<int>(i), k)(0, 0) =
                    step * reach.dot(m_mixes[static_cast<std::size_t>(k)].along);
            });
        }
    }
    m_corner_delassus.prepare(W.motion_count());
}

GaussSeidelResult ContactProblemBuilder::solve_position(const Systems& systems,
                                                        const std::vector<ContactSurface>& surfaces,
                                                        const std::vector<ContactPair>& pairs,
                                                        const WorldSettings& settings, double step)
{
    m_position_multipliers.assign(static_cast<std::size_t>(m_rows.row_count()), 0.0);
    list_corners(systems, surfaces, pairs);
    if (m_mixes.empty() ||
        *std::min_element(m_corner_gaps.begin(), m_corner_gaps.end()) >= -settings.position_tolerance) {
        return {0, 0.0, true};
    }
    couple_corners(step);
    const auto count = static_cast<Index>(m_mixes.size());
    m_position_solution.assign(m_mixes.size(), 0.0);
    const Eigen::Map<const VectorXd> gap(m_corner_gaps.data(), count);
    Eigen::Map<VectorXd> solution(m_position_solution.data(), count);
    GaussSeidelOptions options;
    options.velocity_tolerance = settings.position_tolerance;
    options.max_iterations = settings.position_max_iterations;
    GaussSeidelResult result =
        m_position_solver.solve(m_corner_delassus, gap, m_corner_rows, options, solution);
    if (!result.converged) {
        // The bodies answer to an impulse at the start of the step: W is of m/s per N.
        VectorXd found = solution;
        const GaussSeidelResult newton =
            solve_islands({m_corner_rows, gap, m_position_solver, m_mixes, false},
                          settings.position_tolerance, found, step);
        if (newton.residual < result.residual) {
            solution = found;
            result.residual = newton.residual;
            result.converged = newton.converged;
        }
    }
    for (Index i = 0; i < count; ++i) {
        const RowMix& mix = m_mixes[static_cast<std::size_t>(i)];
        const int first = m_rows.block_offset(mix.block);
        Eigen::Map<VectorXd>(m_position_multipliers.data() + first, mix.along.size()) +=
            solution[i] * mix.along;
    }
    const double share = share_within_reach(settings.alarm_distance, step);
    for (double& multiplier : m_position_multipliers) {
        multiplier *= share;
    }
    return result;
}

double ContactProblemBuilder::share_within_reach(double reach, double step) const
{
    double farthest = 0.0;
    const VectorXd moved = m_rows.change_by(m_position_multipliers);
    for (std::size_t i = 0; i < m_blocks.size(); ++i) {
        const int first = m_rows.block_offset(static_cast<int>(i));
        farthest = std::max(farthest, step * moved.segment<2>(first + 1).norm());
    }
    return farthest > reach ? reach / farthest : 1.0;
}

}  // namespace softcontact
