// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/haptics/LinearContactModel.h>
#include <SoftContact/loop/TwoPassStep.h>
#include <sofa/component/animationloop/FreeMotionAnimationLoop.h>
#include <sofa/component/constraint/lagrangian/solver/GenericConstraintSolver.h>
#include <sofa/core/ObjectFactory.h>
#include <sofa/core/behavior/BaseConstraintCorrection.h>
#include <sofa/linearalgebra/FullMatrix.h>
#include <sofa/simulation/AnimateBeginEvent.h>
#include <sofa/simulation/AnimateEndEvent.h>
#include <sofa/simulation/events/SolveConstraintSystemEndEvent.h>

#include <algorithm>
#include <array>
#include <thread>

namespace softcontact::plugin {

using sofa::core::objectmodel::BaseContext;
using sofa::core::objectmodel::ComponentState;
using Solver = sofa::component::constraint::lagrangian::solver::GenericConstraintSolver;

namespace {

const std::array<const char*, 7> state_names = {"waiting",   "free",       "touching", "stalled",
                                                "pose lost", "law failed", "error"};

constexpr SReal shortest_promise = 0.04;  ///< with it the force is zero at the watchdog's time [s]

}  // namespace

LinearContactModel::LinearContactModel()
    : d_rate(initData(&d_rate, SReal(1000), "rate", "Rate at which the driver calls [Hz], 100 to 4000")),
      d_capacity(initData(&d_capacity, 32, "capacity",
                          "Contacts a model has room for; of more, those that press hardest are kept")),
      d_blend(initData(&d_blend, SReal(0), "blend",
                       "Time over which a new model takes the place of the last one [s]; 0: at once")),
      d_newsWithin(
          initData(&d_newsWithin, SReal(0), "newsWithin",
                   "Time in which the simulation promises its next step [s]; 0: dt, and no less than 40 ms, "
                   "which the watchdog allows anyhow")),
      d_maxForce(initData(&d_maxForce, SReal(3.3), "maxForce", "Greatest force [N]")),
      d_maxTorque(initData(&d_maxTorque, SReal(0.2), "maxTorque", "Greatest torque [N m]")),
      d_maxForceRate(
          initData(&d_maxForceRate, SReal(1000), "maxForceRate", "Greatest change of the force [N/s]")),
      d_maxTorqueRate(
          initData(&d_maxTorqueRate, SReal(60), "maxTorqueRate", "Greatest change of the torque [N m/s]")),
      d_fadeIn(initData(&d_fadeIn, SReal(0.05), "fadeIn", "Fade at the first touch and after a stop [s]")),
      d_watchdog(initData(&d_watchdog, SReal(0.05), "watchdog",
                          "Age of the simulation's data at which the force is zero [s], at most 0.05")),
      d_force(initData(&d_force, "force", "OUTPUT: force on the device of the last call [N]")),
      d_torque(initData(&d_torque, "torque", "OUTPUT: torque on the device of the last call [N m]")),
      d_state(initData(&d_state, std::string("waiting"), "state",
                       "OUTPUT: waiting, free, touching, stalled, pose lost, law failed or error")),
      d_calls(initData(&d_calls, SReal(0), "calls", "OUTPUT: number of calls")),
      d_dataAge(initData(&d_dataAge, SReal(0), "dataAge", "OUTPUT: age of the model at the last call [s]")),
      d_work(initData(&d_work, SReal(0), "work", "OUTPUT: mean duration of a call [s]")),
      d_contacts(initData(&d_contacts, 0, "contacts", "OUTPUT: contacts in the last model")),
      d_leftOut(initData(&d_leftOut, 0, "leftOut", "OUTPUT: contacts that found no room in it")),
      d_contactForce(initData(&d_contactForce, "contactForce",
                              "OUTPUT: contact force on the tool that the last step found [N]")),
      l_coupling(initLink("coupling", "Coupling between device and tool; empty: the one in the same node"))
{
    f_listening.setValue(true);
    this->d_activate.setValue(true);
    for (sofa::core::objectmodel::BaseData* data : std::initializer_list<sofa::core::objectmodel::BaseData*>{
             &d_force, &d_torque, &d_state, &d_calls, &d_dataAge, &d_work, &d_contacts, &d_leftOut,
             &d_contactForce}) {
        data->setReadOnly(true);
    }
}

void LinearContactModel::fail(const std::string& what)
{
    msg_error() << what;
    d_componentState.setValue(ComponentState::Invalid);
    m_enabled.store(false, std::memory_order_relaxed);
    if (m_evaluation) m_evaluation->session().withdraw();
}

void LinearContactModel::init()
{
    Base::init();
    d_componentState.setValue(ComponentState::Valid);
    if (l_coupling.empty()) l_coupling.set(getContext()->get<VirtualCouplingForceField>(BaseContext::Local));
    m_state = dynamic_cast<State*>(getContext()->getMechanicalState());
    if (l_coupling.get() == nullptr) {
        return fail("no VirtualCouplingForceField in the tool's node; add one, or link it as coupling");
    }
    if (m_state == nullptr || m_state->getSize() != 1) {
        return fail("needs a Rigid3 state of one frame in its node, the tool's");
    }
    if (getContext()->get<Solver>(BaseContext::SearchUp) == nullptr) {
        return fail(
            "no constraint solver above it that the contacts can be read from; use "
            "BlockGaussSeidelConstraintSolver or another one of its family");
    }
    makeEvaluation();
}

/// Anew where a setting has changed; the force fades in again.
void LinearContactModel::makeEvaluation()
try {
    if (l_coupling->d_componentState.getValue() == ComponentState::Invalid) {
        throw std::invalid_argument("its coupling has reported an error");
    }
    const ToolProperties& tool = l_coupling->tool();
    const VirtualCoupling coupling = l_coupling->coupling();
    HapticThreadSettings settings;
    settings.rate_hz = d_rate.getValue();
    settings.safety.max_force = d_maxForce.getValue();
    settings.safety.max_torque = d_maxTorque.getValue();
    settings.safety.max_force_rate = d_maxForceRate.getValue();
    settings.safety.max_torque_rate = d_maxTorqueRate.getValue();
    settings.safety.fade_in = d_fadeIn.getValue();
    settings.safety.watchdog = d_watchdog.getValue();
    const Vector3d weight = tool.mass * eigen(getContext()->getGravity());
    const VirtualCoupling::Gains& gains = coupling.gains();
    const RigidPose& handle = coupling.handle();
    const std::vector<double> now = {settings.rate_hz,
                                     double(d_capacity.getValue()),
                                     d_blend.getValue(),
                                     settings.safety.max_force,
                                     settings.safety.max_torque,
                                     settings.safety.max_force_rate,
                                     settings.safety.max_torque_rate,
                                     settings.safety.fade_in,
                                     settings.safety.watchdog,
                                     tool.mass,
                                     weight.x(),
                                     weight.y(),
                                     weight.z(),
                                     gains.stiffness,
                                     gains.damping,
                                     gains.angular_stiffness,
                                     gains.angular_damping,
                                     gains.max_force,
                                     gains.max_torque,
                                     handle.position.x(),
                                     handle.position.y(),
                                     handle.position.z(),
                                     handle.orientation.x(),
                                     handle.orientation.y(),
                                     handle.orientation.z(),
                                     handle.orientation.w()};
    if (m_evaluation && now == m_settings) return;
    HapticTool haptic(tool, coupling, 1.0 / settings.rate_hz, d_blend.getValue(), d_capacity.getValue());
    haptic.set_force(weight);
    softcontact::LinearContactModel model(d_capacity.getValue());
    auto made = std::make_unique<HapticEvaluation>(haptic, d_capacity.getValue(), settings, *m_clock);
    m_packed.reserve(static_cast<std::size_t>(model.most_packed()));
    m_model = std::move(model);
    m_settings = now;
    while (m_busy.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
    m_evaluation.swap(made);
    m_busy.clear(std::memory_order_release);
} catch (const std::invalid_argument& error) {
    fail(error.what());
}

void LinearContactModel::useClock(TickClock& clock)
{
    m_clock = &clock;
    m_settings.clear();
    if (d_componentState.getValue() == ComponentState::Valid) makeEvaluation();
}

void LinearContactModel::reset()
{
    if (m_evaluation) {
        m_evaluation->session().withdraw();
        m_evaluation->session().reset();
    }
}

void LinearContactModel::cleanup()
{
    m_enabled.store(false, std::memory_order_relaxed);
    if (m_evaluation) m_evaluation->session().withdraw();
    Base::cleanup();
}

bool LinearContactModel::solvesVelocities() const
{
    if (TwoPassStep::find(getContext()) != nullptr) return true;
    using Loop = sofa::component::animationloop::FreeMotionAnimationLoop;
    const auto* loop =
        dynamic_cast<const Loop*>(getContext()->get<sofa::core::behavior::BaseAnimationLoop>());
    return loop != nullptr && loop->d_solveVelocityConstraintFirst.getValue();
}

/// A⁻¹ of the tool, as its constraint correction has it.
bool LinearContactModel::readTool(Matrix6d& mobility)
{
    const auto* correction =
        getContext()->get<sofa::core::behavior::BaseConstraintCorrection>(BaseContext::Local);
    sofa::linearalgebra::FullMatrix<SReal> matrix;
    if (correction != nullptr) correction->getComplianceMatrix(&matrix);  // dt A⁻¹
    if (matrix.rowSize() != 6 || matrix.colSize() != 6) {
        fail("the tool's compliance is not to be had; add a LinearSolverConstraintCorrection to its node");
        return false;
    }
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) mobility(i, j) = matrix.element(i, j) / getContext()->getDt();
    }
    mobility = (0.5 * (mobility + mobility.transpose())).eval();
    return true;
}

