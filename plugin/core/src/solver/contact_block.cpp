// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/solver/contact_block.hpp"

#include <algorithm>
#include <cmath>

namespace softcontact {

namespace {

constexpr int max_iterations = 200;
// Compliance given to a tangential direction without any, against the others: the stick force is then the
// smallest one.
constexpr double rank_regularisation = 1e-14;

}  // namespace

ContactBlock::ContactBlock(const Matrix3d& W, double mu) : m_mu(mu)
{
    if (!(W(0, 0) > 0.0) || !std::isfinite(1.0 / W(0, 0))) {
        return;
    }
    m_inverse_nn = 1.0 / W(0, 0);
    m_w10 = W(1, 0);
    m_w20 = W(2, 0);
    m_a0 = -W(0, 1) * m_inverse_nn;
    m_a1 = -W(0, 2) * m_inverse_nn;
    m_s00 = W(1, 1) + W(1, 0) * m_a0;
    m_s01 = W(1, 2) + W(1, 0) * m_a1;
    m_s10 = W(2, 1) + W(2, 0) * m_a0;
    m_s11 = W(2, 2) + W(2, 0) * m_a1;
    const double size = W(0, 0) + std::abs(W(1, 1)) + std::abs(W(2, 2));
    const double det = m_s00 * m_s11 - m_s01 * m_s10;
    if (std::abs(det) <= rank_regularisation * size * size) {
        m_s00 += rank_regularisation * size;
        m_s11 += rank_regularisation * size;
    }
}

ContactBlock::Point ContactBlock::at(double x, double normal_free, double c0, double c1) const
{
    const double m00 = m_s00 + x, m11 = m_s11 + x;
    const double inverse_det = 1.0 / (m00 * m11 - m_s01 * m_s10);
    const double t = -(m11 * c0 - m_s01 * c1) * inverse_det;
    const double s = -(m00 * c1 - m_s10 * c0) * inverse_det;
    const double n = normal_free + m_a0 * t + m_a1 * s;
    const double dt = -(m11 * t - m_s01 * s) * inverse_det;
    const double ds = -(m00 * s - m_s10 * t) * inverse_det;
    const double length = std::sqrt(t * t + s * s);
    const double slope = (length > 0.0 ? (t * dt + s * ds) / length : 0.0) - m_mu * (m_a0 * dt + m_a1 * ds);
    return {t, s, n, length, length - m_mu * n, slope};
}

bool ContactBlock::solve(const Vector3d& q, Vector3d& force)
{
    if (q.x() >= 0.0) {
        force.setZero();
        return true;
    }
    if (m_inverse_nn == 0.0) {
        force.setZero();
        return false;
    }
    const double normal_free = -q.x() * m_inverse_nn;
    const double c0 = q.y() + m_w10 * normal_free, c1 = q.z() + m_w20 * normal_free;
    if (m_mu == 0.0 || (c0 == 0.0 && c1 == 0.0)) {
        force << normal_free, 0.0, 0.0;
        return true;
    }
    Point point = at(0.0, normal_free, c0, c1);
    if (std::isfinite(point.length) && point.value <= 0.0) {
        force << point.n, point.t, point.s;
        return true;
    }
    // |r_t(x)| - mu r_n(x) goes from positive at 0 to negative at infinity.
    double low = 0.0, high = INFINITY, width = INFINITY;
    double x = m_ratio > 0.0 ? m_ratio : std::sqrt(c0 * c0 + c1 * c1) / (m_mu * normal_free);
    bool solved = false;
    for (int k = 0; k < max_iterations; ++k) {
        point = at(x, normal_free, c0, c1);
        if (!std::isfinite(point.value)) {
            break;
        }
        if (std::abs(point.value) <= 1e-15 * point.length) {
            solved = true;
            break;
        }
        (point.value > 0.0 ? low : high) = x;
        double next = x - point.value / point.slope;
        if (!(next > low && next < high) || (k % 4 == 3 && std::isfinite(high) && high - low > 0.5 * width)) {
            next = std::isinf(high) ? 4.0 * x : low > 0.0 ? std::sqrt(low) * std::sqrt(high) : 0.25 * high;
        }
        if (k % 4 == 3) {
            width = high - low;
        }
        if (std::abs(next - x) <= 1e-16 * x || (std::isfinite(high) && high - low <= 2e-16 * high)) {
            solved = true;
            break;
        }
        x = next;
    }
    m_ratio = x;
    const double normal = std::max(point.n, 0.0);
    const double factor = point.length > 0.0 ? m_mu * normal / point.length : 0.0;
    force << normal, factor * point.t, factor * point.s;
    return solved || std::abs(point.value) <= 1e-12 * std::abs(m_mu * point.n);
}

}  // namespace softcontact
