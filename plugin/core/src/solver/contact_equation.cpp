// SPDX-License-Identifier: LGPL-2.1-or-later
#include "contact_equation.hpp"

#include <algorithm>
#include <cmath>

namespace softcontact {

ContactEquation contact_equation(double rho, double mu, const Vector3d& r, const Vector3d& u)
{
    ContactEquation e;
    e.A.setZero();
    e.B.setZero();
    const Vector3d y = r - rho * u;
    if (y.x() <= 0.0) {
        e.B.setIdentity();
        e.phi = r;
        e.parted = true;
        return e;
    }
    e.A(0, 0) = rho;
    e.phi[0] = rho * u.x();
    const Vector2d tangential = y.tail<2>();
    const double length = tangential.norm(), bound = mu * y.x();
    if (length <= bound && bound > 0.0) {
        e.A(1, 1) = e.A(2, 2) = rho;
        e.phi.tail<2>() = rho * u.tail<2>();
        return e;
    }
    const Vector2d direction = length > 0.0 ? Vector2d(tangential / length) : Vector2d::Zero();
    Eigen::Matrix2d turn = Eigen::Matrix2d::Zero();
    if (length > 0.0) {
        turn = (bound / length) * (Eigen::Matrix2d::Identity() - direction * direction.transpose());
    }
    e.B.bottomRightCorner<2, 2>() = Eigen::Matrix2d::Identity() - turn;
    e.A.bottomRightCorner<2, 2>() = rho * turn;
    e.B.bottomLeftCorner<2, 1>() = -mu * direction;
    e.A.bottomLeftCorner<2, 1>() = rho * mu * direction;
    e.phi.tail<2>() = r.tail<2>() - bound * direction;
    return e;
}

double contact_merit(const VectorXd& rhos, const VectorXd& mu, const VectorXd& r, const VectorXd& u)
{
    double sum = 0.0;
    for (Index i = 0; i < rhos.size(); ++i) {
        const double rho = rhos[i];
        const Vector3d force = r.segment<3>(3 * i);
        const Vector3d y = force - rho * u.segment<3>(3 * i);
        const double normal = std::max(0.0, y.x()), bound = mu[i] * normal;
        const double length = y.tail<2>().norm();
        const double scale = length > bound ? bound / length : 1.0;
        const double n = force.x() - normal;
        sum += (n * n + (force.tail<2>() - scale * y.tail<2>()).squaredNorm()) / rho;
    }
    return std::sqrt(sum);
}

}  // namespace softcontact
