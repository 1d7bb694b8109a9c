// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/Component.h>
#include <SoftContact/loop/TwoPassAnimationLoop.h>
#include <gtest/gtest.h>
#include <sofa/component/constraint/lagrangian/model/UnilateralConstraintResolution.h>
#include <sofa/component/statecontainer/MechanicalObject.h>
#include <sofa/core/ObjectFactory.h>
#include <sofa/core/behavior/LagrangianConstraint.h>
#include <sofa/simulation/CollisionBeginEvent.h>
#include <sofa/simulation/Node.h>
#include <sofa/simulation/events/SolveConstraintSystemEndEvent.h>
#include <sofa/testing/BaseSimulationTest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace softcontact::plugin {
namespace {

using sofa::core::objectmodel::New;
using sofa::defaulttype::Rigid3Types;
using sofa::defaulttype::Vec3Types;
using Pass = TwoPassStep::Pass;
template <class T>
using State = sofa::component::statecontainer::MechanicalObject<T>;

constexpr double gravity = 9.81;

/// Keeps the points of its state above z = 0, with the law of the plugin's contacts; writes down what it is
/// told.
class HalfSpace : public sofa::core::behavior::LagrangianConstraint<Vec3Types> {
public:
    SOFA_CLASS(HalfSpace, SOFA_TEMPLATE(sofa::core::behavior::LagrangianConstraint, Vec3Types));

    std::vector<Pass> passes;
    std::vector<Coord> starts;  ///< of the first point, at the start of each step
    double staleness = 0;       ///< how far the free positions handed over are from where they should be

    void buildConstraintMatrix(const sofa::core::ConstraintParams*, DataMatrixDeriv& matrix, unsigned& index,
                               const DataVecCoord& x) override
    {
        passes.push_back(TwoPassStep::passOf(getContext()));
        m_first = index;
        auto rows = sofa::helper::getWriteAccessor(matrix);
        for (unsigned i = 0; i < x.getValue().size(); ++i) {
            rows->writeLine(index++).addCol(i, Deriv(0, 0, 1));
        }
    }

    void getConstraintViolation(const sofa::core::ConstraintParams* params,
                                sofa::linearalgebra::BaseVector* out, const DataVecCoord& x,
                                const DataVecDeriv& v) override
    {
        const bool velocity = params->constOrder() == sofa::core::ConstraintOrder::VEL;
        const double dt = TwoPassStep::find(getContext())->step();
        const auto start = this->mstate->readPositions();
        if (velocity) {
            starts.push_back(start[0]);
        }
        for (unsigned i = 0; i < start.size(); ++i) {
            const Coord expected = start[i] + (velocity ? v.getValue()[i] * dt : Deriv());
            staleness = std::max<double>(staleness, (x.getValue()[i] - expected).norm());
            out->set(m_first + i, velocity ? v.getValue()[i].z() + std::max<double>(start[i].z(), 0) / dt
                                           : x.getValue()[i].z());
        }
    }

    void getConstraintResolution(const sofa::core::ConstraintParams*,
                                 std::vector<sofa::core::behavior::ConstraintResolution*>& resolutions,
                                 unsigned& offset) override
    {
        for (size_t i = 0; i < this->mstate->getSize(); ++i) {
            resolutions[offset++] =
                new sofa::component::constraint::lagrangian::model::UnilateralConstraintResolution();
        }
    }

private:
    unsigned m_first = 0;
};

/// Counts the solves that are announced, and notes where a state is when contacts are detected; on demand it
/// takes away the impulses found, before they are applied.
class Listener : public virtual Component {
public:
    SOFA_CLASS(Listener, Component);
    int solves = 0;
    GenericSolver* erase = nullptr;
    const State<Vec3Types>* watched = nullptr;
    std::vector<sofa::type::Vec3> detected;

    Listener() { f_listening.setValue(true); }

