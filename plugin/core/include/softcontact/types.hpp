// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace softcontact {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Quaterniond;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;

using Vector6d = Eigen::Matrix<double, 6, 1>;  ///< spatial vector (linear, angular)
using Matrix6d = Eigen::Matrix<double, 6, 6>;
using Points = Eigen::Matrix3Xd;  ///< one point or vector a column
using Triangles = Eigen::Matrix<int, 3, Eigen::Dynamic>;
using Tetrahedra = Eigen::Matrix<int, 4, Eigen::Dynamic>;

/// The matrix of a cross product: skew(x) y = x × y.
inline Matrix3d skew(const Vector3d& x)
{
    Matrix3d matrix;
    matrix << 0.0, -x[2], x[1], x[2], 0.0, -x[0], -x[1], x[0], 0.0;
    return matrix;
}

/// Rigid placement: world = rotation * local + translation.
struct Pose {
    Matrix3d rotation = Matrix3d::Identity();
    Vector3d translation = Vector3d::Zero();

    [[nodiscard]] Vector3d operator*(const Vector3d& point) const { return rotation * point + translation; }
    [[nodiscard]] Pose operator*(const Pose& other) const
    {
        return {rotation * other.rotation, rotation * other.translation + translation};
    }
    [[nodiscard]] Vector3d inverse_times(const Vector3d& point) const
    {
        return rotation.transpose() * (point - translation);
    }
};

}  // namespace softcontact
