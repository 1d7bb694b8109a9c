// SPDX-License-Identifier: LGPL-2.1-or-later
// Every component has an example scene named after it; each runs, and shows what its comment says.
#include <SoftContact/haptics/LinearContactModel.h>
#include <SoftContact/haptics/SimulatedHapticDevice.h>
#include <SoftContact/vademecum/VademecumContactForceField.h>
#include <sofa/core/ObjectFactory.h>
#include <sofa/core/behavior/ConstraintSolver.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <thread>

#include "test_scenes.h"

namespace softcontact::plugin::test {
namespace {

const std::filesystem::path folder = SOFTCONTACT_EXAMPLES;

class ExampleTest : public PluginTest {
public:
    void doSetUp() override
    {
        PluginTest::doSetUp();
        loadPlugins({"Sofa.Component.MechanicalLoad"});
    }
    struct Example {
        explicit Example(const std::string& name, int steps)
        {
            scene.loadSceneFile((folder / (name + ".scn")).string());
            scene.initScene();
            for (int i = 0; i < steps; ++i) {
                scene.simulate(scene.root->getDt());
            }
        }
        const AggregatePatches& patches() { return AggregatePatches::of(*scene.root); }
        RigidState::Deriv velocity(const std::string& body)
        {
            auto* state = scene.root->getChild(body)->getMechanicalState();
            return dynamic_cast<RigidState&>(*state).readVelocities()[0];
        }
        sofa::testing::BaseSimulationTest::SceneInstance scene;
    };
};

TEST_F(ExampleTest, EveryComponentHasOne)
{
    std::vector<sofa::core::ObjectFactory::ClassEntry::SPtr> entries;
    sofa::core::ObjectFactory::getInstance()->getAllEntries(entries);
    std::set<std::string> components;
    for (const auto& entry : entries) {
        for (const auto& [name, creator] : entry->creatorMap) {
            if (std::string(creator->getTarget()) == "SoftContact") {
                components.insert(entry->className);
                EXPECT_FALSE(entry->description.empty()) << entry->className;
            }
        }
    }
    EXPECT_GE(components.size(), 4u);
    // Responses, and the friction of one of them.
    components.insert({"AggregateVolume", "ContensouFriction", "BipotentialFriction"});
    for (const auto& component : components) {
        EXPECT_TRUE(std::filesystem::exists(folder / (component + ".scn"))) << component;
    }
}

TEST_F(ExampleTest, AggregateVolumeIsAFewPatches)
{
    for (const std::string name : {"AggregateVolume", "SurfaceNarrowPhase"}) {
        Example example(name, 200);
        const AggregatePatches& patches = example.patches();
        double weight = 0.0;
        for (const auto& force : patches.d_forces.getValue()) {
            weight += force[2];
        }
        EXPECT_NEAR(weight, 0.3 * gravity, 0.02 * 0.3 * gravity) << name;
        EXPECT_GT(patches.d_contactCount.getValue(), 60) << name;
        EXPECT_LT(patches.d_rows.getValue(), 1.5 * patches.d_contactCount.getValue()) << name;
    }
}

TEST_F(ExampleTest, AggregatePatchesFeedsAnotherComponent)
{
    Example example("AggregatePatches", 100);
    auto* state = example.scene.root->getChild("forceArrow")->getMechanicalState();
    const auto marker = dynamic_cast<PointState&>(*state).readPositions()[0];
    EXPECT_LT((marker - example.patches().d_centres.getValue()[0]).norm(), 1e-3);
    EXPECT_EQ(example.patches().d_forces.getValue().size(), example.patches().d_centres.getValue().size());
}

TEST_F(ExampleTest, AggregateVolumeConstraintCarriesTheTable)
{
    Example example("AggregateVolumeConstraint", 200);
    const auto force = example.patches().d_forces.getValue()[0];
    EXPECT_NEAR(force[2], 12 * gravity, 1e-3 * 12 * gravity);
    EXPECT_NEAR(force[0], -10.0, 1e-3 * 10.0);
    EXPECT_LT(getVCenter(example.velocity("table")).norm(), 1e-6);
}

TEST_F(ExampleTest, AggregateGroupMergesModels)
{
    Example example("AggregateGroup", 100);
    const auto& bodies = example.patches().d_bodyA.getValue();
    EXPECT_EQ(std::count(bodies.begin(), bodies.end(), "/grouped/surface"), 1);
    EXPECT_GT(bodies.size(), 2u);
}

TEST_F(ExampleTest, ContensouFrictionStopsTheSpin)
{
    Example example("ContensouFriction", 150);
    EXPECT_LT(std::abs(getVOrientation(example.velocity("contensou"))[2]), 1e-3);
    EXPECT_GT(getVOrientation(example.velocity("coulomb"))[2], 9.0);
}

TEST_F(ExampleTest, BipotentialFrictionSlidesAsSofasOwn)
{
    Example example("BipotentialFriction", 200);
    const auto speed = [&](const std::string& body) { return getVCenter(example.velocity(body))[0]; };
    EXPECT_NEAR(speed("friction"), (2.82 - 0.2 * 9.4) * 200 * 0.005, 0.02);
    EXPECT_NEAR(speed("local"), speed("friction"), 1e-5);
    EXPECT_NEAR(speed("global"), speed("friction"), 1e-5);
    EXPECT_NEAR(speed("held"), 0.0, 1e-6);
}

TEST_F(ExampleTest, BipotentialFrictionConstraintHoldsTheTable)
{
    Example example("BipotentialFrictionConstraint", 100);
    const auto* solver = example.scene.root->get<sofa::core::behavior::ConstraintSolver>();
    const auto* data =
        dynamic_cast<const sofa::Data<sofa::type::vector<SReal>>*>(solver->findData("constraintForces"));
    double weight = 0.0;
    for (std::size_t i = 0; i < data->getValue().size(); i += 3) {
        weight += data->getValue()[i] / 0.005;
    }
    EXPECT_NEAR(weight, 12 * gravity, 1e-3 * 12 * gravity);
    EXPECT_LT(getVCenter(example.velocity("table")).norm(), 1e-6);
}

TEST_F(ExampleTest, VirtualCouplingForceFieldHoldsThePlate)
{
    Example example("VirtualCouplingForceField", 100);
    auto* state = example.scene.root->getChild("tool")->getMechanicalState();
    const double height = dynamic_cast<RigidState&>(*state).readPositions()[0].getCenter()[2];
    EXPECT_NEAR(height, 0.05 - 0.05 * gravity / 1000, 1e-6);
}

TEST_F(ExampleTest, VademecumsHoldTheBeams)
{
    const auto end = [](Example& example, const std::string& body) {
        auto* state = example.scene.root->getChild(body)->getChild("nodes")->getMechanicalState();
        return dynamic_cast<PointState&>(*state).readPositions()[19][2];
    };
    Example container("VademecumContainer", 2), mapping("VademecumMapping", 2);
    EXPECT_LT(end(mapping, "beam"), -0.05);
    EXPECT_EQ(end(container, "beam"), end(mapping, "beam"));
    EXPECT_LT(end(container, "other"), end(container, "beam"));
    Example forces("VademecumForceField", 400);
    auto* sizes = forces.scene.root->getChild("beam")->getMechanicalState();
    using SizeState = sofa::core::behavior::MechanicalState<sofa::defaulttype::Vec1Types>;
    EXPECT_NEAR(dynamic_cast<SizeState&>(*sizes).readPositions()[0][0], 0.3, 1e-3);
}

TEST_F(ExampleTest, VademecumContactForceFieldBendsTheBeam)
{
    Example example("VademecumContactForceField", 300);
    auto* bodies = example.scene.root->getChild("bodies");
    const auto* contact = dynamic_cast<VademecumContactForceField*>(bodies->getObject("contact"));
    using SizeState = sofa::core::behavior::MechanicalState<sofa::defaulttype::Vec1Types>;
    auto* state = bodies->getChild("beam")->getMechanicalState();
    const auto sizes = dynamic_cast<SizeState&>(*state).readPositions();
    const double force = contact->d_force.getValue()[2];
    EXPECT_GT(force, 2e4);
    // The loads are at the very end, and do there the work of a force that is a little nearer to the clamp.
    EXPECT_LT(1e6 * (sizes[0][0] + sizes[1][0]), force);
    EXPECT_GT(1e6 * (sizes[0][0] + sizes[1][0]), 0.8 * force);
    EXPECT_NEAR(sizes[0][0], sizes[1][0], 2e-3);
}

/// Runs in real time until the hand presses; returns the force of the device.
double pressed(ExampleTest::Example& example, const std::string& device)
{
    auto& root = *example.scene.root;
    sofa::type::vector<LinearContactModel*> feedbacks;
    root.getTreeObjects<LinearContactModel>(&feedbacks);
    for (auto* feedback : feedbacks) feedback->d_newsWithin.setValue(0.5);  // on slow machines too
    const auto* made = dynamic_cast<SimulatedHapticDevice*>(root.getObject(device));
    auto due = std::chrono::steady_clock::now();
    for (int i = 0; i < 100 && made->d_ticks.getValue() < 1000; ++i) {
        example.scene.simulate(root.getDt());
        std::this_thread::sleep_until(due += std::chrono::milliseconds(20));
    }
    return made->d_force.getValue()[2];
}

TEST_F(ExampleTest, LinearContactModelIsFelt)
{
    Example example("LinearContactModel", 0);
    EXPECT_GT(pressed(example, "device"), 0.3);
}

TEST_F(ExampleTest, SimulatedHapticDevicesFeelTheirOwnForces)
{
    Example example("SimulatedHapticDevice", 0);
    const double right = pressed(example, "right");
    const auto* left = dynamic_cast<SimulatedHapticDevice*>(example.scene.root->getObject("left"));
    EXPECT_GT(left->d_force.getValue()[2], 0.1);
    EXPECT_GT(right, 1.5 * left->d_force.getValue()[2]);
}

TEST_F(ExampleTest, TwoPassAnimationLoopComesToRest)
{
    Example example("TwoPassAnimationLoop", 300);
    EXPECT_LT(getVCenter(example.velocity("sphere")).norm(), 0.05);
}

}  // namespace
}  // namespace softcontact::plugin::test
