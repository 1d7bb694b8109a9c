// SPDX-License-Identifier: LGPL-2.1-or-later
// Signed distances of convex shapes against all directions: random placements, apart, touching and deep
// inside.
#include <cmath>
#include <cstdio>
#include <random>
#include <softcontact/geometry/convex_shape.hpp>
#include <softcontact/geometry/impact_share.hpp>
#include <softcontact/geometry/shape_separation.hpp>
#include <softcontact/geometry/surface.hpp>
#include <string>
#include <vector>

using namespace softcontact;

namespace {

constexpr double pi = 3.14159265358979323846;
int failures = 0;
int meetings = 0;

void expect(bool holds, const char* what, const std::string& where, double value, double limit)
{
    if (holds) return;
    if (failures++ < 20) std::printf("%s: %s, %g against %g\n", where.c_str(), what, value, limit);
}

/// A cone of six sides, its tip up: a hull that is neither a box nor symmetric.
Surface pyramid()
{
    Points vertices(3, 8);
    Triangles triangles(3, 12);
    vertices.col(6) << 0.0, 0.0, -0.01;
    vertices.col(7) << 0.004, 0.002, 0.03;
    for (int k = 0; k < 6; ++k) {
        const double angle = pi / 3.0 * k;
        vertices.col(k) << 0.02 * std::cos(angle), 0.015 * std::sin(angle), -0.01;
        triangles.col(2 * k) << k, (k + 1) % 6, 7;
        triangles.col(2 * k + 1) << (k + 1) % 6, k, 6;
    }
    return {vertices, triangles};
}

double gap_told_along(const PlacedShape& a, const PlacedShape& b, const Vector3d& normal)
{
    return normal.dot(a.support(-normal) - b.support(normal));
}

/// max_n of the gap along n, by trying: directions all over the sphere, the best of them climbed from.
double by_trying(const PlacedShape& a, const PlacedShape& b, std::mt19937& random)
{
    constexpr int count = 6000, starts = 12;
    std::vector<std::pair<double, Vector3d>> tried;
    for (int i = 0; i < count; ++i) {
        const double z = 1.0 - (2.0 * i + 1.0) / count, angle = pi * (1.0 + std::sqrt(5.0)) * i;
        const double across = std::sqrt(1.0 - z * z);
        const Vector3d normal(across * std::cos(angle), across * std::sin(angle), z);
        tried.emplace_back(gap_told_along(a, b, normal), normal);
    }
    std::partial_sort(tried.begin(), tried.begin() + starts, tried.end(),
                      [](const auto& x, const auto& y) { return x.first > y.first; });
    std::normal_distribution<double> gauss;
    double best = tried[0].first;
    for (int i = 0; i < starts; ++i) {
        auto [gap, normal] = tried[static_cast<std::size_t>(i)];
        for (double turn = 0.03; turn > 1e-9;) {
            int climbed = 0;
            for (int k = 0; k < 24; ++k) {
                const Vector3d next =
                    (normal + turn * Vector3d(gauss(random), gauss(random), gauss(random))).normalized();
                const double there = gap_told_along(a, b, next);
                if (there > gap) {
                    gap = there;
                    normal = next;
                    ++climbed;
                }
            }
            if (climbed == 0) turn *= 0.6;
        }
        best = std::max(best, gap);
    }
    return best;
}

Pose random_pose(std::mt19937& random, double reach)
{
    std::normal_distribution<double> gauss;
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    Quaterniond turn(gauss(random), gauss(random), gauss(random), gauss(random));
    return {turn.normalized().toRotationMatrix(),
            reach * Vector3d(uniform(random), uniform(random), uniform(random))};
}

void check(const PlacedShape& a, const PlacedShape& b, std::mt19937& random, const std::string& where)
{
    const ShapeSeparation found = separation(a, b);
    const double scale = a.shape->size() + b.shape->size();
    const double tried = by_trying(a, b, random);
    expect(std::abs(found.normal.norm() - 1.0) < 1e-12, "normal not of unit length", where,
           found.normal.norm(), 1.0);
    const double along = gap_told_along(a, b, found.normal);
    expect(std::abs(along - found.gap) < 1e-13 * scale, "gap not that along the normal", where, along,
           found.gap);
    expect(found.gap > tried - 1e-8 * scale, "another direction parts them more", where, found.gap, tried);
    expect(found.gap < tried + 1e-3 * scale, "the trial did not come near", where, found.gap, tried);
    const ShapeSeparation turned = separation(b, a);
    expect(std::abs(turned.gap - found.gap) < 1e-8 * scale, "not symmetric", where, turned.gap, found.gap);
    if (found.has_points) {
        const double apart =
            found.normal.dot(found.on_a - found.on_b) - a.shape->radius() - b.shape->radius();
        expect(std::abs(apart - found.gap) < 1e-6 * scale, "points not apart by the gap", where, apart,
               found.gap);
    }
}

/// Two on their way: nearer than a distance for the first time where impact_share says so, by looking all
/// along.
void check_meeting(const ConvexShape& a, const ConvexShape& b, std::mt19937& random, const std::string& where)
{
    constexpr double distance = 1e-4, allowed = 0.89 * distance;
    constexpr int looks = 400;
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    const auto way = [&](const ConvexShape& shape, double side) {
        MovingShape moving{&shape, random_pose(random, 0.01), {}};
        moving.start.translation.x() += side * 0.06;
        const Vector3d axis = Vector3d(uniform(random), uniform(random), uniform(random)).normalized();
        const Eigen::AngleAxisd turn(2.0 * uniform(random), axis);
        moving.end = {turn * moving.start.rotation,
                      moving.start.translation - side * Vector3d(0.12, 0, 0) * (0.5 + uniform(random)) +
                          0.02 * Vector3d(0.0, uniform(random), uniform(random))};
        return moving;
    };
    const MovingShape first = way(a, 1.0), second = way(b, -1.0);
    const double share = impact_share(first, second, distance);
    for (int k = 0; k <= looks; ++k) {
        const double at = static_cast<double>(k) / looks;
        if (at > share) break;
        const double gap = separation(first.at(at), second.at(at)).gap;
        expect(gap > allowed, "they were nearer before they met", where, gap, allowed);
    }
    if (share < 1.0) {
        const double gap = separation(first.at(share), second.at(share)).gap;
        expect(gap < 1.01 * distance, "they have not met yet", where, gap, distance);
        ++meetings;
    }
}

}  // namespace

