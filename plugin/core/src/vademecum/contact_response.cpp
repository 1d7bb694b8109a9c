// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/vademecum/contact_response.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "softcontact/vademecum/eliminate.hpp"

namespace softcontact {

namespace {

constexpr int many_changes = 4;   // of the set of points that touch, in a linearised step; then one at a time
constexpr int most_changes = 24;  // before a step goes with the set it has
constexpr double least_share = 1.0 / 16.0;  // of a step, where steps do not shrink

}  // namespace

void ResponseSettings::validate() const
{
    if (capacity < 1) throw std::invalid_argument("capacity: expected room for one load or more");
    if (max_iterations < 1) throw std::invalid_argument("max_iterations: expected one step or more");
    if (!(std::isfinite(tolerance) && tolerance > 0.0)) {
        throw std::invalid_argument("tolerance: expected a finite number > 0");
    }
}

ContactResponse::ContactResponse(const SeparatedField& field, Points nodes,
                                 const Eigen::Ref<const Triangles>& triangles, LoadFamilies families,
                                 const PenaltySettings& penalty, Index points,
                                 const ResponseSettings& settings)
    : m_families(std::move(families)), m_settings(settings), m_nodes(std::move(nodes))
{
    settings.validate();
    m_settings.capacity = std::max(settings.capacity, m_families.axis_count());
    const Index capacity = m_settings.capacity, held = static_cast<Index>(most_held);
    m_loaded = std::make_unique<LoadedField>(field, capacity + held);
    m_contact =
        std::make_unique<PenaltyContact>(DeformedBoundary(m_nodes, triangles, *m_loaded), penalty, points);
    const auto keys = static_cast<std::size_t>(m_families.loaded_count() * m_families.axis_count());
    m_size.assign(keys, 0.0);
    m_wanted.assign(keys, 0.0);
    m_slot.assign(keys, -1);
    for (auto* list : {&m_active, &m_all}) list->reserve(keys);
    for (auto* list : {&m_held_sizes, &m_sizes}) list->reserve(keys + most_held);
    for (auto* list : {&m_held_cases, &m_cases}) list->reserve(keys + most_held);
    m_node_slot.assign(static_cast<std::size_t>(m_nodes.cols()), -1);
    m_touched.reserve(static_cast<std::size_t>(m_nodes.cols()));
    const Index modes = field.mode_count(), all = capacity + held;
    m_ways.setZero(modes, capacity);
    m_bends.setZero(modes, all);
    m_like.setZero(all, capacity);
    m_series.setZero(field.solution().terms, capacity);
    m_moves.setZero(3 * m_nodes.cols(), capacity);
    m_matrix.setZero(capacity, capacity);
    m_rows.setZero(3 * points, capacity);
    m_pressed.assign(static_cast<std::size_t>(points), 0);
    m_change.setZero(capacity);
    m_together.setZero(modes);
    m_term.setZero(field.solution().terms);
}

bool ContactResponse::hold(std::span<const Index> cases, std::span<const double> sizes) noexcept
{
    if (cases.size() != sizes.size() || cases.size() > most_held) return false;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        if (cases[i] < 0 || cases[i] >= m_loaded->field().case_count() || !std::isfinite(sizes[i]))
            return false;
    }
    m_held_cases.assign(cases.begin(), cases.end());
    m_held_sizes.assign(sizes.begin(), sizes.end());
    return true;
}

void ContactResponse::release() noexcept
{
    std::fill(m_size.begin(), m_size.end(), 0.0);
    m_contact->release();
}

