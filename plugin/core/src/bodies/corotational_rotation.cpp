// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/bodies/corotational_rotation.hpp"

#include <Eigen/SVD>

namespace softcontact {

namespace {

constexpr int kNewtonSteps = 12;
constexpr double kPivot =
    1e-3;  // relative to the largest |F_ij|: below it the Hessian is too flat for Newton's error bound
constexpr double kSettled = 1e-8;  // step [rad]; the error left after it is its square

/// Solves hessian * x = b by Cholesky; false if a pivot is below the threshold.
bool solve_positive(const Matrix3d& a, const Vector3d& b, double threshold, Vector3d& x)
{
    const double d0 = a(0, 0);
    if (!(d0 > threshold)) return false;
    const double l10 = a(1, 0) / d0;
    const double l20 = a(2, 0) / d0;
    const double d1 = a(1, 1) - l10 * a(1, 0);
    if (!(d1 > threshold)) return false;
    const double c21 = a(2, 1) - l20 * a(1, 0);
    const double l21 = c21 / d1;
    const double d2 = a(2, 2) - l20 * a(2, 0) - l21 * c21;
    if (!(d2 > threshold)) return false;
    const double y1 = b[1] - l10 * b[0];
    const double y2 = b[2] - l20 * b[0] - l21 * y1;
    x[2] = y2 / d2;
    x[1] = y1 / d1 - l21 * x[2];
    x[0] = b[0] / d0 - l10 * x[1] - l20 * x[2];
    return true;
}

void rotation_by_svd(const Matrix3d& f, Quaterniond& rotation)
{
    const Eigen::JacobiSVD<Matrix3d> svd(f, Eigen::ComputeFullU | Eigen::ComputeFullV);
    Matrix3d u = svd.matrixU();
    if (u.determinant() * svd.matrixV().determinant() < 0.0) u.col(2) = -u.col(2);
    rotation = Quaterniond(Matrix3d(u * svd.matrixV().transpose())).normalized();
}

}  // namespace

bool extract_rotation(const Matrix3d& deformation_gradient, Quaterniond& rotation)
{
    const double scale = deformation_gradient.cwiseAbs().maxCoeff();
    if (!(scale < 1e100) || !deformation_gradient.allFinite()) return false;
    for (int step = 0; step < kNewtonSteps; ++step) {
        const Matrix3d a = rotation.toRotationMatrix().transpose() * deformation_gradient;
        const double trace = a.trace();
        const Vector3d gradient(a(2, 1) - a(1, 2), a(0, 2) - a(2, 0), a(1, 0) - a(0, 1));
        Matrix3d hessian = -0.5 * (a + a.transpose());
        hessian.diagonal().array() += trace;
        Vector3d turn;
        if (!solve_positive(hessian, gradient, kPivot * scale, turn)) break;
        // (1, turn/2) normalised is the Cayley map, which agrees with exp(turn) to third order.
        rotation *= Quaterniond(1.0, 0.5 * turn[0], 0.5 * turn[1], 0.5 * turn[2]);
        rotation.normalize();
        if (turn.squaredNorm() < kSettled * kSettled) return true;
    }
    rotation_by_svd(deformation_gradient, rotation);
    return true;
}

}  // namespace softcontact
