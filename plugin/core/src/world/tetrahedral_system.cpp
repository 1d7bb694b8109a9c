// SPDX-License-Identifier: LGPL-2.1-or-later
#include <softcontact/world/tetrahedral_system.hpp>

namespace softcontact {

TetrahedralSystem::TetrahedralSystem(std::string name, Definition definition, const Vector3d& gravity,
                                     int inverted_steps)
    : System(std::move(name)),
      m_dynamics(std::move(definition.model), std::move(definition.options)),
      m_gravity(gravity),
      m_inverted_steps(inverted_steps)
{
    const Points rest = m_dynamics.positions();
    m_dynamics.set_state(rest, definition.velocity.replicate(rest.cols(), 1));
}

bool TetrahedralSystem::free_motion(double /*time*/, double step)
{
    m_broken = !m_dynamics.begin_step(step, m_gravity, m_no_force);
    m_shown = false;
    m_inverted_for = m_dynamics.inverted_count() > 0 ? m_inverted_for + 1 : 0;
    return !m_broken;
}

void TetrahedralSystem::show(double /*step*/, const Eigen::Ref<const VectorXd>& velocity_change, double share)
{
    m_shown = share != 0.0;
    if (m_shown) {
        m_dynamics.show(velocity_change, share);
    }
}

void TetrahedralSystem::keep()
{
    m_kept_positions = m_dynamics.positions();
    m_kept_velocity = m_dynamics.velocity();
    m_kept_gained = m_dynamics.energy_gained();
    m_kept_inverted_for = m_inverted_for;
}

void TetrahedralSystem::go_back()
{
    m_dynamics.set_state(m_kept_positions, m_kept_velocity);
    m_dynamics.set_energy_gained(m_kept_gained);
    m_inverted_for = m_kept_inverted_for;
    m_shown = m_broken = false;
}

void TetrahedralSystem::finish(double /*step*/, const Eigen::Ref<const VectorXd>& velocity_change,
                               bool touched)
{
    // Forces are linear in the step, rotations those of its start: an edge that turns by a quarter of a
    // radian, or stretches by a quarter, has other forces by the end than they say.
    constexpr double limit = 0.25;
    m_broken = !m_dynamics.finish(velocity_change, touched);
    m_bent_far = m_dynamics.model().bent(m_kept_positions, m_dynamics.positions(), limit);
    m_shown = false;
}

void TetrahedralSystem::correct(const Eigen::Ref<const VectorXd>& position_change)
{
    m_dynamics.apply_position_correction(position_change);
}

double TetrahedralSystem::potential_energy() const
{
    return -m_dynamics.mass() * m_gravity.dot(m_dynamics.center_of_mass());
}

Health TetrahedralSystem::health() const
{
    if (m_broken) {
        return {false, m_dynamics.status() == TetrahedralDynamics::Status::not_positive
                           ? "the system matrix could not be factored"
                           : "positions or velocities are not finite"};
    }
    if (!m_dynamics.positions().allFinite()) {
        return {false, "positions are not finite"};
    }
    if (m_inverted_for > m_inverted_steps) {
        return {false, "elements stay inverted"};
    }
    return {};
}

void TetrahedralSystem::append_state(std::vector<double>& out) const
{
    const auto& x = m_dynamics.positions();
    out.insert(out.end(), x.data(), x.data() + x.size());
    const auto& v = m_dynamics.velocity();
    out.insert(out.end(), v.begin(), v.end());
}

}  // namespace softcontact