ResponseStatus ContactResponse::solve(const Eigen::Ref<const Points>& points) noexcept
{
    ResponseStatus out;
    double reach = 0.0;
    const auto look = [&] {  // what a step may open or close is as far away as what is inside is deep
        evaluate(points, reach);
        double deepest = 0.0;
        for (const PenaltyPoint& contact : m_contact->contacts()) deepest = std::max(deepest, contact.depth);
        if (deepest > reach) evaluate(points, reach = 2.0 * deepest);
    };
    look();
    double before = std::numeric_limits<double>::infinity(), share = 1.0;
    while (out.iterations < m_settings.max_iterations && !out.converged) {
        differentiate();
        if (!linear_step()) break;
        ++out.iterations;
        const Index count = load_count();
        auto change = m_change.head(count);
        double old = 0.0, now = 0.0;
        const double length = change.norm();
        // sets of sticking and sliding points may follow each other in a circle: shorter steps leave it
        share = length > 0.7 * before ? std::max(least_share, 0.5 * share) : std::min(1.0, 2.0 * share);
        before = length;
        change *= share;
        for (Index i = 0; i < count; ++i) {
            double& size = m_size[static_cast<std::size_t>(m_active[static_cast<std::size_t>(i)])];
            old += size * size;
            size += change[i];
            now += size * size;
        }
        const double scale = std::sqrt(std::max(old, now));
        out.residual = scale > 0.0 ? length / scale : 0.0;
        out.converged = out.residual <= m_settings.tolerance;
        look();
    }
    m_contact->commit();
    out.contacts = static_cast<Index>(m_contact->contacts().size());
    out.loads = load_count();
    return out;
}

LoadFamilies::Load ContactResponse::load(Index number) const noexcept
{
    const Index key = m_active[static_cast<std::size_t>(number)], axes = m_families.axis_count();
    return m_families.load(key / axes, key % axes, size_of(key));
}

void ContactResponse::evaluate(const Eigen::Ref<const Points>& points, double reach) noexcept
{
    m_cases.assign(m_held_cases.begin(), m_held_cases.end());
    m_sizes.assign(m_held_sizes.begin(), m_held_sizes.end());
    for (const Index key : m_active) {
        const auto load =
            m_families.load(key / m_families.axis_count(), key % m_families.axis_count(), size_of(key));
        m_cases.push_back(load.load_case);
        m_sizes.push_back(load.size);
    }
    m_loaded->predict(m_cases, m_sizes);
    m_contact->evaluate(points, nullptr, reach);
    gather();
}

void ContactResponse::gather() noexcept
{
    const Index axes = m_families.axis_count();
    for (const Index key : m_all) {
        m_slot[static_cast<std::size_t>(key)] = -1;
        m_wanted[static_cast<std::size_t>(key)] = 0.0;
    }
    m_all.clear();
    const auto mark = [&](Index key) {
        Index& slot = m_slot[static_cast<std::size_t>(key)];
        if (slot < 0) m_all.push_back(key);
        slot = 0;
    };
    for (const Index key : m_active) {
        if (size_of(key) != 0.0) mark(key);
    }
    for (std::size_t c = 0; c < candidate_count(); ++c) {
        const PenaltyPoint& contact = candidate(c);
        for (int k = 0; k < 3; ++k) {
            const Index position = position_of(contact, k);
            if (position < 0) continue;
            for (Index axis = 0; axis < axes; ++axis) {
                const Index key = position * axes + axis;
                mark(key);
                m_wanted[static_cast<std::size_t>(key)] -=
                    contact.place.shares[k] * m_families.inverse().row(axis).dot(contact.force);
            }
        }
    }
    m_active.assign(m_all.begin(), m_all.end());
    if (static_cast<Index>(m_active.size()) > m_settings.capacity) join();
    std::sort(m_active.begin(), m_active.end());
    for (std::size_t i = 0; i < m_active.size(); ++i) {
        m_slot[static_cast<std::size_t>(m_active[i])] = static_cast<Index>(i);
    }
    for (const Index key : m_all) {  // what was joined: −2 − the key that it went to
        Index& slot = m_slot[static_cast<std::size_t>(key)];
        if (slot <= -2) slot = m_slot[static_cast<std::size_t>(-2 - slot)];
    }
}

