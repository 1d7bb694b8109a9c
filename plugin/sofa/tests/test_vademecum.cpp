// SPDX-License-Identifier: LGPL-2.1-or-later
// A vademecum in SOFA: displacements as the core's, tangents, work, and what is refused.
#include <SoftContact/vademecum/Flat.h>
#include <SoftContact/vademecum/VademecumForceField.h>
#include <sofa/core/ConstraintParams.h>
#include <sofa/core/MechanicalParams.h>
#include <sofa/core/behavior/BaseMass.h>

#include <cmath>
#include <limits>

#include "test_scenes.h"

namespace softcontact::plugin::test {
namespace {

using SizeState = sofa::core::behavior::MechanicalState<sofa::defaulttype::Vec1Types>;

const std::string vademecum_node =
    std::string("<include href='") + SOFTCONTACT_EXAMPLES + "/vademecum_beam.xml'/>";

std::string beam(const std::string& sizes = "0.5 0.1",
                 const std::string& mapping = "nodes='17 19' vademecum='@/vademecum/beam'",
                 const std::string& above = "", const std::string& below = "")
{
    return "<Node name='root' dt='0.0005' gravity='0 0 0'><DefaultAnimationLoop/>" + vademecum_node +
           "<Node name='beam'>" + above + "<MechanicalObject template='Vec1' position='" + sizes +
           "'/><VademecumForceField name='forces'/><Node name='nodes'><MechanicalObject/><VademecumMapping "
           "name='mapping' " +
           mapping + "/>" + below + "</Node></Node></Node>";
}

class VademecumTest : public PluginTest {
public:
    void doSetUp() override
    {
        PluginTest::doSetUp();
        loadPlugins({"Sofa.Component.MechanicalLoad"});
    }
};

/// The scene, and its parts by hand.
struct BeamScene : Scene {
    explicit BeamScene(const std::string& xml)
        : Scene(xml),
          sizes(dynamic_cast<SizeState&>(*root().getChild("beam")->getMechanicalState())),
          below(*root().getChild("beam")->getChild("nodes")),
          nodes(dynamic_cast<PointState&>(*below.getMechanicalState())),
          mapping(*dynamic_cast<VademecumMapping*>(below.getObject("mapping"))),
          forces(*dynamic_cast<VademecumForceField*>(root().getChild("beam")->getObject("forces")))
    {
    }

    /// Positions of all nodes with these sizes.
    VectorXd at(const VectorXd& q)
    {
        sofa::Data<SizeState::VecCoord> in;
        sofa::Data<PointState::VecCoord> out;
        auto values = sofa::helper::getWriteAccessor(in);
        values.resize(static_cast<std::size_t>(q.size()));
        flat(values.wref()) = q;
        mapping.apply(sofa::core::MechanicalParams::defaultInstance(), out, in);
        return flat(out.getValue());
    }

    /// J times a change of the sizes, at the last state.
    VectorXd along(const VectorXd& dq)
    {
        sofa::Data<SizeState::VecDeriv> in;
        sofa::Data<PointState::VecDeriv> out;
        auto values = sofa::helper::getWriteAccessor(in);
        values.resize(static_cast<std::size_t>(dq.size()));
        flat(values.wref()) = dq;
        mapping.applyJ(sofa::core::MechanicalParams::defaultInstance(), out, in);
        return flat(out.getValue());
    }

    /// Jᵀ times forces on the nodes.
    VectorXd work(const VectorXd& f)
    {
        sofa::Data<PointState::VecDeriv> in;
        sofa::Data<SizeState::VecDeriv> out;
        auto values = sofa::helper::getWriteAccessor(in);
        values.resize(static_cast<std::size_t>(f.size() / 3));
        flat(values.wref()) = f;
        sofa::helper::getWriteAccessor(out).resize(sizes.getSize());
        mapping.applyJT(sofa::core::MechanicalParams::defaultInstance(), out, in);
        return flat(out.getValue());
    }

    /// Generalised forces of the solid.
    VectorXd resistance(const VectorXd& q)
    {
        at(q);
        sofa::Data<SizeState::VecCoord> x;
        sofa::Data<SizeState::VecDeriv> v, f;
        auto values = sofa::helper::getWriteAccessor(x);
        values.resize(static_cast<std::size_t>(q.size()));
        flat(values.wref()) = q;
        sofa::helper::getWriteAccessor(f).resize(values.size());
        forces.addForce(sofa::core::MechanicalParams::defaultInstance(), f, x, v);
        return flat(f.getValue());
    }

