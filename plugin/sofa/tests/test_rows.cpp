// SPDX-License-Identifier: LGPL-2.1-or-later
// Every row of a patch against finite differences, through every mapping between a fingertip's skin and the
// joints of the hand, and through a rigid body's surface.
#include <SoftContact/contact/AggregateVolumeConstraint.h>
#include <sofa/component/statecontainer/MechanicalObject.h>
#include <sofa/simulation/mechanicalvisitor/MechanicalPropagateOnlyPositionVisitor.h>

#include "test_scenes.h"

namespace softcontact::plugin::test {
namespace {

using JointState = sofa::core::behavior::MechanicalState<sofa::defaulttype::Vec1Types>;

const std::string finger_and_object = R"(
<Node name='root' dt='0.005' gravity='0 0 -9.81'>
  <FreeMotionAnimationLoop LOOP/>
  <BlockGaussSeidelConstraintSolver tolerance='1e-12' maxIterations='2000'/>
  <Node name='hand'>
    <EulerImplicitSolver/>
    <SparseLDLSolver template='CompressedRowSparseMatrixd'/>
    <GenericConstraintCorrection/>
    <Node name='palm'>
      <MechanicalObject name='dofs' template='Rigid3' position='0.1 0.2 0.3  0.18 0.36 0.09 0.9109884741312593'/>
      <UniformMass vertexMass='0.4 1 [1e-3 0 0 0 2e-3 0 0 0 1.5e-3]'/>
    </Node>
    <Node name='joints'>
      <MechanicalObject name='dofs' template='Vec1' position='0.3 -0.2'/>
      <UniformMass totalMass='0.01'/>
      <Node name='bones'>
        <MechanicalObject name='dofs' template='Rigid3' position='0 0 0 0 0 0 1  0 0 0 0 0 0 1'/>
        <UniformMass vertexMass='0.05 1 [1e-5 0 0 0 2e-5 0 0 0 2e-5]'/>
        <ArticulatedSystemMapping input1='@../dofs' input2='@../../palm/dofs' output='@dofs'/>
      </Node>
      <ArticulatedHierarchyContainer/>
      <Node name='centres'>
        <Node name='base'>
          <ArticulationCenter parentIndex='0' childIndex='1' posOnParent='0.04 0 0' posOnChild='-0.02 0 0'
                              articulationProcess='0'/>
          <Node name='axes'>
            <Articulation translation='0' rotation='1' rotationAxis='0 1 0' articulationIndex='0'/>
            <Articulation translation='0' rotation='1' rotationAxis='0 0 1' articulationIndex='1'/>
          </Node>
        </Node>
      </Node>
    </Node>
  </Node>
  <Node name='tissue'>
    <EulerImplicitSolver/>
    <SparseLDLSolver template='CompressedRowSparseMatrixMat3x3'/>
    <RegularGridTopology name='grid' n='3 3 3' min='-0.01 -0.01 -0.01' max='0.011 0.012 0.013'/>
    <MechanicalObject name='dofs'/>
    <LinearSolverConstraintCorrection/>
    <UniformMass totalMass='0.01'/>
    <HexahedronFEMForceField youngModulus='5e4' poissonRatio='0.3'/>
    <FixedProjectiveConstraint indices='18 19 20 21 22 23 24 25 26'/>
    <Node name='world'>
      <RegularGridTopology name='grid' n='3 3 3' min='-0.01 -0.01 -0.01' max='0.011 0.012 0.013'/>
      <MechanicalObject name='dofs'/>
      <DeformableOnRigidFrameMapping input1='@../dofs' input2='@../../hand/joints/bones/dofs' output='@dofs' index='1'/>
      <Node name='skin'>
        <MechanicalObject name='points' position='-0.004 -0.006 -0.008  0.005 -0.004 -0.007  0.003 0.008 -0.009
                                                  -0.006 0.004 -0.0065'/>
        <BarycentricMapping input_topology='@../../grid'/>
      </Node>
    </Node>
  </Node>
  <Node name='object'>
    <EulerImplicitSolver/>
    <CGLinearSolver iterations='50' tolerance='1e-16' threshold='1e-30'/>
    <MechanicalObject name='dofs' template='Rigid3' position='0.14 0.21 0.29  0.1 -0.2 0.3 0.9273618495495703'/>
    <UncoupledConstraintCorrection/>
    <UniformMass vertexMass='0.3 1 [1e-4 0 0 0 2e-4 0 0 0 1.5e-4]'/>
    <Node name='surface'>
      <MechanicalObject name='points' position='-0.02 0.01 0.02  0.01 0.02 0.021  0.02 -0.015 0.019  0 0.01 0.018'/>
      <RigidMapping/>
    </Node>
  </Node>
  <Node name='contact'>
    <AggregateVolumeConstraint name='patch' object1='@/tissue/world/skin/points' object2='@/object/surface/points'
        indices1='0 1 2 3' indices2='0 1 2 3' contactAreas='1e-5 2e-5 1.5e-5 1e-5' contactDistance='0.3' mu='0.4'
        normals='0.2 0.1 -1  0.1 0 -1  0 0.15 -1  0 0 -1'/>
  </Node>
</Node>)";

class RowsTest : public PluginTest {
public:
    void doSetUp() override
    {
        PluginTest::doSetUp();
        loadPlugins({"ArticulatedSystemPlugin"});
    }

