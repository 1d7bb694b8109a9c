// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/contact/aggregate.hpp"

#include <algorithm>
#include <cmath>

namespace softcontact {

namespace {

void grow(Points& row, Index count)
{
    if (row.cols() < count) {
        row.resize(3, std::max<Index>(count, 2 * row.cols()));
    }
}

/// Do the points spread in two directions of their plane? From Σ a_i r_i r_iᵀ, with eigenvalues spread².
bool spreads_in_plane(double tt, double ss, double ts, double area)
{
    const double mean = 0.5 * (tt + ss);
    const double radius = std::hypot(0.5 * (tt - ss), ts);
    const double along = mean + radius;
    const double across = std::max(0.0, (tt * ss - ts * ts) / std::max(along, 1e-300));
    constexpr double collinear = AggregatePatch::collinear_ratio_limit;
    constexpr double point = AggregatePatch::point_ratio_limit;
    return along > point * point * area && across > collinear * collinear * along;
}

}  // namespace

Vector3d transport_tangent(const Vector3d& last, const Vector3d& normal)
{
    constexpr double along_normal_limit = 1e-6;
    const Vector3d projected = last - normal * normal.dot(last);
    if (projected.norm() > along_normal_limit * last.norm()) {
        return projected.normalized();
    }
    Index axis = 0;
    normal.cwiseAbs().minCoeff(&axis);
    const Vector3d unit = Vector3d::Unit(axis);
    return (unit - normal * normal.dot(unit)).normalized();
}

void AggregatePatch::reserve(std::size_t points)
{
    weights.reserve(points);
    shares.reserve(points);
    offsets.reserve(2 * points);
    grow(normal_row, static_cast<Index>(points));
    grow(torsion_row, static_cast<Index>(points));
}

void AggregatePatch::compute(std::span<const ContactPoint> points, PressureWeights pressure,
                             const Vector3d& last_tangent)
{
    const std::size_t n = points.size();
    count = static_cast<int>(n);
    weights.resize(n);
    shares.resize(n);
    offsets.resize(2 * n);
    grow(normal_row, count);
    grow(torsion_row, count);

    double depth_sum = 0.0, depth_max = -1.0;
    std::size_t penetrating = 0, deepest = 0;
    area = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        const double depth = std::max(0.0, -points[i].gap);
        depth_sum += depth;
        penetrating += depth > 0.0 ? 1U : 0U;
        if (-points[i].gap > -points[deepest].gap) {
            deepest = i;
        }
        area += points[i].area;
    }
    depth_max = std::max(0.0, -points[deepest].gap);
    // Depths so small that their sum underflows count as touching.
    const bool by_depth =
        pressure == PressureWeights::nonuniform && depth_max > 0.0 && std::isnormal(depth_sum);
    const auto area_of = [&](std::size_t i) { return area > 0.0 ? points[i].area : 1.0; };

    double weighted_area = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        const double depth = std::max(0.0, -points[i].gap);
        weights[i] = by_depth ? static_cast<double>(penetrating) * (depth / depth_sum) : 1.0;
        weighted_area += weights[i] * area_of(i);
    }
    // All the depth where there is no area: fall back to even pressure.
    if (!(weighted_area > 0.0)) {
        std::fill(weights.begin(), weights.end(), 1.0);
        weighted_area = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            weighted_area += area_of(i);
        }
    }

    volume = gap = 0.0;
    centroid.setZero();
    centre.setZero();
    Vector3d normal_sum = Vector3d::Zero();
    double counted_area = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        const ContactPoint& point = points[i];
        shares[i] = weights[i] * area_of(i) / weighted_area;
        volume += weights[i] * point.area * std::max(0.0, -point.gap);
        gap += shares[i] * point.gap;
        centroid += area_of(i) * point.p;
        centre += shares[i] * point.p;
        normal_sum += area_of(i) * point.normal;
        counted_area += area_of(i);
        normal_row.col(static_cast<Index>(i)) = shares[i] * point.normal;
    }
    centroid /= counted_area;
    normal = normal_sum.norm() > opposed_normals_limit * counted_area ? normal_sum.normalized()
                                                                      : points[deepest].normal;
    frame.col(0) = normal;
    frame.col(1) = transport_tangent(last_tangent, normal);
    frame.col(2) = normal.cross(frame.col(1));

    double tt = 0.0, ss = 0.0, ts = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        const Vector3d lever = points[i].p - centre;
        const double t = frame.col(1).dot(lever), s = frame.col(2).dot(lever);
        offsets[2 * i] = t;
        offsets[2 * i + 1] = s;
        tt += shares[i] * t * t;
        ss += shares[i] * s * s;
        ts += shares[i] * t * s;
    }
    lever_sum = tt + ss;
    has_torsion = n > 1 && spreads_in_plane(tt, ss, ts, counted_area);
    if (!has_torsion) {
        return;
    }
    for (std::size_t i = 0; i < n; ++i) {
        const Vector3d direction =
            frame.col(2) * offsets[2 * i] - frame.col(1) * offsets[2 * i + 1];  // n × r
        torsion_row.col(static_cast<Index>(i)) = (shares[i] / lever_sum) * direction;
    }
}

}  // namespace softcontact