/// The contacts of the step that was just solved; the states are still at its start.
void LinearContactModel::collect()
{
    namespace vec = sofa::core::vec_id::read_access;
    auto* solver = getContext()->get<Solver>(BaseContext::SearchUp);
    auto* problem = dynamic_cast<SolvedContacts::Problem*>(solver->getConstraintProblem());
    Matrix6d mobility;
    if (problem == nullptr || !readTool(mobility)) return;
    const double dt = getContext()->getDt();
    const std::string wrong =
        m_solved.read(*problem, m_state->read(vec::constraintJacobian)->getValue(), solvesVelocities(), dt);
    if (!wrong.empty()) return fail(wrong);
    const Vector6d freeVelocity = eigen(m_state->read(vec::freeVelocity)->getValue()[0]).vector();
    const RigidPose pose = eigen(m_state->readPositions()[0]);
    m_model.step = dt;
    m_model.fast_step = 1.0 / d_rate.getValue();
    m_model.time = getContext()->getTime();
    m_model.reference = pose;
    m_model.centre = pose.position;
    m_model.free_force = mobility.llt().solve(freeVelocity) / dt;
    const ToolDynamics tool(l_coupling->tool());
    m_model.system =
        tool.system_matrix(l_coupling->coupling(), l_coupling->device(), pose, m_model.fast_step);
    m_condensation.build(m_solved.step(mobility, freeVelocity), m_model);
    m_model.sequence = ++m_sequence;
    m_collected = true;
}