    struct Setup {
        std::unique_ptr<Scene> scene;
        std::shared_ptr<BodyPair> bodies;
        PatchRecord* record = nullptr;  ///< their one patch, once a step has made it
        PointState *skin = nullptr, *surface = nullptr;

        template <class State>
        State& state(const std::string& path)
        {
            State* found = nullptr;
            scene->root().findLinkDest(found, "@" + path, nullptr);
            return *found;
        }

        /// Value of a row as a function of where the points are.
        [[nodiscard]] double value(int row) const
        {
            const auto a = skin->readPositions();
            const auto b = surface->readPositions();
            double sum = 0.0;
            for (std::size_t i = 0; i < record->contacts().size(); ++i) {
                const auto k = record->contacts()[i].index;
                const auto apart = a[k] - b[k];
                sum += record->row(row, i).dot(Vector3d(apart[0], apart[1], apart[2]));
            }
            return sum;
        }

        void propagate()
        {
            sofa::simulation::mechanicalvisitor::MechanicalPropagateOnlyPositionVisitor visitor(
                sofa::core::mechanicalparams::defaultInstance(), 0);
            scene->root().executeVisitor(&visitor);
        }
    };

    static Setup make(const std::string& loop)
    {
        std::string xml = finger_and_object;
        xml.replace(xml.find("LOOP"), 4, loop);
        Setup setup;
        setup.scene = std::make_unique<Scene>(xml);
        setup.skin = &setup.state<PointState>("/tissue/world/skin/points");
        setup.surface = &setup.state<PointState>("/object/surface/points");
        return setup;
    }

    /// Entry of the constraint matrix: row, degree of freedom, component.
    template <class State>
    static double entry(State& state, int row, int dof, int component)
    {
        const auto& matrix = state.read(sofa::core::vec_id::read_access::constraintJacobian)->getValue();
        double sum = 0.0;
        for (auto line = matrix.begin(); line != matrix.end(); ++line) {
            if (static_cast<int>(line.index()) != row) {
                continue;
            }
            for (auto column = line.begin(); column != line.end(); ++column) {
                if (static_cast<int>(column.index()) == dof) {
                    sum += column.val()[component];
                }
            }
        }
        return sum;
    }

