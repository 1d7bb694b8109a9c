// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/friction/contensou.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <limits>

#include "contensou_terms.hpp"

namespace softcontact {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Spread below this fraction of the distance of the farthest point is round-off: the points are one.
constexpr double point_spread_limit = 1e-13;
constexpr int max_membership_iterations = 80;
constexpr int max_gauge_iterations = 120;

/// Ratio load · x / Φ(x) for a spin about one contact point: a lower bound of the gauge.
double gauge_about_point(const FrictionPatch& patch, const Vector3d& load, int centre)
{
    const detail::SpinAboutPoint spin = detail::spin_about_point(patch, centre);
    const double work = std::abs(load.dot(spin.axis));
    if (spin.potential > 0.0) {
        return work / spin.potential;
    }
    // All points in one: no spin resists a torque about it. Round-off of the load itself is not a torque.
    return work > 1e-14 * load.lpNorm<1>() ? infinity : 0.0;
}

}  // namespace

FrictionPatch make_friction_patch(const double* shares, const double* offsets, int count)
{
    FrictionPatch patch;
    patch.shares = shares;
    patch.offsets = offsets;
    patch.count = count;
    double farthest = 0.0;
    for (int i = 0; i < count; ++i) {
        const double t = offsets[2 * i], s = offsets[2 * i + 1];
        patch.total += shares[i];
        patch.mean_t += shares[i] * t;
        patch.mean_s += shares[i] * s;
        const double distance = std::sqrt(t * t + s * s);
        patch.lever += shares[i] * distance;
        farthest = std::max(farthest, distance);
    }
    if (!(patch.total > 0.0)) {
        return patch;
    }
    patch.mean_t /= patch.total;
    patch.mean_s /= patch.total;
    double inertia = 0.0, reach = 0.0;
    for (int i = 0; i < count; ++i) {
        const double t = offsets[2 * i] - patch.mean_t, s = offsets[2 * i + 1] - patch.mean_s;
        const double squared = t * t + s * s;
        inertia += shares[i] * squared;
        if (shares[i] > 0.0) {
            reach = std::max(reach, squared);
        }
    }
    patch.reach = std::sqrt(reach);
    if (patch.reach > point_spread_limit * farthest) {
        patch.gyration = std::sqrt(inertia / patch.total);
        // Not far below the reach where one share dominates, or the levers of the others would be huge.
        patch.length = std::max(patch.gyration, 0.01 * patch.reach);
    }
    return patch;
}

double contensou_potential(const FrictionPatch& patch, double bound, const Vector3d& velocity)
{
    return bound * detail::smoothed_value(patch, detail::scaled_velocity(patch, velocity), 0.0);
}

Vector3d contensou_limit(const FrictionPatch& patch, double bound, const Vector3d& direction)
{
    const Vector3d x = detail::scaled_velocity(patch, direction);
    if (!(x.squaredNorm() > 0.0)) {
        return Vector3d::Zero();
    }
    const detail::ContensouTerms terms = detail::smoothed_terms(patch, x / x.norm(), 0.0);
    return bound * detail::unscaled_load(patch, terms.gradient);
}

bool detail::spread_holds(const FrictionPatch& patch, const Vector3d& load)
{
    const double mean_ct = -patch.mean_s / patch.length, mean_cs = patch.mean_t / patch.length;
    const double torque = load[2] - mean_ct * load[0] - mean_cs * load[1];
    const double gyration = patch.gyration / patch.length;
    const double spin = torque / (patch.total * gyration * gyration);
    return std::hypot(load[0], load[1]) / patch.total + std::abs(spin) * (patch.reach / patch.length) <= 1.0;
}

bool detail::holds_scaled(const FrictionPatch& patch, const Vector3d& load)
{
    const double force = std::hypot(load[0], load[1]);
    const double total = patch.total;
    // Outside the disc of all shares, or beyond the whole lever.
    if (force > total || std::abs(load[2]) * patch.length > patch.lever) {
        return false;
    }
    if (patch.is_point()) {
        return gauge_about_point(patch, load, 0) <= 1.0;
    }
    if (spread_holds(patch, load)) {
        return true;
    }
    const double mean_ct = -patch.mean_s / patch.length, mean_cs = patch.mean_t / patch.length;
    const double gyration = patch.gyration / patch.length;
    const double reach = patch.reach / patch.length / (gyration * gyration);
    // Minimise Σ a_i √(|u_i|²+1) - load · x: a minimiser exists just when the load is in the interior, and
    // its f_i are a proof of it; a direction with load · x > Φ(x) is a proof of the contrary.
    Vector3d x = Vector3d::Zero();
    ContensouTerms terms = smoothed_terms(patch, x, 1.0);
    double merit = terms.value - load.dot(x);
    for (int k = 0; k < max_membership_iterations; ++k) {
        const Vector3d residual = load - terms.gradient;
        const double slack = 1.0 - std::sqrt(terms.fastest / (terms.fastest + 1.0));
        const double missing_torque = residual[2] - mean_ct * residual[0] - mean_cs * residual[1];
        if ((std::hypot(residual[0], residual[1]) + std::abs(missing_torque) * reach) / total <= slack) {
            return true;
        }
        if (load.dot(x) > smoothed_value(patch, x, 0.0)) {
            return false;
        }
        const Vector3d step = terms.hessian.ldlt().solve(residual);
        const double slope = -residual.dot(step);
        if (!(slope < 0.0) || !std::isfinite(slope)) {
            return false;
        }
        double t = 1.0;
        for (int halvings = 0;; ++halvings) {
            const Vector3d candidate = x + t * step;
            terms = smoothed_terms(patch, candidate, 1.0);
            const double trial = terms.value - load.dot(candidate);
            if (trial <= merit + 1e-4 * t * slope || halvings == 40) {
                x = candidate;
                merit = trial;
                break;
            }
            t *= 0.5;
        }
    }
    return false;
}

