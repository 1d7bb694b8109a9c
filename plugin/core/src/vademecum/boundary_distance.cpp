// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/vademecum/boundary_distance.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "softcontact/geometry/closest_point.hpp"

namespace softcontact {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

}  // namespace

BoundaryDistance::BoundaryDistance(const Eigen::Ref<const Points>& nodes,
                                   const Eigen::Ref<const Triangles>& boundary, const DistanceField* field)
    : m_surface(nodes, boundary), m_field(field)
{
    if (!m_surface.is_closed()) throw std::invalid_argument("boundary: expected a closed surface");
}

bool BoundaryDistance::set(const Eigen::Ref<const Points>& nodes) noexcept
{
    if (nodes.cols() != m_surface.vertex_count() || !nodes.allFinite()) return false;
    m_surface.move(nodes);
    m_sorted_out = false;
    return true;
}

bool BoundaryDistance::set(const Eigen::Ref<const Points>& nodes, const DistanceState& state,
                           double apart) noexcept
{
    if (m_field == nullptr || !m_field->has(state) || !(apart >= 0.0) || !set(nodes)) return false;
    m_sorted_out = true;
    m_state = state;
    m_apart = apart;
    return true;
}

double BoundaryDistance::distance(const Vector3d& point, Vector3d* gradient) noexcept
{
    if (!point.allFinite()) {
        if (gradient != nullptr) gradient->setConstant(std::numeric_limits<double>::quiet_NaN());
        return std::numeric_limits<double>::quiet_NaN();
    }
    m_surface.refresh();
    const ClosestPoint closest = closest_point_local(m_surface, point, infinite);
    if (gradient != nullptr) *gradient = closest.normal;
    return closest.signed_distance;
}

bool BoundaryDistance::is_outside(const Vector3d& point) const noexcept
{
    if (!m_surface.local_box().contains(point)) return true;  // nor is NaN in it
    if (!m_sorted_out) return false;
    const DistanceField::Bound bound = m_field->bound(point, m_state);
    return bound.distance - bound.error > m_apart;
}

Index BoundaryDistance::contacts(const Eigen::Ref<const Points>& points, const ContactRoom& room) noexcept
{
    const Index capacity = room.size();
    Index count = 0;
    int near = -1;  // the last point's triangle: a shell's neighbours come one after the other
    for (Index i = 0; i < points.cols(); ++i) {
        const Vector3d point = points.col(i);
        if (is_outside(point)) continue;
        m_surface.refresh();
        const ClosestPoint closest = closest_point_local(m_surface, point, infinite, near);
        near = closest.triangle;
        if (!(closest.signed_distance < 0.0)) continue;
        if (count < capacity) {
            const auto at = static_cast<std::size_t>(count);
            room.points[at] = i;
            room.depths[at] = -closest.signed_distance;
            room.normals[at] = closest.normal;
        }
        ++count;
    }
    return count;
}

}  // namespace softcontact
