// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/friction/slip_curve.hpp"

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
    SlipCurve m_curve;
    bool m_gives = false;  // in the normal direction
    double m_ratio = 0.0;  // last slip ratio
};

}  // namespace softcontact
