// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/solver/uzawa.hpp"

#include <cmath>

#include "softcontact/friction/coulomb.hpp"

namespace softcontact {

Vector3d uzawa_step(const Vector3d& force, const Vector3d& velocity, double mu, double rho)
{
    Vector3d augmented = velocity;
    augmented.x() += mu * std::hypot(velocity.y(), velocity.z());
    return project_to_cone(force - rho * augmented, mu);
}

double uzawa_rho(const Matrix3d& W)
{
    const double bound = W.cwiseAbs().rowwise().sum().maxCoeff();
    return bound > 0.0 && std::isfinite(bound) ? 1.0 / bound : 0.0;
}

int local_uzawa(const Matrix3d& W, const Vector3d& q, double mu, double rho, double tolerance,
                int max_iterations, Vector3d& force)
{
    for (int k = 0; k < max_iterations; ++k) {
        const Vector3d next = uzawa_step(force, W * force + q, mu, rho);
        const double error = (next - force).norm() / rho;
        force = next;
        if (error <= tolerance) {
            return k + 1;
        }
    }
    return max_iterations;
}

}  // namespace softcontact
