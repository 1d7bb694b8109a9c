// SPDX-License-Identifier: LGPL-2.1-or-later
// The time step, and how one is taken in parts where bodies would end up inside each other.
#include <algorithm>
#include <chrono>
#include <softcontact/world/passage.hpp>
#include <softcontact/world/world.hpp>

namespace softcontact {

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::time_point from, Clock::time_point to)
{
    return std::chrono::duration<double, std::milli>(to - from).count();
}

}  // namespace

bool World::step()
{
    if (m_failed) {
        return false;
    }
    if (m_pairs_stale) {
        renew_pairs();
    }
    m_builder.forget_far(m_pairs);
    const auto start = Clock::now();
    m_statistics = StepStatistics();
    if (m_step_index == 0) {
        // What starts inside counts, though the first step throws it out.
        m_start_overlap = StepStatistics();
        report_overlaps(m_start_overlap);
    }
    advance_grasps();
    m_builder.forget_parts();
    const double end = step_end();
    const bool done = advance(end, m_step, m_settings.max_halvings);
    m_statistics.step_ms = milliseconds(start, Clock::now());
    if (!done) {
        return false;
    }
    ++m_step_index;
    return true;
}

bool World::advance(double end, double step, int halvings)
{
    const auto start = Clock::now();
    keep();
    if (!free_motion(end, step)) {
        return false;
    }
    const auto freed = Clock::now();
    m_builder.detect(m_surfaces, m_laws, m_pairs, m_settings);
    m_statistics.free_ms += milliseconds(start, freed);
    m_statistics.detection_ms += milliseconds(freed, Clock::now());
    const auto in_parts = [&](double share) {
        go_back();
        return advance(end - (1.0 - share) * step, share * step, halvings - 1) &&
               advance(end, (1.0 - share) * step, halvings - 1);
    };
    // What closes as the step ends is met by the next one: velocities over less time are round-off.
    constexpr double least_share = ContactProblemBuilder::bounce_share;
    const double meeting = m_builder.first_impact();
    if (halvings > 0 && meeting > least_share && meeting < 1.0 - least_share) {
        return in_parts(meeting);
    }
    if (!finish_step(end, step, halvings > 0)) {
        return false;
    }
    if (const double impact = m_builder.next_impact(step); impact < 1.0 - least_share) {
        return in_parts(std::max(impact, least_share));
    }
    if (overlooked_limits()) {
        go_back();
        return advance(end, step, halvings);
    }
    const std::string passage = find_passage();
    const bool bent = std::any_of(m_systems.begin(), m_systems.end(),
                                  [](const auto& system) { return system->bent_far(); });
    if (halvings > 0 && (!passage.empty() || bent || m_turned_far || went_in(halvings))) {
        return in_parts(0.5);
    }
    if (!passage.empty()) {
        return fail(passage);
    }
    if (end != step_end()) {
        m_builder.keep_part(step / m_step);
    } else if (step != m_step) {
        m_builder.merge_parts(step / m_step);
    }
    return check_overlaps();
}

bool World::overlooked_limits()
{
    bool any = false;
    for (auto& system : m_systems) {
        any |= system->overlooked_limits();
    }
    return any;
}

void World::keep()
{
    m_kept_time = m_time;
    m_kept_statistics = m_statistics;
    m_kept_unsolved_for = m_unsolved_for;
    for (auto& system : m_systems) {
        system->keep();
    }
    m_builder.keep(m_pairs);
    m_judge.keep();
}

void World::go_back()
{
    m_time = m_kept_time;
    const int parts = m_statistics.parts;
    m_statistics = m_kept_statistics;
    m_statistics.parts = parts;
    m_unsolved_for = m_kept_unsolved_for;
    for (auto& system : m_systems) {
        system->go_back();
    }
    for (auto& surface : m_surfaces) {
        surface.update(m_time);
    }
    m_builder.go_back(m_pairs);
    m_judge.go_back();
}

