// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/contact/aggregate.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

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
    corners.reserve(2 * most_corners);
    grow(normal_row, static_cast<Index>(points));
    grow(torsion_row, static_cast<Index>(points));
    for (Points& row : tilt_rows) grow(row, static_cast<Index>(points));
}

Vector3d AggregatePatch::row(int row, std::size_t point) const
{
    const auto column = static_cast<Index>(point);
    if (row == 0) return normal_row.col(column);
    if (row < 3) return shares[point] * frame.col(row);
    if (has_torsion && row == 3) return torsion_row.col(column);
    return tilt_rows[static_cast<std::size_t>(row - (has_torsion ? 4 : 3))].col(column);
}

VectorXd AggregatePatch::moment_rows(const Vector2d& moment) const
{
    if (tilts == 1) return VectorXd::Constant(1, tilt_axis.dot(moment));
    return tilts == 2 ? VectorXd(moment) : VectorXd();
}

Vector2d AggregatePatch::moment_of(const Eigen::Ref<const VectorXd>& multipliers) const
{
    if (tilts == 1) return multipliers[0] * tilt_axis;
    return tilts == 2 ? Vector2d(multipliers) : Vector2d::Zero();
}

PatchGap AggregatePatch::closable_gap(const PatchGap& patch_gap) const
{
    PatchGap closable = PatchGap::Zero();
    if (tilts == 0) {
        closable[0] = std::max(0.0, patch_gap[0]);
        return closable;
    }
    const std::size_t count_of_corners = corners.size() / 2;
    std::size_t pressed = 0;
    double depth = 0.0, most = 0.0;
    for (std::size_t k = 0; k < count_of_corners; ++k) {
        const double at_corner = corner_gap(k, patch_gap);
        pressed += at_corner < 0.0 ? 1 : 0;
        depth = std::max(depth, -at_corner);
        most = std::max(most, at_corner);
    }
    if (pressed == 0) return patch_gap;
    if (!(most > 0.0)) return closable;

    double best = 0.0;
    // Keeps the largest multiple of `gaps`, zero where corners are pressed in, that no other gap is less
    // than.
    const auto offer = [&](const PatchGap& gaps) {
        constexpr double round_off = 1e-9;
        double largest = 0.0, share = std::numeric_limits<double>::infinity(), sum = 0.0;
        for (std::size_t k = 0; k < count_of_corners; ++k) {
            largest = std::max(largest, corner_gap(k, gaps));
        }
        for (std::size_t k = 0; k < count_of_corners; ++k) {
            const double asked = corner_gap(k, gaps);
            if (asked <= round_off * largest) continue;
            share = std::min(share, std::max(0.0, corner_gap(k, patch_gap)) / asked);
            sum += asked;
        }
        if (share * sum > best && std::isfinite(share)) {
            best = share * sum;
            closable = share * gaps;
        }
    };
    if (pressed == 1) offer(patch_gap + PatchGap(depth, 0.0, 0.0));
    for (std::size_t k = 0; tilts == 2 && k < count_of_corners; ++k) {
        const std::size_t next = (k + 1) % count_of_corners;
        const Vector2d start(corners[2 * k], corners[2 * k + 1]);
        const Vector2d side = Vector2d(corners[2 * next], corners[2 * next + 1]) - start;
        const Vector2d inwards(-side.y(), side.x());
        offer(PatchGap(-inwards.dot(start), inwards.y(), -inwards.x()));  // a tilt about this side
    }
    return closable;
}

void AggregatePatch::compute(std::span<const ContactPoint> points, PressureWeights pressure,
                             const Vector3d& last_tangent)
{
    const std::size_t n = points.size();
    weights.resize(n);
    shares.resize(n);
    double depth_sum = 0.0, depth_max = 0.0;
    std::size_t penetrating = 0;
    area = 0.0;
    for (const ContactPoint& point : points) {
        const double depth = std::max(0.0, -point.gap);
        depth_sum += depth;
        depth_max = std::max(depth_max, depth);
        penetrating += depth > 0.0 ? 1U : 0U;
        area += point.area;
    }
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
        for (std::size_t i = 0; i < n; ++i) weighted_area += area_of(i);
    }
    for (std::size_t i = 0; i < n; ++i) shares[i] = weights[i] * area_of(i) / weighted_area;
    make_rows(points, last_tangent);
    volume = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        volume += weights[i] * points[i].area * std::max(0.0, -points[i].gap);
    }
}

