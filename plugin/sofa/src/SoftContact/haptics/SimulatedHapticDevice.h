// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/config.h>
#include <SoftContact/haptics/RigidConversion.h>
#include <sofa/component/haptics/ForceFeedback.h>
#include <sofa/core/behavior/BaseController.h>

#include <memory>
#include <softcontact/haptics/latest_value.hpp>
#include <softcontact/haptics/simulated_device.hpp>
#include <softcontact/haptics/tick_clock.hpp>
#include <softcontact/haptics/time_histogram.hpp>
#include <thread>

namespace sofa::core {
class ObjectFactory;
}

namespace softcontact::plugin {

/// A haptic device without hardware: a thread at the device's rate that calls any ForceFeedback as
/// GeomagicDriver does, with softcontact::SimulatedHapticDevice, a device in a hand that follows a script, in
/// the place of the vendor's. Several may run at once, each with a feedback and a thread of its own.
///
/// As in GeomagicDriver the link `forceFeedBack` names the feedback, or the first one with the component's
/// tags is taken; its computeForce gets the position and four zeros in place of the orientation; it is called
/// from the first step of the simulation on; the pose is in `positionDevice`. The thread keeps the feedback
/// alive, and ends when the component is cleaned up, reset or deleted.
class SOFA_SOFTCONTACT_API SimulatedHapticDevice : public sofa::core::behavior::BaseController {
public:
    SOFA_CLASS(SimulatedHapticDevice, sofa::core::behavior::BaseController);

    using Pose = Rigid3Types::Coord;
    using Motion = Rigid3Types::Deriv;
    using Feedback = sofa::component::haptics::ForceFeedback;
    template <class T>
    using Vector = sofa::type::vector<T>;

    sofa::Data<Vector<SReal>> d_times;          ///< of the hand's script [s], rising
    sofa::Data<Rigid3Types::VecCoord> d_poses;  ///< that the hand intends at these times [m]
    sofa::Data<SReal> d_rate;                   ///< of the thread [Hz], 100 to 4000
    sofa::Data<bool> d_realTime;                ///< ask the system for real-time scheduling
    sofa::Data<bool> d_wrench;                  ///< call computeWrench, with orientation and velocity
    sofa::Data<SReal> d_handStiffness, d_handDamping, d_handMass;  ///< [N/m], [N s/m], [kg]
    sofa::Data<SReal> d_positionStep;                              ///< of the encoders [m]; 0: exact
    sofa::Data<SReal> d_record;                                    ///< seconds to record; 0: none
    sofa::Data<Pose> d_positionDevice;                             ///< OUTPUT [m]
    sofa::Data<Motion> d_velocityDevice;                           ///< OUTPUT [m/s, rad/s]
    sofa::Data<sofa::type::Vec3> d_force, d_torque;                ///< OUTPUT: of the last tick [N, N m]
    sofa::Data<SReal> d_ticks, d_overruns;      ///< OUTPUT: done; lost because of a late one
    sofa::Data<SReal> d_contactTicks;           ///< OUTPUT: ticks with a force, after one with a force
    sofa::Data<SReal> d_differing;              ///< OUTPUT: share of these whose force is another than before
    sofa::Data<SReal> d_interval99;             ///< OUTPUT: 99th percentile of the time between two ticks [s]
    sofa::Data<std::string> d_scheduling;       ///< OUTPUT: what the system granted
    sofa::Data<Vector<SReal>> d_recordedTimes;  ///< OUTPUT [s]
    sofa::Data<Vector<sofa::type::Vec3>> d_recordedPositions, d_recordedForces;  ///< OUTPUT [m], [N]
    sofa::SingleLink<SimulatedHapticDevice, Feedback,
                     sofa::BaseLink::FLAG_STOREPATH | sofa::BaseLink::FLAG_STRONGLINK>
        l_forceFeedback;

    class Session;  // the thread and what it owns

    void init() override;
    void bwdInit() override;
    void reset() override;
    void cleanup() override;
    void handleEvent(sofa::core::objectmodel::Event* event) override;

protected:
    SimulatedHapticDevice();
    ~SimulatedHapticDevice() override;

private:
    void start();
    void stop();
    void showReadout();

    std::unique_ptr<Session> m_session;
    std::size_t m_shown = 0;  // rows of the record that are in the Data
};

void registerSimulatedHapticDevice(sofa::core::ObjectFactory* factory);

}  // namespace softcontact::plugin
