// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/geometry/impact_share.hpp"

#include <algorithm>
#include <cmath>

#include "softcontact/geometry/shape_separation.hpp"

namespace softcontact {
namespace {

/// Angle of the turn within the step [rad].
double turn(const MovingShape& moving)
{
    const Quaterniond start(moving.start.rotation), end(moving.end.rotation);
    return start.angularDistance(end);
}

}  // namespace

PlacedShape MovingShape::at(double share) const
{
    const Quaterniond from(start.rotation), to(end.rotation);
    return {shape,
            {from.slerp(share, to).toRotationMatrix(),
             start.translation + share * (end.translation - start.translation)}};
}

double impact_share(const MovingShape& a, const MovingShape& b, double distance)
{
    constexpr int most_steps = 100;
    constexpr double safety = 0.1;
    const Vector3d approach =
        (a.end.translation - a.start.translation) - (b.end.translation - b.start.translation);
    // What turns moves no point further than its angle times its reach; of a plane what lies under the other
    // shape.
    const auto reach = [](const MovingShape& moving, const MovingShape& other) {
        if (!moving.shape->is_plane()) return moving.shape->reach();
        return other.shape->reach() + std::max((other.start.translation - moving.start.translation).norm(),
                                               (other.end.translation - moving.end.translation).norm());
    };
    const double turning = turn(a) * reach(a, b) + turn(b) * reach(b, a);
    double share = 0.0;
    for (int step = 0; step < most_steps; ++step) {
        const ShapeSeparation apart = separation(a.at(share), b.at(share));
        if (apart.gap <= distance) return share;
        const double closing = turning - apart.normal.dot(approach);
        if (!(closing > 0.0)) return 1.0;  // along this normal they never meet
        share += (apart.gap - (1.0 - safety) * distance) / closing;
        if (share >= 1.0) return 1.0;
    }
    return share;
}

}  // namespace softcontact
