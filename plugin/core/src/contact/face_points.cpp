// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/contact/face_points.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <numbers>
#include <span>
#include <utility>

namespace softcontact {
namespace {

constexpr std::size_t most_corners = 16;
/// Key numbers from here on are those of points between the corners: by the key of a corner, so that they
/// mean the same points when another corner comes or goes.
constexpr int first_between = 1 << 24;
enum FacePlace : int { middle_of_face, spoke, side, quarter };

std::uint64_t key_between(std::uint64_t corner, int place)
{
    constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15u;  // spreads keys over the upper bits
    const auto mixed = static_cast<int>((corner * golden_ratio) >> 40);
    return contact_key(ContactKind::shape, first_between + mixed, place);
}
/// Shares of a triangle's area: of each corner, and of its middle.
constexpr double corner_share = 1.0 / 12.0, middle_share = 0.75;
/// Area over the squared size below which points lie on a line.
constexpr double no_area_ratio = 1e-9;

/// Area of a disc over that of the fewest rim points that stand for it, and a margin for round-off.
constexpr double disc_over_octagon = 1.001 * std::numbers::pi / (2.0 * std::numbers::sqrt2);

struct FaceCorner {
    ContactPoint point;
    double angle = 0.0;
};

/// What lies between points of one face: their mean with weights of sum 1, without area.
ContactPoint blend(std::span<const std::pair<const ContactPoint*, double>> parts)
{
    ContactPoint sum = *parts.begin()->first;
    sum.p.setZero();
    sum.q.setZero();
    sum.a.of_shape.place.setZero();
    sum.b.of_shape.place.setZero();
    sum.gap = sum.area = 0.0;
    for (const auto& [point, weight] : parts) {
        sum.p += weight * point->p;
        sum.q += weight * point->q;
        sum.a.of_shape.place += weight * point->a.of_shape.place;
        sum.b.of_shape.place += weight * point->b.of_shape.place;
        sum.gap += weight * point->gap;
    }
    return sum;
}

ContactPoint blend(std::initializer_list<std::pair<const ContactPoint*, double>> parts)
{
    return blend(std::span(parts.begin(), parts.size()));
}

bool same_layer(const SurfacePoint& one, const SurfacePoint& other)
{
    return one.on_shape && other.on_shape && one.of_shape.radius == other.of_shape.radius;
}

void share(double area, ContactPoint& a, ContactPoint& b, ContactPoint& c, ContactPoint& middle)
{
    a.area += corner_share * area;
    b.area += corner_share * area;
    c.area += corner_share * area;
    middle.area += middle_share * area;
}

}  // namespace

void spread_over_face(std::vector<ContactPoint>& points)
{
    const std::size_t n = points.size();
    if (n < 3 || n > most_corners) return;
    Vector3d middle = Vector3d::Zero();
    double area = 0.0;
    for (const ContactPoint& point : points) {
        if (!same_layer(point.a, points.front().a) || !same_layer(point.b, points.front().b)) return;
        middle += point.p / static_cast<double>(n);
        area += point.area;
    }
    const Vector3d normal = points.front().normal;
    const Vector3d first = points.front().p - middle, second = normal.cross(first);
    std::array<FaceCorner, most_corners> corners;
    for (std::size_t k = 0; k < n; ++k) {
        const Vector3d arm = points[k].p - middle;
        corners[k] = {points[k], k == 0 ? 0.0 : std::atan2(second.dot(arm), first.dot(arm))};
        if (corners[k].angle < 0.0) corners[k].angle += 2.0 * std::numbers::pi;
        corners[k].point.area = 0.0;
    }
    std::sort(corners.begin(), corners.begin() + static_cast<std::ptrdiff_t>(n),
              [](const FaceCorner& x, const FaceCorner& y) { return x.angle < y.angle; });
    std::array<double, most_corners> parts{};
    double whole = 0.0, size = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
        const Vector3d here = corners[k].point.p - middle, next = corners[(k + 1) % n].point.p - middle;
        parts[k] = 0.5 * std::max(0.0, normal.dot(here.cross(next)));
        whole += parts[k];
        size = std::max(size, here.squaredNorm());
    }
    if (!(whole > no_area_ratio * size) || !(area > 0.0)) return;

    // The corners of a disc are some of its rim: what lies between them goes out as far as its area asks for.
    // Of a face that has corners out of reach the sum of the areas says nothing.
    const double of_disc = area / whole;
    area = of_disc >= 1.0 && of_disc <= disc_over_octagon ? area : whole;
    const double stretch = std::sqrt(area / whole);
    std::array<ContactPoint, most_corners> spokes, sides;  // half-way to a corner; half-way to the next one
    std::array<std::pair<const ContactPoint*, double>, most_corners> all;
    for (std::size_t k = 0; k < n; ++k) all[k] = {&corners[k].point, 1.0 / static_cast<double>(n)};
    ContactPoint centre = blend({all.data(), n});
    for (std::size_t k = 0; k < n; ++k) {
        const ContactPoint &corner = corners[k].point, &next = corners[(k + 1) % n].point;
        spokes[k] = blend({{&centre, 0.5}, {&corner, 0.5}});
        sides[k] = blend({{&corner, 0.5}, {&next, 0.5}});
    }
    points.clear();
    const auto add = [&](const ContactPoint& point, std::uint64_t corner, int place) {
        points.push_back(blend({{&centre, 1.0 - stretch}, {&point, stretch}}));
        points.back().area = point.area;
        points.back().key = key_between(corner, place);
    };
    for (std::size_t k = 0; k < n; ++k) {
        const std::size_t after = (k + 1) % n;
        const double part = 0.25 * area * parts[k] / whole;
        ContactPoint *const c = &centre, *const v = &corners[k].point, *const w = &corners[after].point;
        ContactPoint *const s = &spokes[k], *const t = &spokes[after], *const m = &sides[k];
        const std::array<std::array<ContactPoint*, 3>, 4> quarters{
            {{c, s, t}, {s, v, m}, {t, m, w}, {s, m, t}}};
        int place = quarter;
        for (const auto& [x, y, z] : quarters) {
            ContactPoint between = blend({{x, 1.0 / 3.0}, {y, 1.0 / 3.0}, {z, 1.0 / 3.0}});
            share(part, *x, *y, *z, between);
            add(between, v->key, place++);
        }
    }
    add(centre, 0, middle_of_face);
    for (std::size_t k = 0; k < n; ++k) {
        add(spokes[k], corners[k].point.key, spoke);
        add(sides[k], corners[k].point.key, side);
        points.push_back(corners[k].point);  // with its own key
    }
    std::sort(points.begin(), points.end(),
              [](const ContactPoint& x, const ContactPoint& y) { return x.key < y.key; });
}

}  // namespace softcontact
