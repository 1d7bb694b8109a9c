// SPDX-License-Identifier: LGPL-2.1-or-later
// The contact points of a step: found pair by pair, and gathered into patches.
#include <algorithm>
#include <cmath>
#include <limits>
#include <softcontact/contact/face_points.hpp>
#include <softcontact/world/contact_problem_builder.hpp>
#include <softcontact/world/shape_pairs.hpp>

namespace softcontact {

void ContactProblemBuilder::clear_pairs(std::vector<ContactPair>& pairs)
{
    pairs.clear();
    m_near.clear();
    m_tracker.clear();
}

void ContactProblemBuilder::forget_far(std::vector<ContactPair>& pairs)
{
    const auto& moved = m_near.forget_far(pairs);
    if (!moved.empty()) {
        m_tracker.move_pairs(moved);
    }
}

void ContactProblemBuilder::detect(std::vector<ContactSurface>& surfaces, const PairLaws& laws,
                                   std::vector<ContactPair>& pairs, const WorldSettings& settings)
{
    DetectionOptions options;
    options.contact_offset = settings.contact_offset;
    options.max_penetration = settings.max_penetration;
    m_points.clear();
    m_contacts.clear();
    m_first_impact = 1.0;
    m_near.boxes().resize(surfaces.size());
    for (std::size_t i = 0; i < surfaces.size(); ++i) {
        m_near.boxes()[i] = surfaces[i].bounds().inflated(surfaces[i].free_travel());
    }
    const auto& near = m_near.find(surfaces, settings.alarm_distance, laws, settings.contact, pairs);
    m_tracker.begin_step(pairs.size());
    for (const std::size_t i : near) {
        auto& a = surfaces[static_cast<std::size_t>(pairs[i].a)];
        auto& b = surfaces[static_cast<std::size_t>(pairs[i].b)];
        a.geometry.refresh();
        b.geometry.refresh();
        options.alarm_distance = settings.alarm_distance + a.free_travel() + b.free_travel();
        const double smooth_alarm = options.limit_smooth_edges(pairs[i].aggregated, settings.alarm_distance,
                                                               a.free_travel() + b.free_travel());
        if (a.shape && b.shape) {
            m_first_impact =
                std::min(m_first_impact, find_shape_contacts(a, b, settings.alarm_distance, m_found));
        } else if (a.is_plane() || b.is_plane()) {
            find_plane_contacts(a.is_plane() ? b : a, a.is_plane() ? a : b, b.is_plane(),
                                options.alarm_distance, m_found);
        } else if (meets_round_shape(a, b, pairs[i].aggregated)) {
            find_mesh_contacts(a, b, options, m_detection, m_found);
        } else {
            detect_contacts(a.geometry, b.geometry, options, m_detection, m_found, &pairs[i].detection);
        }
        if (pairs[i].aggregated && a.shape && b.shape) spread_over_face(m_found);
        keep_reached(a, b, settings.alarm_distance, smooth_alarm);
        if (!m_found.empty()) {
            add_found(i, pairs[i], a, settings.aggregation == Aggregation::adaptive);
        }
    }
    make_room(pairs);
}

void ContactProblemBuilder::keep_reached(const ContactSurface& a, const ContactSurface& b,
                                         double alarm_distance, double smooth_alarm)
{
    // The moment at which the first of them touches in the free motion: others that are still further apart
    // then than the alarm distance are a matter of later steps.
    double first = 1.0;
    for (ContactPoint& point : m_found) {
        const double start = point.gap;
        point.gap = free_gap(point, a, b);
        if (point.gap < 0.0 && start > point.gap) {
            first = std::min(first, std::max(0.0, start / (start - point.gap)));
        }
    }
    std::erase_if(m_found, [&](const ContactPoint& point) {
        const double start = start_gap(point, a, b);
        return std::min(start, start + first * (point.gap - start)) >
               (point.smooth ? smooth_alarm : alarm_distance);
    });
}

void ContactProblemBuilder::add_found(std::size_t index, const ContactPair& pair, const ContactSurface& a,
                                      bool adaptive)
{
    const std::size_t first = m_points.size();
    if (pair.aggregated && adaptive) {
        const double spacing = std::sqrt(a.geometry.vertex_areas().mean());
        const auto [begin, end] = m_tracker.add_pair(index, m_found, spacing, pair.memory.tangent);
        for (std::size_t part = begin; part < end; ++part) {
            const auto& patch = m_tracker.part(part);
            m_contacts.push_back({index, first + patch.first, patch.count, part});
        }
    } else {
        m_contacts.push_back({index, first, m_found.size(), no_part});
    }
    m_points.insert(m_points.end(), m_found.begin(), m_found.end());
}

PairMemory& ContactProblemBuilder::memory(const PairContacts& contacts, ContactPair& pair)
{
    return contacts.part == no_part ? pair.memory : m_tracker.part(contacts.part).memory;
}

void ContactProblemBuilder::make_room(std::vector<ContactPair>& pairs)
{
    std::size_t largest = 0, blocks = 0, rows = 0;
    for (const auto& contacts : m_contacts) {
        const bool aggregated = pairs[contacts.pair].aggregated;
        largest = std::max(largest, contacts.count);
        blocks += aggregated ? 1 : contacts.count;
        rows += aggregated ? 6 : 3 * contacts.count;
    }
    if (rows > m_row_room) {
        m_row_room = rows + rows / 2;
        blocks += blocks / 2;
        m_rows.reserve(blocks, m_row_room);
        m_solver.reserve(static_cast<int>(m_row_room), static_cast<int>(blocks));
        m_blocks.reserve(blocks);
        m_descriptors.reserve(blocks);
        for (auto* values : {&m_multipliers, &m_right_hand_side, &m_warm_start, &m_tried,
                             &m_position_multipliers, &m_position_solution, &m_corner_gaps}) {
            values->reserve(m_row_room);
        }
    }
    if (m_contacts.size() > m_reports.capacity()) {
        m_contacts.reserve(2 * m_contacts.size());
        m_reports.reserve(2 * m_contacts.size());
    }
    if (m_points.size() > m_report_points.capacity()) {
        m_report_points.reserve(2 * m_points.size());
    }
    if (largest > m_pair_room) {
        m_pair_room = 2 * largest;
        m_tracker.reserve(m_pair_room);
        m_found.reserve(m_pair_room);
        m_gaps.reserve(m_pair_room);
        m_weights.reserve(m_pair_room);
        for (auto& patch : m_patches) {
            patch.reserve(m_pair_room);
        }
        for (auto& pair : pairs) {
            if (pair.aggregated) {
                pair.memory.reserve_points(m_pair_room);
            } else {
                pair.memory.keys.reserve(m_pair_room);
                pair.memory.forces.reserve(m_pair_room);
            }
        }
    }
    while (m_patches.size() < m_contacts.size()) {
        m_patches.emplace_back();
        m_spreads.emplace_back();
        m_patches.back().reserve(m_pair_room);
    }
}

}  // namespace softcontact
