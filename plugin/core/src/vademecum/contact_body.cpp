// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/vademecum/contact_body.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace softcontact {

ContactBody::ContactBody(const SeparatedField& field, Points nodes, LoadFamilies families,
                         MaterialPoints shell, Index capacity)
    : m_families(std::move(families)),
      m_nodes(std::move(nodes)),
      m_shell(std::move(shell)),
      m_capacity(std::max(capacity, m_families.axis_count())),
      m_loaded(field, m_capacity + static_cast<Index>(most_held)),
      m_tangent(field, m_capacity + static_cast<Index>(most_held), m_capacity)
{
    if (m_nodes.cols() != field.node_count() || !m_nodes.allFinite()) {
        throw std::invalid_argument("nodes: expected the finite positions of the field's " +
                                    std::to_string(field.node_count()) + " nodes");
    }
    if (m_shell.shares.cols() != m_shell.count() || !m_shell.shares.allFinite() ||
        (m_shell.count() > 0 &&
         (m_shell.nodes.minCoeff() < 0 || m_shell.nodes.maxCoeff() >= m_nodes.cols()))) {
        throw std::invalid_argument("shell: expected nodes of the body, and a finite share of each");
    }
    m_smallest_extent = (m_nodes.rowwise().maxCoeff() - m_nodes.rowwise().minCoeff()).minCoeff();
    const auto keys = static_cast<std::size_t>(m_families.loaded_count() * m_families.axis_count());
    m_size.assign(keys, 0.0);
    m_wanted.assign(keys, 0.0);
    m_slot.assign(keys, -1);
    for (auto* list : {&m_active, &m_all}) list->reserve(keys);
    for (auto* list : {&m_held_sizes, &m_sizes, &m_slopes}) list->reserve(keys + most_held);
    for (auto* list : {&m_held_cases, &m_cases}) list->reserve(keys + most_held);
    const auto count = static_cast<std::size_t>(m_nodes.cols());
    m_node_slot.assign(count, -1);
    m_touched.reserve(count);
    m_place_of_node.assign(count, -1);
    for (Index i = 0; i < m_shell.count(); ++i) {
        for (int k = 0; k < 3; ++k) {
            Index& place = m_place_of_node[static_cast<std::size_t>(m_shell.nodes(k, i))];
            if (place >= 0) continue;
            place = static_cast<Index>(m_shell_nodes.size());
            m_shell_nodes.push_back(m_shell.nodes(k, i));
        }
    }
    m_shell_positions.setZero(3, static_cast<Index>(m_shell_nodes.size()));
    for (int corner = 0; corner < 8; ++corner) {
        const Vector3d way((corner & 1) != 0 ? 1 : -1, (corner & 2) != 0 ? 1 : -1,
                           (corner & 4) != 0 ? 1 : -1);
        Index furthest = 0;
        (way.transpose() * m_nodes).maxCoeff(&furthest);
        m_ends.push_back(static_cast<int>(furthest));
    }
    m_moves.setZero(3 * m_nodes.cols(), m_capacity);
    m_bend.setZero(field.mode_count());
}

bool ContactBody::hold(std::span<const Index> cases, std::span<const double> sizes) noexcept
{
    if (cases.size() != sizes.size() || cases.size() > most_held) return false;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        if (cases[i] < 0 || cases[i] >= m_loaded.field().case_count() || !std::isfinite(sizes[i]))
            return false;
    }
    m_held_cases.assign(cases.begin(), cases.end());
    m_held_sizes.assign(sizes.begin(), sizes.end());
    return true;
}

void ContactBody::release() noexcept
{
    std::fill(m_size.begin(), m_size.end(), 0.0);
}

LoadFamilies::Load ContactBody::load(Index number) const noexcept
{
    const auto found = static_cast<Index>(key(number));
    return m_families.load(found / axis_count(), found % axis_count(), size(number));
}

void ContactBody::list_loads() noexcept
{
    m_cases.assign(m_held_cases.begin(), m_held_cases.end());
    m_sizes.assign(m_held_sizes.begin(), m_held_sizes.end());
    m_slopes.clear();
    for (Index i = 0; i < load_count(); ++i) {
        const auto each = load(i);
        m_slopes.push_back(each.slope);
        m_cases.push_back(each.load_case);
        m_sizes.push_back(each.size);
    }
}

void ContactBody::predict() noexcept
{
    list_loads();
    m_loaded.predict(m_cases, m_sizes);
}