bool contensou_holds(const FrictionPatch& patch, double bound, const Vector3d& load)
{
    if (!(bound > 0.0)) {
        return load.isZero(0.0);
    }
    return detail::holds_scaled(patch, detail::scaled_load(patch, load) / bound);
}

double detail::gauge_scaled(const FrictionPatch& patch, const Vector3d& p, Vector3d& direction)
{
    // 1 / gauge = min Φ(x) on the plane p · x = 1; Newton on Φ_ε with that constraint, ε driven down.
    Vector3d x = p / p.squaredNorm();
    double relative_epsilon = 0.1;
    double best = detail::smoothed_value(patch, x, 0.0);
    for (int k = 0; k < max_gauge_iterations; ++k) {
        const double epsilon = relative_epsilon * best;
        const detail::ContensouTerms terms = detail::smoothed_terms(patch, x, epsilon);
        best = std::min(best, detail::smoothed_value(patch, x, 0.0));
        // Newton step within the plane.
        Eigen::Matrix<double, 3, 2> basis;
        const Vector3d normal = p.normalized();
        basis.col(0) = normal.unitOrthogonal();
        basis.col(1) = normal.cross(basis.col(0));
        const Vector2d gradient = basis.transpose() * terms.gradient;
        const Eigen::Matrix2d hessian = basis.transpose() * terms.hessian * basis;
        const Vector2d reduced = -hessian.ldlt().solve(gradient);
        const double slope = gradient.dot(reduced);
        if (!std::isfinite(slope)) {
            break;
        }
        const Vector3d step = basis * reduced;
        double t = 1.0;
        for (int halvings = 0; halvings < 40; ++halvings, t *= 0.5) {
            if (detail::smoothed_value(patch, x + t * step, epsilon) <= terms.value + 1e-4 * t * slope) {
                x += t * step;
                break;
            }
        }
        if (-slope <= 1e-3 * epsilon || -slope <= 1e-15 * best) {
            if (relative_epsilon <= 1e-11) {
                break;
            }
            relative_epsilon *= 0.1;
        }
    }
    best = std::min(best, detail::smoothed_value(patch, x, 0.0) / p.dot(x));
    const detail::ContensouTerms terms = detail::smoothed_terms(patch, x, 0.0);
    const double about_point = gauge_about_point(patch, p, terms.slowest_point);
    direction = x.normalized();
    if (about_point > 1.0 / best) {
        const Vector3d axis = detail::spin_about_point(patch, terms.slowest_point).axis;
        direction = (p.dot(axis) < 0.0 ? -1.0 : 1.0) * axis.normalized();
    }
    return std::max(1.0 / best, about_point);
}

double contensou_gauge(const FrictionPatch& patch, double bound, const Vector3d& load)
{
    if (load.isZero(0.0)) {
        return 0.0;
    }
    if (!(bound > 0.0) || !(patch.total > 0.0)) {
        return infinity;
    }
    const Vector3d p = detail::scaled_load(patch, load) / bound;
    if (patch.is_point()) {
        return std::max(std::hypot(p[0], p[1]) / patch.total, gauge_about_point(patch, p, 0));
    }
    Vector3d direction;
    return detail::gauge_scaled(patch, p, direction);
}

DecoupledBounds decoupled_bounds(const FrictionPatch& patch, const Vector3d& velocity)
{
    const Vector3d x = detail::scaled_velocity(patch, velocity);
    if (!(x.squaredNorm() > 0.0)) {
        return {patch.total, patch.lever};
    }
    const Vector3d load = contensou_limit(patch, 1.0, velocity);
    return {std::hypot(load[0], load[1]), std::abs(load[2])};
}

}  // namespace softcontact
