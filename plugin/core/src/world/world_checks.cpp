// SPDX-License-Identifier: LGPL-2.1-or-later
// Whether the state at the end of a step can be used, and what to tell where it cannot.
#include <algorithm>
#include <set>
#include <softcontact/geometry/impact_share.hpp>
#include <softcontact/world/passage.hpp>
#include <softcontact/world/world.hpp>

namespace softcontact {

bool World::check_health()
{
    for (const auto& system : m_systems) {
        Health health = system->health();
        if (health.ok && !(system->speed() <= m_settings.max_speed)) {
            health = {false,
                      "speed above the limit (max_speed): the step diverged; take shorter steps, slower "
                      "motion or softer couplings"};
        }
        if (!health.ok) {
            return fail(system->name(), health.reason);
        }
    }
    return true;
}

bool World::check_solution()
{
    const bool useful = m_statistics.residual <= m_settings.unsolved_residual;
    m_unsolved_for = useful ? 0 : m_unsolved_for + 1;
    if (m_unsolved_for > m_settings.unsolved_steps) {
        const auto& reports = m_builder.reports();
        const auto heaviest =
            std::max_element(reports.begin(), reports.end(),
                             [](const auto& x, const auto& y) { return x.normal_force < y.normal_force; });
        if (heaviest == reports.end()) {
            return fail("?", "no contact forces were found for " + std::to_string(m_unsolved_for) +
                                 " steps in a row");
        }
        PairLaw pair;
        pair.a = heaviest->surface_a;
        pair.b = heaviest->surface_b;
        const std::string& body = moving_side(pair);
        return fail(body, "no contact forces were found for " + std::to_string(m_unsolved_for) +
                              " steps in a row" + squeezed_by(body));
    }
    return true;
}

std::string World::squeezed_by(const std::string& body) const
{
    std::set<std::string> driven;
    for (const auto& report : m_builder.reports()) {
        const auto& a = m_surfaces[static_cast<std::size_t>(report.surface_a)];
        const auto& b = m_surfaces[static_cast<std::size_t>(report.surface_b)];
        for (const auto& [own, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
            if (own->name == body && other->kind == ContactSurface::Kind::kinematic &&
                other->free_travel() > 0.0) {
                driven.insert(other->name);
            }
        }
    }
    std::string told;
    for (const std::string& name : driven) {
        told += (told.empty() ? ": '" : " and '") + name + "'";
    }
    return told.empty() ? told
                        : told + (driven.size() > 1 ? " move" : " moves") +
                              " on whatever lies in the way; end the motion where the body is";
}

std::vector<World::Overlap> World::overlaps()
{
    if (m_pairs_stale) {
        renew_pairs();
    }
    std::vector<Overlap> found;
    for (const auto& look : m_judge.looks()) {
        if (look.depth > 0.0) {
            found.push_back({look.law.a, look.law.b, look.depth});
        }
    }
    return found;
}

bool World::check_overlaps()
{
    for (const auto& look : m_judge.looks()) {
        if (look.depth > m_settings.max_penetration) {
            return fail(moving_side(look.law), "is " + std::to_string(1e3 * look.depth) + " mm inside '" +
                                                   other_side(look.law) + "', more than max_penetration");
        }
    }
    return true;
}

std::string World::find_passage()
{
    // Slower motion than this cannot carry one surface past another unseen.
    const double seen = m_settings.alarm_distance;
    constexpr double grazing_ratio = 0.1, apart_ratio = 0.1;
    m_ways.clear();
    double longest = 0.0;
    for (const auto& surface : m_surfaces) {
        m_ways.push_back(surface.travel());
        longest = std::max(longest, m_ways.back());
    }
    if (2.0 * longest <= seen) {
        return {};
    }
    m_swept.clear();
    for (const auto& surface : m_surfaces) {
        m_swept.push_back(surface.swept_box());
    }
    m_broad_phase.find_pairs(m_swept, 0.0, m_crossed);
    for (const auto& [first, second] : m_crossed) {
        if (m_ways[static_cast<std::size_t>(first)] + m_ways[static_cast<std::size_t>(second)] <= seen) {
            continue;
        }
        const auto pair = m_laws.of(m_surfaces, first, second, m_settings.contact);
        if (!pair) {
            continue;
        }
        auto& a = m_surfaces[static_cast<std::size_t>(pair->a)];
        auto& b = m_surfaces[static_cast<std::size_t>(pair->b)];
        if (a.is_plane() || b.is_plane()) {
            continue;  // what has passed is behind it, and is seen there
        }
        // Shapes that stay apart all the way need no look at their pictures.
        if (a.shape && b.shape &&
            impact_share({a.shape.get(), a.start_pose(), a.geometry.pose()},
                         {b.shape.get(), b.start_pose(), b.geometry.pose()},
                         apart_ratio * grazing_ratio * seen) >= 1.0) {
            continue;
        }
        const double way_a = m_ways[static_cast<std::size_t>(pair->a)];
        const double way_b = m_ways[static_cast<std::size_t>(pair->b)];
        a.geometry.refresh();
        b.geometry.refresh();
        if (passed_into(a, b, m_settings.max_penetration, grazing_ratio * seen) ||
            passed_into(b, a, m_settings.max_penetration, grazing_ratio * seen)) {
            const bool a_is_faster = way_a >= way_b;
            return "body '" + (a_is_faster ? a.name : b.name) + "': went into or through '" +
                   (a_is_faster ? b.name : a.name) + "' within one step, in which it moved " +
                   std::to_string(1e3 * std::max(way_a, way_b)) +
                   " mm; take shorter steps or move it more slowly";
        }
    }
    return {};
}

bool World::fail(const std::string& body, const std::string& reason)
{
    return fail("body '" + body + "': " + reason);
}

bool World::fail(const std::string& message)
{
    m_failure = message;
    m_failed = true;
    return false;
}

const std::string& World::moving_side(const PairLaw& pair) const
{
    const auto& a = m_surfaces[static_cast<std::size_t>(pair.a)];
    const auto& b = m_surfaces[static_cast<std::size_t>(pair.b)];
    return a.kind == ContactSurface::Kind::kinematic ? b.name : a.name;
}

const std::string& World::other_side(const PairLaw& pair) const
{
    const auto& a = m_surfaces[static_cast<std::size_t>(pair.a)];
    const auto& b = m_surfaces[static_cast<std::size_t>(pair.b)];
    return a.kind == ContactSurface::Kind::kinematic ? a.name : b.name;
}

}  // namespace softcontact
