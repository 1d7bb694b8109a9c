// SPDX-License-Identifier: LGPL-2.1-or-later
// Whether contacts can be one patch, what its points weigh in its pressure, and what of its tissue is free.
#include <algorithm>
#include <cmath>
#include <limits>
#include <softcontact/world/contact_problem_builder.hpp>
#include <softcontact/world/tetrahedral_system.hpp>

namespace softcontact {

namespace {

/// Plane that is fitted to gaps over a patch by least squares, each by its area, or alike where none has one.
struct GapPlane {
    double area = 0.0;    ///< [m²]
    double middle = 0.0;  ///< gap in the middle [m]
    double spread = 0.0;  ///< root of the mean square of what the gaps are off [m]
    double most = 0.0;    ///< and the largest [m]
};

GapPlane fit_plane(std::span<const ContactPoint> points, std::span<const double> gaps)
{
    GapPlane plane;
    for (const ContactPoint& point : points) {
        plane.area += point.area;
    }
    const double even = 1.0 / static_cast<double>(points.size());
    const auto weight = [&](const ContactPoint& point) {
        return plane.area > 0.0 ? point.area / plane.area : even;
    };
    Vector3d normal = Vector3d::Zero(), middle = Vector3d::Zero();
    for (const ContactPoint& point : points) {
        normal += weight(point) * point.normal;
        middle += weight(point) * point.p;
    }
    double size = 0.0;
    for (const ContactPoint& point : points) {
        size = std::max(size, (point.p - middle).norm());
    }
    if (!(size > 0.0) || !(normal.norm() > 0.0)) {
        plane.middle = gaps.front();
        return plane;
    }
    const Vector3d t = transport_tangent(Vector3d::Zero(), normal.normalized());
    const Vector3d s = normal.normalized().cross(t);
    const auto base = [&](const ContactPoint& point) {
        const Vector3d arm = (point.p - middle) / size;
        return Vector3d(1.0, t.dot(arm), s.dot(arm));
    };
    Matrix3d moments = Matrix3d::Zero();
    Vector3d sums = Vector3d::Zero();
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Vector3d one = base(points[i]);
        moments += weight(points[i]) * one * one.transpose();
        sums += weight(points[i]) * gaps[i] * one;
    }
    const Vector3d fitted = moments.completeOrthogonalDecomposition().solve(sums);
    plane.middle = fitted[0];
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double off = gaps[i] - base(points[i]).dot(fitted);
        plane.spread += weight(points[i]) * off * off;
        plane.most = std::max(plane.most, std::abs(off));
    }
    plane.spread = std::sqrt(plane.spread);
    return plane;
}

/// Whether faces that are flat as long as nothing deforms them lie on each other: gaps (points.size()) that
/// are linear over the patch, up to what counts as settled.
bool lie_flat(std::span<const ContactPoint> points, std::span<const double> gaps)
{
    const GapPlane plane = fit_plane(points, gaps);
    // A round body's overlap differs by 0.58 of its mean, a punch's at its rim by some per cent.
    constexpr double round_ratio = 0.2;
    return plane.area > 0.0 && plane.spread < std::max(PressureSpread::settled_ratio * std::sqrt(plane.area),
                                                       round_ratio * std::abs(plane.middle));
}

/// Whether the normals of points are one but for a small tilt.
bool is_flat(std::span<const ContactPoint> points, const Vector3d& normal)
{
    constexpr double flat_cosine = 0.995;
    return std::all_of(points.begin(), points.end(),
                       [&](const ContactPoint& point) { return point.normal.dot(normal) > flat_cosine; });
}

}  // namespace

