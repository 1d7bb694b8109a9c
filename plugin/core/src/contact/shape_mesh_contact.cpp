// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/contact/shape_mesh_contact.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "softcontact/contact/convex_contact.hpp"
#include "softcontact/contact/shape_side.hpp"
#include "softcontact/geometry/closest_point.hpp"
#include "softcontact/geometry/normal_cone.hpp"
#include "softcontact/geometry/round_distance.hpp"
#include "softcontact/geometry/shape_separation.hpp"

namespace softcontact {
namespace {

constexpr double round_off_ratio = 1e-9;              ///< of sizes, and of barycentric coordinates and sines
constexpr double facing_cosine = 0.7071067811865476;  ///< between a side of the shape and a face under it
constexpr double back_cosine =
    -0.3;  ///< between a vertex of tissue and its way to the shape: on its back below
constexpr double parallel_sin2 =
    1e-12;  ///< squared sine below which an edge runs along the mantle of a cylinder
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

/// An edge of the mesh as a shape, and what is kept so that calls do not allocate.
struct Buffers {
    ConvexShape of_segment = ConvexShape::segment();
    std::vector<ContactPoint> between;
    std::vector<int> facing;  ///< triangles near the shape that face it

    PlacedShape segment(const Vector3d& start, const Vector3d& end)
    {
        of_segment.set_segment(start, end);
        return {&of_segment, Pose()};
    }
};

/// In the axes of the mesh.
class Finder {
public:
    Finder(const PlacedShape& shape, const Surface& mesh, bool shape_is_a, const DetectionOptions& options,
           Buffers& buffers, std::vector<ContactPoint>& out)
        : m_mesh(mesh),
          m_shape_is_a(shape_is_a),
          m_tissue(mesh.folds()),
          m_alarm(options.alarm_distance),
          m_depth(options.search_depth()),
          m_round_off(round_off_ratio * (mesh.reference_size() + shape.shape->size())),
          m_shape{shape.shape,
                  {mesh.pose().rotation.transpose() * shape.pose.rotation,
                   mesh.pose().inverse_times(shape.pose.translation)}},
          m_out(out),
          m_buffers(buffers)
    {
    }

    void find()
    {
        const Aabb near = m_shape.shape->bounds(m_shape.pose).inflated(m_alarm);
        const SurfaceTopology& topology = m_mesh.topology();
        m_buffers.facing.clear();
        m_mesh.tree().for_each([&](const Aabb& box) { return box.overlaps(near); },
                               [&](int triangle) {
                                   look_at_face(triangle);
                                   if (faces_shape(triangle)) m_buffers.facing.push_back(triangle);
                                   for (int k = 0; k < 3; ++k) {
                                       const int edge = topology.triangle_edges(k, triangle);
                                       if (topology.edge_faces(0, edge) == triangle) look_at_edge(edge);
                                       look_at_vertex(m_mesh.triangles()(k, triangle), triangle, k);
                                   }
                               });
        for (const int triangle : m_buffers.facing) look_along_side(triangle);
        if (m_out.empty()) look_from_inside();
        std::sort(m_out.begin(), m_out.end(),
                  [](const ContactPoint& x, const ContactPoint& y) { return x.key < y.key; });
        const auto same = [](const ContactPoint& x, const ContactPoint& y) { return x.key == y.key; };
        m_out.erase(std::unique(m_out.begin(), m_out.end(), same), m_out.end());
    }

private:
    [[nodiscard]] Vector3d vertex(int index) const { return m_mesh.local_vertices().col(index); }
    [[nodiscard]] double layer() const { return m_shape.shape->radius(); }

    void look_at_face(int triangle)
    {
        const Vector3d normal = m_mesh.face_normals().col(triangle);
        if (!(normal.squaredNorm() > 0.5)) return;
        const auto corners = m_mesh.triangles().col(triangle);
        const Vector3d a = vertex(corners[0]), b = vertex(corners[1]), c = vertex(corners[2]);
        const ShapeSide side(m_shape, -normal);
        if (!(normal.dot(m_shape.pose.translation - a) > 0.0) && m_shape.shape->is_cylinder()) return;
        for (int k = 0; k < side.count; ++k) {
            const Vector3d point = side.points[static_cast<std::size_t>(k)];
            const double height = normal.dot(point - a);
            if (layer() > 0.0 && !(height > 0.0)) continue;  // the core is behind the face
            const double gap = height - layer();
            if (gap > m_alarm || gap < -m_depth) continue;
            const TrianglePoint nearest = closest_point_on_triangle(point - height * normal, a, b, c);
            if (nearest.squared_distance > m_round_off * m_round_off) continue;
            if (gap < -m_round_off && !is_way_out(point - layer() * normal, -gap)) continue;
            add(side, point, nearest.point, normal, triangle, nearest.barycentric,
                contact_key(ContactKind::vertex_of_a, ShapeSide::most_points * side.number + k, triangle));
        }
    }

