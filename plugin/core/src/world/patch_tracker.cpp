// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <softcontact/world/patch_tracker.hpp>

namespace softcontact {

namespace {

/// Share that a point counts for even where it carried nothing, so that points of an unloaded patch count.
constexpr double least_share = 1e-9;

template <typename Keys>
std::size_t find_key(const Keys& keys, std::uint64_t key)
{
    const auto found = std::lower_bound(keys.begin(), keys.end(), key);
    return found != keys.end() && *found == key ? static_cast<std::size_t>(found - keys.begin())
                                                : keys.size();
}

}  // namespace

void PatchTracker::clear()
{
    for (Step* step : {&m_before, &m_now}) {
        step->used = 0;
        step->ranges.clear();
    }
}

void PatchTracker::begin_step(std::size_t pairs)
{
    std::swap(m_before, m_now);
    m_before.ranges.resize(pairs);
    m_now.used = 0;
    m_now.ranges.assign(pairs, Range());
}

void PatchTracker::move_pairs(std::span<const std::size_t> places)
{
    std::vector<Range> moved(places.size());
    for (std::size_t i = 0; i < std::min(places.size(), m_now.ranges.size()); ++i) {
        if (places[i] < moved.size()) {
            moved[places[i]] = m_now.ranges[i];
        }
    }
    m_now.ranges = std::move(moved);
}

void PatchTracker::reserve(std::size_t points)
{
    m_point_room = std::max(m_point_room, points);
    m_clusters.reserve(m_point_room);
    m_labels.reserve(m_point_room);
    m_sources.reserve(m_point_room);
    m_sorted.reserve(m_point_room);
    m_sorted_sources.reserve(m_point_room);
    const std::size_t parts = std::max(m_now.parts.size(), m_before.parts.size());
    m_known.reserve(parts);
    m_taken.reserve(parts);
    for (Step* step : {&m_before, &m_now}) {
        step->parts.resize(parts);
        for (Part& part : step->parts) {
            part.members.reserve(m_point_room);
            part.memory.reserve_points(m_point_room);
        }
    }
}

PatchTracker::Part& PatchTracker::new_part()
{
    if (m_now.used == m_now.parts.size()) {
        m_now.parts.resize(2 * m_now.parts.size() + 4);
        reserve(m_point_room);
    }
    return m_now.parts[m_now.used++];
}

void PatchTracker::look_up(std::span<const ContactPoint> points, const Range& past)
{
    m_sources.assign(points.size(), Source());
    m_labels.assign(points.size(), -1);
    m_known.assign(past.count, 0.0);
    for (std::size_t i = 0; i < points.size(); ++i) {
        Source& source = m_sources[i];
        for (std::size_t k = 0; k < past.count; ++k) {
            const Part& part = m_before.parts[past.first + k];
            if (find_key(part.members, points[i].key) == part.members.size()) {
                continue;
            }
            source.found = true;
            source.part = k;
            m_labels[i] = part.label;
            const std::size_t at = find_key(part.memory.keys, points[i].key);
            if (at < part.memory.keys.size()) {
                source.remembered = true;
                source.share = part.memory.shares[at];
                source.profile = part.memory.profile[at];
                source.profile_change = part.memory.profile_change[at];
            }
            m_known[k] += source.share + least_share;
        }
    }
}

void PatchTracker::carry_over(Part& part, std::span<const ContactPoint> points, const Range& past,
                              const Vector3d& tangent)
{
    const auto source = [&](std::size_t i) -> const Source& { return m_sorted_sources[part.first + i]; };
    m_taken.assign(past.count, 0.0);
    std::size_t sources = 0, last = 0;
    for (std::size_t i = 0; i < part.count; ++i) {
        if (source(i).found) {
            double& taken = m_taken[source(i).part];
            sources += taken == 0.0 ? 1U : 0U;
            last = source(i).part;
            taken += source(i).share + least_share;
        }
    }
    PairMemory& memory = part.memory;
    memory.tangent = tangent;
    memory.normal_force = 0.0;
    memory.friction.setZero();
    memory.torque = 0.0;
    memory.moment.setZero();
    memory.settling_steps = memory.event_force = 0.0;
    memory.clear_points();
    part.members.clear();
    bool one = false;  // all of one past patch
    constexpr double whole = 1.0 - 1e-12;
    double most = -1.0;
    for (std::size_t k = 0; k < past.count; ++k) {
        const PairMemory& old = m_before.parts[past.first + k].memory;
        const double share = m_taken[k] > 0.0 ? m_taken[k] / m_known[k] : 0.0;
        if (sources == 1 && k == last && share > whole) {
            memory = old;  // with the points that are gone
            one = true;
        } else if (share > 0.0) {
            memory.normal_force += share * old.normal_force;
            memory.friction += share * old.friction;
            memory.torque += share * old.torque;
            if (share * old.normal_force > most) {
                most = share * old.normal_force;
                memory.tangent = old.tangent;
            }
        }
    }
    for (std::size_t i = 0; i < part.count; ++i) {
        part.members.push_back(points[i].key);
        if (!one && source(i).remembered) {
            // Shares of different patches compare only as forces.
            const double force =
                sources > 1 ? m_before.parts[past.first + source(i).part].memory.normal_force : 1.0;
            memory.keys.push_back(points[i].key);
            memory.shares.push_back(force * source(i).share);
            memory.places.push_back(points[i].p);
            memory.profile.push_back(force * source(i).profile);
            memory.profile_change.push_back(force * source(i).profile_change);
        }
    }
}

std::pair<std::size_t, std::size_t> PatchTracker::add_pair(std::size_t pair, std::span<ContactPoint> points,
                                                           double spacing, const Vector3d& tangent)
{
    if (points.size() > m_point_room) {
        reserve(2 * points.size());
    }
    const Range past = m_before.ranges[pair];
    look_up(points, past);
    m_clusters.update(points, m_labels, ClusterLimits::at_spacing(spacing));
    const std::size_t first = m_now.used;
    m_sorted.clear();
    m_sorted_sources.clear();
    for (const auto& cluster : m_clusters.clusters()) {
        Part& part = new_part();
        part.label = cluster.label;
        part.first = m_sorted.size();
        for (std::size_t i = 0; i < points.size(); ++i) {
            if (m_labels[i] == cluster.label) {
                m_sorted.push_back(points[i]);
                m_sorted_sources.push_back(m_sources[i]);
            }
        }
        part.count = m_sorted.size() - part.first;
    }
    std::copy(m_sorted.begin(), m_sorted.end(), points.begin());
    for (std::size_t index = first; index < m_now.used; ++index) {
        Part& part = m_now.parts[index];
        carry_over(part, points.subspan(part.first, part.count), past, tangent);
    }
    m_now.ranges[pair] = {first, m_now.used - first};
    return {first, m_now.used};
}

}  // namespace softcontact
