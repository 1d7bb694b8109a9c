// SPDX-License-Identifier: LGPL-2.1-or-later
// A device's or tool's place and motion, as Python gives it.
#pragma once

#include <softcontact/haptics/rigid_state.hpp>

#include "world_arguments.hpp"

namespace softcontact::bindings {

/// Position, orientation (x, y, z, w), linear and angular velocity.
using Row13 = Eigen::Matrix<double, 13, 1>;

inline RigidPose pose_of(const Row13& values)
{
    return {values.head<3>(), Quaterniond(Eigen::Vector4d(values.segment<4>(3)))};
}

inline Twist twist_of(const Row13& values)
{
    return {values.segment<3>(7), values.tail<3>()};
}

}  // namespace softcontact::bindings
