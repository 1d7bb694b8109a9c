// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string_view>

#include "softcontact/types.hpp"

namespace softcontact {

/// Joints of an articulated body. Rates are expressed in the child's axes.
///
/// | joint     | q                                   | nv | v                                      |
/// |-----------|-------------------------------------|----|----------------------------------------|
/// | fixed     | -                                   | 0  | -                                      |
/// | revolute  | angle [rad]                         | 1  | rate about axis [rad/s]                |
/// | prismatic | travel [m]                          | 1  | rate along axis [m/s]                  |
/// | universal | angle about axis, then about axis2  | 2  | their rates [rad/s]                    |
/// | spherical | quaternion (x, y, z, w), child to joint frame | 3 | angular velocity [rad/s]      |
/// | free      | position [m] (3), quaternion (4)    | 6  | (linear [m/s], angular [rad/s])        |
enum class JointType { fixed, revolute, prismatic, universal, spherical, free };

[[nodiscard]] int configuration_size(JointType type);  ///< nq
[[nodiscard]] int velocity_size(JointType type);       ///< nv

/// Joint named as in the enumeration. Throws std::invalid_argument listing the names on any other word.
[[nodiscard]] JointType joint_type(std::string_view name);
[[nodiscard]] std::string_view joint_name(JointType type);

/// Unit quaternion of the rotation vector `rotation` [rad]. Series below 1e-4 rad, where it is exact to
/// round-off.
[[nodiscard]] Quaterniond exponential(const Vector3d& rotation);

/// Rotation vector in [-pi, pi] of a unit quaternion; q and -q give the same.
[[nodiscard]] Vector3d logarithm(const Quaterniond& quaternion);

/// Motion of the child frame in the joint frame at configuration q (nq entries).
/// Quaternions are normalised on the way, so that drift never scales a rotation.
[[nodiscard]] Pose joint_pose(JointType type, const Vector3d& axis, const Vector3d& axis2, const double* q);

/// q ⊕ dv, one joint: the rate held constant in the child's axes for unit time (SE(3) exponential for a free
/// joint). Quaternions come out with unit norm. `out` may be `q`.
void joint_integrate(JointType type, const double* q, const double* dv, double* out);

/// dv with q0 ⊕ dv = q1, one joint; the shortest rotation.
void joint_difference(JointType type, const double* q0, const double* q1, double* dv);

}  // namespace softcontact
