// SPDX-License-Identifier: LGPL-2.1-or-later
// Spatial algebra shared by the articulated-body recursions: vectors (linear, angular) in link axes.
#pragma once

#include <vector>

#include "softcontact/bodies/articulated.hpp"

namespace softcontact::spatial {

template <typename Item>
Item& at(std::vector<Item>& items, int i)
{
    return items[static_cast<std::size_t>(i)];
}

template <typename Item>
const Item& at(const std::vector<Item>& items, int i)
{
    return items[static_cast<std::size_t>(i)];
}

/// `local`: the child's frame in the parent's.
inline Vector6d motion_to_child(const Pose& local, const Vector6d& motion)
{
    const Vector3d angular = motion.tail<3>();
    Vector6d result;
    result.head<3>() = local.rotation.transpose() * (motion.head<3>() + angular.cross(local.translation));
    result.tail<3>() = local.rotation.transpose() * angular;
    return result;
}

inline Vector6d force_to_parent(const Pose& local, const Vector6d& force)
{
    Vector6d result;
    result.head<3>() = local.rotation * force.head<3>();
    result.tail<3>() = local.rotation * force.tail<3>() + local.translation.cross(result.head<3>());
    return result;
}

/// Rate of change of a motion vector carried along by `velocity`.
inline Vector6d cross_motion(const Vector6d& velocity, const Vector6d& motion)
{
    const Vector3d linear = velocity.head<3>();
    const Vector3d angular = velocity.tail<3>();
    Vector6d result;
    result.head<3>() = angular.cross(motion.head<3>()) + linear.cross(motion.tail<3>());
    result.tail<3>() = angular.cross(motion.tail<3>());
    return result;
}

/// Rate of change of a force vector carried along by `velocity`.
inline Vector6d cross_force(const Vector6d& velocity, const Vector6d& force)
{
    const Vector3d linear = velocity.head<3>();
    const Vector3d angular = velocity.tail<3>();
    Vector6d result;
    result.head<3>() = angular.cross(force.head<3>());
    result.tail<3>() = angular.cross(force.tail<3>()) + linear.cross(force.head<3>());
    return result;
}

/// S v of link i's own joint.
inline Vector6d joint_rate(const ArticulatedModel& model, const ArticulatedData& data, int i,
                           const Eigen::Ref<const VectorXd>& v)
{
    Vector6d rate = Vector6d::Zero();
    const int offset = model.v_offset(i);
    for (int k = offset; k < offset + model.dofs(i); ++k) rate += v[k] * data.motion.col(k);
    return rate;
}

/// forward_velocity without poses in the world.
void link_velocity(const ArticulatedModel& model, ArticulatedData& data, const Eigen::Ref<const VectorXd>& q,
                   const Eigen::Ref<const VectorXd>& v);

}  // namespace softcontact::spatial