    /// Whether a point of the shape that is so deep behind a face is inside there, and not much less so
    /// beside another: below a rim that hangs over an edge by a millimetre the side of the mesh is no way
    /// out.
    [[nodiscard]] bool is_way_out(const Vector3d& touched, double depth) const
    {
        constexpr double much_less = 0.5;
        const ClosestPoint closest = closest_point_local(m_mesh, touched, depth + m_round_off);
        return !closest.found() || (closest.signed_distance <= m_round_off &&
                                    -closest.signed_distance >= much_less * depth - m_round_off);
    }

    void look_at_edge(int edge)
    {
        if (!stands_out(edge)) return;
        const auto ends = m_mesh.topology().edges.col(edge);
        const Vector3d start = vertex(ends[0]), end = vertex(ends[1]), along = end - start;
        if (m_tissue && m_shape.shape->is_cylinder() && !look_at_mantle(edge, start, along)) return;
        const PlacedShape segment = m_buffers.segment(start, end);
        const ShapeSeparation apart = separation(m_shape, segment);
        if (!within(apart.gap)) return;
        const double length = along.norm();
        if (std::abs(apart.normal.dot(along)) > round_off_ratio * length)
            return;  // nearest at one of its ends
        if (!in_edge_cone(m_mesh, edge, apart.normal, round_off_ratio)) return;
        // A line of the shape along the edge touches at both ends of what they share.
        const ShapeSide side(m_shape, -apart.normal);
        contact_points(m_shape, segment, apart, m_alarm, m_buffers.between);
        for (std::size_t i = 0; i < m_buffers.between.size(); ++i) {
            const Vector3d on_edge = m_buffers.between[i].q;
            const Vector3d core = m_buffers.between[i].p + layer() * apart.normal;
            const double share = std::clamp((on_edge - start).dot(along) / (length * length), 0.0, 1.0);
            const int triangle = m_mesh.topology().edge_faces(0, edge);
            add(side, core, on_edge, apart.normal, triangle, on_triangle(triangle, ends[0], ends[1], share),
                contact_key(ContactKind::edge_edge, 2 * edge + static_cast<int>(i), 0));
        }
    }

    /// An edge of tissue and the mantle of a cylinder, in closed form: most of them there are. Returns
    /// whether the edge stands out beside the mantle, where the rim can be nearer.
    bool look_at_mantle(int edge, const Vector3d& start, const Vector3d& along)
    {
        const Vector3d axis = m_shape.axis(), from = start - m_shape.pose.translation;
        const double half = m_shape.shape->half_height(), slope = axis.dot(along), level = axis.dot(from);
        const Vector3d across = from - level * axis, way = along - slope * axis;
        const auto inside = [](double share) {
            return share > round_off_ratio && share < 1.0 - round_off_ratio;
        };
        const auto touch = [&](double share, int number) {
            const Vector3d radial = across + share * way;
            const double away = radial.norm(), gap = away - m_shape.shape->disc_radius();
            if (!inside(share) || !(away > 0.0) || !within(gap)) return;
            const Vector3d foot = start + share * along;
            if (gap < -m_round_off && is_below_rim(foot, -gap)) return;
            const Vector3d normal = -radial / away;
            if (!in_edge_cone(m_mesh, edge, normal, round_off_ratio)) return;
            const auto ends = m_mesh.topology().edges.col(edge);
            const int triangle = m_mesh.topology().edge_faces(0, edge);
            add(ShapeSide(m_shape, -normal), foot + gap * normal, foot, normal, triangle,
                on_triangle(triangle, ends[0], ends[1], share),
                contact_key(ContactKind::edge_edge, 2 * edge + number, 0));
        };
        if (way.squaredNorm() > parallel_sin2 * along.squaredNorm()) {
            const double share = std::clamp(-across.dot(way) / way.squaredNorm(), 0.0, 1.0);
            const double height = std::abs(level + share * slope);
            if (height <= half) touch(share, 0);
            return height > half && m_mesh.edge_kind(edge) >= Surface::EdgeKind::smooth;
        }
        touch((-half - level) / slope, 0);  // along the mantle: where it ends over the edge
        touch((half - level) / slope, 1);
        return false;
    }

    void look_at_vertex(int index, int triangle, int corner)
    {
        if (m_mesh.topology().faces_of_vertex(index).front() != triangle) return;
        const Vector3d point = vertex(index);
        const RoundDistance apart = distance_from_round(*m_shape.shape, m_shape.pose.inverse_times(point));
        if (!within(apart.gap)) return;
        const Vector3d normal = m_shape.pose.rotation * -apart.normal;
        // Of tissue all vertices that are not on its back count, so that it bears what presses on it.
        if (m_tissue ? m_mesh.vertex_normal(index).dot(normal) < back_cosine
                     : !in_vertex_cone(m_mesh, index, normal, round_off_ratio)) {
            return;
        }
        const ShapeSide side(m_shape, -normal);
        add(side, point + (apart.gap + layer()) * normal, point, normal, triangle, Vector3d::Unit(corner),
            contact_key(ContactKind::vertex_of_b, index));
    }