    void handleEvent(sofa::core::objectmodel::Event* event) override
    {
        if (watched != nullptr && sofa::simulation::CollisionBeginEvent::checkEventType(event)) {
            detected.push_back(watched->readPositions()[0]);
        }
        if (!sofa::simulation::SolveConstraintSystemEndEvent::checkEventType(event)) return;
        ++solves;
        if (erase != nullptr) erase->getConstraintProblem()->f.clear();
    }
};

const std::string plugins = R"(
    <RequiredPlugin pluginName="Sofa.Component.AnimationLoop"/>
    <RequiredPlugin pluginName="Sofa.Component.Collision.Detection.Algorithm"/>
    <RequiredPlugin pluginName="Sofa.Component.Collision.Detection.Intersection"/>
    <RequiredPlugin pluginName="Sofa.Component.Collision.Geometry"/>
    <RequiredPlugin pluginName="Sofa.Component.Collision.Response.Contact"/>
    <RequiredPlugin pluginName="Sofa.Component.Constraint.Lagrangian.Correction"/>
    <RequiredPlugin pluginName="Sofa.Component.Constraint.Lagrangian.Solver"/>
    <RequiredPlugin pluginName="Sofa.Component.LinearSolver.Direct"/>
    <RequiredPlugin pluginName="Sofa.Component.Mapping.NonLinear"/>
    <RequiredPlugin pluginName="Sofa.Component.Mass"/>
    <RequiredPlugin pluginName="Sofa.Component.ODESolver.Backward"/>
    <RequiredPlugin pluginName="Sofa.Component.StateContainer"/>
    <RequiredPlugin pluginName="Sofa.Component.Topology.Container.Constant"/>)";

const std::string solver =
    R"(<BlockGaussSeidelConstraintSolver name="solver" tolerance="1e-9" maxIterations="1000" computeConstraintForces="1"/>)";

const std::string integrator = R"(
    <EulerImplicitSolver rayleighMass="0" rayleighStiffness="0"/>
    <SparseLDLSolver/>)";

/// A point of 2 kg at `position`, alone in the node "body".
std::string point(const std::string& position, const std::string& velocity = "0 0 0")
{
    return "<Node name='body'>" + integrator + "<MechanicalObject template='Vec3' name='state' position='" +
           position + "' velocity='" + velocity +
           "'/><UniformMass totalMass='2'/><LinearSolverConstraintCorrection/></Node>";
}

/// A cube of 1 kg and 0.1 m whose eight corners, in the node "body/corners", are mapped.
std::string cube(const std::string& position, const std::string& velocity)
{
    return "<Node name='body'>" + integrator + "<MechanicalObject template='Rigid3' name='state' position='" +
           position + "' velocity='" + velocity + R"('/>
        <UniformMass vertexMass='1 1 [0.00167 0 0 0 0.00167 0 0 0 0.00167]'/><LinearSolverConstraintCorrection/>
        <Node name='corners'>
          <MechanicalObject template='Vec3' name='state' position='-.05 -.05 -.05  .05 -.05 -.05  -.05 .05 -.05
            .05 .05 -.05  -.05 -.05 .05  .05 -.05 .05  -.05 .05 .05  .05 .05 .05'/>
          <RigidMapping/>
        </Node></Node>)";
}

/// A rigid sphere of 1 kg and radius 50 mm whose lowest point is `gap` above SOFA's contact distance of a
/// floor.
std::string sphereOnFloor(double gap, const std::string& velocity = "0 0 0 0 0 0",
                          const std::string& response = "FrictionContactConstraint")
{
    return R"(
    <CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>
    <MinProximityIntersection alarmDistance="0.01" contactDistance="0.001"/>
    <CollisionResponse response=")" +
           response + R"(" responseParams="mu=0.5"/>
    <Node name="body">)" +
           integrator + "<MechanicalObject template='Rigid3' name='state' position='0.1 0.2 " +
           std::to_string(0.051 + gap) + " 0 0 0 1' velocity='" + velocity + R"('/>
      <UniformMass vertexMass='1 1 [0.001 0 0 0 0.001 0 0 0 0.001]'/><LinearSolverConstraintCorrection/>
      <SphereCollisionModel template="Rigid3" radius="0.05"/>
    </Node>
    <Node name="floor">
      <MeshTopology position="-2 -2 0  3 -2 0  -2 3 0" triangles="0 1 2"/>
      <MechanicalObject template="Vec3"/>
      <TriangleCollisionModel simulated="0" moving="0"/>
    </Node>)";
}

struct TwoPassLoop : sofa::testing::BaseSimulationTest {
    void doSetUp() override { loadPlugins({"SoftContact"}); }

    /// A scene of `content` under a loop with `loopData`; initialise it with init().
    static SceneInstance scene(const std::string& content, double dt = 0.01, const std::string& loopData = "")
    {
        return SceneInstance("xml", "<Node name='root' gravity='0 0 -9.81' dt='" + std::to_string(dt) + "'>" +
                                        plugins + "<TwoPassAnimationLoop name='loop' " + loopData + "/>" +
                                        content + "</Node>");
    }

    template <class T>
    static T* get(const SceneInstance& s, const std::string& path)
    {
        return s.root->get<T>(path);
    }

