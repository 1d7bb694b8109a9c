// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/bodies/articulated_flow.hpp>
#include <softcontact/bodies/integrator.hpp>
#include <softcontact/bodies/tree_factor.hpp>
#include <softcontact/world/link_carrier.hpp>
#include <softcontact/world/motion.hpp>
#include <softcontact/world/system.hpp>
#include <vector>

namespace softcontact {

/// Springs, dampers and limits of the joints, one entry a velocity coordinate.
struct JointCompliance {
    VectorXd stiffness;        ///< [N/m] or [N·m/rad], 0 for a free coordinate
    VectorXd damping;          ///< [N·s/m] or [N·m·s/rad], acts on the velocity relative to the target's
    VectorXd lower;            ///< [m] or [rad], −∞ where there is no limit
    VectorXd upper;            ///< [m] or [rad], +∞ where there is no limit
    VectorXd limit_stiffness;  ///< [N/m] or [N·m/rad]; ∞: the limit is a constraint
    VectorXd friction;         ///< dry friction [N] or [N·m], >= 0; empty for none
};

/// Articulated body in the step: mass matrix by composite rigid bodies, springs, dampers and soft limits
/// implicit; rigid limits and dry friction are constraints that are solved together with the contacts.
///
/// All forces of a step, contacts too, act on the momentum at its start; then the body flies on under its
/// inertia alone (ArticulatedFlow, rotate_freely), which keeps momentum to round-off and energy without
/// drift. Contacts see the mean velocity of that flight. What flies free and nothing touches follows the
/// parabola of its fall exactly. With Integrator::midpoint all forces of a step in which nothing touches the
/// body are the mean of its start and end.
///
/// A rigid body is one link on a free joint. The target of the joint springs is keyframed; a closing
/// controller may add an offset to single coordinates.
class ArticulatedSystem final : public System, public LinkCarrier {
public:
    ArticulatedSystem(std::string name, ArticulatedModel model, JointCompliance compliance, VectorXd q0,
                      VectorXd v0, Vector3d gravity, bool gravity_compensated);

    void set_integrator(Integrator integrator) { m_integrator = integrator; }
    /// Keyframes of the spring targets, one row of nq values a keyframe.
    void set_target_motion(VectorMotion motion);
    /// Offset added to the target of velocity coordinate `index` (1-degree-of-freedom coordinates).
    void set_target_offset(Index index, double offset) { m_offset[index] = offset; }

    [[nodiscard]] Index dof() const override { return m_model.nv(); }
    [[nodiscard]] bool free_motion(double time, double step) override;
    [[nodiscard]] const VectorXd& velocity() const override { return m_v; }
    [[nodiscard]] const VectorXd& free_velocity() const override { return m_free.mean; }
    [[nodiscard]] const LinkCarrier* links() const override { return this; }
    [[nodiscard]] Index freedoms() const override { return dof(); }
    void half_solve(Eigen::Ref<MatrixXd> columns) const override;
    void other_half(Eigen::Ref<VectorXd> column) const override { m_factor.solve_lower(column.data()); }
    [[nodiscard]] std::span<CoordinateConstraint> constraints() override;
    [[nodiscard]] bool overlooked_limits() override;
    /// Forces of the joint limits and of the dry friction in the last step (nv) [N] or [N·m].
    [[nodiscard]] VectorXd constraint_forces() const;
    void show(double step, const Eigen::Ref<const VectorXd>& velocity_change, double share) override;
    [[nodiscard]] bool refine(double step, const Eigen::Ref<const VectorXd>& velocity_change) override;
    void finish(double step, const Eigen::Ref<const VectorXd>& velocity_change, bool touched) override;
    void keep() override;
    void go_back() override;
    void correct(const Eigen::Ref<const VectorXd>& position_change) override;
    /// Of a rigid body the spin counts by its radius of gyration: small ones roll fast.
    [[nodiscard]] double speed() const override;
    [[nodiscard]] double kinetic_energy() const override;
    [[nodiscard]] double elastic_energy() const override;
    [[nodiscard]] double potential_energy() const override;
    [[nodiscard]] Health health() const override;
    void append_state(std::vector<double>& out) const override;

