// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/vademecum/penalty_contact.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace softcontact {

void PenaltySettings::validate() const
{
    const auto require = [](bool holds, const char* name, double value, const char* expected) {
        if (!holds) {
            throw std::invalid_argument(std::string(name) + ": " + std::to_string(value) + ", expected " +
                                        expected);
        }
    };
    require(std::isfinite(stiffness) && stiffness > 0.0, "stiffness", stiffness, "a finite k_c > 0 [N/m]");
    require(std::isfinite(friction) && friction >= 0.0, "friction", friction, "a finite coefficient >= 0");
    require(std::isfinite(tangential_stiffness) && tangential_stiffness >= 0.0, "tangential_stiffness",
            tangential_stiffness, "a finite k_t >= 0 [N/m]");
}

PenaltyContact::PenaltyContact(DeformedBoundary boundary, const PenaltySettings& settings, Index points)
    : m_boundary(std::move(boundary)), m_settings(settings)
{
    settings.validate();
    if (points < 1) throw std::invalid_argument("points: expected a shell of one point or more");
    if (m_settings.tangential_stiffness == 0.0) m_settings.tangential_stiffness = m_settings.stiffness;
    const auto size = static_cast<std::size_t>(points);
    m_contacts.resize(size);
    m_near_points.resize(size);
    m_last.setZero(3, points);
    m_clearance.assign(size, 0.0);
    m_near.resize(size);
    m_anchors.resize(size);
}

Index PenaltyContact::evaluate(const Eigen::Ref<const Points>& points, DepthMeasure* measure,
                               double reach) noexcept
{
    const double body = m_boundary.refresh();
    m_count = m_near_count = 0;
    for (Index i = 0; i < std::min(points.cols(), m_last.cols()); ++i) {
        const auto k = static_cast<std::size_t>(i);
        const Vector3d point = points.col(i);
        m_clearance[k] -= (point - m_last.col(i)).norm() + body;
        m_last.col(i) = point;
        if (m_clearance[k] > reach) continue;
        if (measure == nullptr) {
            m_clearance[k] = std::sqrt(m_boundary.box().squared_distance(point));
            if (m_clearance[k] > reach) continue;
        }
        BoundaryPoint found = m_boundary.closest(point, m_near[k]);
        const double nearest = found.distance;
        if (measure != nullptr && found.place.found()) measure->measure(m_boundary, point, found);
        m_clearance[k] = std::max(0.0, std::min(nearest, found.distance));
        if (!found.place.found()) continue;
        const bool inside = found.distance < 0.0;
        if (!inside && !(found.distance < reach)) continue;
        PenaltyPoint& contact = inside ? m_contacts[static_cast<std::size_t>(m_count++)]
                                       : m_near_points[static_cast<std::size_t>(m_near_count++)];
        contact.number = i;
        contact.place = found.place;
        contact.point = found.point;
        contact.depth = -found.distance;
        // in the boundary's own round-off the way to it has no direction
        const double least = 1e-12 * (1.0 + found.point.norm());
        contact.normal = measure == nullptr && std::abs(contact.depth) > least
                             ? Vector3d((found.point - point) / contact.depth)
                             : found.normal;
        draw(contact, point);
        if (inside) {
            press(contact);
        } else {
            contact.force = contact.slip = Vector3d::Zero();
            contact.stiffness = m_settings.stiffness * contact.normal * contact.normal.transpose();
            contact.slides = false;
        }
    }
    return m_count;
}

void PenaltyContact::draw(PenaltyPoint& contact, const Vector3d& point) noexcept
{
    // a point that comes gets its anchor when the trial has come true: until then nothing holds it
    const BoundaryPlace& anchor = m_anchors[static_cast<std::size_t>(contact.number)];
    contact.anchored = m_settings.friction > 0.0 && anchor.found();
    contact.way.setZero();
    if (!contact.anchored) return;
    contact.way = point - m_boundary.position(anchor);
    contact.way -= contact.way.dot(contact.normal) * contact.normal;
}

void PenaltyContact::press(PenaltyPoint& contact) noexcept
{
    const double push = m_settings.stiffness * contact.depth;
    const Vector3d& n = contact.normal;
    contact.force = push * n;
    contact.stiffness = m_settings.stiffness * n * n.transpose();
    contact.slip = contact.way;
    contact.slides = false;
    if (!contact.anchored) return;
    const Matrix3d across = Matrix3d::Identity() - n * n.transpose();
    const double k = m_settings.tangential_stiffness;
    const double length = contact.way.norm(), bound = m_settings.friction * push;
    if (k * length <= bound) {
        contact.stiffness += k * across;
    } else {
        const Vector3d along = contact.way / length;
        contact.slides = true;
        contact.slip = bound / k * along;
        contact.stiffness += bound / length * (across - along * along.transpose()) -
                             m_settings.friction * m_settings.stiffness * along * n.transpose();
    }
    contact.force -= k * contact.slip;
}

void PenaltyContact::commit() noexcept
{
    Index next = 0;  // contacts come in the points' order
    for (std::size_t i = 0; i < m_anchors.size(); ++i) {
        if (next == m_count || m_contacts[static_cast<std::size_t>(next)].number != static_cast<Index>(i)) {
            m_anchors[i] = {};
            continue;
        }
        const PenaltyPoint& contact = m_contacts[static_cast<std::size_t>(next++)];
        if (!m_anchors[i].found()) {
            m_anchors[i] = contact.place;
        } else if (contact.slides) {
            m_anchors[i] = m_boundary.closest(contact.point - contact.slip, m_near[i]).place;
        }
    }
}

void PenaltyContact::release() noexcept
{
    std::fill(m_anchors.begin(), m_anchors.end(), BoundaryPlace{});
}

Wrench PenaltyContact::wrench(const Vector3d& centre) const noexcept
{
    Wrench out;
    for (const PenaltyPoint& contact : contacts()) {
        out.force += contact.force;
        out.torque += (contact.point - centre).cross(contact.force);
    }
    return out;
}

void PenaltyContact::add_nodal_forces(Eigen::Ref<Points> out) const noexcept
{
    for (const PenaltyPoint& contact : contacts()) {
        const auto corners = m_boundary.topology().triangles.col(contact.place.triangle);
        for (int k = 0; k < 3; ++k) {
            if (corners[k] < out.cols()) out.col(corners[k]) -= contact.place.shares[k] * contact.force;
        }
    }
}

}  // namespace softcontact
