// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cmath>

#include "softcontact/types.hpp"

namespace softcontact {

/// One Coulomb contact with its normal row eliminated (u_n = 0), as a function of the slip ratio x in
/// u_t = -x r_t: stick is x = 0, and slip the root of |r_t(x)| - mu r_n(x) on (0, inf).
class SlipCurve {
public:
    struct Point {
        double t = 0.0, s = 0.0, n = 0.0;          ///< force
        double length = 0.0;                       ///< |r_t|
        double value = 0.0;                        ///< |r_t| - mu r_n
        double length_slope = 0.0, n_slope = 0.0;  ///< derivatives of |r_t| and r_n by x
    };

    SlipCurve() = default;
    /// W (3, 3) in (n, t, s) with W_nn > 0 [m/(N s)], mu >= 0.
    SlipCurve(const Matrix3d& W, double mu)
        : m_mu(mu),
          m_inverse_nn(1.0 / W(0, 0)),
          m_w10(W(1, 0)),
          m_w20(W(2, 0)),
          m_a0(-W(0, 1) * m_inverse_nn),
          m_a1(-W(0, 2) * m_inverse_nn),
          m_s00(W(1, 1) + W(1, 0) * m_a0),
          m_s01(W(1, 2) + W(1, 0) * m_a1),
          m_s10(W(2, 1) + W(2, 0) * m_a0),
          m_s11(W(2, 2) + W(2, 0) * m_a1)
    {
    }

    /// The free velocity (n, t, s) [m/s], q_n < 0.
    void set_free(const Vector3d& q)
    {
        m_normal_free = -q.x() * m_inverse_nn;
        m_c0 = sum_of(q.y(), m_w10 * m_normal_free);
        m_c1 = sum_of(q.z(), m_w20 * m_normal_free);
    }
    /// Give a tangential direction without any compliance some, so that the stick force is the smallest one.
    void ease_where_singular(const Matrix3d& W)
    {
        constexpr double ratio = 1e-14;  // against the compliance of the others
        const double size = W(0, 0) + std::abs(W(1, 1)) + std::abs(W(2, 2));
        if (std::abs(m_s00 * m_s11 - m_s01 * m_s10) <= ratio * size * size) {
            m_s00 += ratio * size;
            m_s11 += ratio * size;
        }
    }

    [[nodiscard]] double mu() const { return m_mu; }
    /// Normal force without tangential ones.
    [[nodiscard]] double normal_free() const { return m_normal_free; }
    /// Does nothing pull along the surface once u_n = 0?
    [[nodiscard]] bool at_rest() const { return m_c0 == 0.0 && m_c1 == 0.0; }
    /// Tangential velocity with u_n = 0 and no tangential force.
    [[nodiscard]] Vector2d tangential_free() const { return {m_c0, m_c1}; }

    [[nodiscard]] Point at(double x) const
    {
        const double m00 = m_s00 + x, m11 = m_s11 + x;
        const double inverse_det = 1.0 / (m00 * m11 - m_s01 * m_s10);
        const double t = -(m11 * m_c0 - m_s01 * m_c1) * inverse_det;
        const double s = -(m00 * m_c1 - m_s10 * m_c0) * inverse_det;
        const double n = m_normal_free + m_a0 * t + m_a1 * s;
        // dr_t/dx = -(S + x I)⁻¹ r_t
        const double dt = -(m11 * t - m_s01 * s) * inverse_det;
        const double ds = -(m00 * s - m_s10 * t) * inverse_det;
        const double length = std::sqrt(t * t + s * s);
        const double length_slope = length > 0.0 ? (t * dt + s * ds) / length : 0.0;
        return {t, s, n, length, length - m_mu * n, length_slope, m_a0 * dt + m_a1 * ds};
    }

private:
    /// What is left of two terms that cancel to round-off is none: where the tangents have no compliance it
    /// would ask for any force.
    static double sum_of(double a, double b)
    {
        constexpr double round_off = 1e-15;
        const double sum = a + b;
        return std::abs(sum) <= round_off * std::abs(a) ? 0.0 : sum;
    }

    double m_mu = 0.0;
    double m_inverse_nn = 0.0;
    double m_w10 = 0.0, m_w20 = 0.0;                            // how a normal force moves the tangents
    double m_a0 = 0.0, m_a1 = 0.0;                              // r_n = normal_free + a · r_t where u_n = 0
    double m_s00 = 0.0, m_s01 = 0.0, m_s10 = 0.0, m_s11 = 0.0;  // Schur complement of W_nn
    double m_normal_free = 0.0, m_c0 = 0.0, m_c1 = 0.0;
};

/// Root of the slip curve. On entry `point` is the curve at x = 0, of positive or no finite value, and
/// `ratio` a positive start or 0 for none; on return both are at the root. False where it is not found to
/// round-off.
bool find_slip(const SlipCurve& curve, double& ratio, SlipCurve::Point& point);

}  // namespace softcontact