    [[nodiscard]] const ArticulatedModel& model() const { return m_model; }
    [[nodiscard]] const Pose& link_pose(int link) const override
    {
        return m_data.pose[static_cast<std::size_t>(link)];
    }
    [[nodiscard]] const VectorXd& positions() const { return m_q; }
    void set_velocity(const Eigen::Ref<const VectorXd>& velocity) { m_v = velocity; }
    /// Constant force on a velocity coordinate, on top of the springs [N] or [N·m].
    void set_applied_force(const Eigen::Ref<const VectorXd>& force) { m_applied = force; }

    void write_wrenches(int link, MatrixXd& columns) const override
    {
        link_jacobian_transpose(m_model, m_data, link, columns);
    }

private:
    void evaluate_target(double time, VectorXd& target) const;
    void check_constraints();
    /// visit(coordinate, how far it is beyond its limit, with the sign of what brings it back, stiffness)
    template <typename Visitor>
    void for_each_limit_spring(const Visitor& visit) const;
    void apply_limits(double step);
    void collect_constraints(double step);
    [[nodiscard]] double room(const CoordinateConstraint& limit, const VectorXd& q) const;
    [[nodiscard]] bool passes_limits(const VectorXd& q) const;
    [[nodiscard]] Eigen::Map<const Quaterniond> orientation(const VectorXd& q, int link) const;

    /// State at the end of a flight, and its mean velocity in axes of its start.
    struct Flight {
        VectorXd q, v, mean;
    };
    /// From m_q_start with `velocity` just after all forces of the step acted.
    [[nodiscard]] bool fly(double step, const VectorXd& velocity, Flight& flight);
    [[nodiscard]] bool fly_rigid(double step, const VectorXd& velocity, Flight& flight) const;
    [[nodiscard]] bool fly_by_midpoint(double step);
    void list_free_joints();
    /// m_free, from what the forces of the step give and a guess of what contacts will.
    [[nodiscard]] bool find_free_flight(double step);
    [[nodiscard]] bool is_guessed() const { return !m_touch.isZero(0.0); }
    /// Flies on with what contacts, limits and friction change; not again where refine() just did.
    void fly_on(double step, const Eigen::Ref<const VectorXd>& velocity_change);
    void fall_by_parabola(double step, VectorXd& q) const;
    /// Adds that of all links to m_force.
    void add_weight();
    /// Poses of the links at m_q into m_data.
    void place_links();
    void write_joint_forces(const VectorXd& q, const VectorXd& v, double time_left, VectorXd& force);

    std::vector<int> m_falling;  ///< links on free joints of the world that no spring or damper holds
    bool m_single = false;       ///< one link on a free joint
    bool m_at_limit = false;     ///< a soft limit pushes in this step
    bool m_lost = false;         ///< the motion of the step was not found
    Integrator m_integrator = Integrator::implicit_euler;
    ArticulatedFlow m_flow;
    FlowForces m_flow_forces;
    Flight m_free, m_flown;
    VectorXd m_kicked;  ///< v at the start, after the forces of the step other than contacts
    VectorXd m_touch;   ///< what contacts changed in the last step, a chain's first guess of what they will
    VectorXd m_flown_from;  ///< v at the start that m_flown was found with

    ArticulatedModel m_model;
    mutable ArticulatedData m_data;
    JointCompliance m_compliance;
    Vector3d m_gravity;
    bool m_gravity_compensated;
    VectorMotion m_motion;

    VectorXd m_q, m_v;  ///< state
    struct Kept {
        VectorXd q, v, target, offset, offset_before, touch;
        std::vector<CoordinateConstraint> possible;
        ArticulatedFlow::Parts parts;
    } m_kept;
    VectorXd m_q_start, m_v_start, m_q_next;  ///< start of the step, scratch
    VectorXd m_target, m_target_before;       ///< nq, at the end and the start of the step
    VectorXd m_offset, m_offset_before;       ///< nv
    VectorXd m_error, m_target_velocity, m_force, m_increment, m_applied;
    /// Of all coordinates: lower limit, upper limit, friction; and those of this step, which are copied back.
    std::vector<CoordinateConstraint> m_possible, m_present;
    std::vector<std::size_t> m_possible_of;
    std::vector<Index> m_position_of;       ///< a position coordinate for each of m_possible
    std::vector<std::size_t> m_overlooked;  ///< of m_possible: left out, and passed when the step was tried
    MatrixXd m_system;
    TreeFactor m_factor;
};

}  // namespace softcontact
