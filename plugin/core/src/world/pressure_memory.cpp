// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <softcontact/contact/pressure_profile.hpp>
#include <softcontact/world/pressure_memory.hpp>

namespace softcontact {

namespace {

std::size_t place_of(const PairMemory& memory, std::uint64_t key)
{
    const auto found = std::lower_bound(memory.keys.begin(), memory.keys.end(), key);
    return found != memory.keys.end() && *found == key ? static_cast<std::size_t>(found - memory.keys.begin())
                                                       : memory.keys.size();
}

/// What the last step left for these points; 0 for new ones.
void recall(std::span<const ContactPoint> points, const PairMemory& memory, std::span<const double> values,
            std::vector<double>& out)
{
    out.assign(points.size(), 0.0);
    for (std::size_t i = 0; i < points.size(); ++i) {
        const std::size_t at = place_of(memory, points[i].key);
        if (at < values.size()) {
            out[i] = values[at];
        }
    }
}

double sum(std::span<const double> values)
{
    return std::accumulate(values.begin(), values.end(), 0.0);
}

void scale(std::span<double> values, double factor)
{
    for (double& value : values) {
        value *= factor;
    }
}

}  // namespace

void PressureSpread::spread(std::span<const ContactPoint> points, std::span<const double> weights,
                            bool moments, bool yields, const PairMemory& memory,
                            const FreeTissue& free_tissue)
{
    const std::size_t n = points.size();
    m_profile.assign(weights.begin(), weights.end());
    scale(m_profile, 1.0 / sum(m_profile));
    m_change.assign(n, 0.0);
    m_pace = 0.5;
    m_settling_steps = m_event_force = 0.0;
    const bool answers = free_tissue.modulus > 0.0 && answer(points, memory, free_tissue);
    if (yields && !answers) {
        lag(points, memory);
    }
    recall(points, memory, memory.shares, m_pressed);
    const double pressed = sum(m_pressed);
    m_shares = m_profile;
    if (!moments || !(pressed > 0.0) || !(memory.normal_force > 0.0)) {
        return;
    }
    // Any two axes across the mean normal will do: the fit does not depend on them.
    Vector3d normal = Vector3d::Zero(), middle = Vector3d::Zero();
    for (std::size_t i = 0; i < n; ++i) {
        normal += m_profile[i] * points[i].normal;
        middle += m_profile[i] * points[i].p;
    }
    const Vector3d t = transport_tangent(Vector3d::Zero(), normal.normalized());
    const Vector3d s = normal.normalized().cross(t);
    m_offsets.resize(2 * n);
    Vector2d centre = Vector2d::Zero();
    for (std::size_t i = 0; i < n; ++i) {
        const Vector3d arm = points[i].p - middle;
        m_offsets[2 * i] = t.dot(arm);
        m_offsets[2 * i + 1] = s.dot(arm);
        centre += m_pressed[i] / pressed * Vector2d(m_offsets[2 * i], m_offsets[2 * i + 1]);
    }
    fit_pressure(m_profile, m_offsets, centre, m_shares);
}

void PressureSpread::lag(std::span<const ContactPoint> points, const PairMemory& memory)
{
    constexpr double forgotten = 1e-3;  // of the profile, what a point that bears no more is worth
    constexpr double same = 0.05;       // of the force, twice what may lie elsewhere and count as no change
    constexpr double fastest = 0.5, slowest = 1.0 / 32.0, recovery = 1.25;
    const std::size_t n = points.size();
    recall(points, memory, memory.profile, m_pressed);
    recall(points, memory, memory.profile_change, m_change);
    m_pace = memory.pace;
    const double last = sum(m_pressed);
    if (!(last > 0.0)) {
        return;
    }
    double along = 0.0, size = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        const double change = m_profile[i] - m_pressed[i] / last;
        along += change * m_change[i];
        size += std::abs(change);
    }
    if (size < same) {
        for (std::size_t i = 0; i < n; ++i) {
            m_profile[i] = m_pressed[i] / last;
        }
        return;
    }
    m_pace = along < 0.0 ? std::max(slowest, 0.5 * m_pace) : std::min(fastest, recovery * m_pace);
    for (std::size_t i = 0; i < n; ++i) {
        const double before = m_pressed[i] / last;
        const double lagged = before + m_pace * (m_profile[i] - before);
        m_profile[i] = m_profile[i] > 0.0 || lagged > forgotten ? lagged : 0.0;
        m_change[i] = m_profile[i] - before;
    }
    scale(m_profile, 1.0 / sum(m_profile));
}

