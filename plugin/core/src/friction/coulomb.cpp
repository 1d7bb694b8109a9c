// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/friction/coulomb.hpp"

#include <cmath>

#include "softcontact/friction/slip_curve.hpp"

namespace softcontact {

namespace {

constexpr int max_slip_iterations = 200;

/// Root of the slip curve between `low` (value > 0) and a growing upper end (value < 0).
bool find_slip(const SlipCurve& curve, double scale, SlipCurve::Point& point)
{
    double low = 0.0;
    double high = scale;
    point = curve.at(high);
    for (int k = 0; k < max_slip_iterations && point.value > 0.0; ++k) {
        low = high;
        high *= 4.0;
        point = curve.at(high);
    }
    if (!(point.value <= 0.0)) {
        return false;
    }
    double x = high;
    double last_width = high - low;
    for (int k = 0; k < max_slip_iterations; ++k) {
        double next = x - point.value / point.slope;
        const bool newton = next > low && next < high;
        if (!newton || (k % 3 == 2 && high - low > 0.5 * last_width)) {
            next = low > 0.0 ? std::sqrt(low) * std::sqrt(high) : 0.5 * (low + high);
        }
        if (k % 3 == 2) {
            last_width = high - low;
        }
        const double step = next - x;
        x = next;
        point = curve.at(x);
        if (point.value == 0.0 || std::abs(step) <= 1e-16 * x || high - low <= 2e-16 * high) {
            return true;
        }
        (point.value > 0.0 ? low : high) = x;
    }
    return std::abs(point.value) <= 1e-12 * std::abs(curve.mu() * point.n);
}

}  // namespace

Vector3d project_to_cone(const Vector3d& force, double mu)
{
    const double tangential = std::hypot(force.y(), force.z());
    // The sign counts where mu = 0 and the force is a pull along the normal.
    if (force.x() >= 0.0 && tangential <= mu * force.x()) {
        return force;
    }
    if (mu * tangential <= -force.x()) {
        return Vector3d::Zero();
    }
    const double normal = (force.x() + mu * tangential) / (1.0 + mu * mu);
    const double scale = mu * normal / tangential;
    return {normal, scale * force.y(), scale * force.z()};
}

CoulombSolution solve_coulomb_block(const Matrix3d& W, const Vector3d& q, double mu)
{
    CoulombSolution solution;
    if (q.x() >= 0.0) {
        return solution;
    }
    SlipCurve curve(W, mu);
    curve.set_free(q);
    const double normal_free = curve.normal_free();
    if (!(W(0, 0) > 0.0) || !std::isfinite(normal_free)) {
        solution.converged = false;
        return solution;
    }
    if (mu == 0.0) {
        solution.force.x() = normal_free;
        solution.state = ContactState::slip;
        return solution;
    }

    SlipCurve::Point point = curve.at(0.0);
    // A block without tangential compliance has no unique stick force: none is asked for when c = 0.
    if (curve.at_rest()) {
        point = {0.0, 0.0, normal_free, 0.0, -mu * normal_free, 0.0};
    }
    const bool finite = std::isfinite(point.t) && std::isfinite(point.s);
    if (finite && point.value <= 0.0) {
        solution.force << point.n, point.t, point.s;
        solution.state = ContactState::stick;
        return solution;
    }
    const Vector2d free = curve.tangential_free();
    const double scale = std::hypot(free.x(), free.y()) / (mu * normal_free);
    solution.state = ContactState::slip;
    solution.converged = find_slip(curve, scale, point);
    // Exactly on the cone, whatever the last bits of the root.
    const double length = std::hypot(point.t, point.s);
    const double normal = std::max(point.n, 0.0);
    const double factor = length > 0.0 ? mu * normal / length : 0.0;
    solution.force << normal, factor * point.t, factor * point.s;
    return solution;
}

}  // namespace softcontact