bool ContactProblemBuilder::bears_as_one(const PairContacts& contacts, const ContactSurface& a,
                                         const ContactSurface& b, const WorldSettings& settings)
{
    if (a.field != nullptr || b.field != nullptr || settings.patch_law == PatchLaw::mean) {
        return true;
    }
    const std::span<const ContactPoint> points(m_points.data() + contacts.first, contacts.count);
    Vector3d normal = Vector3d::Zero();
    m_gaps.clear();
    for (const ContactPoint& point : points) {
        normal += point.normal;
        m_gaps.push_back(start_gap(point, a, b));
    }
    return is_flat(points, normal.normalized()) &&
           fit_plane(points, m_gaps).most < touching_ratio * settings.alarm_distance;
}

void ContactProblemBuilder::weigh(std::span<ContactPoint> points, const ContactSurface& a,
                                  const ContactSurface& b, const WorldSettings& settings)
{
    // The overlap that the bodies had were they not deformed. It is what the free motion of the tissue alone
    // comes to in a long step, or without damping (Talvas Eq. 11, where the whole free motion counts), and as
    // it belongs to the poses alone it neither depends on the step nor answers to the pressure.
    const bool tissue = a.field != nullptr || b.field != nullptr;
    m_gaps.clear();
    for (const auto& point : points) {
        m_gaps.push_back(tissue ? point.normal.dot(a.rest_position(point.a, -point.normal) -
                                                   b.rest_position(point.b, point.normal)) -
                                      point.offset
                                : start_gap(point, a, b));
    }
    // Between the vertices of coarse tissue the footprint of the other body is the region.
    const double alarm = settings.alarm_distance, touching = touching_ratio * alarm;
    // The paper's patch is all that contact was looked for in.
    const RegionLimits limits = settings.patch_law == PatchLaw::mean ? RegionLimits{alarm, alarm, alarm}
                                : tissue ? RegionLimits{0.0, alarm, alarm}
                                         : RegionLimits{touching, touching, alarm};
    if (!points.front().a.on_shape && !points.front().b.on_shape) {  // shapes know the area that they share
        m_region.share_area(a.geometry, b.geometry, m_gaps, limits, points);
    }
    const bool by_depth = tissue && settings.pressure == PressureRule::nonuniform;
    m_weights.clear();
    double total = 0.0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        m_weights.push_back(points[i].area * (by_depth ? std::max(0.0, -m_gaps[i]) : 1.0));
        total += m_weights.back();
    }
    if (total > 0.0) {
        return;
    }
    // Edges and corners have no area: what touches, or touches first, bears alike.
    const auto nearness = [&](std::size_t i) { return std::max(start_gap(points[i], a, b), points[i].gap); };
    double nearest = nearness(0);
    for (std::size_t i = 0; i < points.size(); ++i) {
        nearest = std::min(nearest, nearness(i));
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
        const bool touches = nearness(i) <= nearest + touching_ratio * settings.alarm_distance;
        m_weights[i] = touches ? 1.0 : 0.0;
    }
}

FreeTissue ContactProblemBuilder::free_tissue(std::span<const ContactPoint> points, const ContactSurface& a,
                                              const ContactSurface& b, double step)
{
    FreeTissue tissue;
    double speed = std::numeric_limits<double>::infinity();
    for (const ContactSurface* side : {&a, &b}) {
        if (side->kind != ContactSurface::Kind::field || !side->field->dynamics().is_free()) {
            continue;
        }
        const CorotationalModel& model = side->field->dynamics().model();
        const double modulus = model.plane_modulus();
        tissue.modulus = tissue.modulus > 0.0 ? std::min(tissue.modulus, modulus) : modulus;
        speed = std::min(speed, model.wave_speed());
    }
    // m_gaps has those of the bodies as they were if not deformed.
    if (tissue.modulus > 0.0 && !lie_flat(points, m_gaps)) {
        return {};
    }
    if (tissue.modulus > 0.0) {
        tissue.wave_way = speed * step;
        m_gaps.clear();
        for (const ContactPoint& point : points) {
            m_gaps.push_back(start_gap(point, a, b));
        }
        tissue.gaps = m_gaps;
    }
    return tissue;
}

}  // namespace softcontact
