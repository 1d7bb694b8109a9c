// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/friction/limit_projection.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "contensou_terms.hpp"

namespace softcontact {

namespace {

using Matrix32d = Eigen::Matrix<double, 3, 2>;

// Smoothing against the speed 1 of the patch: at first, from one stage to the next, at the end.
constexpr double first_smoothing = 0.1, smoothing_fall = 0.01, last_smoothing = 1e-12;
// Below this fraction of the fastest point's speed, a contact point may be the one the patch spins about.
constexpr double pivot_speed_ratio = 0.1;
constexpr int max_iterations = 100, patience = 2;
// Turn of the direction that is round-off, and that is small enough where it falls no more.
constexpr double no_turn = 1e-15, small_turn = 1e-9;

/// A force at a contact point as a load.
Matrix32d arm_at(const Vector3d& axis)
{
    Matrix32d arm;
    arm << 1.0, 0.0, 0.0, 1.0, -axis[0], -axis[1];
    return arm;
}

/// Spin about one contact point, whose force is free within its share; false where the force would not be.
bool spin_about(const FrictionPatch& patch, double bound, const Vector3d& y, int centre,
                LimitProjection& found)
{
    const detail::SpinAboutPoint spin = detail::spin_about_point(patch, centre);
    const Matrix32d arm = arm_at(spin.axis);
    Matrix3d system;
    system << arm, spin.axis;
    const Matrix3d inverse = system.inverse();
    const Vector3d free = inverse * y, held = bound * (inverse * spin.load);
    if (!(std::abs(free[2]) > held[2])) {
        return false;
    }
    const double sign = free[2] < 0.0 ? -1.0 : 1.0;
    const Vector2d force = free.head<2>() - sign * held.head<2>();
    if (!(force.norm() <= bound * spin.resting_share)) {
        return false;
    }
    found.load = sign * bound * spin.load + arm * force;
    found.by_load = arm * inverse.topRows<2>();
    found.by_bound = sign * (spin.load - found.by_load * spin.load);
    return true;
}

/// All points in one: a disc of forces there.
LimitProjection project_point(const FrictionPatch& patch, double bound, const Vector3d& y)
{
    LimitProjection found;
    const Matrix32d arm = arm_at(detail::spin_about_point(patch, 0).axis);
    const Vector2d wanted = arm.transpose() * y;
    const double limit = bound * patch.total;
    Eigen::Matrix2d system = arm.transpose() * arm, inverse = system.inverse();
    Vector2d force = inverse * wanted;
    if (force.norm() > limit) {
        // |(armᵀ arm + ν)⁻¹ wanted| = limit: 1/|·| is nearly a straight line in ν.
        for (int k = 0; k < max_iterations; ++k) {
            const double length = force.norm(), slope = force.dot(inverse * force) / length;
            const double step = (length - limit) / slope * (length / limit);
            system.diagonal().array() += step;
            inverse = system.inverse();
            force = inverse * wanted;
            if (std::abs(step) <= no_turn * system.trace()) {
                break;
            }
        }
        const Vector2d along = inverse * force;
        force *= limit / force.norm();
        const double across = along.dot(force);
        found.by_bound = arm * along * (limit * patch.total / across);
        inverse -= along * along.transpose() / across;
    } else {
        found.inside = true;
    }
    found.load = arm * force;
    found.by_load = arm * inverse * arm.transpose();
    return found;
}

/// Newton on the unit sphere.
class Direction {
public:
    Direction(const FrictionPatch& patch, double bound, const Vector3d& y, const Vector3d& start)
        : m_patch(patch), m_bound(bound), m_y(y), m_direction(start)
    {
        smooth(first_smoothing);
    }

    /// False where the load is in B.
    bool find(LimitProjection& found);

private:
    void smooth(double epsilon)
    {
        m_epsilon = std::max(last_smoothing, epsilon);
        look(m_direction, m_terms, m_size, m_defect);
        m_rejected = -1;
        m_least = 1e300;
        m_idle = 0;
    }
    void look(const Vector3d& e, detail::ContensouTerms& terms, double& size, Vector3d& defect) const
    {
        terms = detail::smoothed_terms(m_patch, e, m_epsilon);
        size = m_y.dot(e) - m_bound * terms.value;
        defect = m_y - m_bound * terms.gradient;
        defect -= e * e.dot(defect);
    }
    [[nodiscard]] Vector3d turn() const
    {
        const double least = 1e-9 * m_bound;  // where nothing resists a turn
        Matrix3d system = m_bound * m_terms.hessian;
        system += (system.trace() + m_bound) * m_direction * m_direction.transpose();
        system.diagonal().array() += std::max(m_size, least);
        const Vector3d step = system.ldlt().solve(m_defect);
        return step - m_direction * m_direction.dot(step);
    }
    void advance(const Vector3d& step);

