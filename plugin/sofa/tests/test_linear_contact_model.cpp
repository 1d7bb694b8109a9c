// SPDX-License-Identifier: LGPL-2.1-or-later
#include <sofa/testing/TestMessageHandler.h>

#include <chrono>
#include <thread>

#include "haptic_scenes.h"

namespace softcontact::plugin::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double depth = 0.006;
const Vector3d device(0.0, 0.0, 0.042 - depth);

class LinearContactModelTest : public PluginTest {
public:
    void doSetUp() override
    {
        PluginTest::doSetUp();
        loadPlugins({"Sofa.Component.Engine.Select", "Sofa.Component.Haptics"});
    }

    /// Milliseconds with a call each, a step of the simulation every ten; the greatest force of the calls.
    static double drive(HapticScene& scene, int milliseconds, const Vector3d& pose = device,
                        bool steps = true)
    {
        double greatest = 0.0;
        for (int i = 0; i < milliseconds; ++i) {
            if (steps && i % 10 == 0) scene.step();
            greatest = std::max(greatest, scene.call(pose).norm());
            scene.wait();
        }
        return greatest;
    }
};

TEST_F(LinearContactModelTest, ReproducesTheStepItComesFrom)
{
    for (const auto& loop : {free_motion, velocity_order, two_pass}) {
        HapticScene scene(pressed(loop, plate_tool("tool", 0.0, depth)));
        scene.step(30);
        const auto& model = scene.feedback().model();
        ASSERT_GE(model.contacts(), 9) << loop;
        const Wrench wrench = model.wrench(model.free_force.head<3>(), model.free_force.tail<3>());
        EXPECT_LT((wrench.vector() - model.contact).norm(), 1e-9 * model.contact.norm()) << loop;
        const auto felt = scene.coupling().d_deviceForce.getValue().getLinear();
        EXPECT_NEAR(felt[2], model.contact[2], 1e-3 * model.contact[2]) << loop;
        EXPECT_GT(felt[2], 0.5) << loop;
    }
}

TEST_F(LinearContactModelTest, FastToolFindsTheForceOfTheSimulation)
{
    for (const auto& loop : {free_motion, velocity_order, two_pass}) {
        HapticScene scene(pressed(loop, plate_tool("tool", 0.0, depth)));
        scene.step(30);
        drive(scene, 200);
        const double felt = scene.coupling().d_deviceForce.getValue().getLinear()[2];
        EXPECT_NEAR(scene.call(device)[2], felt, 0.005 * felt) << loop;
        EXPECT_EQ(scene.feedback().d_state.getValue(), "touching") << loop;
    }
}

TEST_F(LinearContactModelTest, ForceChangesWithEachPoseBetweenSteps)
{
    HapticScene scene(
        pressed(two_pass, plate_tool("tool", 0.0, depth, "<LinearContactModel maxForce='20'/>")));
    scene.step(30);
    drive(scene, 100);
    const Vector3d first = scene.call(device);
    Vector3d last = first;
    for (int i = 1; i <= 15; ++i) {
        scene.wait();
        const Vector3d force = scene.call(device - Vector3d(0, 0, 1e-4 * i));
        EXPECT_NE(force[2], last[2]) << i;
        last = force;
    }
    EXPECT_GT(last[2], first[2] + 0.2);
}

TEST_F(LinearContactModelTest, ForceIsZeroSoonAfterTheSimulationStalls)
{
    HapticScene scene(pressed(two_pass, plate_tool("tool", 0.0, depth)));
    scene.step(30);
    drive(scene, 100);
    scene.step();
    ASSERT_GT(scene.call(device).norm(), 0.5);
    int last = 0;  // time of the last force [ms]
    for (int time = 0; time < 150; ++time) {
        if (scene.call(device).norm() > 0.0) last = time;
        scene.wait();
    }
    EXPECT_LE(last, 50);
    EXPECT_GE(last, 40);
    drive(scene, 100);
    EXPECT_GT(scene.call(device).norm(), 0.5) << "comes back";
}

TEST_F(LinearContactModelTest, LimitsAreInside)
{
    HapticScene scene(pressed(
        two_pass, plate_tool("tool", 0.0, depth, "<LinearContactModel maxForce='0.4' maxForceRate='20'/>")));
    scene.step(30);
    double last = 0.0, steepest = 0.0;
    for (int i = 0; i < 150; ++i) {
        if (i % 10 == 0) scene.step();
        const double force = scene.call(device)[2];
        steepest = std::max(steepest, force - last);
        last = force;
        scene.wait();
    }
    EXPECT_NEAR(last, 0.4, 1e-12);
    EXPECT_LT(steepest, 20 * 1e-3 + 0.4 / 50 + 1e-9);  // slew, and the fade-in over 50 ms
}

