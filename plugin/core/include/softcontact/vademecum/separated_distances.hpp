// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cstdint>
#include <softcontact/types.hpp>
#include <span>
#include <vector>

namespace softcontact {

/// Distances at the points of a grid for many states, separated block by block: at a point x of a block,
///     d(x, s) = Σ_k scale_k F_k(x) G_k(s),        k over the terms of the block.
/// A block has `block` points along each edge, fewer at the grid's far sides; blocks, points of a block and
/// states are numbered with z fastest. What the spans show has to live as long as what is made of it.
struct SeparatedTable {
    Vector3d origin = Vector3d::Zero();       ///< lowest corner [m]
    Vector3d spacing = Vector3d::Ones();      ///< of the grid points [m], > 0
    std::array<Index, 3> counts = {0, 0, 0};  ///< grid points along x, y, z, two or more each
    Index block = 1;                          ///< 1 or more
    std::span<const std::uint32_t> starts;  ///< (blocks + 1): block b has the terms starts[b] … starts[b + 1]
    std::span<const std::int8_t> places;    ///< F: block, point, term
    std::span<const std::int8_t> states;    ///< G: state, term
    std::span<const float> scales;          ///< of each term [m]
    double bound = 0.0;                     ///< by how much a distance may be wrong [m]
};

/// The values of a separated table, one by one or all of a state. Nothing allocates after the construction.
class SeparatedDistances {
public:
    /// @throws std::invalid_argument arrays that do not fit together, or scales or a bound that are not
    /// finite.
    explicit SeparatedDistances(const SeparatedTable& table);

    [[nodiscard]] const SeparatedTable& table() const noexcept { return m_table; }
    [[nodiscard]] Index state_count() const noexcept { return m_states; }

    /// Distance [m] at the grid point (i, j, k), which there has to be.
    [[nodiscard]] double value(Index state, Index i, Index j, Index k) const noexcept;

    /// Distances [m] at all grid points, z fastest; `out` has as many.
    void expand(Index state, std::span<float> out) const noexcept;

private:
    /// Where a number along an axis lies.
    struct Line {
        Index block = 0;
        Index place = 0;  ///< in the block
        Index width = 1;  ///< of the block
    };

    SeparatedTable m_table;
    std::array<std::vector<Line>, 3> m_lines;
    std::array<Index, 3> m_blocks = {0, 0, 0};
    std::vector<Index> m_offsets;  ///< where the places of each block begin
    Index m_terms = 0, m_states = 0;
};

}  // namespace softcontact
