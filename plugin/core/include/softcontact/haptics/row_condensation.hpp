// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <Eigen/LU>
#include <softcontact/haptics/linear_contact_model.hpp>
#include <span>
#include <vector>

namespace softcontact {

/// A solved slow step as one of its tools sees it: point contacts of three rows (n, t, s) each.
struct SolvedStep {
    using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    /// A contact: its first row, and μ.
    struct Contact {
        int row = 0;
        double friction = 0.0;
    };
    Eigen::Ref<const Matrix> delassus;           ///< W (rows, rows) [m/s per N]
    Eigen::Ref<const VectorXd> right_hand_side;  ///< q (rows): velocities without contact [m/s]
    Eigen::Ref<const VectorXd> multipliers;      ///< λ that was found (rows) [N]
    std::span<const Contact> contacts;
    Eigen::Ref<const MatrixXd> reach;      ///< Hᵀ (6, rows): force and torque on the tool of a unit force
    Matrix6d mobility = Matrix6d::Zero();  ///< A⁻¹ of the slow step [1/kg, 1/(kg m²)]
    Vector6d free_velocity = Vector6d::Zero();  ///< v⁻ of the tool, without contact
    double step = 0.0;                          ///< h of the slow step [s]
};

/// From the rows of a solved slow step to the linear contact model of a tool, whoever solved it.
///
/// Rows with λ_n > 0 are active: sticking ones are three equalities, sliding ones one, with friction −μ λ_n
/// along the slip. On those, λ = −(W E)⁻¹ (q + H v⁻), v⁻ = h A⁻¹ F̃, gives Eq. 13. For the fast thread the
/// compliance of everything but the tool, W − h H A⁻¹ Hᵀ, is kept, active contacts between other bodies
/// eliminated, and the tool's own mobility put back for the fast step.
/// Source: Otaduy & Gross 2007, Eqs. 11–13.
class RowCondensation {
public:
    /// Fills contact, offset, gain and rows of `out`, whose fast_step and system are those of the fast step.
    void build(const SolvedStep& solved, LinearContactModel& out);

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

    void classify(const SolvedStep& solved);
    void select(int capacity, const SolvedStep& solved);
    /// −M⁻¹ right on the active rows of some contacts, spread to all rows by E.
    void solve_active(const std::vector<int>& contacts, const Eigen::Ref<const MatrixXd>& delassus,
                      const MatrixXd& right, MatrixXd& out);
    /// The rows of the kept contacts alone: W, W and q without the tool's part, Hᵀ.
    void gather(const SolvedStep& solved);
    void fill_gain(const SolvedStep& solved, LinearContactModel& out);
    void fill_rows(const SolvedStep& solved, LinearContactModel& out);

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
