// SPDX-License-Identifier: LGPL-2.1-or-later
#include "test_scenes.h"

namespace softcontact::plugin::test {
namespace {

/// A mass point above a floor of one triangle: never more than one contact.
std::string mass_point(const std::string& loop, const std::string& response)
{
    return root(loop, response,
                "<Node name='body'><MechanicalObject position='0 0 0.003' velocity='0.2 -0.1 0'/>" +
                    integration() +
                    "<UniformMass totalMass='0.2'/>"
                    "<PointCollisionModel/></Node>" +
                    floor_node,
                0.005, "1.5 0.7 -9.81");
}

/// A rigid ball of 0.5 kg that rests on the floor, as a rigid sphere.
std::string ball(const std::string& loop, const std::string& response, double dt)
{
    return root(loop, response,
                "<Node name='body'><MechanicalObject template='Rigid3' position='0 0 0.0525 0 0 0 1'/>" +
                    integration() +
                    "<UniformMass vertexMass='0.5 1 [8e-4 0 0 0 8e-4 0 0 0 8e-4]'/>"
                    "<SphereCollisionModel template='Rigid3' radius='0.05'/></Node>" +
                    floor_node,
                dt);
}

/// A rigid square plate of 1 kg of 5 x 5 points, 0.2 m wide, that spins on the floor. extra goes into its
/// surface.
std::string plate(const std::string& loop, const std::string& response, const std::string& extra = "",
                  const std::string& velocity = "0 0 0 0 0 0",
                  const std::string& solver = "BlockGaussSeidelConstraintSolver",
                  const std::string& place = "0 0 0.0022 0 0 0 1")
{
    std::string points, triangles;
    for (int i = 0; i < 5; ++i) {
        for (int j = 0; j < 5; ++j) {
            points += std::to_string(-0.1 + 0.05 * i) + " " + std::to_string(-0.1 + 0.05 * j) + " 0  ";
            const int k = 5 * i + j;
            if (i < 4 && j < 4) {
                triangles += std::to_string(k) + " " + std::to_string(k + 1) + " " + std::to_string(k + 6) +
                             "  " + std::to_string(k) + " " + std::to_string(k + 6) + " " +
                             std::to_string(k + 5) + "  ";
            }
        }
    }
    return root(loop, response,
                "<Node name='body'><MechanicalObject template='Rigid3' position='" + place + "' velocity='" +
                    velocity + "'/>" + integration() +
                    "<UniformMass vertexMass='1 1 [3.4e-3 0 0 0 3.4e-3 0 0 0 6.7e-3]'/><Node name='surface'>"
                    "<MeshTopology position='" +
                    points + "' triangles='" + triangles +
                    "'/><MechanicalObject/><PointCollisionModel name='points'/>" + extra +
                    "<RigidMapping/></Node></Node>" + floor_node,
                0.005, "0 0 -9.81", solver);
}

double total(const sofa::Data<sofa::type::vector<sofa::type::Vec3>>& forces, int axis)
{
    double sum = 0.0;
    for (const auto& force : forces.getValue()) {
        sum += force[axis];
    }
    return sum;
}

class AggregateVolumeTest : public PluginTest {};

TEST_F(AggregateVolumeTest, OnePointIsAPointContact)
{
    for (const auto& loop : {free_motion, velocity_order}) {
        for (const std::string mu : {"0", "0.1", "0.6"}) {
            Scene ours(mass_point(loop, "AggregateVolume?mu=" + mu));
            Scene theirs(mass_point(loop, "FrictionContactConstraint?mu=" + mu));
            double travel = 0.0;
            for (int i = 0; i < 200; ++i) {
                ours.step();
                theirs.step();
                const auto a = ours.state<PointState>("body").readPositions()[0];
                const auto b = theirs.state<PointState>("body").readPositions()[0];
                const auto va = ours.state<PointState>("body").readVelocities()[0];
                const auto vb = theirs.state<PointState>("body").readVelocities()[0];
                ASSERT_LT((a - b).norm(), 1e-10) << loop << " mu " << mu << " step " << i;
                ASSERT_LT((va - vb).norm(), 1e-10) << loop << " mu " << mu << " step " << i;
                travel = b.norm();
            }
            EXPECT_GT(travel, 1e-4);
            EXPECT_EQ(ours.patches().d_rows.getValue(), mu == "0" ? 1 : 3);
        }
    }
}

TEST_F(AggregateVolumeTest, BallCarriesItsWeight)
{
    for (const auto& loop : {free_motion, velocity_order, two_pass}) {
        for (const double dt : {0.001, 0.005, 0.02}) {
            Scene scene(ball(loop, "AggregateVolume", dt));
            scene.step(static_cast<int>(0.5 / dt));
            EXPECT_NEAR(total(scene.patches().d_forces, 2), 0.5 * gravity, 0.01 * 0.5 * gravity)
                << loop << dt;
            const auto v = scene.state<RigidState>("body").readVelocities()[0];
            EXPECT_LT(getVCenter(v).norm(), 1e-6);
        }
    }
}

TEST_F(AggregateVolumeTest, PlateIsOnePatchAndCarriesItsWeight)
{
    for (const std::string solver :
         {"BlockGaussSeidelConstraintSolver", "NNCGConstraintSolver", "ImprovedJacobiConstraintSolver"}) {
        for (const auto& loop : {free_motion, velocity_order, two_pass}) {
            Scene scene(plate(loop, "AggregateVolume?mu=0.5&patchSize=1", "", "0 0 0 0 0 0", solver));
            scene.step(200);
            const AggregatePatches& patches = scene.patches();
            ASSERT_EQ(patches.d_forces.getValue().size(), 1u) << solver << loop;
            EXPECT_EQ(patches.d_rows.getValue(), 6) << solver << loop;
            EXPECT_NEAR(total(patches.d_forces, 2), gravity, 0.01 * gravity) << solver << loop;
            EXPECT_NEAR(patches.d_areas.getValue()[0], 0.04, 1e-6) << solver << loop;
            EXPECT_LT(patches.d_centres.getValue()[0].norm(), 5e-3) << solver << loop;
            EXPECT_TRUE(patches.d_converged.getValue()) << solver << loop;
        }
    }
}

TEST_F(AggregateVolumeTest, PatchOfThePaperHasFourRows)
{
    Scene scene(plate(two_pass, "AggregateVolume?mu=0.5&patchSize=1&patch=mean"));
    scene.step(200);
    EXPECT_EQ(scene.patches().d_rows.getValue(), 4);
    EXPECT_NEAR(total(scene.patches().d_forces, 2), gravity, 0.01 * gravity);
}

TEST_F(AggregateVolumeTest, TorsionStopsTheSpin)
{
    // Uniform pressure on a square of 5 x 5 points with their areas: torque = mu m g Σ a |r|.
    double lever = 0.0;
    for (int i = 0; i < 5; ++i) {
        for (int j = 0; j < 5; ++j) {
            const double share = (i % 4 == 0 ? 0.5 : 1.0) * (j % 4 == 0 ? 0.5 : 1.0) / 16.0;
            lever += share * std::hypot(-0.1 + 0.05 * i, -0.1 + 0.05 * j);
        }
    }
    for (const auto& loop : {free_motion, velocity_order, two_pass}) {
        const auto spin = [&](const std::string& friction) {
            Scene scene(plate(loop,
                              "AggregateVolume?mu=0.3&pressure=uniform&patchSize=1&friction=" + friction, "",
                              "0 0 0 0 0 8"));
            scene.step(20);
            const double before = getVOrientation(scene.state<RigidState>("body").readVelocities()[0])[2];
            scene.step(20);
            const double after = getVOrientation(scene.state<RigidState>("body").readVelocities()[0])[2];
            return (before - after) / (20 * scene.dt());
        };
        const double expected = 0.3 * gravity * lever / 6.7e-3;
        EXPECT_NEAR(spin("contensou"), expected, 0.02 * expected) << loop;
        EXPECT_NEAR(spin("coulomb"), 0.0, 1e-6) << loop;
    }
}

TEST_F(AggregateVolumeTest, SlidesAndHoldsByItsFriction)
{
    for (const auto& loop : {free_motion, velocity_order, two_pass}) {
        Scene scene(plate(loop, "AggregateVolume?mu=0.4&patchSize=1", "", "1 0 0 0 0 0"));
        scene.step(10);
        EXPECT_NEAR(total(scene.patches().d_forces, 0), -0.4 * gravity, 0.02 * gravity) << loop;
        EXPECT_EQ(scene.patches().d_sliding.getValue()[0], 1) << loop;
        scene.step(100);
        EXPECT_LT(getVCenter(scene.state<RigidState>("body").readVelocities()[0]).norm(), 1e-6) << loop;
        EXPECT_EQ(scene.patches().d_sliding.getValue()[0], 0) << loop;
    }
}

TEST_F(AggregateVolumeTest, GroupMakesOnePatchOfSeveralModels)
{
    const std::string models = "<TriangleCollisionModel name='triangles'/><LineCollisionModel name='lines'/>";
    // Points in the floor under the plate, so that its triangles and lines meet something as well.
    const std::string floor_points =
        "<Node name='studs'><MechanicalObject position='0.03 0.04 0  -0.06 0.02 0  0.01 -0.07 0'/>"
        "<PointCollisionModel moving='0' simulated='0'/></Node>";
    const auto with_studs = [&](const std::string& extra) {
        std::string xml = plate(free_motion, "AggregateVolume", extra);
        return xml.insert(xml.rfind("</Node>"), floor_points);
    };
    Scene apart(with_studs(models));
    Scene together(with_studs(models + "<AggregateGroup/>"));
    apart.step(100);
    together.step(100);
    EXPECT_GT(apart.patches().d_rows.getValue(), 12);
    EXPECT_EQ(together.patches().d_rows.getValue(), 12);  // two bodies below: floor and studs
    EXPECT_NEAR(total(apart.patches().d_forces, 2), gravity, 0.01 * gravity);
    EXPECT_NEAR(total(together.patches().d_forces, 2), gravity, 0.01 * gravity);
    EXPECT_EQ(together.patches().d_bodyA.getValue()[0], "/body/surface");
    const auto& areas = together.patches().d_areas.getValue();
    EXPECT_NEAR(*std::max_element(areas.begin(), areas.end()), 0.04, 1e-6);  // no vertex counts twice
}

TEST_F(AggregateVolumeTest, LivesBesidePointContacts)
{
    // The plate aggregates, the mass point beside it does not, in one scene.
    const std::string point = "<Node name='point'><MechanicalObject position='0.5 0 0.003'/>" +
                              integration() +
                              "<UniformMass totalMass='0.2'/><PointCollisionModel "
                              "contactResponse='FrictionContactConstraint'/></Node>";
    std::string xml = plate(free_motion, "AggregateVolume");
    xml.insert(xml.rfind("</Node>"), point);
    Scene scene(xml);
    scene.step(200);
    EXPECT_NEAR(total(scene.patches().d_forces, 2), gravity, 0.01 * gravity);
    EXPECT_NEAR(scene.state<PointState>("point").readPositions()[0][2], 0.002, 1e-6);
}

TEST_F(AggregateVolumeTest, RefusesWhatItDoesNotKnow)
{
    for (const std::string wrong :
         {"friction=contensoo", "pressure=uniformm", "patch=moment", "mu=-1", "patchSize=-1",
          "frictio=coulomb", "mu=abc", "mu=0,5", "mu=0.5;patchSize=1", "patchSize=nan"}) {
        EXPECT_MSG_EMIT(Error);
        Scene scene(plate(free_motion, "AggregateVolume?" + wrong));
        scene.step(40);
        EXPECT_LT(getVCenter(scene.state<RigidState>("body").readVelocities()[0])[2], -0.5) << wrong;
    }
}

TEST_F(AggregateVolumeTest, RefusesASolverOfPointContacts)
{
    EXPECT_MSG_EMIT(Error);
    std::string xml = plate(free_motion, "AggregateVolume");
    const std::string ours = "<BlockGaussSeidelConstraintSolver tolerance='1e-14' maxIterations='5000'/>";
    xml.replace(xml.find(ours), ours.size(), "<LCPConstraintSolver/>");
    Scene scene(xml);
    scene.step(40);
    EXPECT_LT(getVCenter(scene.state<RigidState>("body").readVelocities()[0])[2], -0.5);
}

TEST_F(AggregateVolumeTest, BodiesOfOneNameStayApart)
{
    std::string xml = plate(free_motion, "AggregateVolume", "<AggregateGroup/>");
    const auto first = xml.find("<Node name='body'>");
    std::string other = xml.substr(first, xml.find("<Node name='floor'>") - first);
    other.replace(other.find("0 0 0.0022"), 10, "1 0 0.0022");
    Scene scene(xml.insert(first, other));
    scene.step(100);
    const auto& forces = scene.patches().d_forces.getValue();
    ASSERT_EQ(forces.size(), 2u);
    EXPECT_NEAR(forces[0][2], gravity, 0.02 * gravity);
    EXPECT_NEAR(forces[1][2], gravity, 0.02 * gravity);
}

TEST_F(AggregateVolumeTest, ResetForgetsTheContact)
{
    Scene scene(plate(free_motion, "AggregateVolume"));
    scene.step(50);
    EXPECT_FALSE(scene.patches().d_forces.getValue().empty());
    sofa::simulation::node::reset(&scene.root());
    EXPECT_TRUE(scene.patches().d_forces.getValue().empty());
    EXPECT_EQ(scene.patches().d_rows.getValue(), 0);
    scene.step(200);
    EXPECT_NEAR(total(scene.patches().d_forces, 2), gravity, 0.01 * gravity);
}

TEST_F(AggregateVolumeTest, TiltedPlateLiesDown)
{
    for (const auto& loop : {free_motion, two_pass}) {
        // One patch of the whole bottom: it bears the moments itself.
        Scene scene(plate(loop, "AggregateVolume?mu=0.5&patchSize=1", "", "0 0 0 0 0 0",
                          "BlockGaussSeidelConstraintSolver", "0 0 0.012 0 0.05 0 0.99875"));
        scene.step(600);
        const auto v = scene.state<RigidState>("body").readVelocities()[0];
        const auto x = scene.state<RigidState>("body").readPositions()[0];
        EXPECT_LT(std::abs(x.getOrientation()[1]), 2e-3) << loop;
        EXPECT_LT(getVCenter(v).norm(), 2e-3) << loop;
        EXPECT_NEAR(x.getCenter()[2], 0.002, 2e-4) << loop;
    }
}

}  // namespace
}  // namespace softcontact::plugin::test