void LinearContactModel::publish()
try {
    m_packed.resize(static_cast<std::size_t>(m_model.packed_size()));
    m_model.pack(m_packed.data());
    const SReal given = d_newsWithin.getValue();
    const SReal within = given > 0 ? given : std::max<SReal>(getContext()->getDt(), shortest_promise);
    m_evaluation->tell(l_coupling->device().orientation);
    m_evaluation->session().publish(m_packed, within);
    d_contacts.setValue(m_model.contacts());
    d_leftOut.setValue(m_condensation.left_out());
    d_contactForce.setValue(sofaVector(m_model.contact.head<3>()));
} catch (const std::invalid_argument& error) {
    m_evaluation->session().withdraw();
    msg_warning() << "no feedback from this step: " << error.what();
}

void LinearContactModel::showReadout()
{
    const HapticReadout last = m_evaluation->session().readout();
    d_force.setValue(sofaVector(last.wrench.head<3>()));
    d_torque.setValue(sofaVector(last.wrench.tail<3>()));
    d_state.setValue(state_names[static_cast<std::size_t>(last.state)]);
    d_calls.setValue(static_cast<SReal>(last.tick));
    d_dataAge.setValue(last.data_age);
    d_work.setValue(1e-9 * m_evaluation->session().times().work.mean());
}