void ContactResponse::join() noexcept
{
    const Index axes = m_families.axis_count();
    const auto weight = [&](Index key) {
        return std::abs(size_of(key)) + std::abs(m_wanted[static_cast<std::size_t>(key)]);
    };
    const auto heavier = [&](Index a, Index b) {
        return weight(a) != weight(b) ? weight(a) > weight(b) : a < b;
    };
    auto first = m_active.begin();
    for (Index axis = 0; axis < axes; ++axis) {  // the heaviest of each axis, so that none is left alone
        auto best = m_active.end();
        for (auto it = first; it != m_active.end(); ++it) {
            if (*it % axes == axis && (best == m_active.end() || heavier(*it, *best))) best = it;
        }
        if (best != m_active.end()) std::iter_swap(first++, best);
    }
    const auto kept = m_active.begin() + m_settings.capacity;
    if (first < kept) std::nth_element(first, kept, m_active.end(), heavier);
    for (auto it = kept; it != m_active.end(); ++it) {
        Index nearest = -1;
        double least = std::numeric_limits<double>::infinity();
        for (auto other = m_active.begin(); other != kept; ++other) {
            if (*other % axes != *it % axes) continue;
            const double squared =
                (m_nodes.col(m_families.node(*other / axes)) - m_nodes.col(m_families.node(*it / axes)))
                    .squaredNorm();
            if (squared < least) {
                least = squared;
                nearest = *other;
            }
        }
        const auto from = static_cast<std::size_t>(*it), to = static_cast<std::size_t>(nearest);
        m_wanted[to] += m_wanted[from];
        m_size[to] += m_size[from];
        m_wanted[from] = m_size[from] = 0.0;
        m_slot[from] = -2 - nearest;
    }
    m_active.erase(kept, m_active.end());
}

void ContactResponse::differentiate() noexcept
{
    const SeparatedField& field = m_loaded->field();
    const SeparatedSolution& solution = field.solution();
    const MatrixXd& first = field.first_amplitudes();
    const Index terms = solution.terms, axes = m_families.axis_count();
    const Index count = static_cast<Index>(m_active.size()), held = static_cast<Index>(m_held_cases.size());
    m_cases.assign(m_held_cases.begin(), m_held_cases.end());
    m_sizes.assign(m_held_sizes.begin(), m_held_sizes.end());
    for (const Index key : m_active) {
        const auto load = m_families.load(key / axes, key % axes, size_of(key));
        m_cases.push_back(load.load_case);
        m_sizes.push_back(load.size);
    }
    m_together.setZero();
    for (std::size_t j = 0; j < m_cases.size(); ++j) m_together += m_sizes[j] * first.col(m_cases[j]);
    for (Index j = 0; j < held + count; ++j) {
        const auto slot = static_cast<std::size_t>(j);
        const Index load_case = m_cases[slot];
        const double own = first.col(load_case).squaredNorm();
        const double size = own > 0.0 ? first.col(load_case).dot(m_together) / own : m_sizes[slot];
        const auto answer = solution.amplitudes.middleCols(terms * load_case, terms);
        field.secant_slope(size, m_term);
        m_term *= m_sizes[slot];
        m_bends.col(j).noalias() = answer * m_term;
        if (j >= held) {
            field.secant(size, m_series.col(j - held));
            m_ways.col(j - held).noalias() = answer * m_series.col(j - held);
        }
        for (Index i = 0; i < count; ++i) {
            m_like(j, i) = field.likeness(m_cases[static_cast<std::size_t>(held + i)], load_case);
        }
    }
    m_ways.leftCols(count).noalias() +=
        m_bends.leftCols(held + count) * m_like.topLeftCorner(held + count, count);
    const auto sign = [&](Index i) {
        const Index key = m_active[static_cast<std::size_t>(i)];
        return m_families.load(key / axes, key % axes, size_of(key)).slope;
    };
    for (Index i = 0; i < count; ++i) m_ways.col(i) *= sign(i);

    for (const int node : m_touched) m_node_slot[static_cast<std::size_t>(node)] = -1;
    m_touched.clear();
    for (std::size_t c = 0; c < candidate_count(); ++c) {
        const PenaltyPoint& contact = candidate(c);
        auto rows = m_rows.block(3 * static_cast<Index>(c), 0, 3, count);
        rows.setZero();
        for (int k = 0; k < 3; ++k) {
            if (contact.place.shares[k] == 0.0) continue;
            const int node = m_contact->boundary().topology().triangles(k, contact.place.triangle);
            Index& slot = m_node_slot[static_cast<std::size_t>(node)];
            if (slot < 0) {
                slot = static_cast<Index>(m_touched.size());
                m_touched.push_back(node);
                auto moves = m_moves.block(3 * slot, 0, 3, count);
                moves.noalias() = solution.modes.middleCols<3>(3 * node).transpose() * m_ways.leftCols(count);
                for (Index i = 0; i < count; ++i) {
                    moves.col(i) += sign(i) * field.dent(m_cases[static_cast<std::size_t>(held + i)], node,
                                                         m_series.col(i));
                }
            }
            rows += contact.place.shares[k] * m_moves.block(3 * slot, 0, 3, count);
        }
    }
}

