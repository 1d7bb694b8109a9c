// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/geometry/shape_separation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "softcontact/geometry/closest_point.hpp"
#include "softcontact/geometry/core_distance.hpp"

namespace softcontact {
namespace {

constexpr double pi = 3.14159265358979323846;
/// Gain in sizes for which another direction is taken: faces come first, so that their normals are exact.
constexpr double gain_ratio = 1e-12;
/// Distance in sizes above what the best direction tells, up to which that direction is right.
constexpr double certain_ratio = 1e-9;
/// Squared sine below which the cross product of two edges is round-off; a face says the same.
constexpr double parallel_sin2 = 1e-16;

Vector3d any_perpendicular(const Vector3d& direction)
{
    return direction.unitOrthogonal();
}

/// Looks for the direction along which two cores are furthest apart.
class AxisSearch {
public:
    AxisSearch(const PlacedShape& a, const PlacedShape& b)
        : m_a(a), m_b(b), m_gain(gain_ratio * (a.shape->size() + b.shape->size()))
    {
    }

    ShapeSeparation run()
    {
        if (thin(m_a) && thin(m_b)) {
            between_segments();
        } else {
            add_faces(m_a, -1.0);
            add_faces(m_b, 1.0);
            if (m_best.gap == lowest) consider(m_a.pose.translation - m_b.pose.translation);
            if (m_best.gap == lowest) consider(Vector3d::UnitZ());
            const CoreDistance distance = core_distance(m_a, m_b, m_best.normal);
            consider(distance.normal);
            // What is nearest and what parts most are one; where they are not, the distance ended in
            // round-off.
            if (distance.apart && distance.distance - m_best.gap <= certain_ratio / gain_ratio * m_gain) {
                m_best.on_a = distance.on_a;
                m_best.on_b = distance.on_b;
                m_best.has_points = true;
            } else {
                search_overlap(distance.normal);
            }
        }
        m_best.gap -= m_a.shape->radius() + m_b.shape->radius();
        return m_best;
    }

private:
    struct PlacedEdge {
        Vector3d start, along;         ///< [m]
        Vector3d left, right, across;  ///< normals of its faces, and right × left
        bool has_faces = false;
    };
    static constexpr double lowest = -std::numeric_limits<double>::infinity();

    static bool thin(const PlacedShape& placed)
    {
        return !placed.shape->is_cylinder() && placed.shape->faces().empty();
    }

    [[nodiscard]] double gap_along(const Vector3d& normal) const
    {
        return normal.dot(m_a.core_support(-normal) - m_b.core_support(normal));
    }

    bool consider(const Vector3d& direction)
    {
        const double length = direction.norm();
        if (!(length > 0.0)) return false;
        const Vector3d normal = direction / length;
        const double gap = gap_along(normal);
        if (!(gap > m_best.gap + m_gain) && m_best.gap != lowest) return false;
        m_best.gap = gap;
        m_best.normal = normal;
        m_best.has_points = false;
        return true;
    }
    void consider_both(const Vector3d& direction)
    {
        consider(direction);
        consider(-direction);
    }

    /// sign: +1 for faces of B, whose normals point to A.
    void add_faces(const PlacedShape& placed, double sign)
    {
        for (const auto& face : placed.shape->faces()) consider(sign * (placed.pose.rotation * face.normal));
        if (placed.shape->is_cylinder()) consider_both(placed.axis());
    }

    void between_segments()
    {
        const auto ends = [](const PlacedShape& placed) {
            return std::pair(placed.corner(0),
                             placed.corner(static_cast<int>(placed.shape->corners().cols()) - 1));
        };
        const auto [a0, a1] = ends(m_a);
        const auto [b0, b1] = ends(m_b);
        const SegmentPair nearest = closest_points_of_segments(a0, a1, b0, b1);
        const double distance = std::sqrt(nearest.squared_distance);
        if (distance > m_gain) {
            m_best.normal = (nearest.first - nearest.second) / distance;
            m_best.gap = distance;
        } else {  // any way out is as short that leaves both axes
            const Vector3d along_a = a1 - a0, along_b = b1 - b0;
            const Vector3d across = along_a.cross(along_b);
            const bool crossed =
                across.squaredNorm() > parallel_sin2 * along_a.squaredNorm() * along_b.squaredNorm();
            const Vector3d along = along_a.squaredNorm() > along_b.squaredNorm() ? along_a : along_b;
            m_best.normal = crossed                     ? Vector3d(across.normalized())
                            : along.squaredNorm() > 0.0 ? any_perpendicular(along)
                                                        : Vector3d::UnitZ();
            m_best.gap = gap_along(m_best.normal);
        }
        m_best.on_a = nearest.first;
        m_best.on_b = nearest.second;
        m_best.has_points = true;
    }