void AggregatePatch::compute(std::span<const ContactPoint> points, std::span<const double> given_shares,
                             const Vector3d& last_tangent)
{
    shares.assign(given_shares.begin(), given_shares.end());
    weights.assign(points.size(), 1.0);
    area = 0.0;
    for (const ContactPoint& point : points) area += point.area;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (points[i].area > 0.0) weights[i] = shares[i] * area / points[i].area;
    }
    make_rows(points, last_tangent);
    volume = 0.0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        volume += area * shares[i] * std::max(0.0, -points[i].gap);
    }
}

void AggregatePatch::make_frame(std::span<const ContactPoint> points, const Vector3d& last_tangent)
{
    const auto area_of = [&](const ContactPoint& point) { return area > 0.0 ? point.area : 1.0; };
    centroid.setZero();
    Vector3d normal_sum = Vector3d::Zero();
    double counted_area = 0.0;
    const ContactPoint* deepest = points.data();
    for (const ContactPoint& point : points) {
        centroid += area_of(point) * point.p;
        normal_sum += area_of(point) * point.normal;
        counted_area += area_of(point);
        deepest = point.gap < deepest->gap ? &point : deepest;
    }
    centroid /= counted_area;
    normal =
        normal_sum.norm() > opposed_normals_limit * counted_area ? normal_sum.normalized() : deepest->normal;
    frame.col(0) = normal;
    frame.col(1) = transport_tangent(last_tangent, normal);
    frame.col(2) = normal.cross(frame.col(1));
}

void AggregatePatch::make_rows(std::span<const ContactPoint> points, const Vector3d& last_tangent)
{
    const std::size_t n = points.size();
    count = static_cast<int>(n);
    offsets.resize(2 * n);
    grow(normal_row, count);
    grow(torsion_row, count);
    make_frame(points, last_tangent);
    gap = 0.0;
    centre.setZero();
    for (std::size_t i = 0; i < n; ++i) {
        gap += shares[i] * points[i].gap;
        centre += shares[i] * points[i].p;
        normal_row.col(static_cast<Index>(i)) = shares[i] * points[i].normal;
    }
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
    tilts = 0;
    flat = false;
    const double counted_area = area > 0.0 ? area : static_cast<double>(n);
    has_torsion = n > 1 && spreads_in_plane(tt, ss, ts, counted_area);
    if (has_torsion) make_torsion();
}

void AggregatePatch::make_torsion()
{
    for (int i = 0; i < count; ++i) {
        const auto k = static_cast<std::size_t>(i);
        const Vector3d direction =
            frame.col(2) * offsets[2 * k] - frame.col(1) * offsets[2 * k + 1];  // n × r
        torsion_row.col(i) = (shares[k] / lever_sum) * direction;
    }
}

