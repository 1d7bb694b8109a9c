// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>
#include <softcontact/world/link_rows.hpp>

namespace softcontact {

namespace {

constexpr int stretch = BlockRows::stretch;

/// Stretches that all rows of `half` that are not zero lie in.
void list_stretches(const MatrixXd& half, std::vector<int>& out)
{
    out.clear();
    for (int k = 0; k < half.rows(); ++k) {
        if (!half.row(k).isZero(0.0)) {
            out.push_back(k);
            k += stretch - 1;
        }
    }
}

auto stretch_of(const MatrixXd& half, int first)
{
    return half.middleRows(first, std::min<Index>(stretch, half.rows() - first));
}

}  // namespace

void LinkRows::clear()
{
    m_entries.clear();
    m_wrenches.clear();
    m_count = 0;
    m_coordinate_count = 0;
}

LinkRows::Entry& LinkRows::open(const Entry& block)
{
    if (m_entries.empty() || m_entries.back().block != block.block) {
        m_entries.push_back(block);
    }
    return m_entries.back();
}

void LinkRows::add_wrenches(const LinkCarrier& carrier, const Entry& block, int link,
                            const Wrenches& wrenches)
{
    const auto end = m_reaches.begin() + static_cast<std::ptrdiff_t>(m_count);
    auto reach = std::find_if(m_reaches.begin(), end, [link](const Reach& r) { return r.link == link; });
    if (reach == end) {
        if (m_count == m_reaches.size()) {
            m_reaches.emplace_back();
        }
        reach = m_reaches.begin() + static_cast<std::ptrdiff_t>(m_count++);
        reach->link = link;
        carrier.write_wrenches(link, reach->columns);
    }
    Entry& entry = open(block);
    const std::size_t side = entry.reaches[0] == none ? 0 : 1;
    entry.reaches[side] = static_cast<int>(reach - m_reaches.begin());
    entry.wrenches[side] = m_wrenches.size();
    m_wrenches.insert(m_wrenches.end(), wrenches.data(), wrenches.data() + wrenches.size());
}

void LinkRows::add_coordinate(const Entry& block, Index coordinate, double sign)
{
    Entry& entry = open(block);
    entry.coordinate = coordinate;
    entry.sign = sign;
    entry.column = m_coordinate_count++;
}

void LinkRows::prepare(const LinkCarrier& carrier, double step)
{
    m_root = std::sqrt(step);
    m_dof = carrier.freedoms();
    for (std::size_t k = 0; k < m_count; ++k) {
        Reach& reach = m_reaches[k];
        reach.half = reach.columns;
        carrier.half_solve(reach.half);
        list_stretches(reach.half, reach.stretches);
    }
    m_coordinates.setZero(m_dof, m_coordinate_count);
    for (const Entry& entry : m_entries) {
        if (entry.coordinate != none) {
            m_coordinates(entry.coordinate, entry.column) = entry.sign;
        }
    }
    carrier.half_solve(m_coordinates);
}

void LinkRows::write_half(const Entry& entry, MatrixXd& out) const
{
    if (entry.coordinate != none) {
        out = m_coordinates.col(entry.column);
        return;
    }
    out.noalias() = reach(entry, 0).half * wrenches(entry, 0);
    if (entry.reaches[1] != none) {
        out.noalias() += reach(entry, 1).half * wrenches(entry, 1);
    }
}

void LinkRows::hand_motions(int first, BlockRows& W) const
{
    MatrixXd half;
    std::vector<int> stretches;
    BlockRows::Motions rows;
    for (const Entry& entry : m_entries) {
        const auto hand = [&](int k, const auto& transposed) {
            rows.setZero(entry.rows, stretch);
            rows.leftCols(transposed.cols()) = m_root * transposed;
            W.add_motions(entry.block, first + k, rows);
        };
        if (entry.coordinate == none && entry.reaches[1] == none) {
            for (const int k : reach(entry, 0).stretches) {
                hand(k, wrenches(entry, 0).transpose().lazyProduct(
                            stretch_of(reach(entry, 0).half, k).transpose()));
            }
            continue;
        }
        write_half(entry, half);
        list_stretches(half, stretches);
        for (const int k : stretches) {
            hand(k, stretch_of(half, k).transpose());
        }
    }
}

MatrixXd LinkRows::motions() const
{
    Index rows = 0;
    for (const Entry& entry : m_entries) {
        rows += entry.rows;
    }
    MatrixXd G(rows, m_dof), half;
    rows = 0;
    for (const Entry& entry : m_entries) {
        write_half(entry, half);
        G.middleRows(rows, entry.rows) = m_root * half.transpose();
        rows += entry.rows;
    }
    return G;
}

void LinkRows::project(const VectorXd& velocity, std::vector<double>& rows) const
{
    m_twists.resize(6, static_cast<Index>(m_count));
    for (std::size_t k = 0; k < m_count; ++k) {
        m_twists.col(static_cast<Index>(k)).noalias() = m_reaches[k].columns.transpose() * velocity;
    }
    for (const Entry& entry : m_entries) {
        Eigen::Map<VectorXd> own(rows.data() + entry.offset, entry.rows);
        if (entry.coordinate != none) {
            own[0] += entry.sign * velocity[entry.coordinate];
            continue;
        }
        for (std::size_t side = 0; side < 2 && entry.reaches[side] != none; ++side) {
            own += wrenches(entry, side).transpose().lazyProduct(m_twists.col(entry.reaches[side]));
        }
    }
}

void LinkRows::respond(const LinkCarrier& carrier, const Eigen::Ref<const VectorXd>& multipliers,
                       Eigen::Ref<VectorXd> out) const
{
    out.setZero();
    m_twists.setZero(6, static_cast<Index>(m_count));
    for (const Entry& entry : m_entries) {
        const auto own = multipliers.segment(entry.offset, entry.rows);
        if (entry.coordinate != none) {
            out += own[0] * m_coordinates.col(entry.column);
            continue;
        }
        for (std::size_t side = 0; side < 2 && entry.reaches[side] != none; ++side) {
            m_twists.col(entry.reaches[side]) += wrenches(entry, side).lazyProduct(own);
        }
    }
    for (std::size_t k = 0; k < m_count; ++k) {
        out.noalias() += m_reaches[k].half * m_twists.col(static_cast<Index>(k));
    }
    carrier.other_half(out);
}

void LinkRows::generalized_forces(Eigen::Ref<MatrixXd> columns) const
{
    for (const Entry& entry : m_entries) {
        auto own = columns.middleCols(entry.offset, entry.rows);
        if (entry.coordinate != none) {
            own(entry.coordinate, 0) = entry.sign;
            continue;
        }
        for (std::size_t side = 0; side < 2 && entry.reaches[side] != none; ++side) {
            own += reach(entry, side).columns * wrenches(entry, side);
        }
    }
}

}  // namespace softcontact
