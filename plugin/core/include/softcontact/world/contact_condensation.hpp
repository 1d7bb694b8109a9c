// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <Eigen/LU>
#include <softcontact/haptics/linear_contact_model.hpp>
#include <softcontact/world/world.hpp>
#include <vector>

namespace softcontact {

/// From a solved step of a world to the linear contact model of one of its tools.
///
/// Rows with λ_n > 0 are active: sticking ones are three equalities, sliding ones one, with friction −μ λ_n
/// along the slip. On those, λ = −(W E)⁻¹ (q + H v⁻), v⁻ = h A⁻¹ F̃, gives Eq. 13. For the fast thread the
/// compliance of everything but the tool, W − h H A⁻¹ Hᵀ, is kept, active contacts between other bodies
/// eliminated, and the tool's own mobility put back for the fast step.
/// Source: Otaduy & Gross 2007, Eqs. 11–13.
class ContactCondensation {
public:
    /// `tool`: body id of a tool; `fast_step` of the thread that will use the models [s]. Throws
    /// std::invalid_argument.
    ContactCondensation(const World& world, int tool, double fast_step);

    /// The model of the last step. `published`: the clock to stamp it with [s]. Throws std::invalid_argument
    /// where contact was aggregated: patches have no rows of point contacts.
    void build(const World& world, double published, LinearContactModel& out);

    /// Contacts of the last build that found no room in the model.
    [[nodiscard]] int left_out() const { return m_left_out; }

private:
    using State = ContactTableau::State;
    /// A contact of the step.
    struct Contact {
        int row = 0;
        double friction = 0.0;
        State state = State::open;
        Vector2d slip = Vector2d::UnitX();
        Vector3d force = Vector3d::Zero();  ///< that the step found
        bool of_tool = false;
        bool chosen = false;  ///< goes into the model as a row of the fast thread
    };

    void classify(const VelocityProblem& problem);
    void select(int capacity, const VelocityProblem& problem);
    /// −M⁻¹ right on the active rows of some contacts, spread to all rows by E.
    void solve_active(const std::vector<int>& contacts, const Eigen::Ref<const MatrixXd>& delassus,
                      const MatrixXd& right, MatrixXd& out);
    /// The rows of the kept contacts alone: W, W and q without the tool's part, Hᵀ.
    void gather(const VelocityProblem& problem, const ToolDynamics& tool, double step);
    void fill_gain(const ToolDynamics& tool, LinearContactModel& out);
    void fill_rows(const Matrix6d& fast_system, LinearContactModel& out);

    int m_tool;
    double m_fast_step;
    std::uint64_t m_sequence = 0;
    int m_left_out = 0;
    std::vector<Contact> m_contacts;
    std::vector<int> m_active;  ///< contacts with a force
    std::vector<int> m_others;  ///< those of them that do not touch the tool
    std::vector<int> m_chosen;  ///< contacts of the tool that go into the model
    std::vector<int> m_rows;    ///< active rows
    MatrixXd m_reach;           ///< Hᵀ (6, rows)
    MatrixXd m_delassus;        ///< W (rows, rows)
    MatrixXd m_rest;            ///< W without the tool's part
    VectorXd m_rest_velocity;   ///< q without the tool's part
    MatrixXd m_system, m_right, m_solution, m_spread;
    MatrixXd m_compliance, m_model_rows;
    VectorXd m_offsets, m_friction, m_forces;
    Eigen::FullPivLU<MatrixXd> m_factor;
};

}  // namespace softcontact
