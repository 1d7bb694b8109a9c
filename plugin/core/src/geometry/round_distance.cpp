// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/geometry/round_distance.hpp"

#include <algorithm>
#include <cmath>

namespace softcontact {

RoundDistance distance_from_round(const ConvexShape& shape, const Vector3d& place)
{
    RoundDistance found;
    if (!shape.is_cylinder()) {
        const double half = std::abs(shape.corners()(2, shape.corners().cols() - 1));  // of the axis, or 0
        const Vector3d from = place - Vector3d(0.0, 0.0, std::clamp(place.z(), -half, half));
        const double away = from.norm();
        if (away > 0.0) found.normal = from / away;
        found.gap = away - shape.radius();
        return found;
    }
    const Vector3d across(place.x(), place.y(), 0.0), up(0.0, 0.0, std::copysign(1.0, place.z()));
    const double from_axis = across.norm();
    const Vector3d out = from_axis > 0.0 ? Vector3d(across / from_axis) : Vector3d(Vector3d::UnitX());
    const double beside = from_axis - shape.disc_radius(), above = std::abs(place.z()) - shape.half_height();
    if (beside > 0.0 && above > 0.0) {
        found.gap = std::hypot(beside, above);
        found.normal = (beside * out + above * up) / found.gap;
    } else {
        found.gap = std::max(beside, above);
        found.normal = beside > above ? out : up;
    }
    return found;
}

}  // namespace softcontact
