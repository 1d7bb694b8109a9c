// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>
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
                            bool moments, bool yields, const PairMemory& memory)
{
    const std::size_t n = points.size();
    m_profile.assign(weights.begin(), weights.end());
    scale(m_profile, 1.0 / sum(m_profile));
    m_change.assign(n, 0.0);
    m_pace = 0.5;
    if (yields) {
        lag(points, memory);
    }
    m_pressed.assign(n, 0.0);
    double pressed = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t at = place_of(memory, points[i].key);
        m_pressed[i] = at < memory.keys.size() ? memory.shares[at] : 0.0;
        pressed += m_pressed[i];
    }
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
    m_pressed.assign(n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t at = place_of(memory, points[i].key);
        if (at < memory.keys.size()) {
            m_pressed[i] = memory.profile[at];
            m_change[i] = memory.profile_change[at];
        }
    }
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

void PressureSpread::remember(std::span<const ContactPoint> points, const AggregatePatch& patch,
                              double normal_force, const Vector2d& moment, PairMemory& memory)
{
    memory.keys.clear();
    memory.shares.clear();
    memory.profile.clear();
    memory.profile_change.clear();
    memory.pace = m_pace;
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
        memory.profile.push_back(m_profile[i]);
        memory.profile_change.push_back(m_change[i]);
    }
}

}  // namespace softcontact
