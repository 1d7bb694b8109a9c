// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/friction/coulomb.hpp"

namespace softcontact {

/// solve_coulomb_block for a W that stays: the normal row is eliminated once, and the search for the slip
/// ratio starts where the last one ended.
class ContactBlock {
public:
    ContactBlock() = default;
    ContactBlock(const Matrix3d& W, double mu);

    /// Force of one contact with u = W r + q, to the last bits. False: no normal compliance, or no slip
    /// solution (force is then the nearest thing found).
    bool solve(const Vector3d& q, Vector3d& force);

private:
    struct Point {
        double t, s, n, length, value, slope;
    };
    [[nodiscard]] Point at(double x, double normal_free, double c0, double c1) const;

    double m_mu = 0.0;
    double m_inverse_nn = 0.0;                                  // 0: no normal compliance
    double m_w10 = 0.0, m_w20 = 0.0;                            // how a normal force moves the tangents
    double m_a0 = 0.0, m_a1 = 0.0;                              // r_n = -q_n / W_nn + a · r_t where u_n = 0
    double m_s00 = 0.0, m_s01 = 0.0, m_s10 = 0.0, m_s11 = 0.0;  // Schur complement of W_nn
    double m_ratio = 0.0;                                       // last slip ratio x in u_t = -x r_t
};

}  // namespace softcontact