bool World::finish_step(double end, double step, bool may_cut)
{
    const auto detected = Clock::now();
    m_builder.assemble(m_systems, m_surfaces, m_pairs, m_settings, step, may_cut);
    const auto assembled = Clock::now();
    const GaussSeidelResult velocity = solve_velocity(step, may_cut);
    apply_velocity(end, step);
    const auto solved = Clock::now();
    const GaussSeidelResult position =
        m_builder.solve_position(m_systems, m_surfaces, m_pairs, m_settings, step);
    apply_position(step);
    m_builder.report(m_pairs);
    const auto placed = Clock::now();
    if (!check_health()) {
        return false;
    }
    m_judge.look(m_surfaces, m_laws, m_settings.contact);
    const auto judged = Clock::now();

    StepStatistics& s = m_statistics;
    s.contacts = m_builder.contact_count();
    s.rows = m_builder.row_count();
    s.patches = static_cast<int>(m_builder.reports().size());
    s.parts += 1;
    s.iterations += velocity.iterations;
    s.residual = std::max(s.residual, velocity.residual);
    s.converged = s.converged && velocity.converged && position.converged;
    s.position_residual = std::max(s.position_residual, position.residual);
    s.penetration_max = s.overlap_points = s.overlap_patches = 0.0;
    report_overlaps(s);
    if (m_step_index == 0) {
        s.penetration_max = std::max(s.penetration_max, m_start_overlap.penetration_max);
        s.overlap_points = std::max(s.overlap_points, m_start_overlap.overlap_points);
        s.overlap_patches = std::max(s.overlap_patches, m_start_overlap.overlap_patches);
    }
    s.compliance_ms += milliseconds(detected, assembled);
    s.solve_ms += milliseconds(detected, solved);
    s.position_ms += milliseconds(solved, placed);
    s.judge_ms += milliseconds(placed, judged);
    return check_solution();
}

GaussSeidelResult World::solve_velocity(double step, bool may_cut)
{
    constexpr int most = 8;
    GaussSeidelResult result = m_builder.solve_velocity(m_systems, m_settings, step);
    m_turned_far = false;
    for (int tries = 0; refine(step); ++tries) {
        if (tries == most) {
            m_turned_far = true;
            break;
        }
        m_builder.renew(m_pairs, m_settings, step, may_cut);
        const int before = result.iterations;
        result = m_builder.solve_velocity(m_systems, m_settings, step);
        result.iterations += before;
    }
    return result;
}

bool World::refine(double step)
{
    bool needed = false;
    for (std::size_t s = 0; s < m_systems.size(); ++s) {
        const int system = static_cast<int>(s);
        const auto change = m_builder.rows().response(system, m_builder.multipliers(), step);
        needed |= m_systems[s]->refine(step, change);
    }
    return needed;
}

void World::report_overlaps(StepStatistics& statistics) const
{
    for (const auto& look : m_judge.looks()) {
        statistics.penetration_max = std::max(statistics.penetration_max, look.depth);
        double& overlap = look.law.aggregated ? statistics.overlap_patches : statistics.overlap_points;
        overlap = std::max(overlap, look.depth / look.size);
    }
}

bool World::free_motion(double end, double step)
{
    for (auto& surface : m_surfaces) {
        surface.mark_start();
    }
    for (auto& system : m_systems) {
        if (!system->free_motion(end, step)) {
            const Health health = system->health();
            return fail(system->name(),
                        health.ok ? "the system matrix could not be factored" : health.reason);
        }
    }
    show_all(step, 1.0);
    for (auto& surface : m_surfaces) {
        surface.mark_free(end);
    }
    show_all(step, 0.0);
    return true;
}

void World::show_all(double step, double share)
{
    for (auto& system : m_systems) {
        if (m_no_change.size() < system->dof()) {
            m_no_change.setZero(system->dof());
        }
        system->show(step, m_no_change.head(system->dof()), share);
    }
}

void World::apply_velocity(double end, double step)
{
    for (std::size_t s = 0; s < m_systems.size(); ++s) {
        const int system = static_cast<int>(s);
        m_systems[s]->finish(step, m_builder.rows().response(system, m_builder.multipliers(), step),
                             m_builder.rows().touched(system, m_builder.multipliers()));
    }
    m_time = end;
    for (auto& surface : m_surfaces) {
        surface.update(m_time);
    }
}

void World::apply_position(double step)
{
    for (std::size_t s = 0; s < m_systems.size(); ++s) {
        m_systems[s]->correct(
            m_builder.rows().response(static_cast<int>(s), m_builder.position_multipliers(), step * step));
    }
    for (auto& surface : m_surfaces) {
        surface.update(m_time);
    }
}

bool World::went_in(int halvings) const
{
    constexpr int tissue_halvings = 1;
    const bool half_tells = halvings > m_settings.max_halvings - tissue_halvings;
    for (const auto& look : m_judge.looks()) {
        // A patch holds a mean, and shorter steps do not change how tissue bends round it: its points may be
        // inside as deep as the setting allows. What comes there in one step may be the step's fault, and
        // half the step tells. What does not yield is held by its patch as by points.
        const double went = look.depth - look.before;
        const bool tissue = m_surfaces[static_cast<std::size_t>(look.law.a)].field != nullptr ||
                            m_surfaces[static_cast<std::size_t>(look.law.b)].field != nullptr;
        const bool bends = look.law.aggregated && tissue;
        const double limit = bends ? m_settings.max_penetration : look.tolerance;
        if ((went > 0.0 && look.depth > limit) || (bends && half_tells && went > look.tolerance)) {
            return true;
        }
    }
    return false;
}

}  // namespace softcontact
