// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/friction/slip_gauge.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

namespace softcontact {

namespace {

/// Load over bound; `most` is what it can be at all.
double ratio(double load, double bound, double most)
{
    constexpr double negligible =
        1e-9;  // of a bound that is zero itself, as that of a spin that does not occur
    if (load <= negligible * most) {
        return 0.0;
    }
    return bound > 0.0 ? load / bound : std::numeric_limits<double>::infinity();
}

using Matrix65d = Eigen::Matrix<double, 6, 5>;

/// Φ_ε of points, lengths in units of `length`, with gradient and Hessian.
struct SlipPotential {
    std::span<const PointFriction> points;
    Vector3d centre = Vector3d::Zero();
    double length = 1.0;

    [[nodiscard]] Vector3d slip(const PointFriction& point, const Vector6d& x) const
    {
        const Vector3d r = (point.position - centre) / length;
        const Vector3d u = x.head<3>() + x.tail<3>().cross(r);
        return u - point.normal * point.normal.dot(u);
    }
    [[nodiscard]] double value(const Vector6d& x, double epsilon) const
    {
        double sum = 0.0;
        for (const auto& point : points) {
            sum += point.bound * std::sqrt(slip(point, x).squaredNorm() + epsilon * epsilon);
        }
        return sum;
    }
    void derivatives(const Vector6d& x, double epsilon, Vector6d& gradient, Matrix6d& hessian) const
    {
        gradient.setZero();
        hessian.setZero();
        for (const auto& point : points) {
            const Vector3d u = slip(point, x);
            const double size = std::sqrt(u.squaredNorm() + epsilon * epsilon);
            const Vector3d r = (point.position - centre) / length, direction = u / size;
            gradient.head<3>() += point.bound * direction;
            gradient.tail<3>() += point.bound * r.cross(direction);
            const Matrix3d stiffness =
                (point.bound / size) * (Matrix3d::Identity() - point.normal * point.normal.transpose() -
                                        direction * direction.transpose());
            Matrix3d arm;  // ω × r
            arm << 0.0, r.z(), -r.y(), -r.z(), 0.0, r.x(), r.y(), -r.x(), 0.0;
            const Matrix3d coupling = stiffness * arm;
            hessian.topLeftCorner<3, 3>() += stiffness;
            hessian.topRightCorner<3, 3>() += coupling;
            hessian.bottomRightCorner<3, 3>() += arm.transpose() * coupling;
        }
        hessian.bottomLeftCorner<3, 3>() = hessian.topRightCorner<3, 3>().transpose();
    }
};

/// min Φ over load · x = 1, ε driven down. The forces of a Φ_ε are within their bounds: where they balance
/// the load, their work is a bound from below.
double least_potential(const SlipPotential& potential, const Vector6d& load)
{
    constexpr int max_iterations = 150;
    constexpr double enough = 1e-10;    // between both bounds, of the potential
    constexpr double singular = 1e-13;  // directions without resistance, as a fraction of the mean
    const Eigen::HouseholderQR<Vector6d> factors(load);
    const Matrix6d whole = factors.householderQ();
    const Matrix65d basis = whole.rightCols<5>();
    Vector6d x = load / load.squaredNorm();
    double relative_epsilon = 0.1;
    double best = potential.value(x, 0.0);
    for (int k = 0; k < max_iterations; ++k) {
        const double epsilon = relative_epsilon * best / potential.value(Vector6d::Zero(), 1.0);
        Vector6d gradient;
        Matrix6d hessian;
        potential.derivatives(x, epsilon, gradient, hessian);
        const Eigen::Matrix<double, 5, 1> slope = basis.transpose() * gradient;
        Eigen::Matrix<double, 5, 5> reduced = basis.transpose() * hessian * basis;
        reduced.diagonal().array() += singular * (reduced.trace() + 1e-300);
        const Eigen::Matrix<double, 5, 1> step = -reduced.ldlt().solve(slope);
        const double descent = slope.dot(step);
        const bool centred = -descent <= 1e-3 * relative_epsilon * best || -descent <= 1e-15 * best;
        if (!std::isfinite(descent) || (centred && best - gradient.dot(x) <= enough * best)) {
            break;
        }
        const double before = potential.value(x, epsilon);
        double t = 1.0;
        for (int halvings = 0; halvings < 40; ++halvings, t *= 0.5) {
            const Vector6d candidate = x + t * (basis * step);
            if (potential.value(candidate, epsilon) <= before + 1e-4 * t * descent) {
                x = candidate;
                break;
            }
        }
        best = std::min(best, potential.value(x, 0.0));
        if (centred) {
            if (relative_epsilon <= 1e-10) {
                break;
            }
            relative_epsilon *= 0.1;
        }
    }
    return best / load.dot(x);
}

}  // namespace

double slip_gauge(FrictionLaw law, const FrictionPatch& patch, const DecoupledBounds& bounds, double mu,
                  const Vector4d& load)
{
    if (!(load[0] > 0.0)) {
        return 0.0;
    }
    const double bound = mu * load[0];
    const double force = std::hypot(load[1], load[2]);
    switch (law) {
        case FrictionLaw::contensou:
            return contensou_gauge(patch, bound, load.tail<3>());
        case FrictionLaw::contensou_decoupled:
            return std::max(ratio(force, bound * bounds.tangential, bound * patch.total),
                            ratio(std::abs(load[3]), bound * bounds.torsional, bound * patch.lever));
        case FrictionLaw::coulomb:
            break;
    }
    return force == 0.0 ? 0.0 : ratio(force, bound, 0.0);
}

double slip_gauge(std::span<const PointFriction> points)
{
    SlipPotential potential{points};
    double total = 0.0, single = 0.0;
    for (const auto& point : points) {
        potential.centre += point.bound * point.position;
        total += point.bound;
        const double friction = point.friction.norm();
        single = std::max(single, friction == 0.0 ? 0.0 : ratio(friction, point.bound, 0.0));
    }
    if (single == 0.0 || !(total > 0.0)) {
        return single;
    }
    potential.centre /= total;
    double spread = 0.0;
    for (const auto& point : points) {
        spread += point.bound * (point.position - potential.centre).squaredNorm();
    }
    potential.length = spread > 0.0 ? std::sqrt(spread / total) : 1.0;
    Vector6d load = Vector6d::Zero();
    for (const auto& point : points) {
        const Vector3d r = (point.position - potential.centre) / potential.length;
        load.head<3>() += point.friction;
        load.tail<3>() += r.cross(point.friction);
    }
    constexpr double nothing =
        1e-9;  // of all bounds: what the points bear against each other is no load on them
    if (!(load.norm() > nothing * total)) {
        return 0.0;
    }
    // The points as they are show that it is no more than the nearest of them.
    return std::min(single, 1.0 / least_potential(potential, load));
}

}  // namespace softcontact
