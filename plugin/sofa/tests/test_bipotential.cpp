// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/contact/BipotentialFrictionConstraint.h>
#include <SoftContact/friction/BipotentialFriction.h>
#include <sofa/component/constraint/lagrangian/solver/GenericConstraintSolver.h>

#include <cmath>
#include <limits>

#include "test_scenes.h"

namespace softcontact::plugin::test {
namespace {

using Solver = sofa::component::constraint::lagrangian::solver::GenericConstraintSolver;

const std::string gauss_seidel = "BlockGaussSeidelConstraintSolver";

const std::string direct =
    "<EulerImplicitSolver rayleighMass='0' rayleighStiffness='0'/>"
    "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3'/><LinearSolverConstraintCorrection/>";

const Solver& solver_of(Scene& scene)
{
    return *scene.root().get<Solver>(sofa::core::objectmodel::BaseContext::Local);
}

/// A mass point above a floor of one triangle.
std::string mass_point(const std::string& loop, const std::string& response,
                       const std::string& solver = gauss_seidel)
{
    return root(loop, response,
                "<Node name='body'><MechanicalObject position='0 0 0.003' velocity='0.2 -0.1 0'/>" + direct +
                    "<UniformMass totalMass='0.2'/>"
                    "<PointCollisionModel/></Node>" +
                    floor_node,
                0.005, "1.5 0.7 -9.81", solver);
}

/// A skew tetrahedron on three fixed points, its tip pushed to a floor beside it: W is full.
std::string tip(const std::string& loop, const std::string& response)
{
    return root(loop, response,
                "<Node name='body'><MeshTopology tetrahedra='0 1 2 3' "
                "position='0.08 0.02 0.11  0.03 0.09 0.12  0.02 0.01 0.14  0 0 0.004'/><MechanicalObject/>" +
                    direct +
                    "<TetrahedronFEMForceField method='small' youngModulus='2e3' poissonRatio='0.3'/>"
                    "<UniformMass totalMass='0.4'/><FixedProjectiveConstraint indices='0 1 2'/>"
                    "<PointCollisionModel/></Node>" +
                    floor_node,
                0.005, "4 -2 -9.81");
}

/// A rigid square plate of 1 kg that lies on the floor with four corners.
std::string plate(const std::string& loop, const std::string& response,
                  const std::string& velocity = "0 0 0 0 0 0", const std::string& solver = gauss_seidel)
{
    return root(loop, response,
                "<Node name='body'><MechanicalObject template='Rigid3' position='0 0 0.0021 0 0 0 1' "
                "velocity='" +
                    velocity + "'/>" + integration() +
                    "<UniformMass vertexMass='1 1 [3.4e-3 0 0 0 3.4e-3 0 0 0 6.7e-3]'/><Node name='surface'>"
                    "<MechanicalObject position='-0.1 -0.1 0  0.1 -0.1 0  0.1 0.1 0  -0.1 0.1 0'/>"
                    "<PointCollisionModel/><RigidMapping/></Node></Node>" +
                    floor_node,
                0.005, "0 0 -9.81", solver + " computeConstraintForces='1'");
}

/// Two states with two points each, and a constraint between them with `data`.
std::string pairs(const std::string& data)
{
    return root(free_motion, "FrictionContactConstraint?mu=0",
                "<Node name='ground'><MechanicalObject name='points' position='0 0 0  1 0 0'/>"
                "<FixedProjectiveConstraint fixAll='1'/></Node>"
                "<Node name='body'><MechanicalObject name='points' position='0 0 0.001  1 0 0.001'/>" +
                    direct +
                    "<UniformMass totalMass='0.4'/></Node>"
                    "<BipotentialFrictionConstraint object1='@ground/points' object2='@body/points' " +
                    data + "/>",
                0.005, "1 0 -9.81", gauss_seidel + " computeConstraintForces='1'");
}

/// Impulses of three rows a contact as one force [N]: along the normals, and along the tangents.
std::pair<double, double> load(Scene& scene)
{
    const auto& impulses = solver_of(scene).d_constraintForces.getValue();
    double normal = 0.0;
    sofa::type::Vec<2, double> tangential{0.0, 0.0};
    for (std::size_t i = 0; i + 2 < impulses.size(); i += 3) {
        normal += impulses[i];
        tangential += sofa::type::Vec<2, double>{impulses[i + 1], impulses[i + 2]};
    }
    return {normal / scene.dt(), tangential.norm() / scene.dt()};
}

/// How far a body's point or pose is apart in two scenes.
template <class State>
double apart(Scene& one, Scene& other)
{
    const auto a = one.state<State>("body").readPositions();
    const auto b = other.state<State>("body").readPositions();
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(
            largest, double((State::DataTypes::getCPos(a[i]) - State::DataTypes::getCPos(b[i])).norm()));
    }
    return largest;
}

class BipotentialTest : public PluginTest {};

TEST_F(BipotentialTest, OneContactIsAFrictionContact)
{
    for (const std::string& solver :
         {gauss_seidel, std::string("NNCGConstraintSolver"), std::string("ImprovedJacobiConstraintSolver")}) {
        for (const auto& loop : {free_motion, velocity_order}) {
            for (const std::string scheme : {"local", "global"}) {
                for (const std::string mu : {"0", "0.1", "0.6"}) {
                    const std::string options = "?mu=" + mu;
                    Scene ours(
                        mass_point(loop, "BipotentialFriction" + options + "&scheme=" + scheme, solver));
                    Scene theirs(mass_point(loop, "FrictionContactConstraint" + options));
                    for (int i = 0; i < 100; ++i) {
                        ours.step();
                        theirs.step();
                        ASSERT_LT(apart<PointState>(ours, theirs), 1e-11)
                            << solver << loop << scheme << mu << " step " << i;
                    }
                    const auto v = ours.state<PointState>("body").readVelocities()[0];
                    EXPECT_NEAR(v[2], 0.0, 1e-10);
                    EXPECT_EQ(std::hypot(v[0], v[1]) < 1e-10, mu == "0.6") << solver << loop << scheme << mu;
                }
            }
        }
    }
}

TEST_F(BipotentialTest, OneContactOfASoftBodyIsAFrictionContact)
{
    for (const auto& loop : {free_motion, velocity_order}) {
        for (const std::string scheme : {"local", "global"}) {
            double slid[2] = {0.0, 0.0};
            for (const int sticky : {0, 1}) {
                const std::string options = sticky == 1 ? "?mu=2" : "?mu=0.1";
                Scene ours(tip(loop, "BipotentialFriction" + options + "&scheme=" + scheme));
                Scene theirs(tip(loop, "FrictionContactConstraint" + options));
                sofa::type::Vec3 before;
                for (int i = 0; i < 60; ++i) {
                    before = ours.state<PointState>("body").readPositions()[3];
                    ours.step();
                    theirs.step();
                    ASSERT_LT(apart<PointState>(ours, theirs), 1e-11) << loop << scheme << options << i;
                    const auto moved = ours.state<PointState>("body").readPositions()[3] - before;
                    if (i > 30) {
                        slid[sticky] += std::hypot(moved[0], moved[1]);
                    }
                }
                EXPECT_NEAR(before[2], 0.002, 1e-5) << loop << scheme << options;
            }
            EXPECT_GT(slid[0], 1e-5) << loop << scheme;
            EXPECT_LT(slid[1], 1e-10) << loop << scheme;
        }
    }
}

TEST_F(BipotentialTest, ASmallStepIsNotTakenForASolution)
{
    // 1/W is 40: the step is a hundredth of what fits, and W dr of a sweep a hundredth of what is left.
    for (const std::string scheme : {"global", "local&maxLocalIterations=1"}) {
        for (const std::string demand : {"solver", "response"}) {
            const bool by_solver = demand == "solver";
            std::string xml = mass_point(free_motion, "BipotentialFriction?mu=0.6&rho=0.4&scheme=" + scheme +
                                                          (by_solver ? "" : "&tol=3e-8"));
            const std::string tight = "tolerance='1e-14'";
            xml.replace(xml.find(tight), tight.size(), by_solver ? "tolerance='1e-8'" : "tolerance='1'");
            Scene scene(xml);
            scene.step(100);
            EXPECT_NEAR(scene.state<PointState>("body").readPositions()[0][2], 0.002, 5e-8)
                << scheme << demand;
            EXPECT_GT(solver_of(scene).d_currentIterations.getValue(), 300) << scheme << demand;
        }
    }
}

TEST_F(BipotentialTest, AComplianceThatIsNoneShows)
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double entry : {0.0, nan, std::numeric_limits<double>::infinity()}) {
        SReal values[3][3] = {{0, 0, 0}, {0, entry, 0}, {0, 0, 0}};
        SReal* w[3] = {values[0], values[1], values[2]};
        SReal d[3] = {-1e-3, 2e-3, 0}, force[3] = {1, 1, 1};
        BipotentialFriction contact{BipotentialLaw{}};
        contact.init(0, w, force);
        contact.resolution(0, w, d, force, d);
        EXPECT_EQ(std::isnan(force[1]), entry != 0.0) << entry;
        EXPECT_TRUE(entry != 0.0 || (force[0] == 0.0 && force[1] == 0.0)) << entry;
    }
}