    /// hint: unit direction to climb from as well.
    void search_overlap(const Vector3d& hint)
    {
        const bool round_a = m_a.shape->is_cylinder(), round_b = m_b.shape->is_cylinder();
        if (!round_a && !round_b) {
            add_edge_pairs();
            return;
        }
        if (round_a) add_arcs(m_b, 1.0, m_a);
        if (round_b) add_arcs(m_a, -1.0, m_b);
        if (round_a) search_arc(m_a.axis().unitOrthogonal(), m_a.axis(), 2.0 * pi);
        if (round_b) search_arc(m_b.axis().unitOrthogonal(), m_b.axis(), 2.0 * pi);
        if (round_a && round_b) consider_both(m_a.axis().cross(m_b.axis()));
        polish(hint);
        polish(m_best.normal);
    }

    /// Pairs that make a face of the difference of the two bodies: the arcs between the normals of their
    /// faces cross, those of B reversed. Source: Gregorius 2013, The separating axis test between convex
    /// polyhedra, GDC.
    void add_edge_pairs()
    {
        static thread_local std::vector<PlacedEdge> edges_a, edges_b;  // grow, and then stay
        place_edges(m_a, 1.0, edges_a);
        place_edges(m_b, -1.0, edges_b);
        for (const PlacedEdge& a : edges_a) {
            for (const PlacedEdge& b : edges_b) {
                if (a.has_faces && b.has_faces) {
                    const double at_c = b.left.dot(a.across), at_d = b.right.dot(a.across);
                    if (!(at_c * at_d < 0.0)) continue;
                    const double at_a = a.left.dot(b.across), at_b = a.right.dot(b.across);
                    if (!(at_a * at_b < 0.0 && at_c * at_b > 0.0)) continue;
                }
                const Vector3d cross = a.along.cross(b.along);
                if (!(cross.squaredNorm() > parallel_sin2 * a.along.squaredNorm() * b.along.squaredNorm()))
                    continue;
                const bool better = consider(cross), other = consider(-cross);
                if (better || other) cross_lines(a.start, a.along, b.start, b.along);
            }
        }
    }

    /// sign: −1 to have the normals reversed.
    static void place_edges(const PlacedShape& placed, double sign, std::vector<PlacedEdge>& out)
    {
        const auto normal = [&](int face) {
            return Vector3d(
                sign * (placed.pose.rotation * placed.shape->faces()[static_cast<std::size_t>(face)].normal));
        };
        out.clear();
        for (const auto& edge : placed.shape->edges()) {
            PlacedEdge& one = out.emplace_back();
            one.start = placed.corner(edge.start);
            one.along = placed.corner(edge.end) - one.start;
            one.has_faces = edge.left >= 0;
            if (one.has_faces) {
                one.left = normal(edge.left);
                one.right = normal(edge.right);
                one.across = one.right.cross(one.left);
            }
        }
    }

    void cross_lines(const Vector3d& a0, const Vector3d& u, const Vector3d& b0, const Vector3d& v)
    {
        const Vector3d cross = u.cross(v), between = b0 - a0;
        const double squared = cross.squaredNorm();
        m_best.on_a = a0 + std::clamp(between.cross(v).dot(cross) / squared, 0.0, 1.0) * u;
        m_best.on_b = b0 + std::clamp(between.cross(u).dot(cross) / squared, 0.0, 1.0) * v;
        // Along the axis of a capsule there are directions in which something else is nearer than these two.
        const double apart = m_best.normal.dot(m_best.on_a - m_best.on_b);
        m_best.has_points = std::abs(apart - m_best.gap) <= m_gain;
    }

    /// Directions in which an edge or a corner of a shape can meet a cylinder.
    void add_arcs(const PlacedShape& placed, double sign, const PlacedShape& round)
    {
        const ConvexShape& shape = *placed.shape;
        for (Index i = 0; i < shape.corners().cols(); ++i) {
            const Vector3d arm = placed.corner(static_cast<int>(i)) - round.pose.translation;
            consider_both(arm - round.axis() * round.axis().dot(arm));
        }
        for (const auto& edge : shape.edges()) {
            const Vector3d along = (placed.corner(edge.end) - placed.corner(edge.start)).normalized();
            consider_both(along.cross(round.axis()));
            if (edge.left < 0) {
                search_arc(any_perpendicular(along), along, 2.0 * pi);
                continue;
            }
            const auto normal = [&](int face) {
                return Vector3d(
                    sign * (placed.pose.rotation * shape.faces()[static_cast<std::size_t>(face)].normal));
            };
            const Vector3d first = normal(edge.left), last = normal(edge.right), axis = first.cross(last);
            const double sine = axis.norm();
            if (sine > 0.0) search_arc(first, axis / sine, std::atan2(sine, first.dot(last)));
        }
    }

