// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/geometry/convex_shape.hpp"

namespace softcontact {

/// A shape that goes from one placement to another within a step: its origin straight, its rotation evenly.
struct MovingShape {
    const ConvexShape* shape;
    Pose start, end;

    [[nodiscard]] PlacedShape at(double share) const;
};

/// Share of the step at which two shapes first come as near as `distance` [m] > 0, on the safe side by a
/// tenth of that; 1 where they do not. Conservative advancement: no step is larger than what the motion may
/// close. Source: Mirtich 1996, Impulse-based dynamic simulation of rigid body systems, Sec. 2.3.
[[nodiscard]] double impact_share(const MovingShape& a, const MovingShape& b, double distance);

}  // namespace softcontact
