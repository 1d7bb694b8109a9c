// SPDX-License-Identifier: LGPL-2.1-or-later
// A pointshell on a solid that a vademecum deforms: forces on both, their stiffness, friction, and what is
// refused.
#include <SoftContact/Vectors.h>
#include <SoftContact/vademecum/Flat.h>
#include <SoftContact/vademecum/VademecumContactForceField.h>
#include <sofa/core/MechanicalParams.h>
#include <sofa/simulation/AnimateEndEvent.h>

#include <limits>

#include "test_scenes.h"

namespace softcontact::plugin::test {
namespace {

constexpr double stiffness = 1e6;  // [N/m]

/// Points of a shell over a beam under loads of these sizes at the corners of its end.
std::string touched(const std::string& points, const std::string& sizes = "0 0",
                    const std::string& contact = "tabulated='0'")
{
    return std::string(
               "<Node name='root' dt='0.001' gravity='0 0 0'><DefaultAnimationLoop/><include href='") +
           SOFTCONTACT_EXAMPLES +
           "/vademecum_beam.xml'/><Node name='beam'><MechanicalObject template='Vec1' position='" + sizes +
           "'/><Node name='nodes'><MechanicalObject name='state'/><VademecumMapping nodes='17 19' "
           "vademecum='@/vademecum/beam'/></Node></Node><Node name='shell'><MechanicalObject name='points' "
           "position='" +
           points +
           "'/></Node><VademecumContactForceField name='contact' stiffness='1e6' object1='@beam/nodes/state' "
           "object2='@shell/points' " +
           contact + "/></Node>";
}

struct TouchedScene : Scene {
    explicit TouchedScene(const std::string& xml)
        : Scene(xml),
          contact(*dynamic_cast<VademecumContactForceField*>(root().getObject("contact"))),
          nodes(dynamic_cast<PointState&>(*root().getChild("beam")->getChild("nodes")->getMechanicalState())),
          shell(state<PointState>("shell"))
    {
    }

    /// Forces on nodes and shell with the shell moved.
    std::pair<VectorXd, VectorXd> forces(const Vector3d& moved = Vector3d::Zero())
    {
        sofa::Data<PointState::VecCoord> x1, x2;
        sofa::Data<PointState::VecDeriv> f1, f2, v1, v2;
        x1.setValue(nodes.readPositions().ref());
        x2.setValue(shell.readPositions().ref());
        auto points = sofa::helper::getWriteAccessor(x2);
        for (auto& point : points) point += vec3(moved);
        sofa::helper::getWriteAccessor(f1).resize(nodes.getSize());
        sofa::helper::getWriteAccessor(f2).resize(shell.getSize());
        contact.addForce(sofa::core::MechanicalParams::defaultInstance(), f1, f2, x1, x2, v1, v2);
        return {flat(f1.getValue()), flat(f2.getValue())};
    }

    /// What its stiffness makes of a move of the shell.
    std::pair<VectorXd, VectorXd> change(const Vector3d& moved)
    {
        sofa::Data<PointState::VecDeriv> f1, f2, d1, d2;
        sofa::helper::getWriteAccessor(f1).resize(nodes.getSize());
        sofa::helper::getWriteAccessor(f2).resize(shell.getSize());
        sofa::helper::getWriteAccessor(d1).resize(nodes.getSize());
        auto by = sofa::helper::getWriteAccessor(d2);
        by.resize(shell.getSize());
        for (auto& point : by) point = vec3(moved);
        sofa::core::MechanicalParams params;
        params.setKFactor(1.0);
        contact.addDForce(&params, f1, f2, d1, d2);
        return {flat(f1.getValue()), flat(f2.getValue())};
    }

    /// The step is done: anchors follow.
    void commit()
    {
        sofa::simulation::AnimateEndEvent event(dt());
        contact.handleEvent(&event);
    }

    /// Puts a point a way below the upper side of the beam's last cell, between its corners there.
    void dip(std::size_t point, double along, double depth)
    {
        const auto x = nodes.readPositions();
        const Vector3d a = vector3(0.5 * (x[13] + x[15])), b = vector3(0.5 * (x[17] + x[19]));
        const Vector3d across = vector3(x[15] + x[19] - x[13] - x[17]);
        auto points = shell.writePositions();
        points[point] = vec3(a + along * (b - a) - depth * (b - a).cross(across).normalized());
    }

