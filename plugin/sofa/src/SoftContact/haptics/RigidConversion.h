// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <sofa/defaulttype/RigidTypes.h>

#include <softcontact/haptics/rigid_state.hpp>

namespace softcontact::plugin {

using sofa::defaulttype::Rigid3Types;

[[nodiscard]] inline Vector3d eigen(const sofa::type::Vec3& v)
{
    return {v[0], v[1], v[2]};
}

[[nodiscard]] inline sofa::type::Vec3 sofaVector(const Vector3d& v)
{
    return {v[0], v[1], v[2]};
}

/// A quaternion that is none (zero, as GeomagicDriver hands over) stays zero.
[[nodiscard]] inline RigidPose eigen(const Rigid3Types::Coord& pose)
{
    const auto& q = pose.getOrientation();
    return {eigen(pose.getCenter()), Quaterniond(q[3], q[0], q[1], q[2])};
}

[[nodiscard]] inline Twist eigen(const Rigid3Types::Deriv& motion)
{
    return {eigen(motion.getLinear()), eigen(motion.getAngular())};
}

[[nodiscard]] inline Rigid3Types::Deriv sofaDeriv(const Vector6d& v)
{
    return {sofaVector(v.head<3>()), sofaVector(v.tail<3>())};
}

[[nodiscard]] inline Rigid3Types::Coord sofaPose(const RigidPose& pose)
{
    const Quaterniond& q = pose.orientation;
    return {sofaVector(pose.position), sofa::type::Quat<SReal>(q.x(), q.y(), q.z(), q.w())};
}

}  // namespace softcontact::plugin
