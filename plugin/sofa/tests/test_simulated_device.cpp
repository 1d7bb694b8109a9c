// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/haptics/SimulatedHapticDevice.h>
#include <sofa/testing/TestMessageHandler.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <thread>

#include "haptic_scenes.h"

namespace softcontact::plugin::test {
namespace {

using Clock = std::chrono::steady_clock;

/// Writes down what it is called with, and answers with a spring.
class Listener final : public sofa::component::haptics::ForceFeedback {
public:
    SOFA_CLASS(Listener, sofa::component::haptics::ForceFeedback);

    void computeForce(SReal x, SReal y, SReal z, SReal u, SReal v, SReal w, SReal q, SReal& fx, SReal& fy,
                      SReal& fz) override
    {
        calls += 1;
        turned += u != 0 || v != 0 || w != 0 || q != 0 ? 1 : 0;
        threads.insert(std::this_thread::get_id());
        fx = -10 * x;
        fy = -10 * y;
        fz = 10 * (height - z);
    }
    void computeWrench(const sofa::type::Transform<SReal>& pose, const sofa::type::SpatialVector<SReal>&,
                       sofa::type::SpatialVector<SReal>& wrench) override
    {
        wrenches += 1;
        wrench.setForce(sofa::type::Vec3(0, 0, 10 * (height - pose.getOrigin()[2])));
        wrench.setTorque(sofa::type::Vec3(0, 0, 0));
    }

    double height = 0.1;
    std::atomic<int> calls{0}, turned{0}, wrenches{0};
    std::set<std::thread::id> threads;
};

std::string device(const std::string& name, const std::string& more = "", double z = 0.04)
{
    const std::string pose = "0 0 " + std::to_string(z) + " 0 0 0 1 ";
    return "<SimulatedHapticDevice name='" + name + "' times='0 0.05 5' poses='0 0 0.05 0 0 0 1 " + pose +
           pose + "' " + more + "/>";
}

class DeviceScene {
public:
    explicit DeviceScene(const std::string& content, std::initializer_list<double> heights = {0.1})
        : m_scene("xml", "<Node name='root' dt='0.01'><DefaultAnimationLoop/>" + content + "</Node>")
    {
        for (const double height : heights) {
            auto made = sofa::core::objectmodel::New<Listener>();
            made->height = height;
            made->setName("feedback" + std::to_string(listeners.size()));
            m_scene.root->addObject(made);
            listeners.push_back(made);
        }
    }
    void init() { m_scene.initScene(); }
    SimulatedHapticDevice& device(const std::string& name = "device")
    {
        return *dynamic_cast<SimulatedHapticDevice*>(m_scene.root->getObject(name));
    }
    void run(int milliseconds)
    {
        auto due = Clock::now();
        for (int i = 0; i < milliseconds / 10; ++i) {
            m_scene.simulate(0.01);
            std::this_thread::sleep_until(due += std::chrono::milliseconds(10));
        }
    }
    sofa::simulation::Node& root() { return *m_scene.root; }