TEST_F(BipotentialTest, SeveralContactsCarryTheWeightAndSlide)
{
    for (const std::string& solver : {gauss_seidel, std::string("NNCGConstraintSolver")}) {
        for (const auto& loop : {free_motion, velocity_order, two_pass}) {
            for (const std::string scheme : {"local", "global"}) {
                Scene scene(
                    plate(loop, "BipotentialFriction?mu=0.4&scheme=" + scheme, "1 0 0 0 0 0", solver));
                scene.step(20);
                const auto [normal, friction] = load(scene);
                EXPECT_NEAR(normal, gravity, 1e-5 * gravity) << solver << loop << scheme;
                EXPECT_NEAR(friction, 0.4 * gravity, 1e-5 * gravity) << solver << loop << scheme;
                const double speed = 1.0 - 0.4 * gravity * 20 * scene.dt();
                const auto v = getVCenter(scene.state<RigidState>("body").readVelocities()[0]);
                EXPECT_NEAR(v[0], speed, 0.02) << solver << loop << scheme;
                scene.step(60);
                const auto& rest = scene.state<RigidState>("body");
                EXPECT_LT(getVCenter(rest.readVelocities()[0]).norm(), 1e-6) << solver << loop << scheme;
                EXPECT_NEAR(load(scene).first, gravity, 1e-5 * gravity) << solver << loop << scheme;
                EXPECT_LT(load(scene).second, 1e-5) << solver << loop << scheme;
            }
        }
    }
}

