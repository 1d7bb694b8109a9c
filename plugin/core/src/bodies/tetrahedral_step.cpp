// SPDX-License-Identifier: LGPL-2.1-or-later
// A step in time of a tetrahedral body.
#include <Eigen/LU>
#include <algorithm>
#include <cassert>

#include "softcontact/bodies/tetrahedral.hpp"

namespace softcontact {

using Eigen::Map;
using Eigen::Ref;

bool TetrahedralDynamics::refresh_factor(double h)
{
    const double tolerance = m_options.refactor_rotation_tolerance;
    if (m_options.linear && m_factor_step == h) return true;
    if (m_factor_step == h && tolerance > 0.0) {
        const Quaterniond turn = m_model.common_turn();
        if (m_model.rotation_drift(turn) <= tolerance) {
            m_turn = turn.toRotationMatrix();
            m_turned = true;
            return true;
        }
    }
    if (!factorize(h * (h + m_options.rayleigh_stiffness), 1.0 + h * m_options.rayleigh_mass)) return false;
    m_factor_step = h;
    return true;
}

bool TetrahedralDynamics::factorize(double stiffness, double mass_factor)
{
    m_turned = false;
    m_mass_factor = mass_factor;
    m_diagonal = mass_factor * m_dof_mass + stiffness * m_dof_anchor;
    m_model.assemble(m_matrix, stiffness, m_diagonal);
    double* values = m_matrix.valuePtr();
    for (const int k : m_cleared) values[k] = 0.0;
    for (const int node : m_options.fixed_nodes) {
        for (int a = 0; a < 3; ++a) values[m_matrix.outerIndexPtr()[3 * node + a]] = m_dof_mass[3 * node + a];
    }
    m_factor_step = 0.0;
    ++m_factorization_count;
    return m_factor.factorize(m_matrix) == SymmetricFactor::Status::ok;
}

void TetrahedralDynamics::write_force(const Ref<const Points>& x)
{
    m_force.setZero();
    m_model.add_force(x, m_force);
    Map<VectorXd> force(m_force.data(), dof_count());
    if (m_free) {  // rotations are polar to round-off only, and not at all in elements that are inverted
        m_modes.add_momentum(m_modes.of_impulse(force), -1.0, force);
    }
    for (Index k = 0; k < m_anchors.cols(); ++k) {
        const int node = m_options.anchored_nodes[k];
        m_force.col(node) += m_options.anchor_stiffness[k] * (m_anchors.col(k) - x.col(node));
    }
    for (Index k = 0; k < node_count(); ++k) m_force.col(k) += m_model.lumped_mass()[k] * m_gravity;
    if (m_external.size() > 0) force += m_external;
}

void TetrahedralDynamics::solve_turned_modes()
{
    m_turned_modes.setZero();
    for (int axis = 0; axis < 3; ++axis) {
        m_modes.add_momentum({Vector3d::Zero(), Vector3d::Unit(axis)}, 1.0, m_turned_modes.col(axis));
    }
    solve_frozen(m_turned_modes);
    Matrix3d moments;
    for (int axis = 0; axis < 3; ++axis) {
        moments.col(axis) = m_modes.angular_momentum(m_turned_modes.col(axis));
    }
    m_turn_compliance = moments.inverse();
}

void TetrahedralDynamics::write_turning(const VectorXd& v, double h)
{
    // The chord of an arc is no rigid motion: what it deforms is no strain, and must not be resisted.
    const Vector3d turn = m_modes.chord_turn(m_modes.angular_momentum(v), h);
    Map<Points> turning(m_turning.data(), 3, node_count());
    const Matrix3d arc = (rotation_by(turn) - Matrix3d::Identity()) / h;
    turning.noalias() = arc * m_modes.arms();
    m_modes.add(m_modes.of_velocity(m_turning), -1.0, m_turning);
}

void TetrahedralDynamics::turn_on()
{
    // The solution for w = v − turning is linear in the turning, and contact found it for the one at the
    // start.
    m_turned_on = -m_turning;
    write_turning(m_v_free, m_step);
    m_turned_on += m_turning;
    m_v_free += m_turned_on;
    m_turned_on = m_mass_factor * m_dof_mass.cwiseProduct(m_turned_on);
    solve(m_turned_on);
    m_v_free -= m_turned_on;
}

bool TetrahedralDynamics::begin_step(double h, const Vector3d& gravity,
                                     const Ref<const VectorXd>& external_force)
{
    assert(h > 0.0 && (external_force.size() == 0 || external_force.size() == dof_count()));
    m_status = Status::not_finite;
    if (!refresh_rotations()) return false;
    m_gravity = gravity;
    m_external = external_force;
    if (m_free) m_modes.place(m_x, m_model.lumped_mass());
    write_force(m_x);
    m_v_free = m_dof_mass.cwiseProduct(m_v) + h * Map<const VectorXd>(m_force.data(), dof_count());
    if (!m_v_free.allFinite()) return false;
    if (!refresh_factor(h)) {
        m_status = Status::not_positive;
        return false;
    }
    if (m_free) {
        solve_turned_modes();
        write_turning(m_v, h);
        m_v_free -= m_mass_factor * m_dof_mass.cwiseProduct(m_turning);
    }
    solve(m_v_free);
    if (m_free) m_v_free += m_turning;
    m_x_free = m_x + h * Map<const Points>(m_v_free.data(), 3, node_count());
    if (!m_x_free.allFinite()) return false;
    m_step = h;
    m_status = Status::ok;
    return true;
}

void TetrahedralDynamics::solve(Ref<MatrixXd> rhs) const
{
    if (!m_free) {
        solve_frozen(rhs);
        return;
    }
    m_wanted.resize(static_cast<std::size_t>(rhs.cols()));
    for (Index c = 0; c < rhs.cols(); ++c) {
        RigidModes::Motion& wanted = m_wanted[static_cast<std::size_t>(c)];
        wanted = m_modes.of_impulse(rhs.col(c));
        wanted.velocity /= m_mass_factor;
        wanted.rate /= m_mass_factor;
    }
    solve_frozen(rhs);
    for (Index c = 0; c < rhs.cols(); ++c) restore_momenta(m_wanted[static_cast<std::size_t>(c)], rhs.col(c));
}

void TetrahedralDynamics::restore_momenta(const RigidModes::Motion& wanted, Ref<VectorXd> v) const
{
    // With G the rigid modes, B = A⁻¹ + G (GᵀMG)⁻¹ Gᵀ − Y (GᵀMY)⁻¹ Yᵀ, Y = A⁻¹MG, is the inverse of
    // M + c ΠᵀKΠ. Of Y only the turns differ from G; what they leave of the momenta is round-off of A⁻¹.
    const Vector3d turns = m_turn_compliance * m_modes.angular_momentum(v);
    v.noalias() -= m_turned_modes * turns;
    const RigidModes::Motion found = m_modes.of_velocity(v);
    m_modes.add({wanted.velocity - found.velocity, wanted.rate - found.rate}, 1.0, v);
}

void TetrahedralDynamics::solve_frozen(Ref<MatrixXd> rhs) const
{
    // Masses and anchors are isotropic, so that a turn Q shared by all elements gives Q A Qᵀ.
    release_fixed(rhs);
    if (m_turned) turn_nodes(rhs, m_turn.transpose());
    m_factor.solve_in_place(rhs);
    if (m_turned) turn_nodes(rhs, m_turn);
    release_fixed(rhs);
}

void TetrahedralDynamics::turn_nodes(Ref<MatrixXd> rows, const Matrix3d& rotation) const
{
    for (Index c = 0; c < rows.cols(); ++c) {
        for (Index k = 0; k < node_count(); ++k) {
            const Vector3d turned = rotation * rows.col(c).segment<3>(3 * k);
            rows.col(c).segment<3>(3 * k) = turned;
        }
    }
}

void TetrahedralDynamics::show(const Ref<const VectorXd>& velocity_change, double share)
{
    assert(m_step > 0.0 && velocity_change.size() == dof_count());
    if (!velocity_change.allFinite()) return;
    const Map<const Points> free(m_v_free.data(), 3, node_count());
    const Map<const Points> change(velocity_change.data(), 3, node_count());
    m_x_free = m_x + share * m_step * (free + change);
}

bool TetrahedralDynamics::finish(const Ref<const VectorXd>& velocity_change, bool touched)
{
    assert(m_step > 0.0 && velocity_change.size() == dof_count());
    if (!touched && m_options.integrator == Integrator::midpoint) {
        m_v_euler = m_v_free;
        if (finish_midpoint()) return true;
        m_v_free = m_v_euler;
    }
    m_v_free += velocity_change;
    release_fixed(m_v_free);
    if (touched && m_free) turn_on();
    m_x_free = m_x + m_step * Map<const Points>(m_v_free.data(), 3, node_count());
    if (!touched && m_free) {  // gravity comes bit by bit: the centre of mass moves by the mean velocity
        const Vector3d gained = m_modes.of_velocity(m_v_free).velocity - m_modes.of_velocity(m_v).velocity;
        m_x_free.colwise() -= 0.5 * m_step * gained;
    }
    return accept();
}

void TetrahedralDynamics::guess_middle(double h)
{
    // Of a free body: its deformation goes on at its rate u while it turns as a whole, by Q. Its strain is
    // the mean of those at both ends, not that half-way along the chords; so it is stretched from the guess
    // by (x⁺ − Q y − h Q^½ u) / 2, and its rate of deformation is (x⁺ − Q y) / h. Here the parts of it known
    // now.
    const Map<const Points> velocity(m_v.data(), 3, node_count());
    m_x_free = m_x + 0.5 * h * velocity;
    m_rate_known = m_v;
    if (!m_free) {
        m_stretch_known.setZero();
        return;
    }
    m_modes.place(m_x, m_model.lumped_mass());
    const RigidModes::Motion motion = m_modes.of_velocity(m_v);
    const Vector3d turn = m_modes.middle_turn(m_modes.angular_momentum(m_v), h);
    const Matrix3d half = rotation_by(0.5 * turn);
    m_turning = m_v;
    m_modes.add(motion, -1.0, m_turning);  // u
    m_middle = m_x_free;
    const Points& arms = m_modes.arms();
    const Vector3d centre = m_x.col(0) - arms.col(0) + 0.5 * h * motion.velocity;
    const Matrix3d arc = (half * half - Matrix3d::Identity()) / h;
    for (Index k = 0; k < node_count(); ++k) {
        const Vector3d deforming = half * m_turning.segment<3>(3 * k);
        m_rate_known.segment<3>(3 * k) -= arc * arms.col(k);
        m_stretch_known.segment<3>(3 * k) = h * (m_rate_known.segment<3>(3 * k) - deforming);
        m_x_free.col(k) = centre + half * arms.col(k) + 0.5 * h * deforming;
    }
}

bool TetrahedralDynamics::finish_midpoint()
{
    // With w half the change of velocity,
    //   ((1 + hα/2) M + c K) w = h/2 (f − α M v) − K s,  c = h/2 (h/2 + β),
    // s what is known of stretch and rate; K s goes into the unknown, which becomes w + s/c. The middle of
    // the chords is x̄ = x + h/2 (v + w), and Σ m x̄ × w = Σ m (x + h v/2) × w: no moment about the guess of it
    // is none about itself.
    if (!refresh_rotations()) return false;
    const double before = stored_energy(m_x) + kinetic_energy();
    const double half = 0.5 * m_step;
    const double alpha = m_options.rayleigh_mass;
    const double beta = m_options.rayleigh_stiffness;
    guess_middle(m_step);
    m_rotations_fresh = false;
    if (m_options.linear ? !m_model.check(m_x_free) : !m_model.update(m_x_free)) return false;
    if (m_free) m_modes.place(m_middle, m_model.lumped_mass());
    write_force(m_x_free);
    if (!factorize(half * (half + beta), 1.0 + half * alpha)) return false;
    if (m_free) solve_turned_modes();
    VectorXd& known = m_stretch_known;  // s/c
    known = (0.5 * known + beta * m_rate_known) / (half + beta);
    m_v_free = half * Map<const VectorXd>(m_force.data(), dof_count()) +
               m_dof_mass.cwiseProduct(m_mass_factor * known - half * alpha * m_v);
    if (!m_v_free.allFinite()) return false;
    solve(m_v_free);
    m_v_free -= known;
    m_x_free = m_x + m_step * Map<const Points>(m_v.data(), 3, node_count()) +
               m_step * Map<const Points>(m_v_free.data(), 3, node_count());
    m_v_free = m_v + 2.0 * m_v_free;
    return gains_nothing(before) && accept();
}

bool TetrahedralDynamics::gains_nothing(double before)
{
    // A strain that turns far within a step, as that of a stiff undamped body does, is beyond the
    // linearisation.
    constexpr double allowed = 1e-3;  // of the body's own energy, in all midpoint steps together
    if (!m_x_free.allFinite() || !(m_options.linear ? m_model.check(m_x_free) : m_model.update(m_x_free))) {
        return false;
    }
    const double kinetic = 0.5 * m_v_free.dot(m_dof_mass.cwiseProduct(m_v_free));
    const double stored = stored_energy(m_x_free);
    m_force = m_x_free - m_x;
    Map<VectorXd> moved(m_force.data(), dof_count());
    double work = (m_force * m_model.lumped_mass()).dot(m_gravity);
    if (m_external.size() > 0) work += moved.dot(m_external);
    double own = kinetic + stored;
    if (m_free) own -= 0.5 * mass() * m_modes.of_velocity(m_v_free).velocity.squaredNorm();
    const double gained = std::max(0.0, m_gained + kinetic + stored - before - work);
    if (!(gained <= allowed * own)) return false;
    m_gained = gained;
    return true;
}

bool TetrahedralDynamics::accept()
{
    if (!m_x_free.allFinite() || !m_v_free.allFinite()) {
        m_status = Status::not_finite;
        return false;
    }
    m_status = Status::ok;
    m_x = m_x_free;
    m_v = m_v_free;
    m_rotations_fresh = false;
    return true;
}

}  // namespace softcontact