    static GenericSolver* solverOf(const SceneInstance& s) { return get<GenericSolver>(s, "/solver"); }

    static HalfSpace* addHalfSpace(const SceneInstance& s, const std::string& node)
    {
        auto* context = s.root->getTreeNode(node);
        auto constraint = New<HalfSpace>();
        context->addObject(constraint);
        return constraint.get();
    }

    static std::vector<double> forces(const SceneInstance& s)
    {
        const auto& f = solverOf(s)->d_constraintForces.getValue();
        return {f.begin(), f.end()};
    }
};

TEST_F(TwoPassLoop, sphereCarriesItsWeightAtEveryStepLength)
{
    for (const std::string response : {"FrictionContactConstraint", "AggregateVolume"}) {
        for (const double dt : {0.001, 0.005, 0.02}) {
            auto s = scene(solver + sphereOnFloor(0, "0 0 0 0 0 0", response), dt);
            s.initScene();
            for (int i = 0; i < 20; ++i) {
                s.simulate(dt);
                ASSERT_FALSE(forces(s).empty()) << response << ", dt " << dt;
                EXPECT_NEAR(forces(s)[0] / dt, gravity, 0.01 * gravity)
                    << response << ", dt " << dt << ", step " << i;
            }
            const auto* state = get<State<Rigid3Types>>(s, "/body/state");
            EXPECT_NEAR(state->readPositions()[0].getCenter().z(), 0.051, 1e-6) << response << ", dt " << dt;
        }
    }
}

TEST_F(TwoPassLoop, positionPassRemovesPenetrationAndLeavesVelocity)
{
    for (const bool on : {true, false}) {
        auto s = scene(solver + point("0 0 -0.001", "0.3 0 0"), 0.01,
                       on ? "positionPass='1'" : "positionPass='0'");
        addHalfSpace(s, "body");
        s.initScene();
        s.simulate(0.01);
        const auto* state = get<State<Vec3Types>>(s, "/body/state");
        EXPECT_NEAR(state->readPositions()[0].z(), on ? 0 : -0.001, 1e-12);
        EXPECT_NEAR(state->readPositions()[0].x(), 0.003, 1e-12);
        EXPECT_NEAR(state->readVelocities()[0].z(), 0, 1e-12);
        EXPECT_NEAR(state->readVelocities()[0].x(), 0.3, 1e-12);
    }
}

TEST_F(TwoPassLoop, velocitiesAreTheSameWithAndWithoutThePositionPass)
{
    std::vector<double> energies;
    for (const std::string on : {"1", "0"}) {
        auto s = scene(solver + cube("0 0 0.045 0.1 0.2 0 0.9746794", "0.2 0 -1 3 1 2"), 0.01,
                       "positionPass='" + on + "'");
        addHalfSpace(s, "corners");
        s.initScene();
        s.simulate(0.01);
        const auto v = get<State<Rigid3Types>>(s, "/body/state")->readVelocities()[0];
        energies.push_back(v.getLinear().norm2() + 0.00167 * v.getAngular().norm2());
        const auto corners = get<State<Vec3Types>>(s, "/body/corners/state")->readPositions();
        double lowest = 1;
        for (const auto& x : corners) lowest = std::min<double>(lowest, x.z());
        if (on == "1") {
            EXPECT_GT(lowest, -1e-3);
        } else {
            EXPECT_LT(lowest, -1e-2);
        }
    }
    EXPECT_DOUBLE_EQ(energies[0], energies[1]);
}

TEST_F(TwoPassLoop, forcesAfterTheStepAreThoseOfTheVelocityPass)
{
    const double dt = 0.01, weight = 2 * gravity * dt;  // an impulse; the position pass needs 0.2 N s
    auto s = scene(solver + point("0 0 -0.001"), dt);
    addHalfSpace(s, "body");
    s.initScene();
    for (int i = 0; i < 2; ++i) {
        s.simulate(dt);
        ASSERT_EQ(forces(s).size(), 1U);
        EXPECT_NEAR(forces(s)[0], weight, 1e-9);
        EXPECT_NEAR(solverOf(s)->getConstraintProblem()->getF()[0], weight, 1e-9);
        EXPECT_NEAR(solverOf(s)->getConstraintProblem()->getW()[0][0], 0.5, 1e-9);  // 1/m, not dt/m
        auto* state = get<State<Vec3Types>>(s, "/body/state");
        const auto* lambda = state->read(solverOf(s)->getLambda().getId(state));
        EXPECT_NEAR(lambda->getValue()[0].z(), weight, 1e-9);
        EXPECT_EQ(solverOf(s)->d_tolerance.getValue(), 1e-9);
        EXPECT_EQ(solverOf(s)->d_maxIt.getValue(), 1000);
        EXPECT_TRUE(solverOf(s)->d_computeConstraintForces.getValue());
        EXPECT_EQ(get<TwoPassAnimationLoop>(s, "/loop")->d_positionRows.getValue(), 1);
    }
}

