// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/friction/moment_cone.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace softcontact {

namespace {

// Part of a load, against its size, that counts as none.
constexpr double nothing = 1e-14;

/// Nonnegative least squares of loads in scaled coordinates, (N, M / length).
class CornerForces {
public:
    CornerForces(const MomentHull& hull, const NormalLoad& y)
        : m_hull(hull), m_rows(static_cast<int>(y.size())), m_goal(y), m_left(y)
    {
        find();
    }

    /// Orthonormal columns that span the corners which push.
    [[nodiscard]] NormalMatrix basis() const
    {
        const NormalMatrix whole = Eigen::HouseholderQR<NormalMatrix>(active()).householderQ();
        return whole.leftCols(m_count);
    }
    [[nodiscard]] int pushing() const { return m_count; }
    [[nodiscard]] const std::array<int, 3>& corners() const { return m_active; }

private:
    [[nodiscard]] NormalLoad corner(int k) const
    {
        NormalLoad g = m_hull.direction(k, m_rows - 1);
        g.tail(m_rows - 1) /= m_hull.length;
        return g;
    }
    [[nodiscard]] NormalMatrix active() const
    {
        NormalMatrix columns(m_rows, m_count);
        for (int j = 0; j < m_count; ++j) {
            columns.col(j) = corner(m_active[static_cast<std::size_t>(j)]);
        }
        return columns;
    }
    [[nodiscard]] int next() const
    {
        int best = -1;
        double most = nothing * m_goal.norm();
        for (int k = 0; k < m_hull.count; ++k) {
            const NormalLoad g = corner(k);
            const double gain = g.dot(m_left) / g.norm();
            const auto end = m_active.begin() + m_count;
            if (gain > most && std::find(m_active.begin(), end, k) == end) {
                most = gain;
                best = k;
            }
        }
        return best;
    }
    void find()
    {
        const int most_changes = 3 * m_hull.count + 3;
        for (int change = 0; change < most_changes && m_count < m_rows; ++change) {
            const int added = next();
            if (added < 0) {
                return;
            }
            m_active[static_cast<std::size_t>(m_count)] = added;
            m_force[m_count++] = 0.0;
            keep_pushing();
        }
    }
    /// Towards the least squares of the active corners, dropping those that would pull on the way.
    void keep_pushing()
    {
        for (;;) {
            const NormalMatrix columns = active();
            const NormalLoad wanted = Eigen::ColPivHouseholderQR<NormalMatrix>(columns).solve(m_goal);
            double share = 1.0;
            int blocking = -1;
            for (int j = 0; j < m_count; ++j) {
                if (wanted[j] <= 0.0 && m_force[j] / (m_force[j] - wanted[j]) <= share) {
                    share = m_force[j] > 0.0 ? m_force[j] / (m_force[j] - wanted[j]) : 0.0;
                    blocking = j;
                }
            }
            if (blocking < 0) {
                m_force.head(m_count) = wanted;
                m_left = m_goal - columns * wanted;
                return;
            }
            m_force.head(m_count) += share * (wanted - m_force.head(m_count));
            --m_count;
            for (int j = blocking; j < m_count; ++j) {
                m_active[static_cast<std::size_t>(j)] = m_active[static_cast<std::size_t>(j + 1)];
                m_force[j] = m_force[j + 1];
            }
            if (m_count == 0) {
                m_left = m_goal;
                return;
            }
        }
    }

    const MomentHull& m_hull;
    int m_rows, m_count = 0;
    NormalLoad m_goal, m_left;
    std::array<int, 3> m_active{};
    Vector3d m_force = Vector3d::Zero();
};

}  // namespace

NormalLoad MomentHull::direction(int k, int tilts) const
{
    NormalLoad g(1 + tilts);
    g[0] = 1.0;
    const double t = corners[2 * k], s = corners[2 * k + 1];
    if (tilts == 1) {
        g[1] = axis.x() * s - axis.y() * t;
    } else if (tilts == 2) {
        g[1] = s;
        g[2] = -t;
    }
    return g;
}

MomentHull make_moment_hull(const double* corners, int count, const Vector2d& axis)
{
    MomentHull hull{corners, count, axis, 0.0};
    for (int k = 0; k < count; ++k) {
        hull.length = std::max(hull.length, std::hypot(corners[2 * k], corners[2 * k + 1]));
    }
    hull.length = hull.length > 0.0 ? hull.length : 1.0;
    return hull;
}

MomentProjection project_to_moment_cone(const MomentHull& hull, const NormalLoad& y)
{
    const Index rows = y.size();
    MomentProjection result{.load = y, .slope = NormalMatrix::Identity(rows, rows)};
    if (rows == 1) {
        if (!(y[0] > 0.0)) {
            result.load.setZero();
            result.slope.setZero();
        } else {
            result.pushing = 1;
        }
        return result;
    }
    NormalLoad unit = NormalLoad::Constant(rows, hull.length);
    unit[0] = 1.0;
    const NormalLoad scaled = y.cwiseQuotient(unit);
    const CornerForces forces(hull, scaled);
    result.corners = forces.corners();
    result.pushing = forces.pushing();
    if (forces.pushing() == 0) {
        result.load.setZero();
        result.slope.setZero();
    } else if (forces.pushing() < rows) {
        const NormalMatrix basis = forces.basis();
        const NormalLoad along = basis.transpose() * scaled;
        result.load = unit.cwiseProduct(basis * along);
        const NormalMatrix projector = basis * basis.transpose();
        result.slope = unit.asDiagonal() * projector * unit.cwiseInverse().asDiagonal();
    }
    return result;
}

double least_corner_velocity(const MomentHull& hull, const NormalLoad& velocity)
{
    const int tilts = static_cast<int>(velocity.size()) - 1;
    if (tilts == 0) {
        return velocity[0];
    }
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < hull.count; ++k) {
        least = std::min(least, hull.direction(k, tilts).dot(velocity));
    }
    return least;
}

}  // namespace softcontact
