// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/vademecum/boundary_distance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "softcontact/geometry/closest_point.hpp"

namespace softcontact {

namespace {

constexpr double certain = 1.0 - 1e-9;  // share of a clearance that round-off leaves

}  // namespace

BoundaryDistance::BoundaryDistance(DeformedBoundary boundary, const DistanceField* field)
    : m_boundary(std::move(boundary)), m_size(m_boundary.box().diagonal()), m_field(field)
{
    if (!m_boundary.topology().closed) throw std::invalid_argument("boundary: expected a closed surface");
}

BoundaryDistance::BoundaryDistance(const Eigen::Ref<const Points>& nodes,
                                   const Eigen::Ref<const Triangles>& boundary, const DistanceField* field)
    : BoundaryDistance(DeformedBoundary(nodes, boundary), field)
{
}

BoundaryDistance::BoundaryDistance(const Eigen::Ref<const Points>& nodes,
                                   const Eigen::Ref<const Triangles>& boundary, const LoadedField& loaded,
                                   const DistanceField* field)
    : BoundaryDistance(DeformedBoundary(nodes, boundary, loaded), field)
{
    m_moved = true;
}

void BoundaryDistance::remember(Index points)
{
    m_memories.resize(static_cast<std::size_t>(points));
    m_clearances.resize(m_memories.size());
}

bool BoundaryDistance::sort_out(const DistanceState& state, double apart) noexcept
{
    if (m_field == nullptr || !m_field->has(state) || !(apart >= 0.0)) return false;
    m_sorted_out = true;
    m_state = state;
    m_apart = apart;
    return true;
}

bool BoundaryDistance::set(const Eigen::Ref<const Points>& nodes) noexcept
{
    if (m_moved || nodes.cols() != m_boundary.topology().vertex_count || !nodes.allFinite()) return false;
    m_boundary.move(nodes);
    m_sorted_out = false;
    return true;
}

bool BoundaryDistance::set(const Eigen::Ref<const Points>& nodes, const DistanceState& state,
                           double apart) noexcept
{
    const bool was_sorted_out = m_sorted_out;
    const DistanceState old = m_state;
    const double old_apart = m_apart;
    if (!sort_out(state, apart)) return false;
    if (set(nodes)) return sort_out(state, apart);
    m_sorted_out = was_sorted_out;
    m_state = old;
    m_apart = old_apart;
    return false;
}

void BoundaryDistance::follow() noexcept
{
    m_boundary.refresh();
    m_sorted_out = false;
}

bool BoundaryDistance::follow(const DistanceState& state, double apart) noexcept
{
    if (!m_moved || !sort_out(state, apart)) return false;
    m_boundary.refresh();
    return true;
}

BoundaryPoint BoundaryDistance::ask(const Vector3d& point, NearMemory& memory, Vector3d* gradient) noexcept
{
    const BoundaryPoint found = m_boundary.closest(point, memory);
    if (gradient == nullptr) return found;
    // on a face that is its normal; in round-off the way to the boundary has no direction
    const bool on_face = (found.place.shares.array() > 0.0).all() && found.normal.squaredNorm() > 0.0;
    const bool there = !(std::abs(found.distance) > coincidence_ratio * m_size);
    *gradient = on_face || there ? found.normal : Vector3d((point - found.point) / found.distance);
    return found;
}

double BoundaryDistance::distance(const Vector3d& point, Vector3d* gradient) noexcept
{
    if (point.allFinite()) return ask(point, m_near, gradient).distance;
    if (gradient != nullptr) gradient->setConstant(std::numeric_limits<double>::quiet_NaN());
    return std::numeric_limits<double>::quiet_NaN();
}

bool BoundaryDistance::is_outside(const Vector3d& point) noexcept
{
    if (!m_boundary.box().contains(point)) return true;  // nor is NaN in it
    if (!m_sorted_out) return false;
    const DistanceField::Bound bound = m_field->bound(point, m_state);
    return bound.distance - bound.error > m_apart;
}

Index BoundaryDistance::contacts(const Eigen::Ref<const Points>& points, const ContactRoom& room) noexcept
{
    const Index capacity = room.size(), remembered = static_cast<Index>(m_memories.size());
    Index count = 0;
    Vector3d gradient;
    for (Index i = 0; i < points.cols(); ++i) {
        const Vector3d point = points.col(i);
        const bool known = i < remembered;
        Clearance* clearance = known ? &m_clearances[static_cast<std::size_t>(i)] : nullptr;
        if (known && clearance->distance > 0.0) {
            const double moved = (point - clearance->point).norm() + (m_boundary.path() - clearance->path);
            if (moved < certain * clearance->distance) continue;
        }
        if (is_outside(point)) continue;
        const BoundaryPoint found =
            ask(point, known ? m_memories[static_cast<std::size_t>(i)] : m_near, &gradient);
        if (known) *clearance = {point, m_boundary.path(), std::max(0.0, found.distance)};
        if (!(found.distance < 0.0)) continue;
        if (count < capacity) {
            const auto at = static_cast<std::size_t>(count);
            room.points[at] = i;
            room.depths[at] = -found.distance;
            room.normals[at] = gradient;
        }
        ++count;
    }
    return count;
}

}  // namespace softcontact
