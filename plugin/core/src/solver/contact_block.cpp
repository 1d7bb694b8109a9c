// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/solver/contact_block.hpp"

#include <algorithm>
#include <cmath>

namespace softcontact {

ContactBlock::ContactBlock(const Matrix3d& W, double mu)
{
    if (!(W(0, 0) > 0.0) || !std::isfinite(1.0 / W(0, 0))) {
        return;
    }
    m_gives = true;
    m_curve = SlipCurve(W, mu);
    m_curve.ease_where_singular(W);
}

bool ContactBlock::solve(const Vector3d& q, Vector3d& force)
{
    if (q.x() >= 0.0) {
        force.setZero();
        return true;
    }
    if (!m_gives) {
        force.setZero();
        return false;
    }
    m_curve.set_free(q);
    const double mu = m_curve.mu(), normal_free = m_curve.normal_free();
    if (mu == 0.0 || m_curve.at_rest()) {
        force << normal_free, 0.0, 0.0;
        return true;
    }
    SlipCurve::Point point = m_curve.at(0.0);
    if (std::isfinite(point.length) && point.value <= 0.0) {
        force << point.n, point.t, point.s;
        return true;
    }
    const bool solved = find_slip(m_curve, m_ratio, point);
    const double normal = std::max(point.n, 0.0);
    const double factor = point.length > 0.0 ? mu * normal / point.length : 0.0;
    force << normal, factor * point.t, factor * point.s;
    return solved;
}

}  // namespace softcontact
