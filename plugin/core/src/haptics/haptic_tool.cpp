// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cmath>
#include <softcontact/haptics/haptic_tool.hpp>
#include <stdexcept>
#include <string>

namespace softcontact {

namespace {

constexpr int most_changes = 16;  ///< of contact states a tick, so that its cost is bounded

}  // namespace

HapticTool::HapticTool(const ToolProperties& properties, const VirtualCoupling& coupling, double step)
    : m_dynamics(properties), m_coupling(coupling), m_step(step)
{
    if (!(step > 0.0) || !std::isfinite(step)) {
        throw std::invalid_argument("step = " + std::to_string(step) +
                                    " s of the fast thread must be finite and > 0");
    }
}

void HapticTool::reset_to_device(const RigidPose& device)
{
    const RigidPose& handle = m_coupling.handle();
    RigidPose tool;
    tool.orientation = device.orientation * handle.orientation.conjugate();
    tool.position = device.position - tool.orientation * handle.position;
    m_dynamics.reset(tool);
}

HapticTick HapticTool::tick(const RigidPose& device, const Twist& device_motion,
                            LinearContactModel* model) noexcept
{
    HapticTick out;
    if (!device.finite() || !device_motion.finite() || !m_dynamics.finite()) {
        out.ok = false;
        return out;
    }
    const bool contact = model != nullptr && !model->empty() && model->contacts() > 0;
    const Wrench other{m_force, Vector3d::Zero()};
    const bool prepared =
        contact ? m_dynamics.prepare_with(model->system, m_coupling, device, device_motion, other, m_step)
                : m_dynamics.prepare(m_coupling, device, device_motion, other, m_step);
    if (!prepared) {
        out.ok = false;
        return out;
    }
    Vector6d velocity = m_dynamics.free_velocity();
    if (contact) {
        const RigidPose& pose = m_dynamics.pose();
        Vector6d free;
        free << m_dynamics.centre() - model->centre,
            rotation_vector(pose.orientation * model->reference.orientation.conjugate());
        free += m_step * velocity;
        out.changes = model->rows.solve(free, most_changes);
        out.touching = model->rows.touching();
        const Vector6d wrench = model->rows.wrench();
        out.contact = Wrench::from(wrench);
        velocity += m_dynamics.velocity_change(wrench);
    }
    if (!velocity.allFinite()) {
        out.ok = false;
        out.contact = {};
        return out;
    }
    m_dynamics.finish(velocity);
    out.device =
        m_coupling.load(device, device_motion, m_dynamics.pose(), m_dynamics.centre(), m_dynamics.motion())
            .device;
    return out;
}

}  // namespace softcontact
