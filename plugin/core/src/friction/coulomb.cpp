// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/friction/coulomb.hpp"

#include <cmath>

namespace softcontact {

namespace {

constexpr int max_slip_iterations = 200;

/// The block with its normal row eliminated (u_n = 0), as a function of the slip ratio x in u_t = -x r_t.
struct SlipCurve {
    double s00, s01, s10, s11;  // Schur complement of W_nn, S = W_tt - w_tn w_nt / w_nn
    double c0, c1;              // free tangential velocity with u_n = 0
    double normal_free, a0, a1, mu;

    struct Point {
        double t, s, n, value, slope;
    };

    [[nodiscard]] Point at(double x) const
    {
        const double m00 = s00 + x, m11 = s11 + x;
        const double inverse_det = 1.0 / (m00 * m11 - s01 * s10);
        const double t = -(m11 * c0 - s01 * c1) * inverse_det;
        const double s = -(m00 * c1 - s10 * c0) * inverse_det;
        const double n = normal_free + a0 * t + a1 * s;
        // dr_t/dx = -(S + x I)⁻¹ r_t
        const double dt = -(m11 * t - s01 * s) * inverse_det;
        const double ds = -(m00 * s - s10 * t) * inverse_det;
        const double length = std::sqrt(t * t + s * s);
        const double slope = (length > 0.0 ? (t * dt + s * ds) / length : 0.0) - mu * (a0 * dt + a1 * ds);
        return {t, s, n, length - mu * n, slope};
    }
};

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
    return std::abs(point.value) <= 1e-12 * std::abs(curve.mu * point.n);
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
    const double inverse_nn = 1.0 / W(0, 0);
    const double normal_free = -q.x() * inverse_nn;
    if (!(W(0, 0) > 0.0) || !std::isfinite(normal_free)) {
        solution.converged = false;
        return solution;
    }
    SlipCurve curve{};
    curve.mu = mu;
    curve.normal_free = normal_free;
    curve.a0 = -W(0, 1) * inverse_nn;
    curve.a1 = -W(0, 2) * inverse_nn;
    curve.s00 = W(1, 1) + W(1, 0) * curve.a0;
    curve.s01 = W(1, 2) + W(1, 0) * curve.a1;
    curve.s10 = W(2, 1) + W(2, 0) * curve.a0;
    curve.s11 = W(2, 2) + W(2, 0) * curve.a1;
    curve.c0 = q.y() + W(1, 0) * normal_free;
    curve.c1 = q.z() + W(2, 0) * normal_free;
    if (mu == 0.0) {
        solution.force.x() = normal_free;
        solution.state = ContactState::slip;
        return solution;
    }

    SlipCurve::Point point = curve.at(0.0);
    // A block without tangential compliance has no unique stick force: none is asked for when c = 0.
    if (curve.c0 == 0.0 && curve.c1 == 0.0) {
        point = {0.0, 0.0, normal_free, -mu * normal_free, 0.0};
    }
    const bool finite = std::isfinite(point.t) && std::isfinite(point.s);
    if (finite && point.value <= 0.0) {
        solution.force << point.n, point.t, point.s;
        solution.state = ContactState::stick;
        return solution;
    }
    const double scale = std::hypot(curve.c0, curve.c1) / (mu * normal_free);
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
