// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>
#include <softcontact/bodies/corotational_rotation.hpp>
#include <softcontact/geometry/rigid_travel.hpp>
#include <softcontact/world/contact_surface.hpp>
#include <softcontact/world/link_carrier.hpp>
#include <softcontact/world/tetrahedral_system.hpp>
#include <stdexcept>

namespace softcontact {

namespace {

Vector3d weighted(const SurfacePoint& point, const Points& vertices)
{
    Vector3d position = Vector3d::Zero();
    for (int corner = 0; corner < 3; ++corner) {
        if (point.weights[corner] != 0.0) {
            position +=
                point.weights[corner] * vertices.col(point.vertices[static_cast<std::size_t>(corner)]);
        }
    }
    return position;
}

Vector3d placed_at(const SurfacePoint& point, const Pose& pose, const Points& vertices,
                   const Vector3d& towards)
{
    return point.on_shape ? point.of_shape.position(pose, towards) : pose * weighted(point, vertices);
}

}  // namespace

ContactSurface::ContactSurface(std::string surface_name, Kind surface_kind, Surface surface_geometry)
    : name(std::move(surface_name)),
      kind(surface_kind),
      geometry(std::move(surface_geometry)),
      m_start_vertices(geometry.local_vertices()),
      m_free_vertices(geometry.local_vertices()),
      m_vertices(geometry.local_vertices())
{
}

Pose ContactSurface::shown_pose(double time) const
{
    if (kind == Kind::kinematic) {
        return motion.pose(time);
    }
    return carrier != nullptr ? carrier->link_pose(link) : Pose();
}

void ContactSurface::embed(Points& vertices) const
{
    const Points& nodes = field->nodes();
    for (Index i = 0; i < vertices.cols(); ++i) {
        Vector3d vertex = Vector3d::Zero();
        for (int k = 0; k < 4; ++k) {
            vertex += embedding.weights(k, i) * nodes.col(embedding.nodes(k, i));
        }
        vertices.col(i) = vertex;
    }
}

void ContactSurface::update(double time)
{
    m_pose = shown_pose(time);
    geometry.set_pose(m_pose);
    if (field == nullptr) {
        return;
    }
    embed(m_vertices);
    if (m_vertices.allFinite()) {  // a diverged body is reported by its health, not by the geometry
        geometry.move(m_vertices);
    }
}

void ContactSurface::mark_free(double time)
{
    m_free_pose = shown_pose(time);
    if (field != nullptr) {
        embed(m_free_vertices);
    }
    m_free_travel = moved(m_free_pose, m_free_vertices);
}

void ContactSurface::mark_start()
{
    m_start_pose = m_pose;
    if (field != nullptr) {
        m_start_vertices = m_vertices;
    }
    if (kind == Kind::field) {
        fit_rest_pose();
    }
}

double ContactSurface::moved(const Pose& pose, const Points& vertices) const
{
    const double deformed =
        field == nullptr ? 0.0 : (vertices - m_start_vertices).colwise().squaredNorm().maxCoeff();
    return rigid_travel(geometry.local_box(), m_start_pose, pose) + std::sqrt(deformed);
}

Vector3d ContactSurface::carried_start(const Vector3d& point) const
{
    Vector3d local = m_start_pose.inverse_times(point);
    if (kind == Kind::field) {  // no pose of its own
        local += (m_vertices - m_start_vertices).rowwise().mean();
    }
    return local;
}

Pose ContactSurface::seen_from_start(const Pose& free) const
{
    const Pose back{m_free_pose.rotation.transpose(), m_free_pose.inverse_times(Vector3d::Zero())};
    Pose seen = m_start_pose * (back * free);
    if (kind == Kind::field) {  // no pose of its own
        seen.translation -= (m_free_vertices - m_start_vertices).rowwise().mean();
    }
    return seen;
}

Aabb ContactSurface::swept_box() const
{
    if (shape && field == nullptr && !is_plane()) {
        Aabb box = shape->bounds(m_start_pose);
        box.extend(shape->bounds(m_pose));
        return box;
    }
    Aabb box = geometry.world_box();
    for (Index i = 0; i < m_start_vertices.cols(); ++i) {
        box.extend(m_start_pose * m_start_vertices.col(i));
    }
    return box;
}

Vector3d ContactSurface::start_position(const SurfacePoint& point, const Vector3d& towards) const
{
    return placed_at(point, m_start_pose, m_start_vertices, towards);
}

Vector3d ContactSurface::free_position(const SurfacePoint& point, const Vector3d& towards) const
{
    return placed_at(point, m_free_pose, m_free_vertices, towards);
}

Vector3d ContactSurface::rest_position(const SurfacePoint& point, const Vector3d& towards) const
{
    return placed_at(point, kind == Kind::field ? m_rest_pose : m_start_pose, geometry.reference_vertices(),
                     towards);
}

void ContactSurface::fit_rest_pose()
{
    const Points& rest = geometry.reference_vertices();
    const Vector3d middle = m_start_vertices.rowwise().mean(), rest_middle = rest.rowwise().mean();
    const Matrix3d spread =
        (m_start_vertices.colwise() - middle) * (rest.colwise() - rest_middle).transpose();
    if (spread.allFinite() && extract_rotation(spread / spread.norm(), m_rest_rotation)) {
        m_rest_pose.rotation = m_rest_rotation.toRotationMatrix();
        m_rest_pose.translation = middle - m_rest_pose.rotation * rest_middle;
    }
}

Vector3d ContactSurface::position(const SurfacePoint& point, const Vector3d& towards) const
{
    return placed_at(point, m_pose, m_vertices, towards);
}

Vector3d ContactSurface::prescribed_velocity(const Vector3d& position, double step) const
{
    return (m_free_pose * m_start_pose.inverse_times(position) - position) / step;
}

double start_gap(const ContactPoint& point, const ContactSurface& a, const ContactSurface& b)
{
    return point.normal.dot(a.start_position(point.a, -point.normal) -
                            b.start_position(point.b, point.normal)) -
           point.offset;
}

double free_gap(const ContactPoint& point, const ContactSurface& a, const ContactSurface& b)
{
    return point.normal.dot(a.free_position(point.a, -point.normal) -
                            b.free_position(point.b, point.normal)) -
           point.offset;
}

double end_gap(const ContactPoint& point, const ContactSurface& a, const ContactSurface& b)
{
    return point.normal.dot(a.position(point.a, -point.normal) - b.position(point.b, point.normal)) -
           point.offset;
}

}  // namespace softcontact
