// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/types.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace softcontact {

/// Forces and moment of several rows, as columns: what a contact side exerts on one link.
using RowForces = Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::ColMajor, 3, 6>;

class LinkCarrier;

/// What a body reports when its state is no longer usable.
struct Health {
    bool ok = true;
    const char* reason = "";
};

/// A constraint on one velocity coordinate of a system: its speed u along `sign`, with max(gap, 0)/h added,
/// is > 0 only where the force is at its lower bound and < 0 only where it is at its upper one.
struct CoordinateConstraint {
    Index coordinate = 0;
    double sign = 1.0;
    double gap = 0.0;  ///< to a limit at the start of the step, after finish() its end [m] or [rad]
    double lower = 0.0, upper = 0.0;  ///< of the force [N] or [N·m]
    double force = 0.0;               ///< that was found in the last step that had this constraint

    [[nodiscard]] bool is_limit() const { return lower == 0.0; }
};

/// One set of velocity unknowns with its own implicit system matrix A = M + hD + h²K (Talvas Eq. 2).
///
/// A step is free_motion → (contacts are solved outside) → finish → correct. Between free_motion and finish
/// the body is shown at the start of the step, unless show() says otherwise: contact rows are those of the
/// start, so that impulses keep momentum to round-off. All of them reuse their memory; none allocates once
/// the first step has run.
class System {
public:
    explicit System(std::string name) : m_name(std::move(name)) {}
    virtual ~System() = default;
    System(const System&) = delete;
    System& operator=(const System&) = delete;

    [[nodiscard]] const std::string& name() const { return m_name; }
    [[nodiscard]] virtual Index dof() const = 0;

    /// Factors A at the current state and finds the free velocity; the body stays where it is.
    /// `time` is the end of the step. Returns false when A could not be factored.
    [[nodiscard]] virtual bool free_motion(double time, double step) = 0;
    /// v at the end of the last step (dof).
    [[nodiscard]] virtual const VectorXd& velocity() const = 0;
    /// Mean velocity over a step without contact, as if all forces acted at its start, in the axes of the
    /// start (dof): what contact has to change.
    [[nodiscard]] virtual const VectorXd& free_velocity() const = 0;
    /// The system as a body of links, where it is one: contacts then reach it by wrenches alone.
    [[nodiscard]] virtual const LinkCarrier* links() const { return nullptr; }
    /// Constraints on single coordinates in this step; the solve leaves their forces in them.
    [[nodiscard]] virtual std::span<CoordinateConstraint> constraints() { return {}; }
    /// Whether finish() passed a limit that constraints() had left out as too far: the step has to be taken
    /// again, and then has it.
    [[nodiscard]] virtual bool overlooked_limits() { return false; }
    /// Between free_motion and finish: shows the body where v_free + velocity_change would take it in this
    /// share of the step, 0: at its start. v_free stays.
    virtual void show(double step, const Eigen::Ref<const VectorXd>& velocity_change, double share) = 0;
    /// Flies with the change of velocity that contacts make at the start of the step, and lets
    /// free_velocity() be the mean of that flight without the change: what inertia adds within a step depends
    /// on it. Whether free_velocity() changed by so much that contacts have to be solved again.
    [[nodiscard]] virtual bool refine(double step, const Eigen::Ref<const VectorXd>& velocity_change)
    {
        static_cast<void>(step), static_cast<void>(velocity_change);
        return false;
    }
    /// Moves on by h (v_free + velocity_change), up to what its inertia makes of the change within the step.
    /// `touched`: some contact acts on the body in this step.
    virtual void finish(double step, const Eigen::Ref<const VectorXd>& velocity_change, bool touched) = 0;
    /// q ← q ⊕ position_change; the velocity stays.
    virtual void correct(const Eigen::Ref<const VectorXd>& position_change) = 0;

    /// Remembers the state between steps; go_back() returns to it, for the step to be taken again in parts.
    virtual void keep() = 0;
    virtual void go_back() = 0;
    /// Whether finish() bent the body by more than equations that are linear in a step can tell.
    [[nodiscard]] virtual bool bent_far() const { return false; }

    /// What max_speed is a limit of [m/s], of joints [rad/s].
    [[nodiscard]] virtual double speed() const { return velocity().lpNorm<Eigen::Infinity>(); }
    [[nodiscard]] virtual double kinetic_energy() const = 0;    ///< [J]
    [[nodiscard]] virtual double elastic_energy() const = 0;    ///< [J]
    [[nodiscard]] virtual double potential_energy() const = 0;  ///< gravity [J]
    [[nodiscard]] virtual Health health() const = 0;
    /// Appends q, then v: what state_hash is taken of.
    virtual void append_state(std::vector<double>& out) const = 0;

private:
    std::string m_name;
};

}  // namespace softcontact