int main()
{
    const Surface cone = pyramid();
    const auto hull = ConvexShape::hull(cone);
    if (!hull || hull->faces().size() != 7 || hull->corners().cols() != 7) {
        std::printf("a pyramid of six sides has 7 faces and 7 corners\n");
        return 1;
    }
    const std::vector<std::pair<std::string, ConvexShape>> shapes{
        {"sphere", ConvexShape::sphere(0.012)},
        {"capsule", ConvexShape::capsule(0.008, 0.03)},
        {"cylinder", ConvexShape::cylinder(0.012, 0.03)},
        {"disc", ConvexShape::cylinder(0.02, 0.004)},
        {"box", ConvexShape::box({0.02, 0.03, 0.012})},
        {"plate", ConvexShape::box({0.05, 0.05, 0.002})},
        {"hull", *hull},
    };
    std::mt19937 random(7), ways(11);
    for (const auto& [name_a, a] : shapes) {
        for (const auto& [name_b, b] : shapes) {
            for (int trial = 0; trial < 100; ++trial) {
                check_meeting(a, b, ways, name_a + " meets " + name_b);
            }
            for (int trial = 0; trial < 40; ++trial) {
                const double reach = trial % 4 == 0 ? 0.002 : 0.03;
                const PlacedShape placed_a{&a, random_pose(random, reach)};
                PlacedShape placed_b{&b, random_pose(random, reach)};
                const std::string where = name_a + " and " + name_b;
                check(placed_a, placed_b, random, where);
                const ShapeSeparation found = separation(placed_a, placed_b);
                placed_b.pose.translation += found.gap * found.normal;  // they touch
                const ShapeSeparation touching = separation(placed_a, placed_b);
                expect(std::abs(touching.gap) < 1e-9, "not touching", where, touching.gap, 0.0);
            }
            // flat on each other: nothing to choose a direction by but the faces
            if (name_b == "hull") continue;  // its tip is not above its middle
            const double height = b.bounds({}).upper.z() - a.bounds({}).lower.z();
            const PlacedShape upper{&a, {Matrix3d::Identity(), Vector3d(0.0, 0.0, height)}};
            const PlacedShape lower{&b, Pose()};
            const ShapeSeparation stacked = separation(upper, lower);
            expect(std::abs(stacked.gap) < 1e-15, "stacked, not touching", name_a + " on " + name_b,
                   stacked.gap, 0.0);
            expect(stacked.normal.z() == 1.0, "not upright", name_a + " on " + name_b, stacked.normal.z(),
                   1.0);
        }
    }
    expect(meetings > 1000, "too few have met to tell", "all", meetings, 1000);
    std::printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
