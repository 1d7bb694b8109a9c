// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/contact/convex_contact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "softcontact/contact/shape_side.hpp"

namespace softcontact {
namespace {

constexpr int most_contacts = 8;
/// Distances in sizes that are round-off.
constexpr double size_round_off = 1e-9;
/// Share by which areas, or cosines, differ that are equal but for round-off.
constexpr double tie_ratio = 1e-6;
/// Squared sine below which two lines run side by side, and touch at both ends of what they share.
constexpr double parallel_edges = 1e-6;
/// Area of a disc over that of the polygon that stands for its rim.
const double disc_over_rim = std::numbers::pi / (0.5 * ShapeSide::rim_points *
                                                 std::sin(2.0 * std::numbers::pi / ShapeSide::rim_points));

/// A corner of what two sides have in common, by the numbers of the edges that meet there: the first side's
/// from 0, the second's from `second_edges` on.
struct Corner {
    Vector3d point;
    int in, out;
};
constexpr int second_edges = ShapeSide::most_points;

/// Has room for many corners, most of which are never written or copied.
struct Polygon {
    std::array<Corner, 2 * ShapeSide::most_points + 2> corners;
    int count = 0;

    void take(const Polygon& other)
    {
        count = other.count;
        std::copy_n(other.corners.begin(), count, corners.begin());
    }
    void add(const Corner& corner)
    {
        if (count < static_cast<int>(corners.size())) corners[static_cast<std::size_t>(count++)] = corner;
    }
    [[nodiscard]] const Corner& operator[](int k) const { return corners[static_cast<std::size_t>(k)]; }
};

/// Keeps what lies where value(point) >= 0, linear; `edge` numbers the cut. A polygon of two corners is a
/// segment.
template <typename Value>
void cut(Polygon& polygon, int edge, const Value& value)
{
    Polygon kept;
    const int count = polygon.count;
    const int sides = count > 2 ? count : count - 1;
    if (count == 1) {
        if (!(value(polygon[0].point) >= 0.0)) polygon.count = 0;
        return;
    }
    for (int k = 0; k < sides; ++k) {
        const Corner &here = polygon[k], &next = polygon[(k + 1) % count];
        const double at = value(here.point), then = value(next.point);
        if (at >= 0.0) kept.add(here);
        if ((at >= 0.0) != (then >= 0.0)) {
            const Vector3d point = here.point + at / (at - then) * (next.point - here.point);
            kept.add(at >= 0.0 ? Corner{point, here.out, edge} : Corner{point, edge, here.out});
        }
    }
    if (count == 2 && value(polygon[1].point) >= 0.0) kept.add(polygon[1]);
    polygon.take(kept);
}

class Manifold {
public:
    Manifold(const PlacedShape& a, const PlacedShape& b, const ShapeSeparation& apart, double alarm_distance,
             std::vector<ContactPoint>& out)
        : m_a(a),
          m_b(b),
          m_apart(apart),
          m_normal(apart.normal),
          m_layers(a.shape->radius() + b.shape->radius()),
          m_alarm(alarm_distance),
          m_round_off(size_round_off * (a.shape->size() + b.shape->size())),
          m_side_a(a, -apart.normal),
          m_side_b(b, apart.normal),
          m_out(out)
    {
    }