TEST_F(TwoPassLoop, constraintsLearnThePassAndOneSolveIsAnnounced)
{
    auto s = scene(solver + point("0 0 0"));
    auto* halfSpace = addHalfSpace(s, "body");
    auto listener = New<Listener>();
    s.root->addObject(listener);
    s.initScene();
    s.simulate(0.01);
    EXPECT_EQ(halfSpace->passes, (std::vector<Pass>{Pass::velocity, Pass::position}));
    s.simulate(0.01);
    EXPECT_EQ(halfSpace->passes.size(), 4U);
    EXPECT_EQ(listener->solves, 2);
    EXPECT_EQ(TwoPassStep::passOf(s.root.get()), Pass::none);
    EXPECT_EQ(TwoPassStep::find(s.root.get())->step(), 0.01);
    EXPECT_EQ(TwoPassStep::find(nullptr), nullptr);
}

TEST_F(TwoPassLoop, freePositionsOfMappedStatesAreFreshInBothPasses)
{
    auto s = scene(solver + cube("0 0 0.06 0.1 0.2 0 0.9746794", "0.2 0 -1 3 1 2"));
    auto* halfSpace = addHalfSpace(s, "corners");
    s.initScene();
    for (int i = 0; i < 30; ++i) s.simulate(0.01);
    EXPECT_EQ(halfSpace->passes.size(), 60U);
    EXPECT_LT(halfSpace->staleness, 1e-12);
}

TEST_F(TwoPassLoop, restingBodyGainsNoEnergy)
{
    auto s = scene(solver + cube("0 0 0.0499 0 0 0 1", "0 0 0 0 0 0"));
    addHalfSpace(s, "corners");
    s.initScene();
    const auto* state = get<State<Rigid3Types>>(s, "/body/state");
    for (int i = 0; i < 200; ++i) {
        s.simulate(0.01);
        ASSERT_LT(state->readVelocities()[0].getLinear().norm(), 1e-7) << "step " << i;
        ASSERT_LT(state->readVelocities()[0].getAngular().norm(), 1e-6) << "step " << i;
    }
    EXPECT_NEAR(state->readPositions()[0].getCenter().z(), 0.05, 1e-6);
}

TEST_F(TwoPassLoop, tumblingBodyStaysAboveTheFloorWithinItsEnergy)
{
    auto s = scene(solver + cube("0 0 0.3 0.1 0.2 0 0.9746794", "0.5 0 0 3 5 2"), 0.005);
    addHalfSpace(s, "corners");
    s.initScene();
    const auto* state = get<State<Rigid3Types>>(s, "/body/state");
    const auto* corners = get<State<Vec3Types>>(s, "/body/corners/state");
    const auto energy = [&] {
        const auto v = state->readVelocities()[0];
        return 0.5 * v.getLinear().norm2() + 0.5 * 0.00167 * v.getAngular().norm2() +
               gravity * state->readPositions()[0].getCenter().z();
    };
    double before = energy(), lowest = 1;
    const double start = before;
    for (int i = 0; i < 300; ++i) {
        s.simulate(0.005);
        for (const auto& x : corners->readPositions()) lowest = std::min<double>(lowest, x.z());
        // Lifting by the position pass is work against gravity only; a step of it is below 1 mm.
        ASSERT_LT(energy(), before + 1e-3 * gravity) << "step " << i;
        before = energy();
    }
    EXPECT_LT(before, start);
    EXPECT_GT(lowest, -2e-4);
}

TEST_F(TwoPassLoop, sofaFrictionIsLeftOutOfThePositionPass)
{
    // The impulses of the velocity pass are taken away: the sphere sinks by g dt^2 and slips by v dt; the
    // position pass lifts it, and must not pull it back.
    const double dt = 0.01;
    auto s = scene(solver + sphereOnFloor(0, "1 0 0 0 0 0"), dt);
    auto listener = New<Listener>();
    s.root->addObject(listener);
    s.initScene();
    listener->erase = solverOf(s);
    s.simulate(dt);
    const auto x = get<State<Rigid3Types>>(s, "/body/state")->readPositions()[0].getCenter();
    EXPECT_EQ(listener->solves, 1);
    EXPECT_NEAR(x.z(), 0.051, 1e-6);
    EXPECT_NEAR(x.x(), 0.1 + dt, 1e-9);
}