    template <class State, class Move>
    static void check(Setup& setup, const std::string& path, int components, const Move& move)
    {
        State& state = setup.state<State>(path);
        const auto start = state.read(sofa::core::vec_id::read_access::position)->getValue();
        constexpr double epsilon = 1e-6;
        double largest = 0.0;
        for (std::size_t dof = 0; dof < start.size(); ++dof) {
            for (int component = 0; component < components; ++component) {
                std::vector<double> ahead, behind;
                for (const double sign : {1.0, -1.0}) {
                    {
                        auto x = state.writePositions();
                        x[dof] = move(start[dof], component, sign * epsilon);
                    }
                    setup.propagate();
                    for (int row = 0; row < setup.record->rows(); ++row) {
                        (sign > 0 ? ahead : behind).push_back(setup.value(row));
                    }
                    auto x = state.writePositions();
                    x[dof] = start[dof];
                }
                setup.propagate();
                for (int row = 0; row < setup.record->rows(); ++row) {
                    const double slope = (ahead[row] - behind[row]) / (2 * epsilon);
                    const double scale = row >= 3 ? 100.0 : 1.0;  // 1/m beside pure numbers
                    EXPECT_NEAR(entry(state, row, static_cast<int>(dof), component), slope, 1e-6 * scale)
                        << path << " row " << row << " dof " << dof << " component " << component;
                    largest = std::max(largest, std::abs(slope));
                }
            }
        }
        EXPECT_GT(largest, 1e-3) << path;
    }
};

TEST_F(RowsTest, ReachEveryDegreeOfFreedom)
{
    for (const std::string loop : {"", "solveVelocityConstraintFirst='1'"}) {
        Setup setup = make(loop);
        using Rigid = sofa::defaulttype::Rigid3Types::Coord;
        const auto palm = setup.state<RigidState>("/hand/palm/dofs")
                              .read(sofa::core::vec_id::read_access::position)
                              ->getValue();
        const auto joints = setup.state<JointState>("/hand/joints/dofs")
                                .read(sofa::core::vec_id::read_access::position)
                                ->getValue();
        const auto tissue = setup.state<PointState>("/tissue/dofs")
                                .read(sofa::core::vec_id::read_access::position)
                                ->getValue();
        const auto object = setup.state<RigidState>("/object/dofs")
                                .read(sofa::core::vec_id::read_access::position)
                                ->getValue();
        setup.scene->step();
        setup.bodies = AggregatePatches::of(setup.scene->root()).pairs().front();
        ASSERT_EQ(setup.bodies->active().size(), 1u);
        setup.record = setup.bodies->active().front();
        ASSERT_TRUE(setup.record->active());
        ASSERT_EQ(setup.record->rows(), 6);
        // Back to where the rows were made.
        setup.state<RigidState>("/hand/palm/dofs").writePositions().wref() = palm;
        setup.state<JointState>("/hand/joints/dofs").writePositions().wref() = joints;
        setup.state<PointState>("/tissue/dofs").writePositions().wref() = tissue;
        setup.state<RigidState>("/object/dofs").writePositions().wref() = object;
        setup.propagate();

        const auto rigid = [](const Rigid& start, int component, double step) {
            Rigid moved = start;
            if (component < 3) {
                moved.getCenter()[component] += step;
            } else {
                sofa::type::Vec3 turn;
                turn[component - 3] = step;
                moved.getOrientation() =
                    sofa::type::Quat<SReal>::createQuaterFromEuler(turn) * start.getOrientation();
            }
            return moved;
        };
        const auto vector = [](auto start, int component, double step) {
            start[component] += step;
            return start;
        };
        check<RigidState>(setup, "/hand/palm/dofs", 6, rigid);
        check<JointState>(setup, "/hand/joints/dofs", 1, vector);
        check<PointState>(setup, "/tissue/dofs", 3, vector);
        check<RigidState>(setup, "/object/dofs", 6, rigid);
    }
}

TEST_F(RowsTest, FollowTheirDataAndRefuseWhatDoesNotFit)
{
    Setup setup = make("");
    auto& patch = dynamic_cast<AggregateVolumeConstraint&>(
        *setup.scene->root().getChild("contact")->getObject("patch"));
    setup.scene->step();
    const auto& patches = AggregatePatches::of(setup.scene->root());
    EXPECT_EQ(patches.d_rows.getValue(), 6);
    const auto indices = patch.d_indices1.getValue();
    const auto normals = patch.d_normals.getValue();
    const auto wrong = [&](auto& data, const auto& value, const auto& right) {
        EXPECT_MSG_EMIT(Error);
        data.setValue(value);
        setup.scene->step();
        EXPECT_EQ(patches.d_rows.getValue(), 0);
        data.setValue(right);
        sofa::simulation::node::reset(&setup.scene->root());  // points that met nothing have come apart
        setup.scene->step();
        EXPECT_EQ(patches.d_rows.getValue(), 6);
    };
    wrong(patch.d_indices1, AggregateVolumeConstraint::Indices{0, 1, 2, 100000000}, indices);
    wrong(patch.d_indices2, AggregateVolumeConstraint::Indices{}, indices);
    wrong(patch.d_normals, sofa::type::vector<sofa::type::Vec3>{{0, 0, 0}}, normals);
    wrong(patch.d_areas, sofa::type::vector<SReal>{1e-5, -1e-5, 1e-5, 1e-5},
          sofa::type::vector<SReal>{1e-5, 2e-5, 1.5e-5, 1e-5});
    wrong(patch.d_mu, SReal(-1), SReal(0.4));
}

}  // namespace
}  // namespace softcontact::plugin::test