void PressureSpread::take_over(std::span<const ContactPoint> points, const PairMemory& memory)
{
    m_pressed.assign(points.size(), 0.0);
    m_met.assign(memory.keys.size(), 0);
    for (std::size_t i = 0; i < points.size(); ++i) {
        const std::size_t at = place_of(memory, points[i].key);
        if (at < memory.keys.size()) {
            m_pressed[i] = memory.shares[at];
            m_met[at] = 1;
        }
    }
    for (std::size_t k = 0; k < memory.keys.size(); ++k) {
        if (m_met[k] != 0 || memory.shares[k] == 0.0) {
            continue;
        }
        std::size_t nearest = 0;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < points.size(); ++i) {
            const double away = (points[i].p - memory.places[k]).squaredNorm();
            if (away < least) {
                least = away;
                nearest = i;
            }
        }
        m_pressed[nearest] += memory.shares[k];
    }
}

bool PressureSpread::answer(std::span<const ContactPoint> points, const PairMemory& memory,
                            const FreeTissue& tissue)
{
    constexpr double usual_steps = 40.0;  // after which steps that change nothing count half
    constexpr double most_steps =
        1000.0;                         // and from which on they count no more: a tail would creep for ever
    constexpr double same_force = 2.0;  // ratio of forces, and way over √S, up to which nothing changed much
    constexpr double same_place = 0.2;
    constexpr double lifted_share = 0.025;  // of the force, that points bear which are lifted off
    const std::size_t n = points.size();
    take_over(points, memory);
    double last = 0.0, area = 0.0, mean_gap = 0.0;
    Vector3d place = Vector3d::Zero();
    for (std::size_t i = 0; i < n; ++i) {
        last += m_pressed[i];
        area += points[i].area;
        mean_gap += m_pressed[i] * tissue.gaps[i];
        place += points[i].area * points[i].p;
    }
    if (!(last > 0.0) || !(memory.normal_force > 0.0) || !(area > 0.0)) {
        return false;
    }
    scale(m_pressed, 1.0 / last);
    mean_gap /= last;
    place /= area;
    const double size = std::sqrt(area), force = memory.normal_force;
    m_settling_steps = memory.settling_steps + 1.0;
    m_event_force = memory.event_force;
    m_event_place = memory.event_place;
    if (!(force < same_force * m_event_force) || !(force * same_force > m_event_force) ||
        (place - m_event_place).norm() > same_place * size) {
        m_settling_steps = 0.0;
        m_event_force = force;
        m_event_place = place;
    }
    double deepest = 0.0, lifted = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        const double inside = mean_gap - tissue.gaps[i];
        deepest = std::max(deepest, inside);
        lifted += inside < -settled_ratio * size ? m_pressed[i] : 0.0;
    }
    m_profile = m_pressed;
    if ((deepest < settled_ratio * size && lifted < lifted_share) || m_settling_steps > most_steps) {
        return true;
    }
    const double pace = std::min(1.0, tissue.wave_way / size) / (1.0 + m_settling_steps / usual_steps);
    const double stiffness = std::numbers::pi * tissue.modulus / size;  // [Pa/m]
    for (std::size_t i = 0; i < n; ++i) {
        const double rise = stiffness * points[i].area * (mean_gap - tissue.gaps[i]) / force;
        m_profile[i] += pace * std::max(rise, -m_pressed[i]);
    }
    scale(m_profile, 1.0 / sum(m_profile));
    return true;
}

void PressureSpread::remember(std::span<const ContactPoint> points, const AggregatePatch& patch,
                              double normal_force, const Vector2d& moment, PairMemory& memory)
{
    memory.clear_points();
    memory.pace = m_pace;
    memory.settling_steps = m_settling_steps;
    memory.event_force = m_event_force;
    memory.event_place = m_event_place;
    if (!(normal_force > 0.0)) {
        return;
    }
    const std::size_t n = points.size();
    if (patch.tilts > 0) {
        const Vector2d centre(-moment[1] / normal_force, moment[0] / normal_force);
        m_offsets.resize(2 * n);
        for (std::size_t i = 0; i < n; ++i) {
            const Vector3d arm = points[i].p - patch.moment_centre;
            m_offsets[2 * i] = patch.frame.col(1).dot(arm);
            m_offsets[2 * i + 1] = patch.frame.col(2).dot(arm);
        }
        fit_pressure(m_profile, m_offsets, centre, m_shares);
    }
    m_order.resize(n);
    std::iota(m_order.begin(), m_order.end(), std::size_t{0});
    if (!std::is_sorted(points.begin(), points.end(),
                        [](const auto& x, const auto& y) { return x.key < y.key; })) {
        std::sort(m_order.begin(), m_order.end(),
                  [&](std::size_t i, std::size_t j) { return points[i].key < points[j].key; });
    }
    for (const std::size_t i : m_order) {
        memory.keys.push_back(points[i].key);
        memory.shares.push_back(m_shares[i]);
        memory.places.push_back(points[i].p);
        memory.profile.push_back(m_profile[i]);
        memory.profile_change.push_back(m_change[i]);
    }
}

}  // namespace softcontact
