// SPDX-License-Identifier: LGPL-2.1-or-later
// A plate on a virtual coupling above a soft block, as SOFA's XML, and what the tests ask of it.
#pragma once

#include <SoftContact/haptics/LinearContactModel.h>

#include <sstream>

#include "test_scenes.h"

namespace softcontact::plugin::test {

/// A plate of 50 g whose middle is above x = `at`, its device `depth` below the block's top (z = 0.04).
inline std::string plate_tool(const std::string& name, double at, double depth,
                              const std::string& feedback = "<LinearContactModel name='feedback'/>",
                              const std::string& coupling = "")
{
    std::ostringstream out;
    out << "<Node name='" << name << "'>"
        << "<EulerImplicitSolver rayleighMass='0' rayleighStiffness='0'/>"
           "<SparseLDLSolver template='CompressedRowSparseMatrixd'/>"
           "<MechanicalObject name='state' template='Rigid3' position='"
        << at << " 0 0.0425 0 0 0 1'/>"
        << "<UniformMass vertexMass='0.05 1 [2e-4 0 0 0 2e-4 0 0 0 4e-4]'/>"
           "<VirtualCouplingForceField name='coupling' stiffness='1000' angularStiffness='2' device='"
        << at << " 0 " << 0.042 - depth << " 0 0 0 1' " << coupling << "/>"
        << "<LinearSolverConstraintCorrection/>" << feedback
        << "<Node name='surface'><MeshTopology position='-0.015 -0.015 0  0.015 -0.015 0  0.015 0.015 0  "
           "-0.015 0.015 0' triangles='0 2 1  0 3 2'/><MechanicalObject/><TriangleCollisionModel/>"
           "<RigidMapping/></Node></Node>";
    return out.str();
}

/// A soft block of 0.16 x 0.04 x 0.04 m, fixed at its bottom.
inline const std::string soft_block =
    "<Node name='block'><EulerImplicitSolver rayleighMass='0' rayleighStiffness='0'/>"
    "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"
    "<RegularGridTopology n='17 5 3' min='-0.08 -0.02 0' max='0.08 0.02 0.04'/>"
    "<MechanicalObject name='state'/><UniformMass totalMass='0.5'/>"
    "<HexahedronFEMForceField youngModulus='2e4' poissonRatio='0.4' method='large'/>"
    "<BoxROI name='bottom' box='-1 -1 -1e-4 1 1 1e-4'/><FixedProjectiveConstraint indices='@bottom.indices'/>"
    "<LinearSolverConstraintCorrection/><PointCollisionModel/></Node>";

inline std::string pressed(const std::string& loop, const std::string& content,
                           const std::string& response = "FrictionContactConstraint?mu=0.4", double dt = 0.01)
{
    return root(loop, response, content + soft_block, dt, "0 0 0");
}

/// A haptic scene that is stepped with a driver's calls in between, in time that goes on with these.
class HapticScene : public Scene {
public:
    explicit HapticScene(const std::string& xml) : Scene(xml)
    {
        clock.advance(1'000'000'000);
        sofa::type::vector<LinearContactModel*> feedbacks;
        root().getTreeObjects<LinearContactModel>(&feedbacks);
        for (LinearContactModel* each : feedbacks) each->useClock(clock);
    }

    LinearContactModel& feedback(const std::string& tool = "tool")
    {
        return *root().getChild(tool)->getTreeObject<LinearContactModel>();
    }
    VirtualCouplingForceField& coupling(const std::string& tool = "tool")
    {
        return *root().getChild(tool)->getTreeObject<VirtualCouplingForceField>();
    }
    /// What GeomagicDriver calls.
    Vector3d call(const Vector3d& device, const std::string& tool = "tool")
    {
        SReal fx = 7, fy = 7, fz = 7;
        feedback(tool).computeForce(device[0], device[1], device[2], 0, 0, 0, 0, fx, fy, fz);
        return {fx, fy, fz};
    }
    /// A millisecond passes.
    void wait(int milliseconds = 1) { clock.advance(milliseconds * 1'000'000LL); }

    ManualTickClock clock;
};

}  // namespace softcontact::plugin::test