bool ContactResponse::linear_step() noexcept
{
    const Index count = load_count();
    auto change = m_change.head(count);
    for (std::size_t c = 0; c < candidate_count(); ++c) m_pressed[c] = candidate(c).depth > 0.0 ? 1 : 0;
    for (int changes = 0;; ++changes) {
        m_matrix.topLeftCorner(count, count).setIdentity();
        for (Index i = 0; i < count; ++i) change[i] = -size_of(m_active[static_cast<std::size_t>(i)]);
        for (std::size_t c = 0; c < candidate_count(); ++c) {
            if (m_pressed[c] != 0) add_contact(c);
        }
        if (!eliminate(m_matrix.topLeftCorner(count, count), change)) return false;
        std::size_t worst = 0;
        double most = 0.0;  // how far the worst is on the wrong side
        for (std::size_t c = 0; c < candidate_count(); ++c) {
            const PenaltyPoint& contact = candidate(c);
            const Vector3d way = m_rows.block(3 * static_cast<Index>(c), 0, 3, count).lazyProduct(change);
            const double depth = contact.depth + contact.normal.dot(way);
            if ((depth > 0.0) == (m_pressed[c] != 0)) continue;
            if (changes < many_changes) m_pressed[c] = depth > 0.0 ? 1 : 0;
            if (!(std::abs(depth) <= most)) {
                most = std::abs(depth);
                worst = c;
            }
        }
        if (most == 0.0 || changes == most_changes) return true;
        if (changes >= many_changes) m_pressed[worst] = m_pressed[worst] != 0 ? 0 : 1;
    }
}

void ContactResponse::add_contact(std::size_t c) noexcept
{
    const PenaltyPoint& contact = candidate(c);
    const Index count = load_count(), axes = m_families.axis_count();
    const auto rows = m_rows.block(3 * static_cast<Index>(c), 0, 3, count);
    // of a point that is still apart the force is that of the straight law, negative
    const Vector3d force = contact.depth > 0.0
                               ? contact.force
                               : Vector3d(m_contact->settings().stiffness * contact.depth * contact.normal);
    for (int k = 0; k < 3; ++k) {
        const Index position = position_of(contact, k);
        if (position < 0) continue;
        for (Index axis = 0; axis < axes; ++axis) {
            const Vector3d part = contact.place.shares[k] * m_families.inverse().row(axis).transpose();
            const Vector3d stiff = contact.stiffness.transpose() * part;
            const Index slot = m_slot[static_cast<std::size_t>(position * axes + axis)];
            m_change[slot] -= part.dot(force);
            for (Index i = 0; i < count; ++i) m_matrix(slot, i) += stiff.dot(rows.col(i));
        }
    }
}

}  // namespace softcontact
