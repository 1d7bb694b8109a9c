// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/contact/detection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "softcontact/contact/vertex_share.hpp"
#include "softcontact/geometry/admissible_face.hpp"
#include "softcontact/geometry/closest_point.hpp"
#include "softcontact/geometry/normal_cone.hpp"

namespace softcontact {
namespace {

/// Sine by which a normal may lie outside a normal cone. The nearest features of two surfaces have theirs in
/// both cones to round-off; what is added makes contact come in time where bodies roll or dent.
constexpr double cone_sine_tolerance = 0.25;
/// A vertex whose normal and the other surface's normal enclose less than the angle of this cosine is on the
/// back of its body; none in whose cone the reversed normal lies is.
constexpr double facing_cosine_limit = 0.3;
/// A's triangle is too coarse to represent a vertex of B above this ratio to the vertex' area (1/2 where both
/// meshes are alike), that is for edges more than about three times as long.
constexpr double coarse_area_ratio = 4.0;
/// Barycentric weight from which a point counts as the vertex itself.
constexpr double coincident_weight = 0.999;
/// Crossings nearer to an end of an edge than this share of its length belong to the vertex there.
constexpr double edge_end_ratio = 1e-3;
/// Squared sine of the angle (1.8°) below which the common normal of two edges is arbitrary; what is nearest
/// there is nearest at an end of one of them as well.
constexpr double parallel_sin2_limit = 1e-3;

Pose inverse(const Pose& pose)
{
    return {pose.rotation.transpose(), pose.rotation.transpose() * -pose.translation};
}

SurfacePoint point_at_vertex(int vertex)
{
    return {{vertex, vertex, vertex}, Vector3d::UnitX()};
}

SurfacePoint point_on_edge(const Surface& surface, int edge, double parameter)
{
    const auto ends = surface.topology().edges.col(edge);
    return {{ends[0], ends[1], ends[1]}, Vector3d(1.0 - parameter, parameter, 0.0)};
}

SurfacePoint point_on_triangle(const Surface& surface, const ClosestPoint& closest)
{
    const auto corners = surface.triangles().col(closest.triangle);
    return {{corners[0], corners[1], corners[2]}, closest.barycentric};
}

bool is_at_vertex(const SurfacePoint& point, int vertex)
{
    for (int k = 0; k < 3; ++k) {
        if (point.vertices[k] == vertex && point.weights[k] > coincident_weight) return true;
    }
    return false;
}

class Detector {
public:
    Detector(const Surface& a, const Surface& b, const DetectionOptions& options,
             DetectionWorkspace& workspace, DetectionMemory* memory, std::vector<ContactPoint>& out)
        : m_a(a),
          m_b(b),
          m_options(options),
          m_workspace(workspace),
          m_out(out),
          m_depth(options.search_depth()),
          m_reach(std::max(options.alarm_distance, m_depth)),
          m_round_off(coincidence_ratio * (a.reference_size() + b.reference_size())),
          m_a_to_b(inverse(b.pose()) * a.pose()),
          m_b_to_a(inverse(m_a_to_b)),
          m_from_a(a, b, m_a_to_b, m_b_to_a, memory == nullptr ? nullptr : &memory->of_a),
          m_from_b(b, a, m_b_to_a, m_a_to_b, memory == nullptr ? nullptr : &memory->of_b)
    {
        m_from_a.gather(options.alarm_distance, m_reach);
        m_from_b.gather(options.alarm_distance, m_reach);
    }

    void add_vertices_of_a()
    {
        m_from_a.collect_vertices(m_options.alarm_distance, m_workspace);
        for (const auto& [vertex, point] : m_workspace.candidates) {
            const ClosestPoint closest = nearest(m_from_a, point, vertex);
            if (!is_acceptable(closest) || !counts(m_from_a, vertex, closest)) continue;
            m_workspace.contact_of_vertex[vertex] = static_cast<int>(m_out.size());
            add(contact_key(ContactKind::vertex_of_a, vertex), point_at_vertex(vertex),
                point_on_triangle(m_b, closest), m_a.world_vertex(vertex), m_b.pose() * closest.point,
                m_b.pose().rotation * closest.normal);
        }
    }

