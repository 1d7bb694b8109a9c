// SPDX-License-Identifier: LGPL-2.1-or-later
// A tick of the haptic tool allocates nothing while contacts open, stick and slide, and neither does taking
// over a model of the same room.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <softcontact/haptics/haptic_tool.hpp>

#include "counted_allocations.hpp"

namespace {

using namespace softcontact;

bool check(bool holds, const char* what)
{
    if (!holds) std::fprintf(stderr, "failed: %s\n", what);
    return holds;
}

/// Contacts on a disc under the tool, each on its own spring.
LinearContactModel make_model(int contacts, const Matrix6d& system, double fast_step)
{
    LinearContactModel model(25);
    MatrixXd compliance = MatrixXd::Zero(3 * contacts, 3 * contacts);
    MatrixXd rows(3 * contacts, 6);
    VectorXd friction = VectorXd::Constant(contacts, 0.4);
    for (int c = 0; c < contacts; ++c) {
        const Vector3d arm(0.01 * std::cos(c), 0.01 * std::sin(c), -0.01);
        const Vector3d axes[3] = {Vector3d::UnitZ(), Vector3d::UnitX(), Vector3d::UnitY()};
        for (int k = 0; k < 3; ++k) {
            rows.row(3 * c + k) << axes[k].transpose(), arm.cross(axes[k]).transpose();
            compliance(3 * c + k, 3 * c + k) = 0.02;
        }
    }
    compliance += rows * (fast_step * fast_step * system.inverse()) * rows.transpose();
    model.sequence = 1;
    model.step = 0.02;
    model.fast_step = fast_step;
    model.system = system;
    model.rows.begin(contacts);
    model.rows.set_compliance(compliance);
    model.rows.set_rows(rows, VectorXd::Zero(3 * contacts), friction);
    return model;
}

/// Largest change of the device's force where a model with more give takes over [N].
double jump(const ToolProperties& properties, const VirtualCoupling& coupling, double step, double blend)
{
    const Matrix6d system = ToolDynamics(properties).system_matrix(coupling, {}, {}, step);
    LinearContactModel first = make_model(25, system, step), second = make_model(8, system, step);
    second.sequence = 2;
    HapticTool tool(properties, coupling, step, blend, 25);
    tool.reset({});
    RigidPose device;
    device.position.z() = -0.005;
    double before = 0.0, largest = 0.0;
    for (int i = 0; i < 600; ++i) {
        const HapticTick tick = tool.tick(device, {}, i < 300 ? &first : &second);
        if (i > 250) largest = std::max(largest, std::abs(tick.device.force.z() - before));
        before = tick.device.force.z();
    }
    return largest;
}

}  // namespace

int main()
{
    bool good = check(test::allocations > 0, "allocations are counted");
    const ToolProperties properties{0.05, Vector3d::Zero(), 1e-5 * Matrix3d::Identity()};
    const VirtualCoupling coupling(VirtualCoupling::dragging(0.05, 1e-5, 800.0, 0.5));
    constexpr double step = 1e-3;
    HapticTool tool(properties, coupling, step);
    tool.reset({});
    const Matrix6d system = ToolDynamics(properties).system_matrix(coupling, {}, {}, step);
    LinearContactModel model = make_model(25, system, step);
    const LinearContactModel fresh = make_model(20, system, step);

    int most = 0, fewest = 100, changes = 0;
    test::allocations = 0;
    bool ok = true;
    for (int i = 0; i < 4000; ++i) {
        const double t = step * i;
        RigidPose device;
        device.position =
            Vector3d(0.01 * std::sin(7.0 * t), 0.005 * std::sin(11.0 * t), 0.01 * std::sin(9.0 * t));
        device.orientation = rotation_of(Vector3d(0.2 * std::sin(13.0 * t), 0.2 * std::sin(5.0 * t), 0.0));
        if (i % 40 == 39) model = fresh;  // as many rows less, the room the same
        const HapticTick tick = tool.tick(device, {}, &model);
        ok = ok && tick.ok;
        most = std::max(most, tick.touching);
        fewest = std::min(fewest, tick.touching);
        changes += tick.changes;
    }
    const long counted = test::allocations;
    good = check(ok, "every tick goes") && good;
    good = check(fewest == 0 && most > 10 && changes > 200, "contacts come, go and slide") && good;
    good = check(counted == 0, "no tick allocates") && good;
    const double at_once = jump(properties, coupling, step, 0.0);
    const double blended = jump(properties, coupling, step, 0.05);
    std::printf("jump %.4f N at once, %.4f N blended\n", at_once, blended);
    good =
        check(at_once > 0.05 && blended < 0.3 * at_once, "a blend spreads the jump to a new model") && good;
    std::printf("allocations %ld, contacts %d to %d, changes %d\n", counted, fewest, most, changes);
    return good ? 0 : 1;
}
