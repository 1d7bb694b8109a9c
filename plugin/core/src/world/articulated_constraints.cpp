// SPDX-License-Identifier: LGPL-2.1-or-later
// Rigid joint limits and dry friction of an articulated body, as constraints on single coordinates.
#include <cmath>
#include <limits>
#include <softcontact/world/articulated_system.hpp>
#include <stdexcept>

namespace softcontact {

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
                throw std::invalid_argument("q0 of link '" + name + "' = " + std::to_string(q) +
                                            " lies outside its rigid limits [" + std::to_string(lower) +
                                            ", " + std::to_string(upper) + "]");
            }
            constexpr double infinity = std::numeric_limits<double>::infinity();
            for (const double sign : {1.0, -1.0}) {
                if (std::isfinite(sign > 0.0 ? lower : upper)) {
                    m_possible.push_back({i, sign, 0.0, 0.0, infinity, 0.0});
                }
            }
        }
    }
    m_present.reserve(m_possible.size());
    m_possible_of.reserve(m_possible.size());
}

void ArticulatedSystem::collect_constraints(double step)
{
    constexpr double reach =
        0.05;  // [m] or [rad] limits farther than this, and than the step goes, are left out
    m_present.clear();
    m_possible_of.clear();
    for (int link = 0, next = 0; link < m_model.link_count(); ++link) {
        const Index first = m_model.v_offset(link), end = first + m_model.dofs(link);
        for (; next < static_cast<int>(m_possible.size()); ++next) {
            auto& constraint = m_possible[static_cast<std::size_t>(next)];
            const Index i = constraint.coordinate;
            if (i >= end) {
                break;
            }
            if (constraint.lower == 0.0) {  // a limit
                const double q = m_q_start[m_model.q_offset(link) + i - first];
                constraint.gap =
                    constraint.sign > 0.0 ? q - m_compliance.lower[i] : m_compliance.upper[i] - q;
                if (constraint.gap > reach + 2.0 * step * std::abs(m_free.mean[i])) {
                    constraint.force = 0.0;
                    continue;
                }
            }
            m_present.push_back(constraint);
            m_possible_of.push_back(static_cast<std::size_t>(next));
        }
    }
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