    [[nodiscard]] bool faces_shape(int triangle) const
    {
        const Vector3d normal = m_mesh.face_normals().col(triangle);
        return normal.dot(m_shape.pose.translation - vertex(m_mesh.triangles()(0, triangle))) > 0.0;
    }

    /// Those of tissue are hollow in one step and stand out in the next.
    [[nodiscard]] bool stands_out(int edge) const
    {
        return m_mesh.edge_kind(edge) >= (m_tissue ? Surface::EdgeKind::hollow : Surface::EdgeKind::smooth);
    }

    /// A straight or flat side of the shape over a face touches at more than its nearest point: where it
    /// leaves the face over an edge that stands out, and where it covers corners that do. They are raised as
    /// soon as the bodies tilt, and bear them when they tilt back. Along the normal of the side itself the
    /// mesh may not come in anywhere, so no motion over the side is held up.
    void look_along_side(int triangle)
    {
        const Vector3d face = m_mesh.face_normals().col(triangle);
        const ShapeSide side(m_shape, -face);
        if (side.count < 2) return;
        const Vector3d line = (side.points[1] - side.points[0]).normalized();
        const Vector3d normal =
            side.cap ? Vector3d(-side.normal) : Vector3d((face - line * line.dot(face)).normalized());
        if (!(normal.dot(face) > facing_cosine)) return;
        const auto edges = m_mesh.topology().triangle_edges.col(triangle);
        for (int k = 0; k < 3; ++k) {
            const int edge = edges[k], corner = m_mesh.triangles()(k, triangle);
            if (side.cap && (stands_out(edge) || stands_out(edges[(k + 2) % 3]))) {
                add_beside(side, normal, vertex(corner), triangle, Vector3d::Unit(k),
                           contact_key(ContactKind::vertex_of_b, corner));
            }
            if (!stands_out(edge) || is_found(edge)) continue;
            const auto ends = m_mesh.topology().edges.col(edge);
            const Vector3d start = vertex(ends[0]), along = vertex(ends[1]) - start;
            const auto shares = side.cap ? crossings_of_rim(side, start, along)
                                         : crossing_of_line(side, line.cross(normal), start, along);
            for (int i = 0; i < 2; ++i) {
                const double share = shares[static_cast<std::size_t>(i)];
                if (!(share >= 0.0 && share <= 1.0)) continue;
                add_beside(side, normal, start + share * along, triangle,
                           on_triangle(triangle, ends[0], ends[1], share),
                           contact_key(ContactKind::edge_edge, 2 * edge + i, 1));
            }
        }
    }

    /// Shares of an edge at which it passes below the line of a mantle or axis: none is not a number.
    [[nodiscard]] static std::array<double, 2> crossing_of_line(const ShapeSide& side, const Vector3d& across,
                                                                const Vector3d& start, const Vector3d& along)
    {
        const double slope = along.dot(across);
        const bool crosses = std::abs(slope) > round_off_ratio * along.norm();
        return {crosses ? (side.points[0] - start).dot(across) / slope : nothing, nothing};
    }

    /// The same where it passes below the rim of a cap.
    [[nodiscard]] std::array<double, 2> crossings_of_rim(const ShapeSide& side, const Vector3d& start,
                                                         const Vector3d& along) const
    {
        const Vector3d from = across_cap(side, start - m_shape.pose.translation),
                       way = across_cap(side, along);
        const double r = m_shape.shape->disc_radius(), a = way.squaredNorm(), b = from.dot(way);
        const double root = b * b - a * (from.squaredNorm() - r * r);
        if (!(a > 0.0) || !(root > 0.0)) return {nothing, nothing};
        return {(-b - std::sqrt(root)) / a, (-b + std::sqrt(root)) / a};
    }

    [[nodiscard]] static Vector3d across_cap(const ShapeSide& side, const Vector3d& way)
    {
        return way - side.normal * side.normal.dot(way);
    }

    /// A contact below the side, unless the mesh is touched there already.
    void add_beside(const ShapeSide& side, const Vector3d& normal, const Vector3d& foot, int triangle,
                    const Vector3d& barycentric, std::uint64_t key)
    {
        const double height = normal.dot(side.points[0] - foot), gap = height - layer();
        const Vector3d core = foot + height * normal;
        if (gap > m_alarm || gap < -m_depth || (layer() > 0.0 && !(height > 0.0)) || !covers(side, core))
            return;
        if (!side.cap && gap < -m_round_off && is_below_rim(foot, -gap)) return;
        const Vector3d place = m_mesh.pose() * foot;
        for (const ContactPoint& other : m_out) {
            if (((m_shape_is_a ? other.q : other.p) - place).norm() <= m_round_off) return;
        }
        add(side, core, foot, normal, triangle, barycentric, key);
    }

