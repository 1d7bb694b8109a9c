// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <limits>

#include "softcontact/contact/aggregate.hpp"

namespace softcontact {
namespace {

/// Twice the area of the triangle a, b, c, > 0 where it turns left.
double turn(const Vector2d& a, const Vector2d& b, const Vector2d& c)
{
    const Vector2d ab = b - a, ac = c - a;
    return ab.x() * ac.y() - ab.y() * ac.x();
}

/// Andrew's monotone chain over sorted points; corners that turn by round-off are none.
void chain(const std::vector<Vector2d>& points, std::vector<Vector2d>& hull)
{
    const double size = (points.back() - points.front()).squaredNorm();
    constexpr double straight_ratio = 1e-12;
    const auto extend = [&](const Vector2d& point, std::size_t first) {
        while (hull.size() >= first + 2 &&
               turn(hull[hull.size() - 2], hull.back(), point) <= straight_ratio * size) {
            hull.pop_back();
        }
        hull.push_back(point);
    };
    for (const Vector2d& point : points) extend(point, 0);
    const std::size_t first = hull.size() - 1;
    for (std::size_t i = points.size() - 1; i-- > 0;) extend(points[i], first);
    hull.pop_back();
}

}  // namespace

void convex_hull(std::span<const double> places, std::span<const double> support, std::size_t most,
                 std::vector<double>& corners)
{
    static thread_local std::vector<Vector2d> points, hull;
    points.clear();
    hull.clear();
    for (std::size_t i = 0; i < support.size(); ++i) {
        if (support[i] > 0.0) points.emplace_back(places[2 * i], places[2 * i + 1]);
    }
    std::sort(points.begin(), points.end(), [](const Vector2d& a, const Vector2d& b) {
        return a.x() < b.x() || (a.x() == b.x() && a.y() < b.y());
    });
    points.erase(std::unique(points.begin(), points.end()), points.end());
    if (points.size() > 1) {
        chain(points, hull);
    } else {
        hull = points;
    }
    while (hull.size() > most) {
        std::size_t least = 0;
        double smallest = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < hull.size(); ++i) {
            const double area =
                turn(hull[(i + hull.size() - 1) % hull.size()], hull[i], hull[(i + 1) % hull.size()]);
            if (area < smallest) {
                smallest = area;
                least = i;
            }
        }
        hull.erase(hull.begin() + static_cast<std::ptrdiff_t>(least));
    }
    corners.clear();
    for (const Vector2d& corner : hull) {
        corners.push_back(corner.x());
        corners.push_back(corner.y());
    }
}

}  // namespace softcontact
