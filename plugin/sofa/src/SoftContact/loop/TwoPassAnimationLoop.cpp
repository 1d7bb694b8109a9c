// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/loop/TwoPassAnimationLoop.h>
#include <sofa/core/ConstraintParams.h>
#include <sofa/core/ObjectFactory.h>
#include <sofa/core/behavior/MultiVec.h>
#include <sofa/helper/ScopedAdvancedTimer.h>
#include <sofa/simulation/AnimateBeginEvent.h>
#include <sofa/simulation/AnimateEndEvent.h>
#include <sofa/simulation/BehaviorUpdatePositionVisitor.h>
#include <sofa/simulation/MechanicalOperations.h>
#include <sofa/simulation/Node.h>
#include <sofa/simulation/PropagateEventVisitor.h>
#include <sofa/simulation/UpdateBoundingBoxVisitor.h>
#include <sofa/simulation/UpdateContextVisitor.h>
#include <sofa/simulation/UpdateInternalDataVisitor.h>
#include <sofa/simulation/UpdateMappingEndEvent.h>
#include <sofa/simulation/UpdateMappingVisitor.h>
#include <sofa/simulation/VectorOperations.h>
#include <sofa/simulation/mechanicalvisitor/MechanicalBeginIntegrationVisitor.h>
#include <sofa/simulation/mechanicalvisitor/MechanicalComputeGeometricStiffness.h>
#include <sofa/simulation/mechanicalvisitor/MechanicalEndIntegrationVisitor.h>
#include <sofa/simulation/mechanicalvisitor/MechanicalVInitVisitor.h>
#include <sofa/simulation/mechanicalvisitor/MechanicalVOpVisitor.h>

#include <algorithm>

namespace softcontact::plugin {

namespace vec = sofa::core::vec_id::write_access;
namespace rvec = sofa::core::vec_id::read_access;
namespace visitor = sofa::simulation::mechanicalvisitor;
using sofa::core::ConstMultiVecId;
using sofa::core::ConstraintOrder;
using sofa::core::ConstraintParams;
using sofa::core::MultiVecDerivId;
using sofa::core::MultiVecId;
using sofa::core::behavior::MultiVecCoord;
using sofa::core::behavior::MultiVecDeriv;
using sofa::core::objectmodel::ComponentState;

namespace {

template <class Event>
void send(const sofa::core::ExecParams* params, sofa::simulation::Node* node, SReal dt)
{
    Event event(dt);
    sofa::simulation::PropagateEventVisitor visitor(params, &event);
    node->execute(visitor);
}

}  // namespace

/// What the phases of one step share.
struct TwoPassAnimationLoop::Step {
    Step(const sofa::core::ExecParams* p, sofa::simulation::Node* n, SReal step_length)
        : params(p), node(n), dt(step_length), vop(p, n), mop(p, n)
    {
    }

    /// to = from + scale * other on all states, mapped ones too.
    void assign(MultiVecId to, ConstMultiVecId from, ConstMultiVecId other = ConstMultiVecId::null(),
                SReal scale = 1)
    {
        visitor::MechanicalVOpVisitor operation(params, to, from, other, scale);
        operation.setMapped(true);
        node->executeVisitor(&operation);
    }

    [[nodiscard]] ConstraintParams constraintParams(const GenericSolver& solver, ConstraintOrder order) const
    {
        ConstraintParams result(*params);
        result.setX(rvec::freePosition);
        result.setV(order == ConstraintOrder::POS ? rvec::velocity : rvec::freeVelocity);
        result.setDx(solver.getDx());
        result.setLambda(solver.getLambda());
        result.setOrder(order);
        return result;
    }

