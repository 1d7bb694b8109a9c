// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/types.hpp>
#include <vector>

namespace softcontact {

/// Splits the vertices of a surface into clusters that fit into about `size` [m], > 0.
///
/// Seeds are taken farthest from one another, from vertex 0 on, until no vertex is further than size/2 from
/// its seed; each vertex belongs to its nearest seed. Vertices whose normals enclose more than a right angle
/// never share a seed, so that the two sides of a sheet stay apart. The clusters belong to the material:
/// contact that moves over a surface passes from one to the next, and nothing flickers. Deterministic.
///
/// normals (3, n), zero where unknown. Returns the cluster of each vertex, numbered from 0.
/// Raises std::invalid_argument where size is not positive or normals do not fit.
[[nodiscard]] std::vector<int> cluster_vertices(const Points& vertices, const Points& normals, double size);

}  // namespace softcontact
