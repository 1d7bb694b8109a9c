// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/config.h>
#include <SoftContact/haptics/HapticEvaluation.h>
#include <SoftContact/haptics/SolvedContacts.h>
#include <SoftContact/haptics/VirtualCouplingForceField.h>
#include <sofa/component/haptics/MechanicalStateForceFeedback.h>

#include <memory>

namespace softcontact::plugin {

/// Haptic feedback at the device's rate from a simulation at its own: the contacts that SOFA's constraint
/// solver found become softcontact::LinearContactModel, and each call of a driver moves a tool of its own
/// against it (softcontact::HapticTool). Beside SOFA's LCPForceFeedback it never solves the constraint
/// problem anew and shares nothing with the simulation: data come through a triple buffer.
///
/// It sits in the tool's node: a Rigid3 state of one frame, a mass, a VirtualCouplingForceField, an ODE
/// solver and a LinearSolverConstraintCorrection, in the subtree of the constraint solver. Contacts are
/// FrictionContactConstraint or BipotentialFriction, solved by any solver of the family of
/// BlockGaussSeidelConstraintSolver.
///
/// Force and slew limits, fade-in and watchdog are inside and always on: without news from the simulation the
/// force is zero after `watchdog`, counted from when they were due where they are promised less often than
/// every 40 ms. One driver's thread at a time; a second one gets zero. SI units.
/// Source: Otaduy & Gross 2007, Sec. 5.3.
class SOFA_SOFTCONTACT_API LinearContactModel
    : public sofa::component::haptics::MechanicalStateForceFeedback<Rigid3Types> {
public:
    using Base = sofa::component::haptics::MechanicalStateForceFeedback<Rigid3Types>;
    SOFA_CLASS(LinearContactModel, Base);

    sofa::Data<SReal> d_rate;        ///< of the driver's calls [Hz]
    sofa::Data<int> d_capacity;      ///< contacts a model has room for
    sofa::Data<SReal> d_blend;       ///< time over which a new model takes the place of the last one [s]
    sofa::Data<SReal> d_newsWithin;  ///< time in which the next step is promised [s]
    sofa::Data<SReal> d_maxForce, d_maxTorque, d_maxForceRate, d_maxTorqueRate, d_fadeIn, d_watchdog;
    sofa::Data<sofa::type::Vec3> d_force, d_torque;  ///< OUTPUT: of the last call [N, N m]
    sofa::Data<std::string> d_state;                 ///< OUTPUT: of the last call
    sofa::Data<SReal> d_calls;                       ///< OUTPUT: number of calls
    sofa::Data<SReal> d_dataAge;                     ///< OUTPUT: age of the model at the last call [s]
    sofa::Data<SReal> d_work;                        ///< OUTPUT: mean duration of a call [s]
    sofa::Data<int> d_contacts;                      ///< OUTPUT: in the last model
    sofa::Data<int> d_leftOut;                       ///< OUTPUT: that found no room in it
    sofa::Data<sofa::type::Vec3> d_contactForce;     ///< OUTPUT: on the tool, as the last step found it [N]
    sofa::SingleLink<LinearContactModel, VirtualCouplingForceField,
                     sofa::BaseLink::FLAG_STOREPATH | sofa::BaseLink::FLAG_STRONGLINK>
        l_coupling;

    void init() override;
    void reset() override;
    void cleanup() override;
    void handleEvent(sofa::core::objectmodel::Event* event) override;

    /// From the driver's thread. A quaternion (u, v, w, q) = (x, y, z, w) of zeros is no orientation: that of
    /// the coupling's `device` in the last step is taken.
    void computeForce(SReal x, SReal y, SReal z, SReal u, SReal v, SReal w, SReal q, SReal& fx, SReal& fy,
                      SReal& fz) override;
    void computeForce(const VecCoord& state, VecDeriv& forces) override;
    void computeWrench(const sofa::type::Transform<SReal>& device,
                       const sofa::type::SpatialVector<SReal>& velocity,
                       sofa::type::SpatialVector<SReal>& wrench) override;

    /// Time by which calls and data are aged, in place of the system's; it must outlive the component. For
    /// simulated time and tests, while no driver calls.
    void useClock(TickClock& clock);
    /// The model of the last step. In the simulation's thread.
    [[nodiscard]] const softcontact::LinearContactModel& model() const { return m_model; }

protected:
    LinearContactModel();
    ~LinearContactModel() override = default;

private:
    using State = sofa::core::behavior::MechanicalState<Rigid3Types>;

    [[nodiscard]] Vector6d evaluate(const RigidPose& pose, const Twist* motion) noexcept;
    void fail(const std::string& what);
    void makeEvaluation();
    void collect();
    void publish();
    [[nodiscard]] bool solvesVelocities() const;
    [[nodiscard]] bool readTool(Matrix6d& mobility);
    void showReadout();

    State* m_state = nullptr;
    SolvedContacts m_solved;
    RowCondensation m_condensation;
    softcontact::LinearContactModel m_model{0};
    std::uint64_t m_sequence = 0;
    bool m_collected = false;  // in the present step
    std::vector<double> m_packed, m_settings;

    SystemTickClock m_systemClock;
    TickClock* m_clock = &m_systemClock;
    std::atomic_flag m_busy;  // held by whoever looks at the evaluation from outside the simulation
    std::atomic<bool> m_enabled{false};
    std::unique_ptr<HapticEvaluation> m_evaluation;
};

void registerLinearContactModel(sofa::core::ObjectFactory* factory);

}  // namespace softcontact::plugin
