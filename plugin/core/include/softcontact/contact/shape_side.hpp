// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>

#include "softcontact/contact/contact_point.hpp"
#include "softcontact/geometry/convex_shape.hpp"

namespace softcontact {

/// The side of a shape that faces a direction: a flat face, a cap of a cylinder as points of its rim, a line
/// of its mantle, or the axis or centre under a layer.
struct ShapeSide {
    static constexpr int most_points = ConvexShape::most_corners;
    static constexpr int rim_points = 8;

    /// towards: unit, in the world, to the other body.
    ShapeSide(const PlacedShape& placed, const Vector3d& towards);

    std::array<Vector3d, most_points>
        points;  ///< of the core, in the world; of faces counter-clockwise from outside
    int count = 0;
    bool endless = false;                ///< of a plane: one point, and no rim
    Vector3d normal = Vector3d::Zero();  ///< of a face or cap, outwards; else zero
    int number = 0;                      ///< of the side on its shape
    bool cap = false;                    ///< points on a circle
    Vector3d arm = Vector3d::Zero();     ///< from the axis of a cylinder to its mantle [m]

    /// A point of the core on this side, as contacts keep it.
    [[nodiscard]] SurfacePoint surface_point(const PlacedShape& placed, const Vector3d& on_core) const;
    [[nodiscard]] bool is_flat() const { return endless || count > 2; }
};

}  // namespace softcontact
