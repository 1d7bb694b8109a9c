// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/loop/PositionPass.h>
#include <SoftContact/loop/TwoPassStep.h>
#include <sofa/component/animationloop/FreeMotionAnimationLoop.h>
#include <sofa/core/MultiVecId.h>

namespace sofa::core {
class ConstraintParams;
class ObjectFactory;
}  // namespace sofa::core
namespace sofa::simulation {
class Node;
}

namespace softcontact::plugin {

/// Free motion, detection, velocity pass, integration, position pass: a drop-in for FreeMotionAnimationLoop.
///
///  1. free motion; freePosition = position + dt freeVelocity on every state, mapped ones too;
///  2. detection, once (at `position`, the start of the step, unless the narrow phase looks further ahead);
///  3. velocity pass: constraints of order VEL give the velocities and the contact impulses;
///  4. position += dt velocity, projected and propagated;
///  5. position pass: the same contacts at order POS move the positions along the normals until nothing
///     penetrates. Velocities stay, so that no kinetic energy is put in.
///
/// After the step everything a reader looks at is the velocity pass's: the states' `lambda` and
/// `constraint_dx`, the solver's `constraintForces`, `current...` and `getConstraintProblem()`, and the
/// Build- and SolveConstraintSystemEndEvent, sent once a step. Only the rows in the states'
/// `constraintJacobian` are the position pass's. Forces are `lambda` / dt. Constraints learn the pass from
/// TwoPassStep.
///
/// SOFA's FrictionContactConstraint works: the position pass leaves its friction out. Its velocity law,
/// though, is u_n + g/dt >= 0 with the gap's sign kept: where the step starts with a penetration, it leaves
/// with the velocity |g|/dt that undoes it in one step, and the velocity pass puts that energy in, as it does
/// under FreeMotionAnimationLoop. AggregateVolume uses max(g, 0). The loop needs a solver that solves
/// velocities alone: any GenericConstraintSolver, not LCPConstraintSolver. Constraints whose violation is a
/// position in both orders (StopperLagrangianConstraint) are wrong in pass 3. Source: Talvas2015,
/// Algorithm 1.
class SOFA_SOFTCONTACT_API TwoPassAnimationLoop
    : public sofa::component::animationloop::FreeMotionAnimationLoop,
      public TwoPassStep {
public:
    SOFA_CLASS(TwoPassAnimationLoop, sofa::component::animationloop::FreeMotionAnimationLoop);

    sofa::Data<bool> d_positionPass;        ///< correct penetration that is left after the velocity pass
    sofa::Data<SReal> d_positionTolerance;  ///< tolerance of the position pass [m]; 0: the solver's times dt
    sofa::Data<int> d_positionMaxIterations;  ///< iterations of the position pass; 0: the solver's
    sofa::Data<int> d_positionRows;           ///< OUTPUT: rows in the last position pass
    sofa::Data<int> d_positionIterations;     ///< OUTPUT: iterations of the last position pass
    sofa::Data<SReal> d_positionError;        ///< OUTPUT: the solver's error in the last position pass [m]

    void init() override;
    void step(const sofa::core::ExecParams* params, SReal dt) override;

    [[nodiscard]] Pass pass() const override { return m_pass; }
    [[nodiscard]] SReal step() const override { return m_step; }

protected:
    TwoPassAnimationLoop();
    ~TwoPassAnimationLoop() override = default;

private:
    struct Step;

    void prepare(Step& s);
    void freeMotion(Step& s);
    void solveVelocities(Step& s);
    void solvePositions(Step& s);
    void correctPositions(Step& s);
    void finish(const Step& s);
    void keepImpulses(Step& s);
    void restoreImpulses(Step& s);

    GenericSolver* m_solver = nullptr;
    sofa::core::MultiVecDerivId m_keptImpulses, m_keptCorrection;
    HeldProblems m_held;
    Pass m_pass = Pass::none;
    SReal m_step = 0;
};

void registerTwoPassAnimationLoop(sofa::core::ObjectFactory* factory);

}  // namespace softcontact::plugin
