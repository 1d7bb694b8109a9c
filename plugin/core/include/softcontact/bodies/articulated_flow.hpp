// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "softcontact/bodies/tree_factor.hpp"

namespace softcontact {

/// q ⊕ dv as ArticulatedModel::integrate, but the origin of a free joint moves straight on, along dv in the
/// axes of its start. `out` must not be `q`.
void integrate_straight(const ArticulatedModel& model, const VectorXd& q, const VectorXd& dv, VectorXd& out);

/// Forces within a step that ArticulatedFlow takes as the mean of the step's start and end; none by default.
struct FlowForces {
    Vector3d gravity = Vector3d::Zero();  ///< [m/s²]
    /// −∂f/∂q and −∂f/∂v of `force`, on the diagonal (nv); empty without `force`.
    VectorXd stiffness, damping;
    /// Writes the joint forces (nv) at q and v, at this share of the step.
    std::function<void(const VectorXd& q, const VectorXd& v, double share, VectorXd& force)> force;
};

/// Motion of an articulated body under its inertia: the nonlinear part of a step.
///
/// Within a step every link flies on with the momentum in the world that takes it from its pose at the start
/// to that at the end; joints push at the start and at the end only, and the momentum there is that of the
/// links as the joints feel it, p = Σ Jᵀ (P, ℓ). It is a variational rule: linear and angular momentum are
/// kept to round-off, it is symplectic and its own mirror in time, and energy does not drift. Source: Lee,
/// Liu, Park, Srinivasa, A linear-time variational integrator for multibody systems (2016).
class ArticulatedFlow {
public:
    explicit ArticulatedFlow(const ArticulatedModel& model);

    /// Takes q (nq) through `step` [s] from the velocity v (nv), which is used up: end_velocity() tells that
    /// of the end. False where the equations could not be solved.
    [[nodiscard]] bool advance(const ArticulatedModel& model, VectorXd& q, VectorXd& v, double step,
                               const FlowForces& forces = {});
    /// Mass matrix at q (nv, nv): that of the place where a flight began or ended costs nothing.
    [[nodiscard]] const MatrixXd& mass_at(const ArticulatedModel& model, const VectorXd& q)
    {
        return place_at(model, q).mass;
    }
    /// Adds the joint forces of a gravity [m/s²] at q to `force` (nv).
    void add_weight(const ArticulatedModel& model, const VectorXd& q, const Vector3d& gravity,
                    VectorXd& force);
    /// Link poses and joint axes in the world at q, where a flight began or ended there; false: none did.
    [[nodiscard]] bool recall(const VectorXd& q, ArticulatedData& data) const;
    /// Velocity v at the end q of the last advance: where it is wanted, for it may cost as much as a mass
    /// matrix.
    [[nodiscard]] bool end_velocity(const ArticulatedModel& model, const VectorXd& q, VectorXd& v);
    /// v, the velocity at q, becomes that at q_next with which every link has its momentum in the world
    /// still, as far as the joints let it: linear momentum is kept, and energy is not made. Returns false
    /// where there is none.
    [[nodiscard]] bool keep_momentum(const ArticulatedModel& model, const VectorXd& q, VectorXd& v,
                                     const VectorXd& q_next);
    /// Mean velocity of the last advance, in axes of its start (nv): integrate_straight(q, step · mean) leads
    /// to the end where it was taken in one part.
    [[nodiscard]] const VectorXd& mean() const { return m_mean; }

    /// How finely steps are cut: part of the state.
    struct Parts {
        int count = 1;     ///< of a step
        int calm_for = 0;  ///< steps for which half as many would have done with ease
    };
    [[nodiscard]] const Parts& parts() const { return m_parts; }
    void set_parts(const Parts& parts) { m_parts = parts; }

private:
    struct Part {
        double begin = 0.0, end = 1.0;  ///< shares of the step
        double step = 0.0;              ///< of the part [s]
        int halvings = 0;               ///< that are left
    };
    /// What depends on q alone.
    struct Place {
        explicit Place(const ArticulatedModel& model) : factor(model) {}
        [[nodiscard]] bool is_at(const VectorXd& where) const { return known && q == where; }
        bool known = false;
        VectorXd q;
        MatrixXd mass;
        std::vector<Pose> pose;
        Matrix6Xd axes;
        TreeFactor factor;  ///< of the mass
        bool regular = false;
    };
    /// The last two are kept: a step flies from its start more than once, and the next begins at its end.
    [[nodiscard]] const Place& place_at(const ArticulatedModel& model, const VectorXd& q);
    [[nodiscard]] bool choose_parts(const ArticulatedModel& model, const VectorXd& q, const VectorXd& v,
                                    double step);
    [[nodiscard]] bool advance_part(const ArticulatedModel& model, VectorXd& q, VectorXd& v,
                                    const FlowForces& forces, const Part& part);
    [[nodiscard]] bool find_velocity(const ArticulatedModel& model, const VectorXd& q,
                                     const FlowForces& forces, const Part& part);
    [[nodiscard]] bool find_by_differences(const ArticulatedModel& model, const VectorXd& q,
                                           const FlowForces& forces, const Part& part);
    /// Adds what is left of the residual to the momentum at the end, in the axes there.
    void carry_residual(const ArticulatedModel& model);
    /// Residual at m_velocity in m_residual; leaves the end of the part in m_q_end, m_data, m_linear,
    /// m_angular.
    void evaluate(const ArticulatedModel& model, const VectorXd& q, const FlowForces& forces,
                  const Part& part);
    /// Σ Jᵀ (P + impulse m, ℓ) with the poses and joint axes given.
    void gather(const ArticulatedModel& model, const std::vector<Pose>& poses, const Matrix6Xd& axes,
                const Vector3d& impulse, VectorXd& out);

    Parts m_parts;
    ArticulatedData m_data;
    std::vector<Matrix3d> m_inertia;  ///< about the centre of mass
    std::array<Place, 2> m_places;
    std::size_t m_recent = 0;
    const Place* m_start = nullptr;             ///< of the part
    const TreeFactor* m_solver = nullptr;       ///< of its equations
    std::vector<Vector3d> m_linear, m_angular;  ///< momentum of the links in the part, world axes
    std::vector<Vector6d> m_wrench;
    VectorXd m_momentum, m_velocity, m_residual, m_change, m_force, m_middle, m_increment, m_q_end, m_mean,
        m_trial, m_base;
    MatrixXd m_system, m_slope;
    TreeFactor m_factor;
};

}  // namespace softcontact