    const sofa::core::ExecParams* params;
    sofa::simulation::Node* node;
    SReal dt;
    sofa::simulation::common::VectorOperations vop;
    sofa::simulation::common::MechanicalOperations mop;
};

TwoPassAnimationLoop::TwoPassAnimationLoop()
    : d_positionPass(initData(&d_positionPass, true, "positionPass",
                              "correct the penetration that is left once velocities are integrated")),
      d_positionTolerance(initData(&d_positionTolerance, SReal(0), "positionTolerance",
                                   "tolerance of the position pass [m]; 0: the solver's tolerance times dt")),
      d_positionMaxIterations(
          initData(&d_positionMaxIterations, 0, "positionMaxIterations",
                   "most iterations of the position pass; 0: the solver's maxIterations")),
      d_positionRows(initData(&d_positionRows, 0, "positionRows", "OUTPUT: rows in the last position pass")),
      d_positionIterations(initData(&d_positionIterations, 0, "positionIterations",
                                    "OUTPUT: iterations of the last position pass")),
      d_positionError(initData(&d_positionError, SReal(0), "positionError",
                               "OUTPUT: error of the last position pass, as the solver measures it [m]"))
{
    d_solveVelocityConstraintFirst.setValue(true);
    d_solveVelocityConstraintFirst.setDisplayed(false);
    const std::initializer_list<sofa::core::BaseData*> outputs = {&d_positionRows, &d_positionIterations,
                                                                  &d_positionError};
    for (auto* output : outputs) {
        output->setReadOnly(true);
        output->setGroup("Stats");
    }
}

void TwoPassAnimationLoop::init()
{
    Inherit1::init();
    m_solver = nullptr;
    if (!isComponentStateValid()) return;

    d_componentState.setValue(ComponentState::Invalid);
    auto* solver = dynamic_cast<GenericSolver*>(l_constraintSolver.get());
    if (solver == nullptr) {
        msg_error()
            << "constraintSolver '" << l_constraintSolver->getName() << "' ("
            << l_constraintSolver->getClassName()
            << ") changes positions and velocities together, so that it cannot solve two passes: use "
               "BlockGaussSeidelConstraintSolver, NNCGConstraintSolver, ImprovedJacobiConstraintSolver "
               "or UnbuiltGaussSeidelConstraintSolver. The simulation stands still.";
        return;
    }
    if (!(d_positionTolerance.getValue() >= 0)) {
        msg_error() << "positionTolerance = " << d_positionTolerance.getValue()
                    << " is a length and must be >= 0 (0: the solver's tolerance times dt). The simulation "
                       "stands still.";
        return;
    }
    if (d_positionMaxIterations.getValue() < 0) {
        msg_error() << "positionMaxIterations = " << d_positionMaxIterations.getValue()
                    << " must be >= 0 (0: the solver's maxIterations). The simulation stands still.";
        return;
    }
    m_solver = solver;
    d_componentState.setValue(ComponentState::Valid);
}

void TwoPassAnimationLoop::step(const sofa::core::ExecParams* params, SReal dt)
{
    auto* node = dynamic_cast<sofa::simulation::Node*>(l_node.get());
    if (node == nullptr || m_solver == nullptr) return;  // init said why
    if (dt == 0) dt = node->getDt();
    if (!(dt > 0)) {
        msg_error() << "dt = " << dt << ": the time step must be positive; set dt on the root node.";
        return;
    }
    Step s(params, node, dt);
    m_step = dt;
    prepare(s);
    freeMotion(s);
    solveVelocities(s);
    if (d_positionPass.getValue()) solvePositions(s);
    finish(s);
}

void TwoPassAnimationLoop::prepare(Step& s)
{
    for (const auto& id : {vec::dx, vec::dforce}) {
        MultiVecDeriv(&s.vop, id).realloc(&s.vop, !d_threadSafeVisitor.getValue(), true);
    }
    {
        SCOPED_TIMER("MechanicalVInitVisitor");
        visitor::MechanicalVInitVisitor<sofa::core::V_COORD>(s.params, vec::freePosition, rvec::position,
                                                             true)
            .execute(s.node);
        visitor::MechanicalVInitVisitor<sofa::core::V_DERIV>(s.params, vec::freeVelocity, rvec::velocity,
                                                             true)
            .execute(s.node);
    }
    const MultiVecDerivId lambda = m_solver->getLambda();
    for (auto* state : s.node->getTreeObjects<sofa::core::BaseState>()) {
        state->addToTotalForces(lambda.getId(state));
    }
    {
        SCOPED_TIMER("AnimateBeginEvent");
        send<sofa::simulation::AnimateBeginEvent>(s.params, s.node, s.dt);
    }
    {
        SCOPED_TIMER("UpdatePosition");
        sofa::simulation::BehaviorUpdatePositionVisitor update(s.params, s.dt);
        s.node->execute(&update);
    }
    {
        SCOPED_TIMER("updateInternalData");
        sofa::simulation::UpdateInternalDataVisitor update(s.params);
        s.node->execute(&update);
    }
    visitor::MechanicalBeginIntegrationVisitor begin(s.params, s.dt);
    s.node->execute(&begin);
}

void TwoPassAnimationLoop::freeMotion(Step& s)
{
    // The impulses of the step before, as forces, for the geometric stiffness of mappings.
    const MultiVecDerivId lambda = m_solver->getLambda();
    {
        SCOPED_TIMER("lambdaMultInvDt");
        s.assign(lambda, ConstMultiVecId::null(), lambda, 1 / s.dt);
    }
    {
        SCOPED_TIMER("MechanicalComputeGeometricStiffness");
        visitor::MechanicalComputeGeometricStiffness stiffness(&s.mop.mparams, lambda);
        s.node->executeVisitor(&stiffness);
    }
    // With this order the free positions are filled before detection reads them; with VEL they would be
    // stale.
    const ConstraintParams params = s.constraintParams(*m_solver, ConstraintOrder::POS_AND_VEL);
    computeFreeMotionAndCollisionDetection(s.params, params, s.dt, vec::position, vec::freePosition,
                                           vec::freeVelocity, &s.mop);
}

void TwoPassAnimationLoop::solveVelocities(Step& s)
{
    SCOPED_TIMER("VelocityPass");
    m_pass = Pass::velocity;
    m_held = heldProblems(*m_solver);
    ConstraintParams params = s.constraintParams(*m_solver, ConstraintOrder::VEL);
    // Detection has just made states for new contacts: they get their `lambda` before its ids are read.
    m_solver->prepareStates(&params, vec::velocity);
    params.setDx(m_solver->getDx());
    params.setLambda(m_solver->getLambda());
    m_solver->solveConstraint(&params, vec::velocity);
    m_pass = Pass::none;

    MultiVecDeriv correction(&s.vop, m_solver->getDx());
    s.mop.projectResponse(correction);
    s.mop.propagateDx(correction, true);

    MultiVecCoord position(&s.vop, vec::position);
    MultiVecDeriv velocity(&s.vop, vec::velocity);
    position.eq(position, velocity, s.dt);
    s.mop.projectPositionAndVelocity(position, velocity);
    s.mop.propagateXAndV(position, velocity);
}

void TwoPassAnimationLoop::solvePositions(Step& s)
{
    SCOPED_TIMER("PositionPass");
    keepImpulses(s);
    s.assign(vec::freePosition, rvec::position);
    {
        const SReal tolerance = d_positionTolerance.getValue();
        const int asked = d_positionMaxIterations.getValue();
        const int iterations = asked > 0 ? asked : m_solver->d_maxIt.getValue();
        PositionPassScope scope(*m_solver, m_held,
                                tolerance > 0 ? tolerance : m_solver->d_tolerance.getValue() * s.dt,
                                iterations);
        m_pass = Pass::position;
        correctPositions(s);
        m_pass = Pass::none;
        d_positionRows.setValue(m_solver->d_currentNumConstraints.getValue());
        // SOFA's solvers report one iteration more when they stop at the limit.
        d_positionIterations.setValue(std::min(m_solver->d_currentIterations.getValue(), iterations));
        d_positionError.setValue(m_solver->d_currentError.getValue());
    }
    restoreImpulses(s);
    s.mop.projectPositionAndVelocity(vec::position, vec::velocity);
    s.mop.propagateXAndV(vec::position, vec::velocity);
}

/// The stages of solveConstraint without its events: listeners read forces, and those are the velocity
/// pass's.
void TwoPassAnimationLoop::correctPositions(Step& s)
{
    const ConstraintParams params = s.constraintParams(*m_solver, ConstraintOrder::POS);
    if (!m_solver->prepareStates(&params, vec::position)) return;
    if (!m_solver->buildSystem(&params, vec::position)) return;
    dropFriction(*m_solver);
    if (!m_solver->solveSystem(&params, vec::position)) return;
    m_solver->applyCorrection(&params, vec::position);
}

void TwoPassAnimationLoop::keepImpulses(Step& s)
{
    const auto keep = [&s](MultiVecDerivId& kept, MultiVecDerivId source, const char* label) {
        MultiVecDeriv copy(&s.vop, kept);
        copy.realloc(&s.vop, false, true, sofa::core::VecIdProperties{label, GetClass()->className});
        kept = copy.id();
        s.assign(kept, source);
    };
    keep(m_keptImpulses, m_solver->getLambda(), "velocity_pass_lambda");
    keep(m_keptCorrection, m_solver->getDx(), "velocity_pass_dx");
}

void TwoPassAnimationLoop::restoreImpulses(Step& s)
{
    s.assign(m_solver->getLambda(), m_keptImpulses);
    s.assign(m_solver->getDx(), m_keptCorrection);
}

void TwoPassAnimationLoop::finish(const Step& s)
{
    visitor::MechanicalEndIntegrationVisitor end(s.params, s.dt);
    s.node->execute(&end);
    s.node->setTime(s.node->getTime() + s.dt);
    s.node->execute<sofa::simulation::UpdateSimulationContextVisitor>(s.params);
    {
        SCOPED_TIMER("AnimateEndEvent");
        send<sofa::simulation::AnimateEndEvent>(s.params, s.node, s.dt);
    }
    {
        SCOPED_TIMER("UpdateMapping");
        s.node->execute<sofa::simulation::UpdateMappingVisitor>(s.params);
        send<sofa::simulation::UpdateMappingEndEvent>(s.params, s.node, s.dt);
    }
    if (d_computeBoundingBox.getValue()) {
        SCOPED_TIMER("UpdateBBox");
        s.node->execute<sofa::simulation::UpdateBoundingBoxVisitor>(s.params);
    }
}

void registerTwoPassAnimationLoop(sofa::core::ObjectFactory* factory)
{
    factory->registerObjects(
        sofa::core::ObjectRegistrationData(
            "Animation loop in two passes, in the place of FreeMotionAnimationLoop: free motion, collision "
            "detection, a velocity pass that gives velocities and contact forces, integration, and a "
            "position "
            "pass that removes the penetration that is left without changing velocities.")
            .add<TwoPassAnimationLoop>());
}

}  // namespace softcontact::plugin
