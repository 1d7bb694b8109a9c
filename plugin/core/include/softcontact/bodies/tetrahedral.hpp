// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <Eigen/SparseCore>
#include <vector>

#include "softcontact/bodies/corotational.hpp"
#include "softcontact/bodies/symmetric_factor.hpp"
#include "softcontact/types.hpp"

namespace softcontact {

/// Damping, boundary conditions and solver setting of a tetrahedral body.
struct TetrahedralOptions {
    double rayleigh_mass = 0.0;       ///< α of D = α M + β K [1/s], >= 0
    double rayleigh_stiffness = 0.0;  ///< β [s], >= 0
    /// Turn of an element against the body's common turn [rad] up to which the last factorisation is kept
    /// and turned along, in [0, 0.3]; 0 refactorises each step. The equilibria do not depend on it.
    double refactor_rotation_tolerance = 0.0;
    /// Forces linear in the displacements, as if no element turned: for a body that does not turn in the axes
    /// it is given in (the tissue of a phalanx in its link's). One factorisation serves all steps.
    bool linear = false;
    std::vector<int> fixed_nodes;     ///< velocity and correction exactly zero
    std::vector<int> anchored_nodes;  ///< nodes bound by a spring to their rest position (to bone)
    VectorXd anchor_stiffness;        ///< [N/m], one an anchored node, > 0
};

/// A corotational body in time: the pieces of one implicit Euler step with a single Newton iteration,
///   (M + h D + h² K) v⁺ = M v + h (f(x) + f_ext + M g + contact),  x⁺ = x + h v⁺,
/// K with the rotations at the step's start (or those of the last factorisation turned along), so that A is
/// positive definite.
///
/// Order of a step: begin_step(); any number of solve() for contact compliances; finish(); then
/// apply_position_correction() if positions are to be projected. After the constructor nothing allocates.
///
/// Source: Baraff & Witkin, "Large steps in cloth simulation", SIGGRAPH 1998, Eq. 6, with the terms in K v
/// of both sides cancelled.
class TetrahedralDynamics {
public:
    enum class Status {
        ok,
        not_finite,   ///< positions, velocities or forces are no numbers or absurdly large
        not_positive  ///< A could not be factorised
    };

    TetrahedralDynamics() = default;
    /// At rest in the rest shape. Throws std::invalid_argument on a bad node index, stiffness or option.
    TetrahedralDynamics(CorotationalModel model, TetrahedralOptions options = {});

    [[nodiscard]] const CorotationalModel& model() const { return m_model; }
    [[nodiscard]] const TetrahedralOptions& options() const { return m_options; }
    [[nodiscard]] Index node_count() const { return m_model.node_count(); }
    [[nodiscard]] Index dof_count() const { return 3 * m_model.node_count(); }

    [[nodiscard]] const Points& positions() const { return m_x; }   ///< (3, n) [m]
    [[nodiscard]] const VectorXd& velocity() const { return m_v; }  ///< (3n,) [m/s]
    /// Sets positions (3, n) and velocities (3n,); velocities of fixed nodes are set to zero.
    /// Throws std::invalid_argument on a wrong size or a value that is not finite.
    void set_state(const Eigen::Ref<const Points>& x, const Eigen::Ref<const VectorXd>& v);
    /// Multiplies Young's modulus everywhere by a factor, from the next step on; positions and velocities
    /// stay. Throws std::invalid_argument unless it is finite and > 0.
    void scale_stiffness(double factor);
    /// Moves the point that an anchored node (by its place in anchored_nodes) is bound to [m].
    void set_anchor(Index anchor, const Vector3d& position) { m_anchors.col(anchor) = position; }

    /// Free motion over h [s]. external_force (3n,) [N], or empty for none; gravity [m/s^2] in the body's
    /// axes. False, with the state unchanged and status() saying why, when the step cannot be taken.
    [[nodiscard]] bool begin_step(double h, const Vector3d& gravity,
                                  const Eigen::Ref<const VectorXd>& external_force);
    [[nodiscard]] const Points& free_positions() const { return m_x_free; }
    [[nodiscard]] const VectorXd& free_velocity() const { return m_v_free; }
    /// rhs (3n, k) := A⁻¹ rhs; rows of fixed nodes become zero. Valid after a begin_step() that succeeded.
    void solve(Eigen::Ref<MatrixXd> rhs) const;
    /// The free positions become those after this share of a step at free velocity + velocity_change (3n,),
    /// unless they are not finite; the free velocity stays.
    void show(const Eigen::Ref<const VectorXd>& velocity_change, double share);
    /// v = free velocity + velocity_change (3n,), x = x + h v. False, state unchanged, if not finite.
    [[nodiscard]] bool finish(const Eigen::Ref<const VectorXd>& velocity_change);
    /// x += correction (3n,) [m], except at fixed nodes.
    void apply_position_correction(const Eigen::Ref<const VectorXd>& correction);

    [[nodiscard]] Status status() const { return m_status; }
    /// Elements with non-positive volume at the last begin_step().
    [[nodiscard]] int inverted_count() const { return m_model.inverted_count(); }
    /// Numeric factorisations so far.
    [[nodiscard]] long factorization_count() const { return m_factorization_count; }

    [[nodiscard]] double mass() const { return m_model.lumped_mass().sum(); }  ///< [kg]
    [[nodiscard]] double kinetic_energy() const;                               ///< [J]
    /// Energy of the elements and anchor springs [J] at the current positions (refreshes the rotations).
    [[nodiscard]] double elastic_energy();
    [[nodiscard]] Vector3d momentum() const;          ///< [kg m/s]
    [[nodiscard]] Vector3d angular_momentum() const;  ///< about the origin [kg m^2/s]
    [[nodiscard]] Vector3d center_of_mass() const;    ///< [m]

private:
    void check_options() const;
    bool refresh_rotations();
    bool refresh_factor(double h);
    void turn_nodes(Eigen::Ref<MatrixXd> rows, const Matrix3d& rotation) const;
    void release_fixed(Eigen::Ref<MatrixXd> rows) const;

    CorotationalModel m_model;
    TetrahedralOptions m_options;
    Points m_x;
    VectorXd m_v;
    Points m_x_free;
    VectorXd m_v_free;
    Points m_anchors;
    VectorXd m_dof_mass;         // (3n,)
    VectorXd m_dof_anchor;       // (3n,) anchor stiffness
    VectorXd m_diagonal;         // workspace
    Points m_force;              // workspace
    std::vector<int> m_cleared;  // entries of m_matrix that couple fixed unknowns
    Eigen::SparseMatrix<double> m_matrix;
    SymmetricFactor m_factor;
    bool m_rotations_fresh = false;   // the model's rotations are those at m_x
    bool m_rotations_finite = false;  // and all could be found
    double m_step = 0.0;
    Matrix3d m_turn = Matrix3d::Identity();  // of the body since the factorisation
    bool m_turned = false;                   // m_turn is not the identity
    double m_factor_step = 0.0;              // h of the factorisation in m_factor; 0: none
    long m_factorization_count = 0;
    Status m_status = Status::ok;
};

}  // namespace softcontact
