// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cstdint>
#include <softcontact/geometry/surface.hpp>
#include <span>

#include "softcontact/types.hpp"

namespace softcontact {

/// Points side by side along x, y and z.
struct SpaceGrid {
    Vector3d origin = Vector3d::Zero();       ///< lowest corner [m]
    Vector3d spacing = Vector3d::Ones();      ///< [m]
    std::array<Index, 3> counts = {0, 0, 0};  ///< of points

    [[nodiscard]] Index size() const { return counts[0] * counts[1] * counts[2]; }
    [[nodiscard]] Vector3d at(Index i, Index j, Index k) const
    {
        return origin + spacing.cwiseProduct(
                            Vector3d(static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)));
    }
};

/// States of a boundary that one call works on: nodes (states × n × 3) [m].
using BoundaryStates = std::span<const double>;

/// Signed distances [m] of a grid's points to a boundary in some states, shared out to threads by state; what
/// comes out does not depend on how many there are.
/// @param surface the boundary anyhow placed: its triangles count.
/// @param out (states × points), z fastest.
/// @throws std::invalid_argument sizes that do not fit, or no thread.
void tabulate_distances(const Surface& surface, BoundaryStates states, const SpaceGrid& grid,
                        std::span<float> out, int threads);

}  // namespace softcontact
