// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/contact/contact_region.hpp"

#include <algorithm>
#include <limits>

namespace softcontact {
namespace {

/// Barycentric weights in a triangle of a point given by vertices of which it has all.
Vector3d weights_in(const Eigen::Ref<const Eigen::Vector3i>& corners, const SurfacePoint& point)
{
    Vector3d weights = Vector3d::Zero();
    for (int k = 0; k < 3; ++k) {
        for (int c = 0; c < 3; ++c) {
            if (corners[c] == point.vertices[static_cast<std::size_t>(k)]) weights[c] += point.weights[k];
        }
    }
    return weights;
}

bool has(const Eigen::Ref<const Eigen::Vector3i>& corners, const SurfacePoint& point)
{
    for (int k = 0; k < 3; ++k) {
        if (point.weights[k] != 0.0 && (corners.array() != point.vertices[static_cast<std::size_t>(k)]).all())
            return false;
    }
    return true;
}

}  // namespace

/// Keeps the part of a convex polygon where value(corner) <= 0, value linear in between.
template <typename Value>
void ContactRegion::cut(Polygon& polygon, const Value& value)
{
    Polygon kept;
    for (int i = 0; i < polygon.count; ++i) {
        const Corner& here = polygon.corners[static_cast<std::size_t>(i)];
        const Corner& next = polygon.corners[static_cast<std::size_t>((i + 1) % polygon.count)];
        const double at = value(here), after = value(next);
        if (at <= 0.0) kept.corners[static_cast<std::size_t>(kept.count++)] = here;
        if ((at <= 0.0) != (after <= 0.0) && kept.count < most_corners) {
            const double share = at / (at - after);
            kept.corners[static_cast<std::size_t>(kept.count++)] = {
                here.weights + share * (next.weights - here.weights),
                here.gap + share * (next.gap - here.gap)};
        }
    }
    polygon = kept;
}

/// What each corner has of a polygon's area, as a share of the triangle's, when every corner takes half of
/// the fan around the middle on either side.
void ContactRegion::share_corners(const Polygon& polygon, std::array<double, most_corners>& of_corner)
{
    of_corner.fill(0.0);
    Vector3d middle = Vector3d::Zero();
    for (int i = 0; i < polygon.count; ++i) middle += polygon.corners[static_cast<std::size_t>(i)].weights;
    middle /= std::max(polygon.count, 1);
    for (int i = 0; i < polygon.count; ++i) {
        const auto here = static_cast<std::size_t>(i),
                   next = static_cast<std::size_t>((i + 1) % polygon.count);
        Matrix3d corners;  // in barycentric coordinates a triangle's share of the area is their determinant
        corners << middle, polygon.corners[here].weights, polygon.corners[next].weights;
        const double share = std::max(0.0, corners.determinant());
        of_corner[here] += 0.5 * share;
        of_corner[next] += 0.5 * share;
    }
}

void ContactRegion::list_triangles(const Surface& a, std::span<const ContactPoint> points)
{
    m_contact_of_vertex.resize(
        std::max(m_contact_of_vertex.size(), static_cast<std::size_t>(a.vertex_count())), -1);
    m_place_of_triangle.resize(
        std::max(m_place_of_triangle.size(), static_cast<std::size_t>(a.triangle_count())), -1);
    m_triangles.clear();
    const auto place = [&](int triangle) {
        int& at = m_place_of_triangle[static_cast<std::size_t>(triangle)];
        if (at < 0) {
            at = static_cast<int>(m_triangles.size());
            m_triangles.push_back(triangle);
            if (m_inner.size() < m_triangles.size()) m_inner.emplace_back();
            m_inner[static_cast<std::size_t>(at)].clear();
        }
        return static_cast<std::size_t>(at);
    };
    for (std::size_t i = 0; i < points.size(); ++i) {
        const SurfacePoint& point = points[i].a;
        const int vertex = point.vertex();
        Index heaviest = 0;
        point.weights.maxCoeff(&heaviest);
        const int near = point.vertices[static_cast<std::size_t>(heaviest)];
        if (vertex >= 0) m_contact_of_vertex[static_cast<std::size_t>(vertex)] = static_cast<int>(i);
        for (const int triangle : a.topology().faces_of_vertex(near)) {
            if (vertex >= 0) {
                place(triangle);
            } else if (has(a.triangles().col(triangle), point)) {
                m_inner[place(triangle)].push_back(static_cast<int>(i));
            }
        }
    }
}

void ContactRegion::give(const Polygon& polygon, double area, std::span<ContactPoint> points)
{
    std::array<double, most_corners> of_corner;
    share_corners(polygon, of_corner);
    for (int k = 0; k < polygon.count; ++k) {
        const Vector3d& place = polygon.corners[static_cast<std::size_t>(k)].weights;
        double nearest = std::numeric_limits<double>::infinity();
        int taker = -1;
        for (const auto& [point, weights] : m_takers) {
            const double distance = (weights - place).squaredNorm();
            if (distance < nearest) {
                nearest = distance;
                taker = point;
            }
        }
        if (taker >= 0)
            points[static_cast<std::size_t>(taker)].area += area * of_corner[static_cast<std::size_t>(k)];
    }
}

void ContactRegion::share_triangle(const Surface& a, const Surface& b, int triangle,
                                   std::span<const double> gaps, const RegionLimits& limits,
                                   std::span<ContactPoint> points)
{
    const auto [limit, facing_limit, outside] = limits;
    const auto corners = a.triangles().col(triangle);
    const auto& inner =
        m_inner[static_cast<std::size_t>(m_place_of_triangle[static_cast<std::size_t>(triangle)])];
    m_takers.clear();
    Polygon whole;
    whole.count = 3;
    Vector3d normal = Vector3d::Zero();
    for (int k = 0; k < 3; ++k) {
        const int contact = m_contact_of_vertex[static_cast<std::size_t>(corners[k])];
        whole.corners[static_cast<std::size_t>(k)] = {Vector3d::Unit(k), outside};
        if (contact >= 0) {
            whole.corners[static_cast<std::size_t>(k)].gap = gaps[static_cast<std::size_t>(contact)];
            m_takers.emplace_back(contact, Vector3d::Unit(k));
            normal += points[static_cast<std::size_t>(contact)].normal;
        }
    }
    for (const int contact : inner) {
        if (gaps[static_cast<std::size_t>(contact)] > limit) continue;
        m_takers.emplace_back(contact, weights_in(corners, points[static_cast<std::size_t>(contact)].a));
        normal += points[static_cast<std::size_t>(contact)].normal;
    }
    if (!(normal.squaredNorm() > 0.0)) return;
    normal.normalize();
    const double seen = -normal.dot(a.pose().rotation * a.face_normals().col(triangle));
    const double area = a.triangle_areas()[triangle] * std::max(0.0, seen);
    if (!(area > 0.0)) return;
    if (inner.empty()) {
        cut(whole, [&](const Corner& corner) { return corner.gap - limit; });
        give(whole, area, points);
        return;
    }
    Matrix3d placed;  // corners in B's frame
    for (int k = 0; k < 3; ++k) placed.col(k) = b.pose().inverse_times(a.world_vertex(corners[k]));
    Aabb box;
    for (int k = 0; k < 3; ++k) box.extend(Vector3d(placed.col(k)));
    const Aabb region = box.inflated(outside);
    const Vector3d along = b.pose().rotation.transpose() * normal;
    b.tree().for_each(
        [&](const Aabb& node) { return node.overlaps(region); },
        [&](int facing) {
            const Vector3d face = b.face_normals().col(facing);
            const double slope = along.dot(face);
            if (!(slope > 0.0)) return;
            const auto of_b = b.triangles().col(facing);
            const Vector3d origin = b.local_vertices().col(of_b[0]);
            const Vector3d gap = face.transpose() * (placed.colwise() - origin) / slope;  // along the normal
            if (gap.minCoeff() > facing_limit) return;
            Matrix3d from, outwards;  // of the prism over each edge
            for (int k = 0; k < 3; ++k) {
                from.col(k) = b.local_vertices().col(of_b[k]);
                outwards.col(k) = (b.local_vertices().col(of_b[(k + 1) % 3]) - from.col(k)).cross(along);
                if ((outwards.col(k).transpose() * (placed.colwise() - from.col(k))).minCoeff() > 0.0) return;
            }
            Polygon part = whole;
            for (int k = 0; k < 3; ++k) part.corners[static_cast<std::size_t>(k)].gap = gap[k];
            for (int k = 0; k < 3 && part.count > 0; ++k) {
                cut(part, [&](const Corner& corner) {
                    return outwards.col(k).dot(placed * corner.weights - from.col(k));
                });
            }
            if (part.count > 0) cut(part, [&](const Corner& corner) { return corner.gap - facing_limit; });
            if (part.count > 0) give(part, area, points);
        });
}

void ContactRegion::share_area(const Surface& a, const Surface& b, std::span<const double> gaps,
                               const RegionLimits& limits, std::span<ContactPoint> points)
{
    list_triangles(a, points);
    for (ContactPoint& point : points) point.area = 0.0;
    for (const int triangle : m_triangles) {
        share_triangle(a, b, triangle, gaps, limits, points);
    }
    for (const int triangle : m_triangles) m_place_of_triangle[static_cast<std::size_t>(triangle)] = -1;
    for (const ContactPoint& point : points) {
        const int vertex = point.a.vertex();
        if (vertex >= 0) m_contact_of_vertex[static_cast<std::size_t>(vertex)] = -1;
    }
}

}  // namespace softcontact
