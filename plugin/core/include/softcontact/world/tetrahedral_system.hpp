// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/bodies/tetrahedral.hpp>
#include <softcontact/world/system.hpp>

namespace softcontact {

/// Tetrahedral body in the step: a soft body in world axes, or the local field of a phalanx in the axes of
/// its link.
///
/// A local field is quasi-static in its frame: it feels contact, its own elasticity and damping, but neither
/// gravity nor the acceleration of the frame, whose inertia the link carries (Talvas §4).
class TetrahedralSystem final : public System {
public:
    struct Definition {
        CorotationalModel model;
        TetrahedralOptions options;
        Vector3d velocity = Vector3d::Zero();  ///< initial velocity of every node [m/s]
    };

    TetrahedralSystem(std::string name, Definition definition, const Vector3d& gravity, int inverted_steps);

    [[nodiscard]] Index dof() const override { return m_dynamics.dof_count(); }
    [[nodiscard]] bool free_motion(double time, double step) override;
    [[nodiscard]] const VectorXd& velocity() const override { return m_dynamics.velocity(); }
    [[nodiscard]] const VectorXd& free_velocity() const override { return m_dynamics.free_velocity(); }
    /// columns ← A⁻¹ columns, columns (dof, k).
    void solve(Eigen::Ref<MatrixXd> columns) const { m_dynamics.solve(columns); }
    void show(double step, const Eigen::Ref<const VectorXd>& velocity_change, double share) override;
    void finish(double step, const Eigen::Ref<const VectorXd>& velocity_change, bool touched) override;
    void keep() override;
    void go_back() override;
    [[nodiscard]] bool bent_far() const override { return m_bent_far; }
    void correct(const Eigen::Ref<const VectorXd>& position_change) override;
    [[nodiscard]] double kinetic_energy() const override { return m_dynamics.kinetic_energy(); }
    [[nodiscard]] double elastic_energy() const override { return m_dynamics.elastic_energy(); }
    [[nodiscard]] double potential_energy() const override;
    [[nodiscard]] Health health() const override;
    void append_state(std::vector<double>& out) const override;

    /// Multiplies Young's modulus from the next step on; see TetrahedralDynamics.
    void scale_stiffness(double factor) { m_dynamics.scale_stiffness(factor); }

    /// Node positions (3, n), as shown between free_motion and finish.
    [[nodiscard]] const Points& nodes() const
    {
        return m_shown ? m_dynamics.free_positions() : m_dynamics.positions();
    }
    [[nodiscard]] const TetrahedralDynamics& dynamics() const { return m_dynamics; }

private:
    mutable TetrahedralDynamics m_dynamics;
    Vector3d m_gravity;
    VectorXd m_no_force;
    Points m_kept_positions;
    VectorXd m_kept_velocity;
    double m_kept_gained = 0.0;
    int m_kept_inverted_for = 0;
    bool m_shown = false;  ///< elsewhere than at the start of the step
    bool m_broken = false;
    bool m_bent_far = false;  ///< in the motion of the last step, corrections of overlaps aside
    int m_inverted_for = 0;   ///< steps in a row with an inverted element
    int m_inverted_steps;
};

}  // namespace softcontact