    VademecumContactForceField& contact;
    PointState &nodes, &shell;
};

Vector3d total(const VectorXd& forces)
{
    return forces.reshaped(3, forces.size() / 3).rowwise().sum();
}

using VademecumContactTest = PluginTest;

TEST_F(VademecumContactTest, PointsFeelTheirDepthAndTheSolidTheOpposite)
{
    TouchedScene scene(touched("0.35 0.005 0.019  0.33 0 0.03"));
    const auto [nodes, shell] = scene.forces();
    EXPECT_LT((shell.head<3>() - Vector3d(0, 0, stiffness * 1e-3)).norm(), 1e-6 * stiffness * 1e-3);
    EXPECT_EQ(shell.tail<3>().norm(), 0.0) << "it is above the beam";
    EXPECT_LT((total(nodes) + total(shell)).norm(), 1e-9);
    Vector3d moment = Vector3d(0.35, 0.005, 0.02).cross(Vector3d(shell.head<3>()));
    const VectorXd rest = flat(scene.nodes.readPositions().ref());
    for (Index i = 0; i < 20; ++i) {
        moment += Vector3d(rest.segment<3>(3 * i)).cross(Vector3d(nodes.segment<3>(3 * i)));
    }
    EXPECT_LT(moment.norm(), 1e-9);
    scene.commit();
    EXPECT_EQ(scene.contact.d_contacts.getValue(), 1);
    EXPECT_NEAR(scene.contact.d_depth.getValue(), 1e-3, 1e-9);
}

TEST_F(VademecumContactTest, StiffnessIsTheSlopeOfTheForces)
{
    TouchedScene scene(
        touched("0.35 0.005 0.019  0.38 -0.015 0.0185", "0 0", "tabulated='0' friction='0.9'"));
    scene.forces();
    scene.commit();  // both points stick from here on
    const double h = 1e-7;
    for (const auto& way : {Vector3d(0, 0, 1), Vector3d(1, 0, 0), Vector3d(0.2, -0.4, 0.7)}) {
        const auto [up1, up2] = scene.forces(h * way);
        const auto [down1, down2] = scene.forces(-h * way);
        scene.forces();
        const auto [d1, d2] = scene.change(way);
        EXPECT_LT((d2 - (up2 - down2) / (2 * h)).norm(), 1e-6 * stiffness);
        EXPECT_LT((total(d1) + total(d2)).norm(), 1e-9 * stiffness);
        if (way.z() == 1.0) {
            EXPECT_LT((d1 - (up1 - down1) / (2 * h)).norm(), 1e-6 * stiffness);
        }
    }
}

TEST_F(VademecumContactTest, FrictionHoldsBelowItsBound)
{
    TouchedScene scene(touched("0.35 0 0.019", "0 0", "tabulated='0' friction='0.5'"));
    scene.forces();
    scene.commit();
    const double press = stiffness * 1e-3;
    EXPECT_NEAR(scene.forces(Vector3d(4e-4, 0, 0)).second[0], -0.4 * press, 1e-6 * press);
    EXPECT_NEAR(scene.forces(Vector3d(8e-4, 0, 0)).second[0], -0.5 * press, 1e-6 * press);
    scene.commit();
    EXPECT_EQ(scene.contact.d_sliding.getValue(), 1);
    EXPECT_NEAR(scene.forces(Vector3d(3e-4, 0, 0)).second[0], 0.0, 1e-6 * press) << "the anchor went along";
}

const std::string two_points = "0 0 1  0 0 1";

TEST_F(VademecumContactTest, TabulatedDepthsAreTheFields)
{
    // With this one load the state is a tabulated one, and the points are where the field is asked.
    TouchedScene scene(touched(two_points, "0.3 0", ""));
    scene.dip(0, 0.5, 4e-3);
    scene.dip(1, 0.3, 8e-3);
    const auto [nodes, shell] = scene.forces();
    auto* container =
        dynamic_cast<VademecumContainer*>(scene.root().getChild("vademecum")->getObject("beam"));
    const DistanceField& field = *container->distances();
    for (int i = 0; i < 2; ++i) {
        const auto& point = scene.shell.readPositions()[static_cast<std::size_t>(i)];
        const double distance = field.distance(vector3(point), {2, 2, 0.0});
        ASSERT_LT(distance, 0.0);
        EXPECT_NEAR(shell.segment<3>(3 * i).norm(), -stiffness * distance, 1e-7 * stiffness);
    }
}

TEST_F(VademecumContactTest, BetweenTabulatedStatesDepthsAreTheBoundarys)
{
    for (const std::string sizes : {"0 0", "0.15 0", "0.08 0.12", "0.4 0"}) {
        TouchedScene exact(touched(two_points, sizes)), tabulated(touched(two_points, sizes, ""));
        for (TouchedScene* scene : {&exact, &tabulated}) {
            scene->dip(0, 0.5, 6e-3);
            scene->dip(1, 0.3, 8e-3);
        }
        const VectorXd there = exact.forces().second, here = tabulated.forces().second;
        ASSERT_NEAR(there.head<3>().norm(), 6e-3 * stiffness, 1e-3 * stiffness) << sizes;
        // A grid of cells half as large as the beam is thick: an error of millimetres in all states alike.
        EXPECT_LT((here - there).norm(), 4e-3 * stiffness) << sizes;
    }
}

void expect_refused(const std::string& xml)
{
    EXPECT_MSG_EMIT(Error);
    TouchedScene scene(xml);
    const auto [nodes, shell] = scene.forces();
    scene.forces();
    EXPECT_EQ(nodes.norm() + shell.norm(), 0.0);
    EXPECT_EQ(scene.contact.d_componentState.getValue(), sofa::core::objectmodel::ComponentState::Invalid);
}

TEST_F(VademecumContactTest, WrongSettingsAreRefused)
{
    const std::string point = "0.35 0 0.019";
    expect_refused(touched(point, "0 0", "friction='-0.1'"));
    std::string xml = touched(point);
    expect_refused(std::string(xml).replace(xml.find("1e6"), 3, "-1."));
    const std::string link = "object1='@beam/nodes/state'";
    expect_refused(xml.replace(xml.find(link), link.size(), "object1='@shell/points'"));
}

TEST_F(VademecumContactTest, PointsThatAreNotFiniteTouchNothing)
{
    TouchedScene scene(touched("0.35 0 0.019"));
    ASSERT_GT(scene.forces().second.norm(), 0.0);
    scene.shell.writePositions()[0][1] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_MSG_EMIT(Error);
    EXPECT_EQ(scene.forces().second.norm(), 0.0);
    EXPECT_EQ(scene.forces().first.norm(), 0.0);
}

}  // namespace
}  // namespace softcontact::plugin::test