    /// The best direction among those that `first` goes through as it turns about an axis by an angle.
    void search_arc(const Vector3d& first, const Vector3d& axis, double angle)
    {
        constexpr int samples = 16, steps = 45;
        constexpr double golden = 0.6180339887498949;
        const Vector3d second = axis.cross(first);
        const auto at = [&](double turn) {
            return Vector3d(std::cos(turn) * first + std::sin(turn) * second);
        };
        const double width = angle / samples;
        double best = lowest, middle = 0.0;
        for (int k = 0; k <= samples; ++k) {
            const double gap = gap_along(at(k * width));
            if (gap > best) {
                best = gap;
                middle = k * width;
            }
        }
        // The gap changes by no more than this within a sample's width: nothing to gain there.
        if (best + width * (m_a.shape->size() + m_b.shape->size()) < m_best.gap) return;
        double low = middle - width, high = middle + width;
        for (int k = 0; k < steps; ++k) {
            const double left = high - golden * (high - low), right = low + golden * (high - low);
            (gap_along(at(left)) > gap_along(at(right)) ? high : low) =
                gap_along(at(left)) > gap_along(at(right)) ? right : left;
        }
        consider(at(0.5 * (low + high)));
    }

    /// Climbs from a direction, for rims that meet each other or a corner.
    void polish(Vector3d from)
    {
        constexpr double first_turn = 0.2, last_turn = 1e-10;
        constexpr double enough = 1e-3;  // of what a turn can bring near the top: less goes on for ever
        constexpr int around = 8;
        const double size = m_a.shape->size() + m_b.shape->size();
        double gap = gap_along(from);
        for (double turn = first_turn; turn > last_turn;) {
            const Vector3d u = any_perpendicular(from), v = from.cross(u);
            bool climbed = false;
            for (int k = 0; k < around && !climbed; ++k) {
                const double angle = 2.0 * pi * k / around;
                const Vector3d next =
                    (from + turn * (std::cos(angle) * u + std::sin(angle) * v)).normalized();
                const double there = gap_along(next);
                if (!(there > gap + std::max(m_gain, enough * turn * turn * size))) continue;
                gap = there;
                from = next;
                climbed = true;
            }
            if (!climbed) turn *= 0.5;
        }
        consider(from);
    }

    const PlacedShape& m_a;
    const PlacedShape& m_b;
    double m_gain;
    ShapeSeparation m_best{lowest, Vector3d::UnitZ(), Vector3d::Zero(), Vector3d::Zero(), false};
};

ShapeSeparation to_plane(const PlacedShape& a, const PlacedShape& plane)
{
    ShapeSeparation out;
    out.normal = plane.axis();
    out.on_a = a.core_support(-out.normal);
    const double height = out.normal.dot(out.on_a - plane.pose.translation);
    out.on_b = out.on_a - height * out.normal;
    out.gap = height - a.shape->radius();
    out.has_points = true;
    return out;
}

}  // namespace

double gap_along(const PlacedShape& a, const PlacedShape& b, const Vector3d& normal)
{
    return normal.dot(a.core_support(-normal) - b.core_support(normal)) - a.shape->radius() -
           b.shape->radius();
}

ShapeSeparation separation(const PlacedShape& a, const PlacedShape& b)
{
    if (b.shape->is_plane()) return to_plane(a, b);
    if (a.shape->is_plane()) {
        ShapeSeparation out = to_plane(b, a);
        std::swap(out.on_a, out.on_b);
        out.normal = -out.normal;
        return out;
    }
    // Near the origin, wherever in the world they are.
    const Vector3d origin = b.pose.translation;
    const PlacedShape near_a{a.shape, {a.pose.rotation, a.pose.translation - origin}};
    const PlacedShape near_b{b.shape, {b.pose.rotation, Vector3d::Zero()}};
    ShapeSeparation out = AxisSearch(near_a, near_b).run();
    out.on_a += origin;
    out.on_b += origin;
    return out;
}

}  // namespace softcontact
