// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <Eigen/SparseCore>
#include <vector>

#include "softcontact/bodies/corotational.hpp"
#include "softcontact/bodies/integrator.hpp"
#include "softcontact/bodies/rigid_modes.hpp"
#include "softcontact/bodies/symmetric_factor.hpp"
#include "softcontact/types.hpp"

namespace softcontact {

/// Damping, boundary conditions and solver setting of a tetrahedral body.
struct TetrahedralOptions {
    /// α of D = α M + β K [1/s], >= 0: it brakes every motion, that of a body as a whole too, like a thin
    /// fluid.
    double rayleigh_mass = 0.0;
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
    /// Rule of a step in which nothing touches the body; one in which something does is implicit Euler.
    Integrator integrator = Integrator::implicit_euler;
};

/// A corotational body in time: the pieces of one implicit Euler step with a single Newton iteration,
///   (M + h D + h² K) v⁺ = M v + h (f(x) + f_ext + M g + contact),  x⁺ = x + h v⁺,
/// K with the rotations at the step's start (or those of the last factorisation turned along), so that A is
/// positive definite.
///
/// A body that nothing holds, with neither fixed nor anchored nodes, keeps its momenta to round-off. K with
/// frozen rotations resists a turn of a strained body, though its forces have no moment; so ΠᵀKΠ stands in
/// its place, Π taking from a velocity its rigid part at x (see RigidModes). What is left of A is positive
/// definite and symmetric, answers every impulse with the rigid motion that its momenta demand, and contact
/// with it. That a turning body moves on arcs, not chords, is taken into account: a stiff one turns by the
/// rule of Moser and Veselov, and a spin strains it by no more than the centrifugal force does, for ω h < 1.
/// Its centre of mass moves by the mean of its velocities where nothing touches it: it falls along the
/// parabola.
///
/// With Integrator::midpoint a step that nothing touches is the implicit midpoint rule, linearised once about
/// the explicit guess x + h v/2: it keeps the energy of linear vibrations, and the momenta as above. One with
/// contact stays implicit Euler, whose end is where the contact law holds: contact takes energy and never
/// gives any.
///
/// Where the linearised rule would have given the body more than 1e-3 of its own energy, over all its
/// midpoint steps, the step is implicit Euler too: what vibrates undamped and fast against the step loses
/// energy, and never grows.
///
/// Order of a step: begin_step(); any number of solve() for contact compliances; finish(); then
/// apply_position_correction() if positions are to be projected. After the constructor and the first step
/// nothing allocates.
///
/// Source: Baraff & Witkin, "Large steps in cloth simulation", SIGGRAPH 1998, Eq. 6, with the terms in K v
/// of both sides cancelled; the projection is ours.
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
    /// Energy that the midpoint rule gave since set_state() [J], and for whoever returns to a state, its
    /// setter.
    [[nodiscard]] double energy_gained() const { return m_gained; }
    void set_energy_gained(double gained) { m_gained = gained; }
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
    /// rhs (3n, k) := A⁻¹ rhs; rows of fixed nodes become zero. Valid from a begin_step() that succeeded to
    /// finish().
    void solve(Eigen::Ref<MatrixXd> rhs) const;
    /// Whether neither fixed nor anchored nodes hold the body.
    [[nodiscard]] bool is_free() const { return m_free; }
    /// The free positions become those after this share of a step at free velocity + velocity_change (3n,),
    /// unless they are not finite; the free velocity stays.
    void show(const Eigen::Ref<const VectorXd>& velocity_change, double share);
    /// v = free velocity + velocity_change (3n,), x = x + h v, if something touches the body; else the free
    /// motion by the body's integrator. False, state unchanged, if not finite or not solvable.
    [[nodiscard]] bool finish(const Eigen::Ref<const VectorXd>& velocity_change, bool touched);
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
    bool factorize(double stiffness, double mass_factor);
    void write_force(const Eigen::Ref<const Points>& x);
    void solve_turned_modes();
    void write_turning(const VectorXd& v, double h);
    void turn_on();
    void solve_frozen(Eigen::Ref<MatrixXd> rhs) const;
    void restore_momenta(const RigidModes::Motion& wanted, Eigen::Ref<VectorXd> v) const;
    void guess_middle(double h);
    bool finish_midpoint();
    bool gains_nothing(double before);
    [[nodiscard]] double stored_energy(const Eigen::Ref<const Points>& x) const;
    bool accept();
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
    bool m_free = false;
    RigidModes m_modes;                             // of a free body, where its stiffness is taken
    MatrixXd m_turned_modes;                        // (3n, 3) A⁻¹ of the momenta of unit turns
    Matrix3d m_turn_compliance = Matrix3d::Zero();  // inverse of their angular momenta
    double m_mass_factor = 1.0;                     // of M in A
    VectorXd m_turning;                             // deformation velocity of the arcs of a turn (3n,)
    VectorXd m_turned_on;                           // workspace of turn_on() (3n,)
    VectorXd m_stretch_known;                       // workspaces of the midpoint rule
    VectorXd m_rate_known;
    Points m_middle;
    VectorXd m_v_euler;
    double m_gained = 0.0;  // energy that midpoint steps gave since the last set_state() [J]
    mutable std::vector<RigidModes::Motion> m_wanted;  // workspace
    Vector3d m_gravity = Vector3d::Zero();             // of the step
    VectorXd m_external;                               // force of the step (3n,), or empty
    bool m_rotations_fresh = false;                    // the model's rotations are those at m_x
    bool m_rotations_finite = false;                   // and all could be found
    double m_step = 0.0;
    Matrix3d m_turn = Matrix3d::Identity();  // of the body since the factorisation
    bool m_turned = false;                   // m_turn is not the identity
    double m_factor_step = 0.0;              // h of the factorisation in m_factor; 0: none
    long m_factorization_count = 0;
    Status m_status = Status::ok;
};

}  // namespace softcontact