    std::vector<Listener::SPtr> listeners;

private:
    sofa::testing::BaseSimulationTest::SceneInstance m_scene;
};

int threads()
{
    namespace fs = std::filesystem;
    const fs::directory_iterator tasks("/proc/self/task");
    return static_cast<int>(std::distance(fs::begin(tasks), fs::end(tasks)));
}

class SimulatedDeviceTest : public PluginTest {};

TEST_F(SimulatedDeviceTest, CallsWhatGeomagicDriverCalls)
{
    DeviceScene scene(device("device"));
    scene.init();
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    EXPECT_EQ(scene.listeners[0]->calls, 0) << "before the first step";
    scene.run(300);
    const Listener& feedback = *scene.listeners[0];
    EXPECT_GT(feedback.calls, 100);
    EXPECT_EQ(feedback.turned, 0);
    EXPECT_EQ(feedback.wrenches, 0);
    EXPECT_EQ(feedback.threads.size(), 1U);
    EXPECT_EQ(feedback.threads.count(std::this_thread::get_id()), 0U);
    SimulatedHapticDevice& device = scene.device();
    EXPECT_GT(device.d_ticks.getValue(), 100);
    const double z = device.d_positionDevice.getValue().getCenter()[2];
    EXPECT_NEAR(z, 0.04 + 10 * 0.06 / 410, 2e-4);  // the hand's spring against the feedback's
    EXPECT_NEAR(device.d_force.getValue()[2], 10 * (0.1 - z), 1e-3);
    EXPECT_FALSE(device.d_scheduling.getValue().empty());
}

TEST_F(SimulatedDeviceTest, TwoDevicesHaveTwoForces)
{
    DeviceScene scene(
        device("one", "forceFeedBack='@/feedback0'") + device("two", "forceFeedBack='@/feedback1'"),
        {0.1, 0.2});
    scene.init();
    scene.run(200);
    EXPECT_NEAR(scene.device("one").d_force.getValue()[2], 0.6, 0.05);
    EXPECT_NEAR(scene.device("two").d_force.getValue()[2], 1.6, 0.1);
    EXPECT_NE(*scene.listeners[0]->threads.begin(), *scene.listeners[1]->threads.begin());
}

TEST_F(SimulatedDeviceTest, CountsTicksThatDiffer)
{
    DeviceScene scene(device("device", "handStiffness='1e6' handDamping='1e3' positionStep='0.001'"));
    scene.init();
    scene.run(200);
    // A stiff hand, and encoders of 1 mm: ten forces on the way down, then one and the same.
    const SimulatedHapticDevice& device = scene.device();
    EXPECT_GT(device.d_contactTicks.getValue(), 50);
    const double changes = device.d_differing.getValue() * device.d_contactTicks.getValue();
    EXPECT_GE(changes, 9.5);
    EXPECT_LE(changes, 30.5);
}

TEST_F(SimulatedDeviceTest, RecordsOnDemand)
{
    DeviceScene scene(device("device", "record='0.1'"));
    scene.init();
    scene.run(300);
    const SimulatedHapticDevice& device = scene.device();
    const auto& times = device.d_recordedTimes.getValue();
    ASSERT_EQ(times.size(), 100U);
    ASSERT_EQ(device.d_recordedForces.getValue().size(), 100U);
    for (std::size_t i = 1; i < times.size(); ++i) {
        ASSERT_GT(times[i], times[i - 1]);
        const double z = device.d_recordedPositions.getValue()[i][2];
        EXPECT_NEAR(device.d_recordedForces.getValue()[i][2], 10 * (0.1 - z), 1e-9);
    }
}

TEST_F(SimulatedDeviceTest, SixAxesCallTheWrench)
{
    DeviceScene scene(device("device", "wrench='1'"));
    scene.init();
    scene.run(100);
    EXPECT_GT(scene.listeners[0]->wrenches, 10);
    EXPECT_EQ(scene.listeners[0]->calls, 0);
}

TEST_F(SimulatedDeviceTest, ThreadEndsWithItsScene)
{
    const int before = threads();
    for (int i = 0; i < 20; ++i) {
        DeviceScene scene(device("one") + device("two"));
        scene.init();
        scene.run(20);
        ASSERT_EQ(threads(), before + 2) << i;
    }
    EXPECT_EQ(threads(), before);
}

TEST_F(SimulatedDeviceTest, ResetBeginsAnewWithOneThread)
{
    DeviceScene scene(device("device"));
    scene.init();
    scene.run(200);
    const int before = threads();
    sofa::simulation::node::reset(&scene.root());
    EXPECT_EQ(threads(), before);
    EXPECT_EQ(scene.device().d_ticks.getValue(), 0);
    EXPECT_NEAR(scene.device().d_positionDevice.getValue().getCenter()[2], 0.05, 1e-9);
    scene.run(100);
    EXPECT_GT(scene.device().d_ticks.getValue(), 10);
}

TEST_F(SimulatedDeviceTest, RemovedDeviceLeavesNoThread)
{
    const int before = threads();
    DeviceScene scene(device("device"));
    scene.init();
    scene.run(20);
    EXPECT_EQ(threads(), before + 1);
    scene.root().removeObject(&scene.device());
    EXPECT_EQ(threads(), before);
}

struct RefusedDevice : SimulatedDeviceTest {
    static void expectRefused(const std::string& data)
    {
        EXPECT_MSG_EMIT(Error);
        const int before = threads();
        DeviceScene scene("<SimulatedHapticDevice name='device' " + data + "/>");
        scene.init();
        scene.run(20);
        EXPECT_EQ(threads(), before);
        EXPECT_EQ(scene.listeners[0]->calls, 0);
    }
};

TEST_F(RefusedDevice, RateOutOfRange)
{
    expectRefused("rate='10'");
}

TEST_F(RefusedDevice, TimesThatFall)
{
    expectRefused("times='0 2 1' poses='0 0 0 0 0 0 1 0 0 0 0 0 0 1 0 0 0 0 0 0 1'");
}

TEST_F(RefusedDevice, AnotherNumberOfPoses)
{
    expectRefused("times='0 1' poses='0 0 0 0 0 0 1'");
}

TEST_F(SimulatedDeviceTest, SceneWithoutFeedbackMovesTheDevice)
{
    EXPECT_MSG_EMIT(Warning);
    DeviceScene scene(device("device"), {});
    scene.init();
    scene.run(600);
    EXPECT_NEAR(scene.device().d_positionDevice.getValue().getCenter()[2], 0.04, 2e-4);
    EXPECT_EQ(scene.device().d_force.getValue()[2], 0);
}

}  // namespace
}  // namespace softcontact::plugin::test
