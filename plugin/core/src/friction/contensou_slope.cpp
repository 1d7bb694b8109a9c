// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/friction/contensou_slope.hpp"

#include <Eigen/LU>

#include "contensou_terms.hpp"

namespace softcontact {

namespace {

// Smoothing against the speed of the patch, as where the solution was found.
constexpr double smoothing_ratio = 1e-11;

}  // namespace

ContensouSlope contensou_slope(const Matrix3d& W, const FrictionPatch& patch, double bound,
                               const ContensouSolution& solution)
{
    const Matrix3d scaled = detail::scaled_compliance(patch, W);
    const Vector3d x = detail::scaled_velocity(patch, solution.velocity);
    Matrix3d by_free;
    Vector3d by_bound;
    if (solution.pivot >= 0) {
        // p = bound sign g + B y, d - W p = w axis: y and w follow from linear equations.
        const detail::SpinAboutPoint spin = detail::spin_about_point(patch, solution.pivot);
        Eigen::Matrix<double, 3, 2> arm;
        arm << 1.0, 0.0, 0.0, 1.0, -spin.axis[0], -spin.axis[1];
        Matrix3d system;
        system << scaled * arm, spin.axis;
        const Vector3d load = x[2] < 0.0 ? Vector3d(-spin.load) : spin.load;
        by_free = arm * Matrix3d(system.partialPivLu().inverse()).topRows<2>();
        by_bound = load - by_free * (scaled * load);
    } else {
        const detail::ContensouTerms terms = detail::smoothed_terms(patch, x, smoothing_ratio * x.norm());
        const Matrix3d stiffness = bound * terms.hessian;
        Matrix3d system = stiffness * scaled;
        system.diagonal().array() += 1.0;
        const Eigen::PartialPivLU<Matrix3d> factors(system);
        by_free = factors.solve(stiffness);
        by_bound = factors.solve(terms.gradient);
    }
    const Vector3d unscale(1.0, 1.0, patch.length);
    return {-(unscale.asDiagonal() * by_free * unscale.asDiagonal()), -unscale.cwiseProduct(by_bound)};
}

}  // namespace softcontact