    void add_vertices_of_b()
    {
        m_from_b.collect_vertices(m_options.alarm_distance, m_workspace);
        for (const auto& [vertex, point] : m_workspace.candidates) {
            const ClosestPoint closest = nearest(m_from_b, point, vertex);
            if (!is_acceptable(closest) || !counts(m_from_b, vertex, closest)) continue;
            const bool coarse =
                m_a.triangle_areas()[closest.triangle] > coarse_area_ratio * m_b.vertex_areas()[vertex];
            if (!coarse && !is_local_minimum(m_from_b, vertex, closest.normal, narrow_sine)) continue;
            const SurfacePoint on_a = point_on_triangle(m_a, closest);
            if (is_represented(on_a, vertex)) continue;
            add(contact_key(ContactKind::vertex_of_b, vertex), on_a, point_at_vertex(vertex),
                m_a.pose() * closest.point, m_b.world_vertex(vertex), m_a.pose().rotation * -closest.normal);
        }
    }

    /// Sharp edges cross all others: the points where one crosses a flat mesh sample it, for the mesh may be
    /// tissue, whose edges are hollow in one step and stand out in the next. Smooth edges cross sharp ones,
    /// and each other where both are long.
    void add_crossing_edges()
    {
        visit_edges(m_from_a, [&](int of_a) {
            const bool sharp = m_a.is_sharp(of_a);
            if (!sharp && !is_long(m_from_a, of_a)) return;
            visit_crossed(m_from_a, of_a, [&](int of_b) {
                if (sharp || m_b.is_sharp(of_b) || is_long(m_from_b, of_b)) try_edges(of_a, of_b);
            });
        });
        visit_edges(m_from_b, [&](int of_b) {
            if (!m_b.is_sharp(of_b)) return;
            visit_crossed(m_from_b, of_b, [&](int of_a) {
                if (!m_a.is_sharp(of_a) && !is_long(m_from_a, of_a)) try_edges(of_a, of_b);
            });
        });
    }

    void finish()
    {
        for (const ContactPoint& contact : m_out) {
            if (contact_kind(contact.key) == ContactKind::vertex_of_a) {
                m_workspace.contact_of_vertex[contact.a.vertices[0]] = -1;
            }
        }
        std::sort(m_out.begin(), m_out.end(),
                  [](const ContactPoint& x, const ContactPoint& y) { return x.key < y.key; });
        const VectorXd& areas = m_a.vertex_areas();
        share_vertex_areas(m_out, {areas.data(), static_cast<std::size_t>(areas.size())}, m_workspace.touch);
    }

private:
    /// Of B's vertices where A samples the contact, only those count that look straight at A.
    static constexpr double narrow_sine = 0.1;

    [[nodiscard]] bool is_acceptable(const ClosestPoint& closest) const
    {
        return closest.found() && closest.signed_distance <= m_options.alarm_distance &&
               closest.signed_distance >= -m_depth &&
               !(closest.on_boundary && closest.signed_distance < 0.0) && closest.normal.squaredNorm() > 0.5;
    }

    /// The other surface's normal (in its frame), reversed, lies in the cone of a vertex of this side: no
    /// neighbour of the vertex is nearer.
    [[nodiscard]] static bool is_local_minimum(const DetectionSide& side, int vertex, const Vector3d& normal,
                                               double tolerance = cone_sine_tolerance)
    {
        return in_vertex_cone(side.self(), vertex, side.from_other().rotation * -normal, tolerance);
    }

    /// Above a face each vertex counts that is not on the back of its body, so that the contact is sampled;
    /// beyond an edge or a corner only one that is nearest, since others may pass there.
    [[nodiscard]] static bool counts(const DetectionSide& side, int vertex, const ClosestPoint& closest)
    {
        return (closest.feature == Feature::face || is_local_minimum(side, vertex, closest.normal)) &&
               faces(side, vertex, closest.normal);
    }