TEST_F(BipotentialTest, RefusesWhatItDoesNotKnow)
{
    for (const std::string wrong : {"scheme=globall", "mu=-1", "rho=-2", "epsilon2=-1",
                                    "maxLocalIterations=0", "epsilon=1e-6", "tol=-1"}) {
        EXPECT_MSG_EMIT(Error);
        Scene scene(plate(free_motion, "BipotentialFriction?" + wrong));
        scene.step(40);
        EXPECT_LT(getVCenter(scene.state<RigidState>("body").readVelocities()[0])[2], -0.5) << wrong;
    }
    BipotentialLaw law;
    EXPECT_NE(BipotentialLaw::read(0.3, "globall", 0, 0, 10, 0, law).find("did you mean 'global'"),
              std::string::npos);
}

TEST_F(BipotentialTest, RefusesASolverWithAFrictionOfItsOwn)
{
    EXPECT_MSG_EMIT(Error);
    Scene scene(plate(free_motion, "BipotentialFriction", "0 0 0 0 0 0", "LCPConstraintSolver mu='0.5'"));
    scene.step(40);
    EXPECT_LT(getVCenter(scene.state<RigidState>("body").readVelocities()[0])[2], -0.5);
}

TEST_F(BipotentialTest, PairsMayBeGivenByHand)
{
    Scene scene(pairs("indices1='0 1' indices2='0 1' normals='0 0 1' mu='0.05' scheme='global'"));
    scene.step(50);
    const auto [normal, friction] = load(scene);
    EXPECT_NEAR(normal, 0.4 * gravity, 1e-8);
    EXPECT_NEAR(friction, 0.05 * 0.4 * gravity, 1e-8);
    EXPECT_NEAR(scene.state<PointState>("body").readPositions()[1][2], 0.0, 1e-10);
}

TEST_F(BipotentialTest, TellsWhetherTheSolveCameToItsTolerance)
{
    for (const bool enough : {true, false}) {
        std::string xml = pairs("indices1='0 1' indices2='0 1' normals='0 0 1' mu='0.05' scheme='global'");
        const std::string many = "maxIterations='5000'";
        xml.replace(xml.find(many), many.size(), enough ? many : "maxIterations='1'");
        Scene scene(xml);
        scene.step(20);
        const auto* contacts =
            scene.root().get<BipotentialFrictionConstraint>(sofa::core::objectmodel::BaseContext::SearchDown);
        ASSERT_NE(contacts, nullptr);
        EXPECT_EQ(contacts->d_converged.getValue(), enough);
        EXPECT_EQ(contacts->d_residual.getValue() <= solver_of(scene).d_tolerance.getValue(), enough);
    }
}

TEST_F(BipotentialTest, ANormalAlongTheDiagonalHasTangents)
{
    // Slides down along the plane of this normal: (0, 0, -g) less its part along (1, 1, 1).
    Scene scene(pairs("indices1='0 1' indices2='0 1' normals='1 1 1' mu='0.1'"));
    scene.step(50);
    const auto [normal, friction] = load(scene);
    const double pressing = 0.4 * (gravity - 1.0) / std::sqrt(3.0);
    EXPECT_NEAR(normal, pressing, 1e-8);
    EXPECT_NEAR(friction, 0.1 * pressing, 1e-8);
}

TEST_F(BipotentialTest, RefusesPairsThatDoNotFit)
{
    for (const std::string wrong : {
             "indices1='0 1' indices2='0' normals='0 0 1'",
             "indices1='0 1' indices2='0 1'",
             "indices1='0 1' indices2='0 1' normals='0 0 1  0 0 0'",
             "indices1='0 1' indices2='0 7' normals='0 0 1'",
             "indices1='0 1' indices2='0 1' normals='0 0 1' scheme='locale'",
         }) {
        EXPECT_MSG_EMIT(Error);
        Scene scene(pairs(wrong));
        scene.step(20);
        EXPECT_LT(scene.state<PointState>("body").readPositions()[1][2], -0.01) << wrong;
    }
}

}  // namespace
}  // namespace softcontact::plugin::test
