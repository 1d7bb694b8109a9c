// SPDX-License-Identifier: LGPL-2.1-or-later
// Contacts that have nothing to do with each other, and W of those that have, body by body.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <softcontact/solver/pivoted_root.hpp>
#include <softcontact/world/contact_rows.hpp>

namespace softcontact {

int ContactRows::find_islands(std::vector<int>& island_of) const
{
    std::vector<int> parent(m_blocks.size());
    std::iota(parent.begin(), parent.end(), 0);
    const auto root_of = [&parent](int block) {
        while (parent[static_cast<std::size_t>(block)] != block) {
            int& up = parent[static_cast<std::size_t>(block)];
            up = parent[static_cast<std::size_t>(up)];
            block = up;
        }
        return block;
    };
    for (const auto& owner : m_by_system) {
        for (const Entry& entry : owner.entries) {
            const int a = root_of(owner.entries.front().block), b = root_of(entry.block);
            parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
        }
    }
    island_of.resize(m_blocks.size());
    int count = 0;
    for (std::size_t b = 0; b < m_blocks.size(); ++b) {
        const int first = root_of(static_cast<int>(b));
        island_of[b] = first == static_cast<int>(b) ? count++ : island_of[static_cast<std::size_t>(first)];
    }
    return count;
}

bool ContactRows::is_rigid(std::span<const int> island_of, int island) const
{
    constexpr Index most_freedoms = 6;
    for (std::size_t s = 0; s < m_by_system.size(); ++s) {
        const auto& entries = m_by_system[s].entries;
        if (!entries.empty() && island_of[static_cast<std::size_t>(entries.front().block)] == island &&
            (*m_systems)[s]->dof() > most_freedoms) {
            return false;
        }
    }
    return true;
}

MatrixXd ContactRows::root(std::size_t system) const
{
    const auto& entries = m_by_system[system].entries;
    const System& body = *(*m_systems)[system];
    const Index dof = body.dof();
    Index rows = 0;
    for (const Entry& entry : entries) {
        rows += entry.rows;
    }
    MatrixXd columns(dof, rows);
    Index first = 0;
    for (const Entry& entry : entries) {
        if (entry.sparse) {
            break;
        }
        columns.middleCols(first, entry.rows) =
            Eigen::Map<const MatrixXd>(m_columns.data() + entry.columns, dof, entry.rows);
        first += entry.rows;
    }
    if (first == rows && body.half_solve(columns)) {
        return std::sqrt(m_step) * columns.transpose();
    }
    MatrixXd W(rows, rows);
    Index row = 0;
    for (const Entry& left : entries) {
        Index column = 0;
        for (const Entry& right : entries) {
            W.block(row, column, left.rows, right.rows) = compliance(left, right, dof);
            column += right.rows;
        }
        row += left.rows;
    }
    constexpr double round_off = 1e-14;
    PivotedRoot root;
    root.compute(rows, round_off, [&W](Index i, Index j) { return W(i, j); });
    return root.factor();
}

void ContactRows::describe(std::span<const int> island_of, int island, std::span<const RowMix> mixes,
                           double scale, BodyOperator& out) const
{
    std::vector<int> place(m_blocks.size(), -1);  // first row on the island
    int rows = 0;
    const auto on_island = [&](int block) { return island_of[static_cast<std::size_t>(block)] == island; };
    if (mixes.empty()) {
        for (int b = 0; b < block_count(); ++b) {
            if (on_island(b)) {
                place[static_cast<std::size_t>(b)] = rows;
                rows += block_rows(b);
            }
        }
    } else {
        rows = static_cast<int>(std::count_if(mixes.begin(), mixes.end(),
                                              [&](const RowMix& mix) { return on_island(mix.block); }));
    }
    out.clear(rows);
    struct Piece {
        int block = 0, body = 0;
        MatrixXd rows;
    };
    std::vector<Piece> pieces;
    for (std::size_t s = 0; s < m_by_system.size(); ++s) {
        const auto& entries = m_by_system[s].entries;
        if (entries.empty() || !on_island(entries.front().block)) {
            continue;
        }
        const MatrixXd G = std::sqrt(scale) * root(s);
        const int body = out.add_body(static_cast<int>(G.cols()));
        Index first = 0;
        for (const Entry& entry : entries) {
            pieces.push_back({entry.block, body, G.middleRows(first, entry.rows)});
            first += entry.rows;
        }
    }
    std::stable_sort(pieces.begin(), pieces.end(),
                     [](const Piece& a, const Piece& b) { return a.block < b.block; });
    const auto add = [&](int block, int row, const BlockVector* along) {
        out.begin_block(row);
        const auto range = std::equal_range(pieces.begin(), pieces.end(), Piece{block, 0, {}},
                                            [](const Piece& a, const Piece& b) { return a.block < b.block; });
        for (auto piece = range.first; piece != range.second; ++piece) {
            if (along == nullptr) {
                out.add_rows(piece->body, piece->rows);
            } else {
                out.add_rows(piece->body, along->transpose() * piece->rows);
            }
        }
    };
    int row = 0;
    for (int b = 0; mixes.empty() && b < block_count(); ++b) {
        if (on_island(b)) {
            add(b, place[static_cast<std::size_t>(b)], nullptr);
        }
    }
    for (const RowMix& mix : mixes) {
        if (on_island(mix.block)) {
            add(mix.block, row++, &mix.along);
        }
    }
    for (const auto& [block, at, compliance] : m_yields) {
        if (const int first = place[static_cast<std::size_t>(block)]; first >= 0) {
            out.yield(first + at, scale * compliance);
        }
    }
    out.prepare();
}

}  // namespace softcontact
