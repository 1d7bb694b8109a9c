// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <cmath>

#include "softcontact/geometry/aabb_tree.hpp"

namespace softcontact {

/// No point of a box goes further between two placements [m]: their difference is affine, so a corner does.
[[nodiscard]] inline double rigid_travel(const Aabb& box, const Pose& from, const Pose& to)
{
    double furthest = 0.0;
    for (int corner = 0; corner < 8; ++corner) {
        const Vector3d point((corner & 1) != 0 ? box.upper.x() : box.lower.x(),
                             (corner & 2) != 0 ? box.upper.y() : box.lower.y(),
                             (corner & 4) != 0 ? box.upper.z() : box.lower.z());
        furthest = std::max(furthest, (to * point - from * point).squaredNorm());
    }
    return std::sqrt(furthest);
}

}  // namespace softcontact