    SizeState& sizes;
    sofa::simulation::Node& below;
    PointState& nodes;
    VademecumMapping& mapping;
    VademecumForceField& forces;
};

VectorXd two(double a, double b)
{
    return Eigen::Vector2d(a, b);
}

const std::string alone = "nodes='17 19' vademecum='@/vademecum/beam' together='0'";
const std::string together = "nodes='17 19' vademecum='@/vademecum/beam'";

TEST_F(VademecumTest, NodesStandWhereTheCoreHasThem)
{
    for (const auto& mapping : {alone, together}) {
        BeamScene scene(beam("0.5 0.1", mapping));
        VademecumContainer& vademecum = *scene.mapping.vademecum();
        const Index first = vademecum.loadCase(17, 0), second = vademecum.loadCase(19, 0);
        LoadedField loaded(*vademecum.field(), 2);
        if (mapping == alone) {
            ASSERT_TRUE(loaded.add(first, 0.5) && loaded.add(second, 0.1));
        } else {
            const std::vector<Index> cases{first, second};
            const std::vector<double> sizes{0.5, 0.1};
            loaded.predict(cases, sizes);
            for (const Index load : {0, 1}) {
                EXPECT_EQ(scene.mapping.loads()->answer(load).felt, loaded.answer(load).felt) << load;
            }
            EXPECT_GT(loaded.answer(1).felt, 0.4);  // the other corner takes this one along
        }
        const VectorXd rest = flat(vademecum.d_position.getValue());
        const VectorXd found = flat(scene.nodes.readPositions().ref());
        ASSERT_EQ(found.size(), 60);
        for (Index node = 0; node < 20; ++node) {
            const Vector3d moved = found.segment<3>(3 * node) - rest.segment<3>(3 * node);
            EXPECT_LT((moved - loaded.displacement(node)).norm(), 1e-15) << node;
        }
        EXPECT_LT(found[3 * 19 + 2] - rest[3 * 19 + 2], -0.05);
    }
}

TEST_F(VademecumTest, OneLoadIsTheSameBothWays)
{
    BeamScene one(beam("0 0", alone)), other(beam("0 0", together));
    for (const double size : {-0.2, 0.0, 0.4, 1.0, 1.5}) {
        EXPECT_LT((one.at(two(0, size)) - other.at(two(0, size))).norm(), 1e-14) << size;
        EXPECT_LT((one.along(two(0, 1)) - other.along(two(0, 1))).norm(), 1e-13) << size;
    }
}

TEST_F(VademecumTest, TangentIsTheSlopeOfThePositions)
{
    const double h = 1e-6;
    for (const auto& mapping : {alone, together}) {
        BeamScene scene(beam("0.5 0.1", mapping));
        for (const auto& q : {two(0.5, 0.1), two(0.2, 0.7), two(1.3, -0.2), two(-0.3, 0.1)}) {
            for (const auto& dq : {two(1, 0), two(0, 1), two(0.3, -0.7)}) {
                const VectorXd slope = (scene.at(q + h * dq) - scene.at(q - h * dq)) / (2 * h);
                scene.at(q);
                EXPECT_LT((scene.along(dq) - slope).norm(), 1e-8) << mapping;
            }
        }
        // Nothing in sum, where a part of it has no meaning.
        EXPECT_TRUE(scene.at(two(0.2, -0.2)).allFinite());
        EXPECT_LT((scene.at(two(0.2, -0.2 + 1e-9)) - scene.at(two(0.2, -0.2 - 1e-9))).norm(), 1e-8);
    }
}

TEST_F(VademecumTest, ForcesGoUpAsWork)
{
    BeamScene scene(beam());
    scene.at(two(0.5, 0.2));
    const VectorXd f = VectorXd::LinSpaced(60, -1.0, 2.0);
    for (const auto& dq : {two(1, 0), two(0, 1)}) {
        EXPECT_NEAR(scene.work(f).dot(dq), f.dot(scene.along(dq)), 1e-14 * f.norm());
    }
}

TEST_F(VademecumTest, ConstraintRowsAndTheMatrixAreTheTangent)
{
    BeamScene scene(beam());
    scene.at(two(0.4, 0.3));
    sofa::Data<PointState::MatrixDeriv> rows;
    {
        auto write = sofa::helper::getWriteAccessor(rows);
        auto line = write.wref().writeLine(3);
        line.addCol(17, {1.0, 2.0, 3.0});
        line.addCol(4, {-1.0, 0.0, 0.5});
    }
    sofa::Data<SizeState::MatrixDeriv> out;
    scene.mapping.applyJT(sofa::core::ConstraintParams::defaultInstance(), out, rows);
    VectorXd f = VectorXd::Zero(60);
    f.segment<3>(51) = Vector3d(1, 2, 3);
    f.segment<3>(12) = Vector3d(-1, 0, 0.5);
    const VectorXd expected = scene.work(f);
    const auto row = out.getValue().readLine(3);
    ASSERT_NE(row, out.getValue().end());
    for (auto entry = row.begin(); entry != row.end(); ++entry) {
        EXPECT_NEAR(entry.val()[0], expected[static_cast<Index>(entry.index())], 1e-15);
    }
    const auto& matrices = *scene.mapping.getJs();
    for (int load = 0; load < 2; ++load) {
        const VectorXd column = scene.along(load == 0 ? two(1, 0) : two(0, 1));
        for (int i = 0; i < 60; ++i) EXPECT_NEAR(matrices[0]->element(i, load), column[i], 1e-15);
    }
}

TEST_F(VademecumTest, LoadsAreHeldByTheSolid)
{
    BeamScene scene(beam());
    for (const auto& q : {two(0.5, 0.0), two(0.2, 0.3)}) {
        const VectorXd held = scene.resistance(q);
        VectorXd loads = VectorXd::Zero(60);  // the very loads, as forces on the nodes
        loads[3 * 17 + 2] = -1e6 * q[0];
        loads[3 * 19 + 2] = -1e6 * q[1];
        EXPECT_LT((held + scene.work(loads)).norm(), 1e-9 * held.norm());
    }
}

TEST_F(VademecumTest, EnergyIsTheWorkOfOneLoad)
{
    BeamScene scene(beam());
    const auto energy = [&](double size) {
        sofa::Data<SizeState::VecCoord> x;
        auto values = sofa::helper::getWriteAccessor(x);
        values.resize(2);
        values[0] = size;
        return scene.forces.getPotentialEnergy(sofa::core::MechanicalParams::defaultInstance(), x);
    };
    const double h = 1e-5;
    for (const double size : {0.2, 0.7}) {
        const double slope = (energy(size + h) - energy(size - h)) / (2 * h);
        EXPECT_NEAR(-scene.resistance(two(size, 0))[0], slope, 1e-6 * slope);
        EXPECT_GT(slope, 0.0);
    }
}

const std::string integration_of_sizes =
    "<EulerImplicitSolver rayleighMass='0' rayleighStiffness='0.002'/>"
    "<CGLinearSolver iterations='50' tolerance='1e-14' threshold='1e-20'/>";

TEST_F(VademecumTest, AForceThatStaysBecomesItsLoad)
{
    BeamScene scene(beam("0 0", "nodes='17 19' vademecum='@/vademecum/beam'", integration_of_sizes,
                         "<UniformMass totalMass='5'/><ConstantForceField indices='17' forces='0 0 -3e5'/>"));
    scene.step(400);
    EXPECT_NEAR(scene.sizes.readPositions()[0][0], 0.3, 1e-6);
    EXPECT_NEAR(scene.sizes.readPositions()[1][0], 0.0, 1e-6);
}

TEST_F(VademecumTest, SwingingLosesEnergy)
{
    BeamScene scene(beam("0.4 0.1", "nodes='17 19' vademecum='@/vademecum/beam'", integration_of_sizes,
                         "<UniformMass name='mass' totalMass='5'/>"));
    auto* mass = dynamic_cast<sofa::core::behavior::BaseMass*>(scene.below.getObject("mass"));
    const sofa::core::behavior::BaseForceField& solid = scene.forces;
    double last = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 60; ++i) {
        const double energy = mass->getKineticEnergy() +
                              solid.getPotentialEnergy(sofa::core::MechanicalParams::defaultInstance());
        EXPECT_LT(energy, last * (1 + 1e-9)) << i;
        last = energy;
        scene.step();
    }
    EXPECT_GT(last, 0.0);
}

/// One error, and a scene that still steps with every number finite.
void expect_refused(const std::string& xml)
{
    EXPECT_MSG_EMIT(Error);
    BeamScene scene(xml);
    EXPECT_EQ(scene.mapping.loads(), nullptr);
    scene.step(3);
    EXPECT_TRUE(flat(scene.nodes.readPositions().ref()).allFinite());
    EXPECT_TRUE(flat(scene.sizes.readPositions().ref()).allFinite());
}

TEST_F(VademecumTest, WrongLoadsAreRefused)
{
    const std::string link = " vademecum='@/vademecum/beam'";
    expect_refused(beam("0 0", "nodes='17 3'" + link));     // clamped
    expect_refused(beam("0 0", "nodes='17 20'" + link));    // no such node
    expect_refused(beam("0 0", "nodes='17 17'" + link));    // twice
    expect_refused(beam("0 0 0", "nodes='17 19'" + link));  // three sizes for two loads
    expect_refused(beam("0 0", "nodes='17 19' families='0 1'" + link));
    expect_refused(beam("0 0", "nodes='17 19'"));  // no vademecum above it
}

TEST_F(VademecumTest, ContainerWithoutAFileIsRefusedOnce)
{
    std::string xml = beam();
    xml.replace(xml.find(vademecum_node), vademecum_node.size(),
                "<Node name='vademecum'><VademecumContainer name='beam'/></Node>");
    expect_refused(xml);
}

TEST_F(VademecumTest, SizesThatAreNotFiniteLeaveTheNodesInPlace)
{
    BeamScene scene(beam());
    const VectorXd before = flat(scene.nodes.readPositions().ref());
    {
        EXPECT_MSG_EMIT(Error);
        auto sizes = scene.sizes.writePositions();
        sizes[0][0] = std::numeric_limits<double>::quiet_NaN();
        scene.step(2);
    }
    EXPECT_EQ(flat(scene.nodes.readPositions().ref()), before);
    EXPECT_EQ(scene.mapping.d_componentState.getValue(), sofa::core::objectmodel::ComponentState::Invalid);
    EXPECT_EQ(scene.work(VectorXd::Ones(60)).norm(), 0.0);
}

}  // namespace
}  // namespace softcontact::plugin::test
