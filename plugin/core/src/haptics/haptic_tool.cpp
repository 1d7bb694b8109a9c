// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>
#include <softcontact/haptics/haptic_tool.hpp>
#include <stdexcept>
#include <string>
#include <utility>

namespace softcontact {

namespace {

constexpr int most_changes = 16;  ///< of contact states a tick, so that its cost is bounded

}  // namespace

HapticTool::HapticTool(const ToolProperties& properties, const VirtualCoupling& coupling, double step,
                       double blend, int capacity)
    : m_dynamics(properties),
      m_coupling(coupling),
      m_step(step),
      m_blend(blend),
      m_newer(blend > 0.0 ? capacity : 0),
      m_older(m_newer)
{
    if (!(blend >= 0.0) || !std::isfinite(blend)) {
        throw std::invalid_argument("blend = " + std::to_string(blend) +
                                    " s must be finite and >= 0; 0 takes every model at once");
    }
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

void HapticTool::take(const LinearContactModel& model)
{
    if (model.sequence != m_newer.sequence) {
        // The first one has nothing to take over from.
        m_share = m_newer.empty() ? 1.0 : 0.0;
        std::swap(m_newer, m_older);
        m_newer = model;
    }
    m_share = std::min(m_share + m_step / m_blend, 1.0);
}

Vector6d HapticTool::contact_of(LinearContactModel& model, HapticTick& out)
{
    Vector6d free;
    free << m_dynamics.centre() - model.centre,
        rotation_vector(m_dynamics.pose().orientation * model.reference.orientation.conjugate());
    free += m_step * m_dynamics.free_velocity();
    out.changes += model.rows.solve(free, most_changes);
    out.touching = std::max(out.touching, model.rows.touching());
    return model.rows.wrench();
}

HapticTick HapticTool::tick(const RigidPose& device, const Twist& device_motion,
                            LinearContactModel* model) noexcept
{
    HapticTick out;
    if (!device.finite() || !device_motion.finite() || !m_dynamics.finite()) {
        out.ok = false;
        return out;
    }
    LinearContactModel* newer = model != nullptr && !model->empty() ? model : nullptr;
    LinearContactModel* older = nullptr;
    if (newer != nullptr && m_blend > 0.0) {
        take(*newer);
        newer = &m_newer;
        older = m_share < 1.0 && m_older.contacts() > 0 ? &m_older : nullptr;
    }
    if (newer != nullptr && newer->contacts() == 0) {
        newer = nullptr;
    }
    const LinearContactModel* const base = newer != nullptr ? newer : older;
    const Wrench other{m_force, Vector3d::Zero()};
    const bool prepared =
        base != nullptr
            ? m_dynamics.prepare_with(base->system, m_coupling, device, device_motion, other, m_step)
            : m_dynamics.prepare(m_coupling, device, device_motion, other, m_step);
    if (!prepared) {
        out.ok = false;
        return out;
    }
    Vector6d wrench = Vector6d::Zero();
    if (newer != nullptr) {
        wrench += (m_blend > 0.0 ? m_share : 1.0) * contact_of(*newer, out);
    }
    if (older != nullptr) {
        wrench += (1.0 - m_share) * contact_of(*older, out);
    }
    out.contact = Wrench::from(wrench);
    Vector6d velocity = m_dynamics.free_velocity();
    if (base != nullptr) {
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
