// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/haptics/DeviceSession.h>
#include <sofa/core/ObjectFactory.h>
#include <sofa/simulation/AnimateBeginEvent.h>
#include <sofa/simulation/AnimateEndEvent.h>

#include <cmath>

namespace softcontact::plugin {

using sofa::core::objectmodel::BaseContext;
using sofa::core::objectmodel::ComponentState;
using sofa::type::Vec3;

namespace {

constexpr double longest_record = 3600.0;  ///< [s]

}  // namespace

SimulatedHapticDevice::SimulatedHapticDevice()
    : d_times(initData(&d_times, Vector<SReal>{0}, "times", "Times of the hand's script [s], rising")),
      d_poses(initData(&d_poses, Rigid3Types::VecCoord{Pose(Vec3(0, 0, 0), {0, 0, 0, 1})}, "poses",
                       "Poses that the hand intends at these times [m], straight in between")),
      d_rate(initData(&d_rate, SReal(1000), "rate", "Rate of the thread [Hz], 100 to 4000")),
      d_realTime(initData(&d_realTime, true, "realTime", "Ask the system for real-time scheduling")),
      d_wrench(initData(&d_wrench, false, "wrench",
                        "Call computeWrench, with orientation and velocity, as drivers of six axes do")),
      d_handStiffness(initData(&d_handStiffness, SReal(400), "handStiffness", "Stiffness of the hand [N/m]")),
      d_handDamping(initData(&d_handDamping, SReal(8), "handDamping", "Damping of the hand [N s/m]")),
      d_handMass(initData(&d_handMass, SReal(0.15), "handMass", "Mass of hand and arm that goes along [kg]")),
      d_positionStep(
          initData(&d_positionStep, SReal(2e-5), "positionStep", "Step of the encoders [m]; 0: exact")),
      d_record(initData(&d_record, SReal(0), "record", "Seconds to record; 0: none")),
      d_positionDevice(initData(&d_positionDevice, Pose(Vec3(0, 0, 0), {0, 0, 0, 1}), "positionDevice",
                                "OUTPUT: pose of the device [m]")),
      d_velocityDevice(
          initData(&d_velocityDevice, "velocityDevice", "OUTPUT: velocity of the device [m/s, rad/s]")),
      d_force(initData(&d_force, "force", "OUTPUT: force of the last tick [N]")),
      d_torque(initData(&d_torque, "torque", "OUTPUT: torque of the last tick [N m]")),
      d_ticks(initData(&d_ticks, SReal(0), "ticks", "OUTPUT: ticks done")),
      d_overruns(initData(&d_overruns, SReal(0), "overruns", "OUTPUT: ticks lost because one came late")),
      d_contactTicks(initData(&d_contactTicks, SReal(0), "contactTicks",
                              "OUTPUT: ticks with a force that follow one with a force")),
      d_differing(
          initData(&d_differing, SReal(0), "differing",
                   "OUTPUT: share of the contact ticks whose force is another than the tick's before")),
      d_interval99(initData(&d_interval99, SReal(0), "interval99",
                            "OUTPUT: 99th percentile of the time between two ticks [s]")),
      d_scheduling(initData(&d_scheduling, std::string(), "scheduling", "OUTPUT: what the system granted")),
      d_recordedTimes(initData(&d_recordedTimes, "recordedTimes", "OUTPUT: times of the ticks [s]")),
      d_recordedPositions(
          initData(&d_recordedPositions, "recordedPositions", "OUTPUT: positions of the device [m]")),
      d_recordedForces(initData(&d_recordedForces, "recordedForces", "OUTPUT: forces on the device [N]")),
      l_forceFeedback(initLink("forceFeedBack",
                               "ForceFeedback to call; empty: the first one in the scene with the same tags"))
{
    f_listening.setValue(true);
    for (sofa::core::objectmodel::BaseData* data : std::initializer_list<sofa::core::objectmodel::BaseData*>{
             &d_positionDevice, &d_velocityDevice, &d_force, &d_torque, &d_ticks, &d_overruns,
             &d_contactTicks, &d_differing, &d_interval99, &d_scheduling, &d_recordedTimes,
             &d_recordedPositions, &d_recordedForces}) {
        data->setReadOnly(true);
    }
}

SimulatedHapticDevice::~SimulatedHapticDevice()
{
    stop();
}

void SimulatedHapticDevice::init()
{
    stop();
    Inherit1::init();
    d_componentState.setValue(ComponentState::Loading);
    if (l_forceFeedback.empty()) {
        l_forceFeedback.set(getContext()->get<Feedback>(getTags(), BaseContext::SearchRoot));
    }
    if (l_forceFeedback.get() == nullptr) {
        msg_warning() << "no ForceFeedback in the scene: the device moves and feels nothing";
    }
    if (!d_poses.getValue().empty()) d_positionDevice.setValue(d_poses.getValue().front());
}

void SimulatedHapticDevice::bwdInit()
{
    start();
}

void SimulatedHapticDevice::start()
try {
    stop();
    const auto& times = d_times.getValue();
    const auto& poses = d_poses.getValue();
    Session::Settings settings;
    settings.script.times.assign(times.begin(), times.end());
    settings.script.positions.resize(3, static_cast<Index>(poses.size()));
    for (std::size_t i = 0; i < poses.size(); ++i) {
        const RigidPose pose = eigen(poses[i]);
        settings.script.positions.col(static_cast<Index>(i)) = pose.position;
        settings.script.orientations.push_back(pose.orientation);
    }
    const double rate = d_rate.getValue(), record = d_record.getValue();
    if (!(rate >= 100.0 && rate <= 4000.0)) {
        throw std::invalid_argument("rate: " + std::to_string(rate) + " Hz; give 100 to 4000");
    }
    if (!(record >= 0.0 && record <= longest_record)) {
        throw std::invalid_argument("record: " + std::to_string(record) + " s; give 0 to 3600");
    }
    settings.device.period = 1.0 / rate;
    settings.device.position_step = d_positionStep.getValue();
    settings.device.translation.hand_stiffness = d_handStiffness.getValue();
    settings.device.translation.hand_damping = d_handDamping.getValue();
    settings.device.translation.hand_mass = d_handMass.getValue();
    settings.realTime = d_realTime.getValue();
    settings.wrench = d_wrench.getValue();
    settings.record = static_cast<std::size_t>(std::ceil(rate * record));
    m_session = std::make_unique<Session>(settings, l_forceFeedback.get());
    m_shown = 0;
    d_recordedTimes.setValue({});
    d_recordedPositions.setValue({});
    d_recordedForces.setValue({});
    showReadout();
    d_scheduling.setValue(m_session->scheduling());
    d_componentState.setValue(ComponentState::Valid);
} catch (const std::invalid_argument& error) {
    msg_error() << error.what();
    d_componentState.setValue(ComponentState::Invalid);
}

void SimulatedHapticDevice::stop()
{
    m_session.reset();
}

void SimulatedHapticDevice::reset()
{
    if (m_session) start();
}

void SimulatedHapticDevice::cleanup()
{
    stop();
    Inherit1::cleanup();
}

void SimulatedHapticDevice::showReadout()
{
    const Session::Tick& last = m_session->last();
    d_positionDevice.setValue(sofaPose({last.device.position, last.device.orientation}));
    d_velocityDevice.setValue(Motion(sofaVector(last.device.linear_velocity),  //
                                     sofaVector(last.device.angular_velocity)));
    d_force.setValue(sofaVector(last.wrench.head<3>()));
    d_torque.setValue(sofaVector(last.wrench.tail<3>()));
    const auto contact = static_cast<SReal>(m_session->contactTicks.load());
    d_ticks.setValue(static_cast<SReal>(m_session->ticks.load()));
    d_overruns.setValue(static_cast<SReal>(m_session->overruns.load()));
    d_contactTicks.setValue(contact);
    d_differing.setValue(contact > 0 ? static_cast<SReal>(m_session->differing.load()) / contact : 0);
    d_interval99.setValue(1e-9 * static_cast<SReal>(m_session->interval.percentile(0.99)));
    const std::size_t rows = m_session->recorded();
    if (rows == m_shown) return;
    auto times = sofa::helper::getWriteAccessor(d_recordedTimes);
    auto positions = sofa::helper::getWriteAccessor(d_recordedPositions);
    auto forces = sofa::helper::getWriteAccessor(d_recordedForces);
    for (; m_shown < rows; ++m_shown) {
        const Session::Tick& tick = m_session->record(m_shown);
        times.push_back(tick.time);
        positions.push_back(sofaVector(tick.device.position));
        forces.push_back(sofaVector(tick.wrench.head<3>()));
    }
}

void SimulatedHapticDevice::handleEvent(sofa::core::objectmodel::Event* event)
{
    if (!m_session) return;
    if (sofa::simulation::AnimateBeginEvent::checkEventType(event)) {
        m_session->begin();
        showReadout();
    } else if (sofa::simulation::AnimateEndEvent::checkEventType(event)) {
        showReadout();
    }
}

void registerSimulatedHapticDevice(sofa::core::ObjectFactory* factory)
{
    factory->registerObjects(
        sofa::core::ObjectRegistrationData("A haptic device in a scripted hand, in a real thread at its own "
                                           "rate that calls a ForceFeedback as GeomagicDriver does.")
            .add<SimulatedHapticDevice>());
}

}  // namespace softcontact::plugin