void LinearContactModel::handleEvent(sofa::core::objectmodel::Event* event)
{
    if (d_componentState.getValue() != ComponentState::Valid) return;
    if (sofa::simulation::AnimateBeginEvent::checkEventType(event)) {
        makeEvaluation();
        m_collected = false;
        m_enabled.store(this->d_activate.getValue(), std::memory_order_relaxed);
    } else if (sofa::simulation::SolveConstraintSystemEndEvent::checkEventType(event)) {
        if (m_collected) return;
        collect();
        if (m_collected) publish();
    } else if (sofa::simulation::AnimateEndEvent::checkEventType(event)) {
        showReadout();
    }
}

Vector6d LinearContactModel::evaluate(const RigidPose& pose, const Twist* motion) noexcept
{
    Vector6d out = Vector6d::Zero();
    if (m_busy.test_and_set(std::memory_order_acquire)) return out;
    if (m_evaluation && m_enabled.load(std::memory_order_relaxed)) out = m_evaluation->tick(pose, motion);
    m_busy.clear(std::memory_order_release);
    return out;
}

void LinearContactModel::computeForce(SReal x, SReal y, SReal z, SReal u, SReal v, SReal w, SReal q,
                                      SReal& fx, SReal& fy, SReal& fz)
{
    const Vector6d wrench = evaluate({Vector3d(x, y, z), Quaterniond(q, u, v, w)}, nullptr);
    fx = wrench[0];
    fy = wrench[1];
    fz = wrench[2];
}

void LinearContactModel::computeForce(const VecCoord& state, VecDeriv& forces)
{
    forces.resize(state.size());
    for (std::size_t i = 0; i < forces.size(); ++i) {
        forces[i] = i == 0 ? sofaDeriv(evaluate(eigen(state[0]), nullptr)) : VecDeriv::value_type();
    }
}

void LinearContactModel::computeWrench(const sofa::type::Transform<SReal>& device,
                                       const sofa::type::SpatialVector<SReal>& velocity,
                                       sofa::type::SpatialVector<SReal>& wrench)
{
    const RigidPose pose = eigen(Rigid3Types::Coord(device.getOrigin(), device.getOrientation()));
    const Twist motion{.linear = eigen(velocity.getLinearVelocity()),
                       .angular = eigen(velocity.getAngularVelocity())};
    const Vector6d out = evaluate(pose, &motion);
    wrench.setForce(sofaVector(out.head<3>()));
    wrench.setTorque(sofaVector(out.tail<3>()));
}

void registerLinearContactModel(sofa::core::ObjectFactory* factory)
{
    factory->registerObjects(sofa::core::ObjectRegistrationData(
                                 "Haptic feedback at the device's rate from the contacts of each step, with "
                                 "limits, fade-in and watchdog.")
                                 .add<LinearContactModel>());
}

}  // namespace softcontact::plugin
