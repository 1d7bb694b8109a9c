// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdexcept>

#include <softcontact/world/articulated_system.hpp>
#include <softcontact/world/contact_surface.hpp>
#include <softcontact/world/tetrahedral_system.hpp>

namespace softcontact {

namespace {

Vector3d weighted(const SurfacePoint& point, const Points& vertices)
{
    Vector3d position = Vector3d::Zero();
    for (int corner = 0; corner < 3; ++corner) {
        if (point.weights[corner] != 0.0) {
            position += point.weights[corner] * vertices.col(point.vertices[static_cast<std::size_t>(corner)]);
        }
    }
    return position;
}

}  // namespace

ContactSurface::ContactSurface(std::string surface_name, Kind surface_kind, Surface surface_geometry)
    : name(std::move(surface_name)),
      kind(surface_kind),
      geometry(std::move(surface_geometry)),
      m_start_vertices(geometry.local_vertices()),
      m_vertices(geometry.local_vertices())
{
}

void ContactSurface::update(double time)
{
    if (kind == Kind::kinematic) {
        m_pose = motion.pose(time);
    } else if (articulated != nullptr) {
        m_pose = articulated->link_pose(link);
    }
    geometry.set_pose(m_pose);
    if (field == nullptr) {
        return;
    }
    const Points& nodes = field->nodes();
    for (Index i = 0; i < m_vertices.cols(); ++i) {
        Vector3d vertex = Vector3d::Zero();
        for (int k = 0; k < 4; ++k) {
            vertex += embedding.weights(k, i) * nodes.col(embedding.nodes(k, i));
        }
        m_vertices.col(i) = vertex;
    }
    if (m_vertices.allFinite()) {  // a diverged body is reported by its health, not by the geometry
        geometry.update(m_vertices);
    }
}

double ContactSurface::recovery(double step) const
{
    return field == nullptr ? 1.0 : step / (step + field->dynamics().options().rayleigh_stiffness);
}

void ContactSurface::mark_start()
{
    m_start_pose = m_pose;
    if (field != nullptr) {
        m_start_vertices = m_vertices;
    }
}

Vector3d ContactSurface::start_position(const SurfacePoint& point) const
{
    return m_start_pose * weighted(point, m_start_vertices);
}

Vector3d ContactSurface::position(const SurfacePoint& point) const
{
    return m_pose * weighted(point, m_vertices);
}

Vector3d ContactSurface::prescribed_velocity(const Vector3d& position, double step) const
{
    return (position - m_start_pose * m_pose.inverse_times(position)) / step;
}

}  // namespace softcontact
