// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/friction/slip_curve.hpp"

namespace softcontact {

namespace {

constexpr int max_iterations = 200;

/// Newton step on 1/|r_t| - 1/(mu r_n), which is a straight line where the compliance is isotropic and
/// friction does not change the normal force (the secular equation of trust regions, More and Sorensen 1983).
double newton_from(double x, const SlipCurve::Point& point, double mu)
{
    const double limit = mu * point.n;
    const double value = 1.0 / point.length - 1.0 / limit;
    const double slope =
        mu * point.n_slope / (limit * limit) - point.length_slope / (point.length * point.length);
    return x - value / slope;
}

}  // namespace

bool find_slip(const SlipCurve& curve, double& ratio, SlipCurve::Point& point)
{
    const double mu = curve.mu();
    // The value goes from positive at 0 to negative at infinity.
    double low = 0.0, high = INFINITY, width = INFINITY;
    double x = ratio;
    if (!(x > 0.0)) {
        x = std::isfinite(point.value) && point.n > 0.0 ? newton_from(0.0, point, mu) : 0.0;
    }
    if (!(x > 0.0) || !std::isfinite(x)) {
        x = curve.tangential_free().norm() / (mu * curve.normal_free());
    }
    for (int k = 0; k < max_iterations; ++k) {
        ratio = x;
        point = curve.at(x);
        if (!std::isfinite(point.value)) {  // round-off in a compliance that is none: it lies near 0
            low = x;
            x = std::isinf(high) ? 4.0 * x : std::sqrt(low) * std::sqrt(high);
            continue;
        }
        if (std::abs(point.value) <= 1e-15 * point.length) {
            return true;
        }
        (point.value > 0.0 ? low : high) = x;
        double next = point.n > 0.0 ? newton_from(x, point, mu) : 0.0;
        const bool slow = k % 4 == 3 && std::isfinite(high) && high - low > 0.5 * width;
        if (!(next > low && next < high) || slow) {
            next = std::isinf(high) ? 4.0 * x : low > 0.0 ? std::sqrt(low) * std::sqrt(high) : 0.25 * high;
        }
        if (k % 4 == 3) {
            width = high - low;
        }
        if (std::abs(next - x) <= 1e-16 * x || (std::isfinite(high) && high - low <= 2e-16 * high)) {
            break;
        }
        x = next;
    }
    return std::abs(point.value) <= 1e-12 * std::abs(mu * point.n);
}

}  // namespace softcontact
