// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/geometry/convex_shape.hpp"

namespace softcontact {

/// Signed distance of a point from a round shape [m], and the unit normal outwards, in the shape's axes.
struct RoundDistance {
    double gap = 0.0;
    Vector3d normal = Vector3d::UnitX();
};

/// In closed form, of a sphere, capsule or cylinder; inside it the nearest way out.
[[nodiscard]] RoundDistance distance_from_round(const ConvexShape& shape, const Vector3d& place);

}  // namespace softcontact