    /// The vertex is not on the back of its body, seen along the other surface's normal (in its frame).
    [[nodiscard]] static bool faces(const DetectionSide& side, int vertex, const Vector3d& normal)
    {
        const Surface& self = side.self();
        const Vector3d here = side.from_other().rotation * normal;
        const auto around = self.topology().faces_of_vertex(vertex);
        // The vertex's normal, which costs angles, lies between those of its triangles.
        constexpr double round_off = 1e-9;
        if (std::all_of(around.begin(), around.end(), [&](int triangle) {
                return self.face_normals().col(triangle).dot(here) <= round_off;
            })) {
            return true;
        }
        return self.vertex_normal(vertex).dot(here) <= facing_cosine_limit;
    }

    /// Nearest point of the other surface to a vertex (in its frame). One that touches or is inside may be
    /// nearest to a face beside the one it came to: where no neighbour is nearer to another face, that one
    /// counts. The neighbours know no more than their distance.
    [[nodiscard]] ClosestPoint nearest(const DetectionSide& side, const Vector3d& point, int vertex) const
    {
        const ClosestPoint closest = side.nearest(vertex, point, m_reach);
        if (!closest.found() || closest.signed_distance > m_round_off || closest.on_boundary) return closest;
        const auto admissible = [&](const Vector3d& normal) {
            return is_local_minimum(side, vertex, normal);
        };
        if (closest.feature == Feature::face && admissible(closest.normal)) return closest;
        const double limit = std::min(m_depth, shortest_edge(side.self(), vertex));
        const ClosestPoint other =
            closest_admissible_face(side.other(), point, limit, m_round_off, admissible);
        return other.found() ? other : closest;
    }

    [[nodiscard]] static double shortest_edge(const Surface& surface, int vertex)
    {
        const Points& vertices = surface.local_vertices();
        double squared = std::numeric_limits<double>::infinity();
        for (const int neighbor : surface.topology().neighbors_of_vertex(vertex)) {
            squared = std::min(squared, (vertices.col(neighbor) - vertices.col(vertex)).squaredNorm());
        }
        return std::sqrt(squared);
    }

    /// The vertex of A nearest to this vertex of B has that one as its own nearest point.
    [[nodiscard]] bool is_represented(const SurfacePoint& on_a, int vertex_of_b) const
    {
        for (int k = 0; k < 3; ++k) {
            if (!(on_a.weights[k] > coincident_weight)) continue;
            const int contact = m_workspace.contact_of_vertex[on_a.vertices[k]];
            return contact >= 0 && is_at_vertex(m_out[contact].b, vertex_of_b);
        }
        return false;
    }

    /// A ridge between whose ends the other surface may bulge by more than the tolerance: by its curvature
    /// times the square of the length over 8. What is nearest on others is hardly nearer than at their ends.
    /// In one that folds any edge is a ridge in one step or another.
    [[nodiscard]] bool is_long(const DetectionSide& side, int edge) const
    {
        const Surface& self = side.self();
        const Surface::EdgeKind kind = self.edge_kind(edge);
        if (kind < (self.folds() ? Surface::EdgeKind::hollow : Surface::EdgeKind::smooth)) return false;
        const auto ends = self.topology().edges.col(edge);
        const Points& vertices = self.local_vertices();
        const double squared = (vertices.col(ends[1]) - vertices.col(ends[0])).squaredNorm();
        return squared * side.other().smooth_curvature() > 8.0 * m_options.edge_tolerance;
    }

    template <typename Visit>
    void visit_edges(const DetectionSide& side, const Visit& visit)
    {
        side.collect_edges(m_reach, m_workspace);
        for (const int edge : m_workspace.edges) visit(edge);
    }

