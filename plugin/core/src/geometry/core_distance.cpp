// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/geometry/core_distance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "softcontact/geometry/closest_point.hpp"

namespace softcontact {
namespace {

constexpr int most_steps = 200;
/// Distance in sizes below which the direction is round-off.
constexpr double touching_ratio = 1e-13;
/// Share of the squared distance that is left to gain: round-off for corners; a rim is approached step by
/// step.
constexpr double gain_ratio = 1e-13;

/// Points of the difference A − B that span what is nearest to the origin.
class Simplex {
public:
    void add(const Vector3d& on_a, const Vector3d& on_b)
    {
        const auto i = static_cast<std::size_t>(m_count++);
        m_a[i] = on_a;
        m_b[i] = on_b;
        m_w[i] = on_a - on_b;
    }
    [[nodiscard]] bool holds(const Vector3d& w) const
    {
        return std::any_of(m_w.begin(), m_w.begin() + m_count, [&](const Vector3d& own) { return own == w; });
    }

    /// Keeps what spans the point nearest to the origin; false where the origin is inside.
    bool reduce()
    {
        std::array<double, 4> weights{1.0, 0.0, 0.0, 0.0};
        if (m_count == 2) {
            const Vector3d along = m_w[1] - m_w[0];
            const double squared = along.squaredNorm();
            weights[1] = squared > 0.0 ? std::clamp(-m_w[0].dot(along) / squared, 0.0, 1.0) : 0.0;
            weights[0] = 1.0 - weights[1];
        } else if (m_count == 3) {
            const TrianglePoint point = closest_point_on_triangle(Vector3d::Zero(), m_w[0], m_w[1], m_w[2]);
            for (int k = 0; k < 3; ++k) weights[static_cast<std::size_t>(k)] = point.barycentric[k];
        } else if (m_count == 4 && !nearest_side(weights)) {
            return false;
        }
        int kept = 0;
        for (int k = 0; k < m_count; ++k) {
            const auto from = static_cast<std::size_t>(k), to = static_cast<std::size_t>(kept);
            if (!(weights[from] > 0.0)) continue;
            m_a[to] = m_a[from];
            m_b[to] = m_b[from];
            m_w[to] = m_w[from];
            m_weights[to] = weights[from];
            ++kept;
        }
        m_count = kept;
        return true;
    }

    [[nodiscard]] Vector3d on_a() const { return mean(m_a); }
    [[nodiscard]] Vector3d on_b() const { return mean(m_b); }
    [[nodiscard]] Vector3d nearest() const { return mean(m_w); }

private:
    using Corners = std::array<Vector3d, 4>;

    bool nearest_side(std::array<double, 4>& weights) const
    {
        double best = std::numeric_limits<double>::infinity();
        for (int left_out = 0; left_out < 4; ++left_out) {
            std::array<std::size_t, 3> side{};
            std::size_t count = 0;
            for (int k = 0; k < 4; ++k) {
                if (k != left_out) side[count++] = static_cast<std::size_t>(k);
            }
            const Vector3d &p = m_w[side[0]], &q = m_w[side[1]], &r = m_w[side[2]];
            const Vector3d normal = (q - p).cross(r - p);
            const double inside = normal.dot(m_w[static_cast<std::size_t>(left_out)] - p);
            const double origin = -normal.dot(p);
            if (inside * origin > 0.0) continue;  // on the inner side
            const TrianglePoint point = closest_point_on_triangle(Vector3d::Zero(), p, q, r);
            if (!(point.squared_distance < best)) continue;
            best = point.squared_distance;
            weights.fill(0.0);
            for (std::size_t k = 0; k < 3; ++k) weights[side[k]] = point.barycentric[static_cast<Index>(k)];
        }
        return best < std::numeric_limits<double>::infinity();
    }
    [[nodiscard]] Vector3d mean(const Corners& points) const
    {
        Vector3d sum = Vector3d::Zero();
        for (std::size_t k = 0; k < static_cast<std::size_t>(m_count); ++k) sum += m_weights[k] * points[k];
        return sum;
    }

    int m_count = 0;
    Corners m_a, m_b, m_w;
    std::array<double, 4> m_weights{1.0, 0.0, 0.0, 0.0};
};

}  // namespace

CoreDistance core_distance(const PlacedShape& a, const PlacedShape& b, const Vector3d& start)
{
    CoreDistance best;
    const double touching = touching_ratio * (a.shape->size() + b.shape->size());
    Simplex simplex;
    Vector3d towards = start;
    double squared = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();
    for (int step = 0; step < most_steps; ++step) {
        const Vector3d on_a = a.core_support(-towards), on_b = b.core_support(towards);
        const Vector3d w = on_a - on_b;
        const double along = towards.dot(w) / towards.norm();
        if (along > most) {
            most = along;
            best.normal = towards.normalized();
        }
        if (step > 0 && (squared - towards.dot(w) <= gain_ratio * squared || simplex.holds(w))) break;
        simplex.add(on_a, on_b);
        if (!simplex.reduce()) return best;
        const Vector3d nearest = simplex.nearest();
        const double next = nearest.squaredNorm();
        if (next <= touching * touching) return best;
        if (!(next < squared)) break;
        squared = next;
        towards = nearest;
        best.on_a = simplex.on_a();
        best.on_b = simplex.on_b();
    }
    best.apart = true;
    best.distance = std::sqrt(squared);
    return best;
}

}  // namespace softcontact