void ContactBody::place_shell(const Matrix3d& turn, const Vector3d& shift, Eigen::Ref<Points> out) noexcept
{
    m_loaded.displacements(m_shell_nodes, m_shell_positions);
    for (std::size_t i = 0; i < m_shell_nodes.size(); ++i) {
        const auto column = static_cast<Index>(i);
        const Vector3d place = m_nodes.col(m_shell_nodes[i]) + m_shell_positions.col(column);
        m_shell_positions.col(column) = turn * place + shift;
    }
    for (Index i = 0; i < m_shell.count(); ++i) {
        out.col(i).setZero();
        for (int k = 0; k < 3; ++k) {
            const Index place = m_place_of_node[static_cast<std::size_t>(m_shell.nodes(k, i))];
            out.col(i) += m_shell.shares(k, i) * m_shell_positions.col(place);
        }
    }
}

void ContactBody::begin() noexcept
{
    for (const Index each : m_all) {
        m_slot[static_cast<std::size_t>(each)] = -1;
        m_wanted[static_cast<std::size_t>(each)] = 0.0;
    }
    m_all.clear();
    for (const Index each : m_active) {  // what was loaded, too, so that it can let go
        if (m_size[static_cast<std::size_t>(each)] == 0.0) continue;
        m_all.push_back(each);
        m_slot[static_cast<std::size_t>(each)] = 0;
    }
}

void ContactBody::want(const Eigen::Ref<const Eigen::Vector3i>& nodes, const Vector3d& shares,
                       const Vector3d& force) noexcept
{
    for (int k = 0; k < 3; ++k) {
        const Index position = shares[k] == 0.0 ? -1 : m_families.position(nodes[k]);
        if (position < 0) continue;
        for (Index axis = 0; axis < axis_count(); ++axis) {
            const auto each = static_cast<std::size_t>(position * axis_count() + axis);
            if (m_slot[each] < 0) m_all.push_back(static_cast<Index>(each));
            m_slot[each] = 0;
            m_wanted[each] += shares[k] * m_families.inverse().row(axis).dot(force);
        }
    }
}

void ContactBody::settle() noexcept
{
    m_active.assign(m_all.begin(), m_all.end());
    if (load_count() > m_capacity) join();
    std::sort(m_active.begin(), m_active.end());
    for (Index i = 0; i < load_count(); ++i) m_slot[key(i)] = i;
    for (const Index each : m_all) {  // what was joined: −2 − the key that it went to
        Index& slot = m_slot[static_cast<std::size_t>(each)];
        if (slot <= -2) slot = m_slot[static_cast<std::size_t>(-2 - slot)];
    }
}

void ContactBody::join() noexcept
{
    const Index axes = axis_count();
    const auto weight = [&](Index each) {
        const auto i = static_cast<std::size_t>(each);
        return std::abs(m_size[i]) + std::abs(m_wanted[i]);
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
    const auto kept = m_active.begin() + m_capacity;
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

void ContactBody::differentiate() noexcept
{
    predict();  // what has come is there with no size yet
    m_tangent.update(m_loaded, static_cast<Index>(m_held_cases.size()));
    for (const int node : m_touched) m_node_slot[static_cast<std::size_t>(node)] = -1;
    m_touched.clear();
}

Index ContactBody::touch(int node) noexcept
{
    Index& slot = m_node_slot[static_cast<std::size_t>(node)];
    if (slot >= 0) return slot;
    slot = static_cast<Index>(m_touched.size());
    m_touched.push_back(node);
    auto moves = m_moves.block(3 * slot, 0, 3, load_count());
    m_tangent.at(node, moves);
    // a negative size along an axis may be a positive one of another family
    for (Index i = 0; i < load_count(); ++i) moves.col(i) *= m_slopes[static_cast<std::size_t>(i)];
    return slot;
}

void ContactBody::add_moves(const Eigen::Ref<const Eigen::Vector3i>& nodes, const Vector3d& shares,
                            const Matrix3d& turn, Eigen::Ref<MatrixXd> out) noexcept
{
    const Index count = load_count();
    for (int k = 0; k < 3; ++k) {
        if (shares[k] == 0.0) continue;
        const Matrix3d part = shares[k] * turn;
        const auto moves = m_moves.block(3 * touch(nodes[k]), 0, 3, count);
        for (Index i = 0; i < count; ++i) out.col(i).noalias() += part * moves.col(i);
    }
}

double ContactBody::way(const Eigen::Ref<const VectorXd>& change) noexcept
{
    m_bend.setZero();
    for (Index i = 0; i < load_count(); ++i) {
        m_bend += m_slopes[static_cast<std::size_t>(i)] * change[i] * m_tangent.amplitudes().col(i);
    }
    double most = 0.0;
    for (const int node : m_ends) {
        const Vector3d moved =
            m_loaded.field().solution().modes.middleCols<3>(3 * node).transpose().lazyProduct(m_bend);
        most = std::max(most, moved.norm());
    }
    return most;
}

void ContactBody::step(const Eigen::Ref<const VectorXd>& change) noexcept
{
    for (Index i = 0; i < load_count(); ++i) m_size[key(i)] += change[i];
}

}  // namespace softcontact