    const FrictionPatch& m_patch;
    const double m_bound;
    const Vector3d& m_y;
    Vector3d m_direction, m_defect;
    detail::ContensouTerms m_terms;
    double m_size = 0.0, m_epsilon = 0.0, m_least = 1e300;
    int m_rejected = -1, m_idle = 0;
};

void Direction::advance(const Vector3d& step)
{
    const double slope = m_defect.dot(step);
    double t = 1.0;
    for (int halvings = 0;; ++halvings, t *= 0.5) {
        const Vector3d next = (m_direction + t * step).normalized();
        detail::ContensouTerms terms;
        double size;
        Vector3d defect;
        look(next, terms, size, defect);
        // Near the end the gain drowns in round-off: there the defect judges.
        const bool near = size >= m_size - 1e-14 * m_y.norm() && defect.norm() <= 0.5 * m_defect.norm();
        if (near || size >= m_size + 1e-4 * t * slope || halvings == 30) {
            m_direction = next;
            m_terms = terms;
            m_size = size;
            m_defect = defect;
            return;
        }
    }
}

bool Direction::find(LimitProjection& found)
{
    for (int k = 0; k < max_iterations; ++k) {
        if (m_terms.slowest <= pivot_speed_ratio * pivot_speed_ratio * m_terms.fastest &&
            m_terms.slowest_point != m_rejected) {
            m_rejected = m_terms.slowest_point;
            if (spin_about(m_patch, m_bound, m_y, m_rejected, found)) {
                return true;
            }
        }
        const Vector3d step = turn();
        const double size = step.norm();
        m_idle = size <= 0.5 * m_least ? 0 : m_idle + 1;
        m_least = std::min(m_least, size);
        if (m_epsilon <= last_smoothing) {
            if (size <= no_turn || (size <= small_turn && m_idle >= patience)) {
                break;
            }
        } else if (size <= 0.3 * m_epsilon || m_idle >= 3 * patience) {
            if (!(m_size > 0.0) && detail::holds_scaled(m_patch, m_y / m_bound)) {
                return false;
            }
            smooth(smoothing_fall * m_epsilon);
            continue;
        }
        advance(step);
    }
    if (!(m_size > 0.0)) {
        return false;
    }
    found.load = m_bound * m_terms.gradient;
    Matrix3d system = (m_bound / m_size) * m_terms.hessian;
    system.diagonal().array() += 1.0;
    const Matrix3d inverse = system.inverse();
    found.by_load = Matrix3d::Identity() - inverse;
    found.by_bound = inverse * m_terms.gradient;
    return true;
}

/// False where the load is in B.
bool leaves(const FrictionPatch& patch, double bound, const Vector3d& y, LimitProjection& found)
{
    if (Direction(patch, bound, y, y.normalized()).find(found)) {
        return true;
    }
    if (detail::holds_scaled(patch, y / bound)) {
        return false;
    }
    // Where y is out of B for a narrow range of directions alone, Newton from y misses them; the normal where
    // the ray of y leaves B is one of them.
    Vector3d direction;
    return detail::gauge_scaled(patch, y / bound, direction) > 1.0 &&
           Direction(patch, bound, y, direction).find(found);
}

}  // namespace

LimitProjection project_to_limit_surface(const FrictionPatch& patch, double bound, const Vector3d& load)
{
    LimitProjection found;
    if (!(bound > 0.0) || !(patch.total > 0.0)) {
        return found;
    }
    const Vector3d y = detail::scaled_load(patch, load);
    if (patch.is_point()) {
        found = project_point(patch, bound, y);
    } else if (detail::spread_holds(patch, y / bound) || !leaves(patch, bound, y, found)) {
        found.load = y;
        found.by_load.setIdentity();
        found.inside = true;
    }
    const Vector3d unscale(1.0, 1.0, patch.length);
    found.load = found.load.cwiseProduct(unscale).eval();
    found.by_load = unscale.asDiagonal() * found.by_load * unscale.cwiseInverse().asDiagonal();
    found.by_bound = found.by_bound.cwiseProduct(unscale).eval();
    return found;
}

}  // namespace softcontact
