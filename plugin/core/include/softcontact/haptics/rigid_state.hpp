// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/types.hpp>

namespace softcontact {

/// Where a device or a tool is: position [m] and orientation (unit), frame to world.
struct RigidPose {
    Vector3d position = Vector3d::Zero();
    Quaterniond orientation = Quaterniond::Identity();

    [[nodiscard]] Vector3d operator*(const Vector3d& local) const { return orientation * local + position; }
    [[nodiscard]] bool finite() const
    {
        return position.allFinite() && orientation.coeffs().allFinite() && orientation.norm() > 0.5;
    }
};

/// Velocity of a rigid frame in world axes [m/s], [rad/s].
struct Twist {
    Vector3d linear = Vector3d::Zero();
    Vector3d angular = Vector3d::Zero();

    [[nodiscard]] Vector6d vector() const { return (Vector6d() << linear, angular).finished(); }
    [[nodiscard]] bool finite() const { return linear.allFinite() && angular.allFinite(); }
};

/// Force [N] and torque [N·m] in world axes.
struct Wrench {
    Vector3d force = Vector3d::Zero();
    Vector3d torque = Vector3d::Zero();

    [[nodiscard]] Vector6d vector() const { return (Vector6d() << force, torque).finished(); }
    [[nodiscard]] static Wrench from(const Vector6d& v) { return {v.head<3>(), v.tail<3>()}; }
};

/// [v]× with [v]× w = v × w.
[[nodiscard]] inline Matrix3d cross_matrix(const Vector3d& v)
{
    return (Matrix3d() << 0.0, -v.z(), v.y(), v.z(), 0.0, -v.x(), -v.y(), v.x(), 0.0).finished();
}

/// Rotation vector of a unit quaternion, at most π long [rad].
[[nodiscard]] Vector3d rotation_vector(const Quaterniond& rotation);
/// Unit quaternion of a rotation vector [rad].
[[nodiscard]] Quaterniond rotation_of(const Vector3d& vector);

/// Displacement that takes `from` to `to`: position difference, and rotation vector in world axes.
[[nodiscard]] Vector6d displacement(const RigidPose& from, const RigidPose& to);

}  // namespace softcontact