void AggregatePatch::bear_moments(std::span<const ContactPoint> points, std::span<const double> profile,
                                  bool all_alike, bool tissue)
{
    const std::size_t n = points.size();
    flat = all_alike;
    const double even = 1.0 / static_cast<double>(n);
    // Bodies that do not yield: rows of any weights are a way to write their wrench, if only they have a
    // spread.
    m_supports.assign(n, 1.0);
    const bool by_profile = !flat || spreads(points, profile);
    const auto share = [&](std::size_t i) { return by_profile ? profile[i] : even; };
    moment_centre.setZero();
    for (std::size_t i = 0; i < n; ++i) moment_centre += share(i) * points[i].p;
    m_places.resize(2 * n);
    Eigen::Matrix2d spread = Eigen::Matrix2d::Zero();
    double size = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        Eigen::Map<Vector2d> place(m_places.data() + 2 * i);
        place = frame.rightCols<2>().transpose() * (points[i].p - moment_centre);
        spread += share(i) * place * place.transpose();
        size = std::max(size, place.norm());
        normal_row.col(static_cast<Index>(i)) = share(i) * (flat ? normal : points[i].normal);
    }
    convex_hull(m_places, flat ? std::span<const double>(m_supports) : profile, most_corners, corners);
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> axes(spread);
    const double along = axes.eigenvalues()[1], across = axes.eigenvalues()[0];
    // Shares that single out one point leave round-off of the others: a spread that no row may be divided by.
    const double no_spread = point_ratio_limit * point_ratio_limit * size * size;
    tilts = !(along > no_spread) || corners.size() < 4                                      ? 0
            : !(across > line_ratio_limit * line_ratio_limit * along) || corners.size() < 6 ? 1
                                                                                            : 2;
    if (n > 1 && !has_torsion && lever_sum > no_spread) {
        has_torsion = true;  // points on a line resist a spin as well
        make_torsion();
    }
    if (tilts == 0) return;
    const Vector2d line = axes.eigenvectors().col(1);
    tilt_axis = Vector2d(line.y(), -line.x());
    Eigen::Matrix2d inverse = line * line.transpose() / along;
    if (tilts == 2) inverse = spread.inverse();
    if (tissue) confine_to_kern(inverse);
    for (Points& row : tilt_rows) grow(row, static_cast<Index>(n));
    for (std::size_t i = 0; i < n; ++i) {
        const Eigen::Map<const Vector2d> place(m_places.data() + 2 * i);
        const Vector3d direction = share(i) * (flat ? normal : points[i].normal);
        const auto column = static_cast<Index>(i);
        if (tilts == 1) {
            tilt_rows[0].col(column) = line.dot(place) / along * direction;
            continue;
        }
        const Vector2d slope =
            inverse * place;  // a moment M about t is the force slope_s M, about s −slope_t M
        tilt_rows[0].col(column) = slope.y() * direction;
        tilt_rows[1].col(column) = -slope.x() * direction;
    }
}

bool AggregatePatch::spreads(std::span<const ContactPoint> points, std::span<const double> profile) const
{
    constexpr double least_ratio = 1e-4;  // of the spread, against that of all points alike
    Vector3d middle = Vector3d::Zero(), even_middle = Vector3d::Zero();
    const double even = 1.0 / static_cast<double>(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        middle += profile[i] * points[i].p;
        even_middle += even * points[i].p;
    }
    Eigen::Matrix2d spread = Eigen::Matrix2d::Zero(), even_spread = Eigen::Matrix2d::Zero();
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Vector2d place = frame.rightCols<2>().transpose() * (points[i].p - middle);
        const Vector2d even_place = frame.rightCols<2>().transpose() * (points[i].p - even_middle);
        spread += profile[i] * place * place.transpose();
        even_spread += even * even_place * even_place.transpose();
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> axes(even_spread);
    const double along = axes.eigenvalues()[1], across = axes.eigenvalues()[0];
    if (!(across > line_ratio_limit * line_ratio_limit * along)) {
        // On a line both determinants are round-off.
        const Vector2d line = axes.eigenvectors().col(1);
        return line.dot(spread * line) > least_ratio * along;
    }
    return spread.determinant() > least_ratio * even_spread.determinant();
}

void AggregatePatch::confine_to_kern(const Eigen::Matrix2d& inverse_spread)
{
    using Corner = Eigen::Map<Vector2d>;
    const std::size_t count_of_corners = corners.size() / 2;
    m_kern_corners = corners;
    for (std::size_t k = 0; k < count_of_corners; ++k) {
        const Vector2d slope = inverse_spread * Corner(corners.data() + 2 * k);
        double least =
            0.0;  // of the pressure that a force at the corner adds, as a share of the profile there
        for (std::size_t j = 0; j < count_of_corners; ++j) {
            least = std::min(least, Corner(corners.data() + 2 * j).dot(slope));
        }
        if (least < -1.0) {
            Corner(m_kern_corners.data() + 2 * k) /= -least;
        }
    }
    m_supports.assign(count_of_corners, 1.0);
    convex_hull(m_kern_corners, m_supports, most_corners, corners);
}

}  // namespace softcontact