    void find()
    {
        const int of_a = m_side_a.is_flat() ? 3 : m_side_a.count,
                  of_b = m_side_b.is_flat() ? 3 : m_side_b.count;
        if (of_a > 1 && of_b > 1) {
            if (of_a == 2 && of_b == 2) {
                two_lines();
            } else if (!m_side_a.is_flat() || m_side_b.endless ||
                       (m_side_b.is_flat() && !m_side_a.endless && is_as_square(m_side_b, m_side_a))) {
                clip(m_side_a, m_side_b, true);
            } else {
                clip(m_side_b, m_side_a, false);
            }
        }
        double least = std::numeric_limits<double>::infinity();
        for (const ContactPoint& point : m_out) least = std::min(least, point.gap);
        if (least > m_apart.gap + m_round_off && m_apart.gap <= m_alarm) add_nearest();
        std::sort(m_out.begin(), m_out.end(),
                  [](const ContactPoint& x, const ContactPoint& y) { return x.key < y.key; });
    }

private:
    /// Of two that are as square to the normal but for round-off it is always the same one that is cut.
    [[nodiscard]] bool is_as_square(const ShapeSide& side, const ShapeSide& other) const
    {
        return std::abs(m_normal.dot(side.normal)) >=
               (1.0 - tie_ratio) * std::abs(m_normal.dot(other.normal));
    }

    /// Corners of what `subject` has in common with a flat side, with their heights over it.
    void clip(const ShapeSide& subject, const ShapeSide& flat, bool subject_is_a)
    {
        const double slope = m_normal.dot(flat.normal);
        if (std::abs(slope) < m_round_off) return;
        Polygon polygon;
        for (int k = 0; k < subject.count; ++k) {
            const int before = (k + subject.count - 1) % subject.count;
            polygon.add({subject.points[static_cast<std::size_t>(k)], before, k});
        }
        for (int k = 0; k < flat.count && !flat.endless; ++k) {
            const Vector3d start = flat.points[static_cast<std::size_t>(k)];
            const Vector3d end = flat.points[static_cast<std::size_t>((k + 1) % flat.count)];
            // Seen along the normal the side is counter-clockwise for B, clockwise for A.
            Vector3d inwards = std::copysign(1.0, slope) * m_normal.cross(end - start);
            const double length = inwards.norm();
            if (!(length > 0.0)) continue;
            inwards /= length;
            cut(polygon, second_edges + k,
                [&](const Vector3d& point) { return inwards.dot(point - start) + m_round_off; });
        }
        const double area = share_of_area(subject, flat, polygon);
        reduce(polygon);
        for (int k = 0; k < polygon.count; ++k) {
            const Corner& corner = polygon[k];
            const double height = flat.normal.dot(corner.point - flat.points[0]) / slope;
            const Vector3d other = corner.point - height * m_normal;
            const int first = 2 * second_edges * subject.number + corner.in;
            const int second = 2 * second_edges * (2 * flat.number + (subject_is_a ? 0 : 1)) + corner.out;
            add(subject_is_a ? corner.point : other, subject_is_a ? other : corner.point, area, first,
                second);
        }
    }

    [[nodiscard]] double share_of_area(const ShapeSide& subject, const ShapeSide& flat,
                                       const Polygon& polygon) const
    {
        if (polygon.count < 3) return 0.0;
        Vector3d twice = Vector3d::Zero();
        for (int k = 1; k + 1 < polygon.count; ++k) {
            twice += (polygon[k].point - polygon[0].point).cross(polygon[k + 1].point - polygon[0].point);
        }
        const double area = 0.5 * std::abs(m_normal.dot(twice));
        return (subject.cap || flat.cap ? disc_over_rim * area : area) /
               std::min(polygon.count, most_contacts);
    }

    /// Leaves out the corners that matter least.
    void reduce(Polygon& polygon) const
    {
        while (polygon.count > most_contacts) {
            int least = 0;
            double smallest = std::numeric_limits<double>::infinity();
            for (int k = 0; k < polygon.count; ++k) {
                const Vector3d& here = polygon[k].point;
                const Vector3d& before = polygon[(k + polygon.count - 1) % polygon.count].point;
                const Vector3d& after = polygon[(k + 1) % polygon.count].point;
                const double area = std::abs(m_normal.dot((here - before).cross(after - before)));
                if (area < (1.0 - tie_ratio) * smallest) {  // of equals the first, whatever the round-off
                    smallest = area;
                    least = k;
                }
            }
            std::copy(polygon.corners.begin() + least + 1, polygon.corners.begin() + polygon.count,
                      polygon.corners.begin() + least);
            --polygon.count;
        }
    }

