// SPDX-License-Identifier: LGPL-2.1-or-later
// Rigid joint limits and dry friction of an articulated body, as constraints on single coordinates.
#include <algorithm>
#include <cmath>
#include <limits>
#include <softcontact/world/articulated_system.hpp>
#include <stdexcept>

namespace softcontact {

namespace {

constexpr double limit_tolerance = 1e-6;  ///< [m] or [rad], of what a solve leaves past a limit

}  // namespace

void ArticulatedSystem::check_constraints()
{
    for (int link = 0; link < m_model.link_count(); ++link) {
        const JointType joint = m_model.link(link).joint;
        const bool plain =
            joint == JointType::revolute || joint == JointType::prismatic || joint == JointType::universal;
        for (Index k = 0; k < m_model.dofs(link); ++k) {
            const Index i = m_model.v_offset(link) + k;
            const double lower = m_compliance.lower[i], upper = m_compliance.upper[i];
            const double friction = m_compliance.friction[i];
            if (friction > 0.0) {
                m_possible.push_back({i, 1.0, 0.0, -friction, friction, 0.0});
                m_position_of.push_back(m_model.q_offset(link) + k);
            }
            if (std::isfinite(m_compliance.limit_stiffness[i]) ||
                !(std::isfinite(lower) || std::isfinite(upper))) {
                continue;
            }
            const std::string& name = m_model.link(link).name;
            if (!plain) {
                throw std::invalid_argument(
                    "limit_stiffness of link '" + name +
                    "': rigid limits are for revolute, prismatic and universal joints");
            }
            const double q = m_q[m_model.q_offset(link) + k];
            if (!(q >= lower && q <= upper)) {
                throw std::invalid_argument("joint_positions: link '" + name + "' starts at " +
                                            std::to_string(q) + ", outside its rigid limits [" +
                                            std::to_string(lower) + ", " + std::to_string(upper) +
                                            "]; start it within them, or give limit_stiffness");
            }
            constexpr double infinity = std::numeric_limits<double>::infinity();
            for (const double sign : {1.0, -1.0}) {
                if (std::isfinite(sign > 0.0 ? lower : upper)) {
                    m_possible.push_back({i, sign, 0.0, 0.0, infinity, 0.0});
                    m_position_of.push_back(m_model.q_offset(link) + k);
                }
            }
        }
    }
    m_present.reserve(m_possible.size());
    m_possible_of.reserve(m_possible.size());
}

double ArticulatedSystem::room(const CoordinateConstraint& limit, const VectorXd& q) const
{
    const Index i = limit.coordinate;
    const double value = q[m_position_of[static_cast<std::size_t>(&limit - m_possible.data())]];
    return limit.sign > 0.0 ? value - m_compliance.lower[i] : m_compliance.upper[i] - value;
}

bool ArticulatedSystem::passes_limits(const VectorXd& q) const
{
    return std::any_of(m_possible.begin(), m_possible.end(), [&](const CoordinateConstraint& constraint) {
        return constraint.is_limit() && room(constraint, q) < -limit_tolerance;
    });
}

void ArticulatedSystem::collect_constraints(double step)
{
    constexpr double reach =
        0.05;  // [m] or [rad] limits farther than this, and than the step goes, are left out
    m_present.clear();
    m_possible_of.clear();
    for (std::size_t k = 0; k < m_possible.size(); ++k) {
        CoordinateConstraint& constraint = m_possible[k];
        if (constraint.is_limit()) {
            constraint.gap = room(constraint, m_q_start);
            const double way = 2.0 * step * std::abs(m_free.mean[constraint.coordinate]);
            const bool needed = std::find(m_overlooked.begin(), m_overlooked.end(), k) != m_overlooked.end();
            if (constraint.gap > reach + way && !needed) {
                constraint.force = 0.0;
                continue;
            }
        }
        m_present.push_back(constraint);
        m_possible_of.push_back(k);
    }
}

bool ArticulatedSystem::overlooked_limits()
{
    const std::size_t before = m_overlooked.size();
    for (std::size_t k = 0, next = 0; k < m_possible.size(); ++k) {
        if (next < m_possible_of.size() && m_possible_of[next] == k) {
            ++next;
        } else if (room(m_possible[k], m_q) < -limit_tolerance) {
            m_overlooked.push_back(k);
        }
    }
    const bool any = m_overlooked.size() > before;
    if (!any) {
        m_overlooked.clear();
    }
    return any;
}

std::span<CoordinateConstraint> ArticulatedSystem::constraints()
{
    return m_present;
}

VectorXd ArticulatedSystem::constraint_forces() const
{
    VectorXd forces = VectorXd::Zero(m_model.nv());
    for (const auto& constraint : m_possible) {
        forces[constraint.coordinate] += constraint.sign * constraint.force;
    }
    return forces;
}

}  // namespace softcontact