    /// Whether a point inside a cylinder has a shorter way out through a cap than one through the mantle.
    [[nodiscard]] bool is_below_rim(const Vector3d& foot, double depth) const
    {
        return m_shape.shape->is_cylinder() &&
               m_shape.shape->half_height() - std::abs(m_shape.axis().dot(foot - m_shape.pose.translation)) <
                   depth;
    }

    [[nodiscard]] bool covers(const ShapeSide& side, const Vector3d& core) const
    {
        if (side.cap) {
            return across_cap(side, core - m_shape.pose.translation).norm() <=
                   m_shape.shape->disc_radius() + m_round_off;
        }
        const Vector3d line = side.points[1] - side.points[0];
        const double share = (core - side.points[0]).dot(line) / line.squaredNorm();
        return share >= -round_off_ratio && share <= 1.0 + round_off_ratio;
    }

    [[nodiscard]] bool is_found(int edge) const
    {
        return std::any_of(m_out.begin(), m_out.end(), [edge](const ContactPoint& point) {
            return point.key == contact_key(ContactKind::edge_edge, 2 * edge, 0) ||
                   point.key == contact_key(ContactKind::edge_edge, 2 * edge + 1, 0);
        });
    }

    /// The middle of the shape is inside: the nearest way out.
    void look_from_inside()
    {
        if (!m_mesh.is_closed() || !m_mesh.local_box().contains(m_shape.pose.translation)) return;
        const ClosestPoint closest =
            closest_point_local(m_mesh, m_shape.pose.translation, std::numeric_limits<double>::infinity());
        if (!closest.found() || closest.signed_distance > 0.0) return;
        const ShapeSide side(m_shape, -closest.normal);
        const Vector3d core = m_shape.core_support(-closest.normal);
        const double height = closest.normal.dot(core - closest.point);
        if (height - layer() < -m_depth) return;
        add(side, core, core - height * closest.normal, closest.normal, closest.triangle, closest.barycentric,
            contact_key(ContactKind::shape, 0));
    }

    [[nodiscard]] bool within(double gap) const { return gap <= m_alarm && gap >= -m_depth; }

    [[nodiscard]] Vector3d on_triangle(int triangle, int first, int second, double share) const
    {
        Vector3d weights = Vector3d::Zero();
        for (int k = 0; k < 3; ++k) {
            const int corner = m_mesh.triangles()(k, triangle);
            if (corner == first) weights[k] = 1.0 - share;
            if (corner == second) weights[k] = share;
        }
        return weights;
    }

    void add(const ShapeSide& side, const Vector3d& core, const Vector3d& foot, const Vector3d& normal,
             int triangle, const Vector3d& barycentric, std::uint64_t key)
    {
        const auto corners = m_mesh.triangles().col(triangle);
        const SurfacePoint on_mesh{{corners[0], corners[1], corners[2]}, barycentric};
        const SurfacePoint on_shape = side.surface_point(m_shape, core);
        const Pose& to_world = m_mesh.pose();
        const Vector3d touched = to_world * (core - layer() * normal), under = to_world * foot;
        ContactPoint point;
        point.normal = to_world.rotation * (m_shape_is_a ? normal : Vector3d(-normal));
        point.a = m_shape_is_a ? on_shape : on_mesh;
        point.b = m_shape_is_a ? on_mesh : on_shape;
        point.p = m_shape_is_a ? touched : under;
        point.q = m_shape_is_a ? under : touched;
        point.gap = normal.dot(core - foot) - layer();
        point.key = key;
        // Triangles in one plane share what lies over their common edge.
        for (const ContactPoint& other : m_out) {
            if ((other.p - point.p).norm() <= m_round_off && (other.q - point.q).norm() <= m_round_off)
                return;
        }
        m_out.push_back(point);
    }

    const Surface& m_mesh;
    bool m_shape_is_a;
    bool m_tissue;
    double m_alarm, m_depth, m_round_off;
    PlacedShape m_shape;
    std::vector<ContactPoint>& m_out;
    Buffers& m_buffers;
};

}  // namespace

void shape_mesh_contacts(const PlacedShape& shape, const Surface& mesh, bool shape_is_a,
                         const DetectionOptions& options, std::vector<ContactPoint>& out)
{
    thread_local Buffers buffers;
    out.clear();
    Finder(shape, mesh, shape_is_a, options, buffers, out).find();
}

}  // namespace softcontact