    void two_lines()
    {
        const Vector3d a0 = m_side_a.points[0], b0 = m_side_b.points[0];
        const auto flattened = [&](const Vector3d& v) { return Vector3d(v - m_normal * m_normal.dot(v)); };
        const Vector3d full_a = m_side_a.points[1] - a0, full_b = m_side_b.points[1] - b0;
        const Vector3d u = flattened(full_a), v = flattened(full_b), between = flattened(b0 - a0);
        const double uu = u.squaredNorm(), vv = v.squaredNorm(), across = m_normal.dot(u.cross(v));
        if (!(uu > 0.0) || !(vv > 0.0)) return;
        if (across * across > parallel_edges * uu * vv) {
            const double s = m_normal.dot(between.cross(v)) / across;
            const double t = m_normal.dot(between.cross(u)) / across;
            if (s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0)
                add(a0 + s * full_a, b0 + t * full_b, 0.0, 0, 0);
            return;
        }
        // Ends of B along A, as shares of its length.
        double start = u.dot(between) / uu, end = u.dot(between + v) / uu;
        if (start > end) std::swap(start, end);
        const double low = std::max(0.0, start), high = std::min(1.0, end);
        if (!(high >= low)) return;
        for (const double s : {low, high}) {
            const double t = v.dot(s * u - between) / vv;
            const int number = s == low ? (low == 0.0 ? 1 : 2) : (high == 1.0 ? 3 : 4);
            add(a0 + s * full_a, b0 + std::clamp(t, 0.0, 1.0) * full_b, 0.0, number, 0);
        }
    }

    void add_nearest()
    {
        const double between_cores = m_apart.gap + m_layers;
        Vector3d on_a = m_apart.on_a, on_b = m_apart.on_b;
        if (!m_apart.has_points) {
            const bool round_b = m_b.shape->is_cylinder() && !m_a.shape->is_cylinder();
            if (round_b || (m_side_b.count == 1 && !m_side_b.endless)) {
                on_b = m_b.core_support(m_normal);
                on_a = on_b + between_cores * m_normal;
            } else {
                on_a = m_a.core_support(-m_normal);
                on_b = on_a - between_cores * m_normal;
            }
        }
        constexpr int nearest = 2 * second_edges - 1;
        add(on_a, on_b, 0.0, nearest, nearest);
    }

    void add(const Vector3d& on_a, const Vector3d& on_b, double area, int first, int second)
    {
        const double gap = m_normal.dot(on_a - on_b) - m_layers;
        if (!(gap <= m_alarm)) return;
        ContactPoint point;
        point.a = m_side_a.surface_point(m_a, on_a);
        point.b = m_side_b.surface_point(m_b, on_b);
        point.p = on_a - m_a.shape->radius() * m_normal;
        point.q = on_b + m_b.shape->radius() * m_normal;
        point.normal = m_normal;
        point.gap = gap;
        point.area = area;
        point.key = contact_key(ContactKind::shape, first, second);
        m_out.push_back(point);
    }

    const PlacedShape& m_a;
    const PlacedShape& m_b;
    const ShapeSeparation& m_apart;
    const Vector3d m_normal;
    double m_layers, m_alarm, m_round_off;
    ShapeSide m_side_a, m_side_b;
    std::vector<ContactPoint>& m_out;
};

}  // namespace

void contact_points(const PlacedShape& a, const PlacedShape& b, double alarm_distance,
                    std::vector<ContactPoint>& out)
{
    contact_points(a, b, separation(a, b), alarm_distance, out);
}

void contact_points(const PlacedShape& a, const PlacedShape& b, const ShapeSeparation& apart,
                    double alarm_distance, std::vector<ContactPoint>& out)
{
    out.clear();
    if (apart.gap > alarm_distance) return;
    Manifold(a, b, apart, alarm_distance, out).find();
}

}  // namespace softcontact