    /// Calls visit(edge of the other surface) for all that are near enough to an edge.
    template <typename Visit>
    void visit_crossed(const DetectionSide& side, int edge, const Visit& visit) const
    {
        const Surface& other = side.other();
        const SurfaceTopology& topology = other.topology();
        const auto ends = side.self().topology().edges.col(edge);
        const Vector3d start = side.to_other() * side.self().local_vertices().col(ends[0]);
        const Vector3d end = side.to_other() * side.self().local_vertices().col(ends[1]);
        other.tree().for_each(
            [&](const Aabb& box) { return box.inflated(m_options.alarm_distance).meets_segment(start, end); },
            [&](int triangle) {
                for (int k = 0; k < 3; ++k) {
                    const int crossed = topology.triangle_edges(k, triangle);
                    if (topology.edge_faces(0, crossed) == triangle &&
                        other.edge_kind(crossed) != Surface::EdgeKind::none) {
                        visit(crossed);
                    }
                }
            });
    }

    void try_edges(int edge_of_a, int edge_of_b)
    {
        const auto ends_a = m_a.topology().edges.col(edge_of_a);
        const auto ends_b = m_b.topology().edges.col(edge_of_b);
        const Vector3d a0 = m_a_to_b * m_a.local_vertices().col(ends_a[0]);
        const Vector3d a1 = m_a_to_b * m_a.local_vertices().col(ends_a[1]);
        const Vector3d b0 = m_b.local_vertices().col(ends_b[0]);
        const Vector3d b1 = m_b.local_vertices().col(ends_b[1]);
        const double squared_a = (a1 - a0).squaredNorm();
        const double squared_b = (b1 - b0).squaredNorm();
        const double depth = std::min(m_depth, std::sqrt(std::min(squared_a, squared_b)));
        const double reach =
            std::max(m_options.alarm_distance, depth) + 0.5 * (std::sqrt(squared_a) + std::sqrt(squared_b));
        if ((a0 + a1 - b0 - b1).squaredNorm() > 4.0 * reach * reach) return;
        const Vector3d cross = (a1 - a0).cross(b1 - b0);
        const double squared_lengths = squared_a * squared_b;
        const double squared_cross = cross.squaredNorm();
        if (!(squared_cross > parallel_sin2_limit * squared_lengths)) return;

        // Where the lines are nearest; only pairs nearest inside both edges matter, so no end needs to be
        // tried.
        const Vector3d between = b0 - a0;
        const double s = between.cross(b1 - b0).dot(cross) / squared_cross;
        const double t = between.cross(a1 - a0).dot(cross) / squared_cross;
        const auto is_interior = [](double at) { return at > edge_end_ratio && at < 1.0 - edge_end_ratio; };
        if (!is_interior(s) || !is_interior(t)) return;
        const Vector3d on_a = a0 + s * (a1 - a0);
        const Vector3d on_b = b0 + t * (b1 - b0);

        const Vector3d outward = m_b.edge_normal(edge_of_b) - m_a_to_b.rotation * m_a.edge_normal(edge_of_a);
        const Vector3d normal = std::copysign(1.0, cross.dot(outward)) * cross.normalized();
        const double distance = normal.dot(on_a - on_b);
        const bool smooth = !m_a.is_sharp(edge_of_a) || !m_b.is_sharp(edge_of_b);
        const double alarm =
            smooth ? std::min(m_options.smooth_distance, m_options.alarm_distance) : m_options.alarm_distance;
        if (!(distance <= alarm && distance >= -depth)) return;
        if (!in_edge_cone(m_b, edge_of_b, normal, cone_sine_tolerance)) return;
        if (!in_edge_cone(m_a, edge_of_a, m_b_to_a.rotation * -normal, cone_sine_tolerance)) return;
        // A normal that is outside a cone by the tolerance leads out of the solid sideways: of tissue, in one
        // step and not in the next.
        const bool fold = m_a.folds() || m_b.folds();
        const double sideways = std::max(m_round_off, fold ? cone_sine_tolerance * -distance : 0.0);
        if (distance < -m_round_off && !are_inside(on_a, on_b, sideways)) return;

        add(contact_key(ContactKind::edge_edge, edge_of_a, edge_of_b), point_on_edge(m_a, edge_of_a, s),
            point_on_edge(m_b, edge_of_b, t), m_b.pose() * on_a, m_b.pose() * on_b,
            m_b.pose().rotation * normal);
        m_out.back().smooth = smooth;
    }

