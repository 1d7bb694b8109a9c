// SPDX-License-Identifier: LGPL-2.1-or-later
// A tool that would be long past a thin sheet at the end of its free motion meets it where it first touches.
#include <cmath>
#include <cstdio>
#include <softcontact/geometry/first_contact.hpp>
#include <softcontact/world/world.hpp>

namespace {

using namespace softcontact;

bool check(bool holds, const char* what)
{
    if (!holds) std::fprintf(stderr, "failed: %s\n", what);
    return holds;
}

/// Corners and triangles of a block about the origin.
Surface block(const Vector3d& size)
{
    Points vertices(3, 8);
    for (int i = 0; i < 8; ++i) {
        vertices.col(i) =
            Vector3d((i & 1) != 0 ? 0.5 : -0.5, (i & 2) != 0 ? 0.5 : -0.5, (i & 4) != 0 ? 0.5 : -0.5)
                .cwiseProduct(size);
    }
    Triangles triangles(3, 12);
    triangles << 0, 0, 4, 4, 0, 0, 2, 2, 0, 0, 1, 1,  //
        3, 2, 5, 7, 1, 5, 6, 7, 4, 6, 3, 7,           //
        1, 3, 7, 6, 5, 4, 7, 3, 6, 2, 7, 5;
    return Surface(vertices, triangles);
}

bool shares_are_exact()
{
    const Surface tool = block({0.02, 0.02, 0.02}), sheet = block({0.2, 0.2, 0.001});
    const Points still = sheet.local_vertices();
    const Points start = tool.local_vertices().colwise() + Vector3d(0.01, 0.004, 0.05);
    bool good = true;
    for (const double way : {0.05, 0.2, 5.0}) {
        const Points end = start.colwise() - Vector3d(0.0, 0.0, way);
        const auto found = first_contact({tool.triangles(), start, end}, {sheet.triangles(), still, still});
        good = check(found && std::abs(found->share - 0.0395 / way) < 1e-12, "share of the step") && good;
        good =
            check(found && (found->normal - Vector3d::UnitZ()).norm() < 1e-9, "normal from B to A") && good;
    }
    const Points away = start.colwise() + Vector3d(0.0, 0.0, 0.1);
    return check(!first_contact({tool.triangles(), start, away}, {sheet.triangles(), still, still}),
                 "nothing where the two part") &&
           good;
}

bool sheet_holds()
{
    WorldSettings settings;
    settings.contact = ContactModel::point;
    World world(0.04, Vector3d::Zero(), settings);
    world.add_kinematic("sheet", block({0.2, 0.2, 0.001}),
                        PoseMotion({0.0}, {Vector3d::Zero()}, {Quaterniond::Identity()}), 0.0);
    const ToolProperties properties{0.05, Vector3d::Zero(), 1e-5 * Matrix3d::Identity()};
    const VirtualCoupling coupling(VirtualCoupling::dragging(0.05, 1e-5, 800.0, 0.5));
    RigidPose pose;
    pose.position = Vector3d(0.003, 0.002, 0.3);
    const int tool = world.add_tool("tool", block({0.02, 0.02, 0.02}), properties, coupling, pose, 0.0);
    pose.position.z() = -0.3;
    world.set_device(tool, pose, {});
    bool good = true;
    double lowest = 1.0, fastest = 0.0, before = 0.3;
    for (int i = 0; i < 40 && good; ++i) {
        good = check(world.step(), "every step goes");
        const double height = world.body_pose(tool, 0).translation.z();
        lowest = std::min(lowest, height);
        fastest = std::max(fastest, before - height);
        before = height;
    }
    std::printf("lowest %.6f m, %.3f m in one step\n", lowest, fastest);
    good = check(fastest > 0.1, "it comes fast") && good;
    return check(lowest > 0.01 && std::abs(before - 0.011) < 5e-4, "it rests on the sheet") && good;
}

}  // namespace

int main()
{
    const bool exact = shares_are_exact();
    return sheet_holds() && exact ? 0 : 1;
}