TEST_F(LinearContactModelTest, PosesThatCannotBeTrueGiveNoForce)
{
    HapticScene scene(pressed(two_pass, plate_tool("tool", 0.0, depth)));
    scene.step(30);
    drive(scene, 100);
    ASSERT_GT(scene.call(device).norm(), 0.5);
    EXPECT_EQ(scene.call({NAN, 0, 0}).norm(), 0.0);
    drive(scene, 100);
    ASSERT_GT(scene.call(device).norm(), 0.5);
    EXPECT_EQ(scene.call(device - Vector3d(0, 0, 1)).norm(), 0.0);
}

TEST_F(LinearContactModelTest, NoForceBeforeTheFirstStepOrDeactivated)
{
    HapticScene scene(pressed(two_pass, plate_tool("tool", 0.0, depth)));
    EXPECT_EQ(drive(scene, 20, device, false), 0.0);
    scene.step(30);
    EXPECT_GT(drive(scene, 100), 0.5);
    scene.feedback().d_activate.setValue(false);
    scene.step();
    EXPECT_EQ(drive(scene, 20, device, false), 0.0);
}

TEST_F(LinearContactModelTest, WrenchCarriesTorqueAndOrientation)
{
    HapticScene scene(pressed(two_pass, plate_tool("tool", 0.0, depth)));
    scene.step(30);
    const auto turned = sofa::type::Quat<SReal>(0, std::sin(0.05), 0, std::cos(0.05));
    const sofa::type::Transform<SReal> pose(sofaVector(device), turned);
    const sofa::type::SpatialVector<SReal> still(sofa::type::Vec3(0, 0, 0), sofa::type::Vec3(0, 0, 0));
    sofa::type::SpatialVector<SReal> wrench(sofa::type::Vec3(0, 0, 0), sofa::type::Vec3(0, 0, 0));
    for (int i = 0; i < 150; ++i) {
        if (i % 10 == 0) scene.step();
        scene.feedback().computeWrench(pose, still, wrench);
        scene.wait();
    }
    EXPECT_GT(wrench.getForce()[2], 0.5);
    EXPECT_LT(wrench.getTorque()[1], -1e-3);  // the block turns the plate back
}

TEST_F(LinearContactModelTest, DriversThreadRunsBesideTheSteps)
{
    HapticScene scene(pressed(two_pass, plate_tool("tool", 0.0, depth)));
    SystemTickClock clock;
    scene.feedback().useClock(clock);
    scene.step();
    std::atomic<bool> end{false};
    std::atomic<int> touching{0}, calls{0};
    std::thread driver([&] {
        auto due = Clock::now();
        while (!end) {
            const Vector3d force = scene.call(device);
            calls += 1;
            touching += force[2] > 0.0 ? 1 : 0;
            EXPECT_TRUE(force.allFinite());
            std::this_thread::sleep_until(due += std::chrono::milliseconds(1));
        }
    });
    for (int i = 0; i < 40; ++i) {
        scene.step();
        // A changed setting makes all of it anew beside the running driver.
        scene.coupling().d_stiffness.setValue(i % 8 == 0 ? 1000 + i
                                                         : scene.coupling().d_stiffness.getValue());
    }
    end = true;
    driver.join();
    EXPECT_GT(touching, 0);
}

struct RefusedFeedback : LinearContactModelTest {
    static void expectRefused(const std::string& xml)
    {
        EXPECT_MSG_EMIT(Error);
        HapticScene scene(xml);
        scene.step(30);
        EXPECT_EQ(drive(scene, 100), 0.0);
        EXPECT_EQ(scene.feedback().d_componentState.getValue(),
                  sofa::core::objectmodel::ComponentState::Invalid);
    }
};

TEST_F(RefusedFeedback, PatchesAreNoPointContacts)
{
    expectRefused(pressed(two_pass, plate_tool("tool", 0.0, depth), "AggregateVolume?mu=0.4"));
}

TEST_F(RefusedFeedback, RateOutOfRange)
{
    expectRefused(pressed(two_pass, plate_tool("tool", 0.0, depth, "<LinearContactModel rate='10'/>")));
}

TEST_F(RefusedFeedback, ToolWithoutACoupling)
{
    std::string xml = pressed(two_pass, plate_tool("tool", 0.0, depth));
    const auto begin = xml.find("<VirtualCouplingForceField"), end = xml.find("/>", begin) + 2;
    expectRefused(xml.erase(begin, end - begin));
}

TEST_F(LinearContactModelTest, CouplingPullsTheToolToTheDevice)
{
    HapticScene scene(
        root(two_pass, "FrictionContactConstraint", plate_tool("tool", 0.0, -0.02), 0.01, "0 0 -9.81"));
    scene.step(200);
    const auto pose = scene.state<RigidState>("tool").readPositions()[0];
    EXPECT_NEAR(pose.getCenter()[2], 0.062 - 0.05 * gravity / 1000, 1e-6);  // m g / k below
    EXPECT_NEAR(scene.coupling().d_deviceForce.getValue().getLinear()[2], -0.05 * gravity, 1e-4);
    EXPECT_NEAR(scene.coupling().coupling().gains().damping, std::sqrt(2 * 0.05 * 1000), 1e-9);
}

}  // namespace
}  // namespace softcontact::plugin::test
