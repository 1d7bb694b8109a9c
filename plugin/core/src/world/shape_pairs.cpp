// SPDX-License-Identifier: LGPL-2.1-or-later
// Contacts of bodies that are known by their shapes.
#include <algorithm>
#include <optional>
#include <softcontact/contact/convex_contact.hpp>
#include <softcontact/contact/shape_mesh_contact.hpp>
#include <softcontact/contact/vertex_share.hpp>
#include <softcontact/geometry/impact_share.hpp>
#include <softcontact/geometry/shape_separation.hpp>
#include <softcontact/world/settings.hpp>
#include <softcontact/world/shape_pairs.hpp>
#include <softcontact/world/tetrahedral_system.hpp>

namespace softcontact {

namespace {

/// Gap in alarm distances of shapes that are about to touch, so that their normal is known.
constexpr double impact_ratio = 0.1;
/// Overlap, in thicknesses of the thinner body, up to which the way out is the way in.
constexpr double shallow_ratio = 0.1;
/// Turn of the normal up to which what was met on the way is what is met at the end.
constexpr double same_side_cosine = 0.9;

double thickness(const ConvexShape& shape)
{
    const Aabb box = shape.bounds(Pose());
    return (box.upper - box.lower).minCoeff();
}

/// Share of the free motion at which a shape that is apart from one at rest or moved by hand is looked at.
/// Where it comes to lie against it, that is the end: what rolls does not stumble over what it will have
/// rolled on by then. Where it would pass through, the moment at which they meet. Nothing where they do not
/// come near.
std::optional<double> share_of_contact(const MovingShape& a, const MovingShape& b,
                                       const ShapeSeparation& start, double travel, double alarm_distance)
{
    const ShapeSeparation end = separation(a.at(1.0), b.at(1.0));
    if (travel > start.gap) {
        const double share = impact_share(a, b, touching_ratio * alarm_distance);
        if (share < 1.0) {
            const double shallow = shallow_ratio * std::min(thickness(*a.shape), thickness(*b.shape));
            const bool same_side =
                end.normal.dot(separation(a.at(share), b.at(share)).normal) > same_side_cosine;
            return same_side && end.gap > -std::min(shallow, alarm_distance) ? 1.0 : share;
        }
    }
    if (end.gap <= alarm_distance) return 1.0;
    return start.gap <= alarm_distance ? std::optional(0.0) : std::nullopt;
}

/// Whether a contact is among others on the same side: itself, where they have it, or any of them.
bool is_among(const std::vector<ContactPoint>& others, const ContactPoint& point)
{
    const auto alike = [&](const ContactPoint& other) {
        return other.normal.dot(point.normal) > same_side_cosine;
    };
    const auto own = std::lower_bound(others.begin(), others.end(), point,
                                      [](const auto& x, const auto& y) { return x.key < y.key; });
    return own != others.end() && own->key == point.key ? alike(*own)
                                                        : std::any_of(others.begin(), others.end(), alike);
}

/// Whether the free motion takes a shape along the tissue: what it presses on at its end it touched on the
/// same side at its start, or came to along that side, not deep, and what it came into is what it presses on.
/// Else it comes in, and its way out at the end is no more the way in. straight: what a motion along a round
/// side and its tangent part by [m].
bool moves_along(const std::vector<ContactPoint>& start, const std::vector<ContactPoint>& end,
                 const ContactSurface& a, const ContactSurface& b, double shallow, double straight)
{
    const auto bears = [&](const ContactPoint& point) {
        return point.gap >= 0.0 ||
               (point.gap >= -shallow && is_among(start, point) && start_gap(point, a, b) >= -straight);
    };
    const auto stays = [&](const ContactPoint& point) {
        return free_gap(point, a, b) >= std::min(point.gap, 0.0) - straight || is_among(end, point);
    };
    return !end.empty() && std::all_of(end.begin(), end.end(), bears) &&
           std::all_of(start.begin(), start.end(), stays);
}

}  // namespace

double find_shape_contacts(const ContactSurface& a, const ContactSurface& b, double alarm_distance,
                           std::vector<ContactPoint>& out)
{
    constexpr double no_impact = 1.0;
    const double travel = a.free_travel() + b.free_travel();
    const MovingShape moving_a{a.shape.get(), a.start_pose(), a.free_pose()};
    const MovingShape moving_b{b.shape.get(), b.start_pose(), b.free_pose()};
    out.clear();
    const PlacedShape start_a{moving_a.shape, moving_a.start}, start_b{moving_b.shape, moving_b.start};
    const ShapeSeparation start = separation(start_a, start_b);
    const bool given_a = a.kind == ContactSurface::Kind::kinematic,
               given_b = b.kind == ContactSurface::Kind::kinematic;
    const bool both_free = !given_a && !given_b;
    if (start.gap <= (both_free ? 1.0 : touching_ratio) * alarm_distance) {
        contact_points(start_a, start_b, start, alarm_distance + travel, out);
        return no_impact;
    }
    if (start.gap > alarm_distance + travel) return no_impact;
    if (both_free) {
        const double share = impact_share(moving_a, moving_b, impact_ratio * alarm_distance);
        if (share >= 1.0) return no_impact;
        const ShapeSeparation end = separation(moving_a.at(1.0), moving_b.at(1.0));
        const ShapeSeparation there = separation(moving_a.at(share), moving_b.at(share));
        if (end.gap > 0.0 && end.normal.dot(there.normal) > 0.0)
            return no_impact;  // they have not met by then
        contact_points(moving_a.at(share), moving_b.at(share), there, alarm_distance + travel, out);
        for (ContactPoint& point : out) {
            point.p = a.start_position(point.a, -point.normal);
            point.q = b.start_position(point.b, point.normal);
            point.gap = point.normal.dot(point.p - point.q);
        }
        return share;
    }
    const auto share = share_of_contact(moving_a, moving_b, start, travel, alarm_distance);
    if (!share) return no_impact;
    contact_points(moving_a.at(*share), moving_b.at(*share), alarm_distance + travel, out);
    for (ContactPoint& point :
         out) {  // told as they are at the start, forces on what moves where it is touched
        point.p = a.start_position(point.a, -point.normal);
        point.q = b.start_position(point.b, point.normal);
        point.gap = point.normal.dot(point.p - point.q);
        if (given_b) {
            point.q = point.p - point.gap * point.normal;
        } else {
            point.p = point.q + point.gap * point.normal;
        }
    }
    return no_impact;
}

void find_plane_contacts(const ContactSurface& mesh, const ContactSurface& plane, bool mesh_is_a,
                         double alarm_distance, std::vector<ContactPoint>& out)
{
    out.clear();
    const Surface& surface = mesh.geometry;
    const Vector3d normal = plane.start_pose().rotation.col(2);
    for (int vertex = 0; vertex < surface.vertex_count(); ++vertex) {
        const Vector3d point = surface.world_vertex(vertex);
        const double height = normal.dot(point - plane.start_pose().translation);
        if (height > alarm_distance) continue;
        // What is above the plane on the far side of its body is none of its matter.
        if (height > 0.0 && normal.dot(surface.pose().rotation * surface.vertex_normal(vertex)) > 0.0)
            continue;
        ContactPoint contact;
        const SurfacePoint on_mesh{{vertex, vertex, vertex}, Vector3d::UnitX()};
        const Vector3d foot = point - height * normal;
        SurfacePoint on_plane;
        on_plane.on_shape = true;
        on_plane.of_shape.place = plane.start_pose().inverse_times(foot);
        contact.a = mesh_is_a ? on_mesh : on_plane;
        contact.b = mesh_is_a ? on_plane : on_mesh;
        contact.p = mesh_is_a ? point : foot;
        contact.q = mesh_is_a ? foot : point;
        contact.normal = mesh_is_a ? normal : Vector3d(-normal);
        contact.gap = height;
        contact.area = surface.vertex_areas()[vertex];
        contact.key = contact_key(mesh_is_a ? ContactKind::vertex_of_a : ContactKind::vertex_of_b, vertex);
        out.push_back(contact);
    }
}

bool meets_round_shape(const ContactSurface& a, const ContactSurface& b, bool patch)
{
    const ContactSurface &shaped = a.shape ? a : b, &mesh = a.shape ? b : a;
    return shaped.shape && shaped.shape->is_round() && !mesh.shape && !(patch && mesh.field != nullptr);
}

void find_mesh_contacts(const ContactSurface& a, const ContactSurface& b, const DetectionOptions& options,
                        DetectionWorkspace& workspace, std::vector<ContactPoint>& out)
{
    const bool shape_is_a = a.shape != nullptr;
    const ContactSurface &shaped = shape_is_a ? a : b, &mesh = shape_is_a ? b : a;
    const PlacedShape start{shaped.shape.get(), shaped.start_pose()};
    shape_mesh_contacts(start, mesh.geometry, shape_is_a, options, out);
    if (mesh.field == nullptr) return;
    if (!mesh.field->dynamics().is_free() && !out.empty()) {
        static thread_local std::vector<ContactPoint> at_end;  // grows, and then stays
        const PlacedShape end{start.shape, mesh.seen_from_start(shaped.free_pose())};
        shape_mesh_contacts(end, mesh.geometry, shape_is_a, options, at_end);
        const double shallow = std::min(shallow_ratio * thickness(*start.shape), options.alarm_distance);
        // What a step along a round side and one along its tangent part by, twice.
        const double travel = a.free_travel() + b.free_travel();
        const double radius =
            shaped.shape->is_cylinder() ? shaped.shape->disc_radius() : shaped.shape->radius();
        if (moves_along(out, at_end, a, b, shallow, travel * travel / radius)) std::swap(out, at_end);
    }
    for (ContactPoint& point : out) {
        point.p = a.start_position(point.a, -point.normal);
        point.q = b.start_position(point.b, point.normal);
        point.gap = start_gap(point, a, b);
    }
    workspace.reserve(a.geometry, b.geometry);
    const VectorXd& areas = mesh.geometry.vertex_areas();
    share_vertex_areas(out, {areas.data(), static_cast<std::size_t>(areas.size())}, workspace.touch,
                       shape_is_a ? &ContactPoint::b : &ContactPoint::a);
}

}  // namespace softcontact