    /// A's point is inside B and B's point inside A (both in B's frame), but for a tolerance.
    [[nodiscard]] bool are_inside(const Vector3d& point_of_a, const Vector3d& point_of_b,
                                  double tolerance) const
    {
        const ClosestPoint in_b = closest_point_local(m_b, point_of_a, m_reach);
        if (!in_b.found() || in_b.on_boundary || in_b.signed_distance > tolerance) return false;
        const ClosestPoint in_a = closest_point_local(m_a, m_b_to_a * point_of_b, m_reach);
        return in_a.found() && !in_a.on_boundary && in_a.signed_distance <= tolerance;
    }

    void add(std::uint64_t key, const SurfacePoint& on_a, const SurfacePoint& on_b, const Vector3d& p,
             const Vector3d& q, const Vector3d& normal)
    {
        m_out.push_back({on_a, on_b, p, q, normal, m_options.contact_offset,
                         normal.dot(p - q) - m_options.contact_offset, 0.0, key, false});
    }

    const Surface& m_a;
    const Surface& m_b;
    const DetectionOptions& m_options;
    DetectionWorkspace& m_workspace;
    std::vector<ContactPoint>& m_out;
    double m_depth;
    double m_reach;
    double m_round_off;
    Pose m_a_to_b, m_b_to_a;
    DetectionSide m_from_a, m_from_b;
};

void check(bool valid, const char* name, double value, const char* requirement)
{
    if (valid) return;
    throw std::invalid_argument(std::string(name) + ": " + std::to_string(value) + " given, must be " +
                                requirement);
}

}  // namespace

double DetectionOptions::limit_smooth_edges(bool patch, double alarm, double travel)
{
    // A patch holds the mean gap of its points, so that a single one more hardly changes it; but they tell
    // how deep the undeformed bodies overlap, whatever their gap. Point contacts leave a margin for motion
    // beside the free one.
    edge_tolerance = (patch ? 0.5 : 0.1) * alarm;
    const double margin = (patch ? 1.0 : 0.25) * alarm;
    smooth_distance = contact_offset + margin + travel;
    return margin;
}

void DetectionOptions::validate() const
{
    check(alarm_distance > 0.0 && std::isfinite(alarm_distance), "alarm_distance", alarm_distance,
          "positive and finite, in metres");
    check(contact_offset >= 0.0 && contact_offset <= alarm_distance, "contact_offset", contact_offset,
          "between 0 and alarm_distance, in metres");
    check(std::isfinite(max_penetration), "max_penetration", max_penetration, "finite, in metres");
    check(edge_tolerance >= 0.0, "edge_tolerance", edge_tolerance, ">= 0, in metres");
}

void DetectionWorkspace::reserve(const Surface& a, const Surface& b)
{
    const std::size_t larger = static_cast<std::size_t>(std::max(a.vertex_count(), b.vertex_count()));
    const std::size_t size = std::max(larger, marked.size());
    candidates.reserve(size);
    seen.reserve(size);
    marked.resize(size, 0);
    edges.reserve(static_cast<std::size_t>(std::max(a.edge_count(), b.edge_count())));
    contact_of_vertex.resize(size, -1);
    touch.resize(size, 0.0);
}

void detect_contacts(const Surface& a, const Surface& b, const DetectionOptions& options,
                     DetectionWorkspace& workspace, std::vector<ContactPoint>& out, DetectionMemory* memory)
{
    out.clear();
    if (!a.world_box().inflated(options.alarm_distance).overlaps(b.world_box())) return;
    workspace.reserve(a, b);
    if (memory != nullptr) memory->reserve(a, b);
    Detector detector(a, b, options, workspace, memory, out);
    detector.add_vertices_of_a();
    detector.add_vertices_of_b();
    if (options.edge_edge) detector.add_crossing_edges();
    detector.finish();
}

}  // namespace softcontact
