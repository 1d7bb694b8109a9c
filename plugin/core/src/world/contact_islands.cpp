// SPDX-License-Identifier: LGPL-2.1-or-later
// Contacts that have nothing to do with each other, and W of those that have, body by body.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <softcontact/world/contact_rows.hpp>

namespace softcontact {

void ContactRows::find_islands(ContactIslands& islands) const
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
    std::vector<int> used, any_block;  // systems with contacts, and one of their blocks
    for (std::size_t s = 0; s < m_by_system.size(); ++s) {
        int first = -1;
        for_each_block(m_by_system[s], [&](int block) {
            first = first < 0 ? block : first;
            const int a = root_of(first), b = root_of(block);
            parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
        });
        if (first >= 0) {
            used.push_back(static_cast<int>(s));
            any_block.push_back(first);
        }
    }
    islands.of_block.resize(m_blocks.size());
    islands.rigid.clear();
    for (std::size_t b = 0; b < m_blocks.size(); ++b) {
        const int first = root_of(static_cast<int>(b));
        if (first == static_cast<int>(b)) {
            islands.of_block[b] = islands.count();
            islands.rigid.push_back(true);
        } else {
            islands.of_block[b] = islands.of_block[static_cast<std::size_t>(first)];
        }
    }
    const auto island_of = [&](int place) {
        const int block = any_block[static_cast<std::size_t>(place)];
        return islands.of_block[static_cast<std::size_t>(block)];
    };
    sort_by_group(static_cast<int>(used.size()), islands.count(), island_of, islands.first_system,
                  islands.systems);
    constexpr Index most_freedoms = 6;
    for (int& place : islands.systems) {
        const int island = island_of(place);
        place = used[static_cast<std::size_t>(place)];
        if ((*m_systems)[static_cast<std::size_t>(place)]->dof() > most_freedoms) {
            islands.rigid[static_cast<std::size_t>(island)] = false;
        }
    }
}

MatrixXd ContactRows::compliance_of(std::size_t system) const
{
    const auto& entries = m_by_system[system].entries;
    const Index dof = (*m_systems)[system]->dof();
    Index rows = 0;
    for (const Entry& entry : entries) {
        rows += entry.rows;
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
    return 0.5 * (W + W.transpose());
}

void ContactRows::describe(std::span<const int> systems, std::span<const int> blocks,
                           std::span<const RowMix> mixes, double scale, BodyOperator& out) const
{
    int rows = static_cast<int>(mixes.size());
    for (const int block : blocks) {
        rows += block_rows(block);
    }
    out.clear(rows);
    struct Piece {
        int block = 0, body = 0, first = 0;  ///< first column of the body's
        MatrixXd rows;
    };
    std::vector<Piece> pieces;
    for (const int system : systems) {
        const auto index = static_cast<std::size_t>(system);
        const bool of_links = (*m_systems)[index]->links() != nullptr;
        const MatrixXd G =
            of_links ? MatrixXd(std::sqrt(scale) * m_by_system[index].links.motions()) : MatrixXd();
        const int body = of_links ? out.add_body(static_cast<int>(G.cols()))
                                  : out.add_body(MatrixXd(scale * compliance_of(index)));
        int first = 0;
        for_each_block(m_by_system[index], [&](int block) {
            const int own = block_rows(block);
            if (of_links) {
                pieces.push_back({block, body, 0, G.middleRows(first, own)});
            } else {
                pieces.push_back({block, body, first, MatrixXd::Identity(own, own)});
            }
            first += own;
        });
    }
    std::stable_sort(pieces.begin(), pieces.end(),
                     [](const Piece& a, const Piece& b) { return a.block < b.block; });
    const auto add = [&](int block, int row, const BlockVector* along) {
        out.begin_block(row);
        const auto range = std::equal_range(pieces.begin(), pieces.end(), Piece{block, 0, 0, {}},
                                            [](const Piece& a, const Piece& b) { return a.block < b.block; });
        for (auto piece = range.first; piece != range.second; ++piece) {
            if (along == nullptr) {
                out.add_rows(piece->body, piece->rows, piece->first);
            } else {
                out.add_rows(piece->body, along->transpose() * piece->rows, piece->first);
            }
        }
    };
    int row = 0;
    for (const int block : blocks) {
        add(block, row, nullptr);
        auto own = std::lower_bound(m_yields.begin(), m_yields.end(), block,
                                    [](const Yield& yield, int b) { return yield.block < b; });
        for (; own != m_yields.end() && own->block == block; ++own) {
            out.yield(row + own->row, scale * own->compliance);
        }
        row += block_rows(block);
    }
    for (const RowMix& mix : mixes) {
        add(mix.block, row++, &mix.along);
    }
    out.prepare();
}

}  // namespace softcontact
