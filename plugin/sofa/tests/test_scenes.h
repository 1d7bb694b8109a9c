// SPDX-License-Identifier: LGPL-2.1-or-later
// Scenes that the tests share, as SOFA's XML.
#pragma once

#include <SoftContact/contact/AggregatePatches.h>
#include <gtest/gtest.h>
#include <sofa/core/behavior/MechanicalState.h>
#include <sofa/defaulttype/RigidTypes.h>
#include <sofa/defaulttype/VecTypes.h>
#include <sofa/simulation/Node.h>
#include <sofa/testing/BaseSimulationTest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace softcontact::plugin::test {

using RigidState = sofa::core::behavior::MechanicalState<sofa::defaulttype::Rigid3Types>;
using PointState = sofa::core::behavior::MechanicalState<sofa::defaulttype::Vec3Types>;

constexpr double gravity = 9.81;

inline const std::string free_motion = "<FreeMotionAnimationLoop/>";
inline const std::string velocity_order = "<FreeMotionAnimationLoop solveVelocityConstraintFirst='1'/>";
inline const std::string two_pass = "<TwoPassAnimationLoop/>";

/// Root with a loop, a solver, and the collision pipeline.
inline std::string root(const std::string& loop, const std::string& response, const std::string& content,
                        double dt = 0.005, const std::string& g = "0 0 -9.81",
                        const std::string& solver = "BlockGaussSeidelConstraintSolver")
{
    return "<Node name='root' dt='" + std::to_string(dt) + "' gravity='" + g + "'>" + loop + "<" + solver +
           " tolerance='1e-14' maxIterations='5000'/>"
           "<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"
           "<MinProximityIntersection name='proximity' alarmDistance='0.02' contactDistance='0.002'/>"
           "<CollisionResponse response='" +
           response.substr(0, response.find('?')) + "' responseParams='" +
           (response.find('?') == std::string::npos ? "" : response.substr(response.find('?') + 1)) + "'/>" +
           content + "</Node>";
}

inline const std::string floor_node =
    "<Node name='floor'><MeshTopology position='-3 -3 0  3 -3 0  0 5 0' triangles='0 1 "
    "2'/><MechanicalObject/>"
    "<TriangleCollisionModel moving='0' simulated='0'/></Node>";

inline std::string integration(const std::string& correction = "UncoupledConstraintCorrection")
{
    return "<EulerImplicitSolver rayleighMass='0' rayleighStiffness='0'/>"
           "<CGLinearSolver iterations='50' tolerance='1e-16' threshold='1e-30'/><" +
           correction + "/>";
}

/// A scene built from XML, and what the tests ask of it.
class Scene {
public:
    explicit Scene(const std::string& xml) : m_scene("xml", xml)
    {
        if (m_scene.root == nullptr) {
            throw std::runtime_error("SOFA could not build the scene");
        }
        m_scene.initScene();
    }

    void step(int count = 1)
    {
        for (int i = 0; i < count; ++i) {
            m_scene.simulate(dt());
        }
    }
    [[nodiscard]] double dt() const { return m_scene.root->getDt(); }
    [[nodiscard]] sofa::simulation::Node& root() { return *m_scene.root; }

    template <class State>
    State& state(const std::string& node)
    {
        auto* found = m_scene.root->getChild(node);
        return *dynamic_cast<State*>(found->getMechanicalState());
    }
    const AggregatePatches& patches() { return AggregatePatches::of(*m_scene.root); }

private:
    sofa::testing::BaseSimulationTest::SceneInstance m_scene;
};

class PluginTest : public sofa::testing::BaseSimulationTest {
public:
    void doSetUp() override
    {
        loadPlugins({"SoftContact",
                     "Sofa.Component.AnimationLoop",
                     "Sofa.Component.Collision.Detection.Algorithm",
                     "Sofa.Component.Collision.Detection.Intersection",
                     "Sofa.Component.Collision.Geometry",
                     "Sofa.Component.Collision.Response.Contact",
                     "Sofa.Component.Constraint.Lagrangian.Correction",
                     "Sofa.Component.Constraint.Lagrangian.Solver",
                     "Sofa.Component.Constraint.Projective",
                     "Sofa.Component.LinearSolver.Direct",
                     "Sofa.Component.LinearSolver.Iterative",
                     "Sofa.Component.Mapping.Linear",
                     "Sofa.Component.Mapping.NonLinear",
                     "Sofa.Component.Mass",
                     "Sofa.Component.ODESolver.Backward",
                     "Sofa.Component.SolidMechanics.FEM.Elastic",
                     "Sofa.Component.SolidMechanics.Spring",
                     "Sofa.Component.StateContainer",
                     "Sofa.Component.Topology.Container.Constant",
                     "Sofa.Component.Topology.Container.Dynamic",
                     "Sofa.Component.Topology.Container.Grid"});
    }
};

}  // namespace softcontact::plugin::test