TEST_F(TwoPassLoop, sofaContactLeavesAPenetrationWithTheVelocityThatUndoesIt)
{
    auto s = scene(solver + sphereOnFloor(-0.0005));
    s.initScene();
    s.simulate(0.01);
    const auto* state = get<State<Rigid3Types>>(s, "/body/state");
    EXPECT_NEAR(state->readVelocities()[0].getLinear().z(), 0.0005 / 0.01, 1e-6);
    EXPECT_NEAR(state->readPositions()[0].getCenter().z(), 0.051, 1e-6);
}

TEST_F(TwoPassLoop, aggregateContactLeavesAPenetrationAtRest)
{
    auto s = scene(solver + sphereOnFloor(-0.0005, "0 0 0 0 0 0", "AggregateVolume"));
    s.initScene();
    s.simulate(0.01);
    const auto* state = get<State<Rigid3Types>>(s, "/body/state");
    EXPECT_NEAR(state->readVelocities()[0].getLinear().z(), 0, 1e-9);
    EXPECT_NEAR(state->readPositions()[0].getCenter().z(), 0.051, 1e-6);
    EXPECT_NEAR(forces(s)[0] / 0.01, gravity, 1e-6);
}

TEST_F(TwoPassLoop, positionSettingsApplyToThePositionPassOnly)
{
    auto s = scene(solver + cube("0 0 0.0499 0 0 0 1", "0 0 0 0 0 0"), 0.01,
                   "positionTolerance='1e-14' positionMaxIterations='3'");
    addHalfSpace(s, "corners");
    s.initScene();
    s.simulate(0.01);
    const auto* loop = get<TwoPassAnimationLoop>(s, "/loop");
    EXPECT_EQ(loop->d_positionIterations.getValue(), 3);
    EXPECT_GT(loop->d_positionError.getValue(), 1e-14);
    EXPECT_NE(solverOf(s)->d_currentIterations.getValue(), 3);
    EXPECT_EQ(solverOf(s)->d_maxIt.getValue(), 1000);
}

TEST_F(TwoPassLoop, problemsHeldByAHapticThreadSurvive)
{
    auto s = scene(solver + point("0 0 -0.001"));
    addHalfSpace(s, "body");
    s.initScene();
    s.simulate(0.01);
    auto* held = solverOf(s)->getConstraintProblem();
    const auto id = held->getProblemId();
    solverOf(s)->lockConstraintProblem(nullptr, held);
    s.simulate(0.01);
    EXPECT_EQ(held->getProblemId(), id);
    EXPECT_NE(solverOf(s)->getConstraintProblem(), held);
}

TEST_F(TwoPassLoop, missingSolverIsAddedWithAWarning)
{
    EXPECT_MSG_EMIT(Warning);
    auto s = scene(point("0 0 -0.001"));
    addHalfSpace(s, "body");
    s.initScene();
    s.simulate(0.01);
    EXPECT_NEAR(get<State<Vec3Types>>(s, "/body/state")->readPositions()[0].z(), 0, 1e-5);
}

TEST_F(TwoPassLoop, emptySceneSteps)
{
    auto s = scene(solver);
    s.initScene();
    s.simulate(0.01);
    s.simulate(0.01);
    EXPECT_NEAR(s.root->getTime(), 0.02, 1e-12);
}

struct Refused : TwoPassLoop {
    /// The scene reports an error and stands still.
    static void expectStandstill(const std::string& content, const std::string& loopData = "",
                                 double dt = 0.01)
    {
        EXPECT_MSG_EMIT(Error);
        auto s = scene(content + point("0 0 1"), dt, loopData);
        s.initScene();
        s.simulate(dt);
        s.simulate(dt);
        EXPECT_EQ(s.root->getTime(), 0);
        EXPECT_EQ(get<State<Vec3Types>>(s, "/body/state")->readPositions()[0].z(), 1);
    }
};

TEST_F(Refused, solverThatCannotSolveVelocitiesAlone)
{
    expectStandstill("<LCPConstraintSolver/>");
}

TEST_F(Refused, negativeTolerance)
{
    expectStandstill(solver, "positionTolerance='-1'");
}

TEST_F(Refused, negativeIterations)
{
    expectStandstill(solver, "positionMaxIterations='-1'");
}

TEST_F(Refused, stepOfNoLength)
{
    expectStandstill(solver, "", 0);
}

}  // namespace
}  // namespace softcontact::plugin
