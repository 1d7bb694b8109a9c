// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>

#include "softcontact/types.hpp"

namespace softcontact {

/// Numbers that are worked on side by side.
inline constexpr int pack_size = 8;
struct alignas(64) PackedNumbers : std::array<double, pack_size> {};
using PackedPoints = std::array<PackedNumbers, 3>;  ///< x, y, z

/// Triangles whose distances to a point are asked together, with what of those does not depend on the point.
struct TrianglePack {
    PackedPoints corner;                                           ///< a [m]
    PackedPoints first, second;                                    ///< b − a, c − a [m]
    PackedNumbers first_squared, second_squared, together;         ///< their squares and their product [m²]
    PackedNumbers per_first, per_second, per_third, per_parallel;  ///< 1/|b − a|², 1/|c − a|², 1/|c − b|²,
                                                                   ///< 1/|(b − a) × (c − a)|²; 0 where none
    std::array<int, pack_size> triangle;                           ///< numbers, ascending

    /// Put the corners of a triangle into a lane.
    void set(int lane, int number, const Vector3d& a, const Vector3d& b, const Vector3d& c);
    /// Work out the rest once all corners are there.
    void complete() noexcept;
};

/// Boxes around what is below each of them.
struct BoxPack {
    PackedPoints lower, upper;
};

/// A triangle of a pack that is nearest to a point: the first of equally near ones.
struct PackNearest {
    double squared_distance;  ///< [m²]
    int lane;
};

/// Distances of a point to each triangle are those to a point that it has, so never too short by more than
/// round-off. The processor's widest registers are used, with the same bits whatever they are.
[[nodiscard]] PackNearest nearest_of_pack(const TrianglePack& pack, const Vector3d& point) noexcept;

/// Squared distances [m²] to the boxes, 0 inside; infinite to a box that is empty.
void squared_distances(const BoxPack& pack, const Vector3d& point, PackedNumbers& out) noexcept;

}  // namespace softcontact
