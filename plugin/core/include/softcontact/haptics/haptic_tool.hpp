// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/haptics/linear_contact_model.hpp>
#include <softcontact/haptics/tool_dynamics.hpp>

namespace softcontact {

/// What one fast step did.
struct HapticTick {
    Wrench device;     ///< coupling load on the device: force [N], torque about the device point [N·m]
    Wrench contact;    ///< of the tissue on the tool, torque about its centre of mass
    int touching = 0;  ///< contacts with a force
    int changes = 0;   ///< contacts that opened, closed, stuck or slid anew
    bool ok = true;    ///< false: an input or the state was not finite; no force, the tool stays where it was
};

/// The haptic tool: one frame of the fast thread. It never allocates, locks, throws or logs.
///
/// coupling → free update → contact of the linear model → state after contact → force for the device.
/// Source: Otaduy & Gross 2007, Sec. 3 (haptic thread, steps 1 to 5).
class HapticTool {
public:
    /// `step` of the fast thread [s]. `blend`: time over which a new model takes the place of the last one,
    /// for slow visual rates [s]; 0: at once. While it does, the contact is a mean of both, so it never
    /// pulls. `capacity` of the models that will come, used with `blend` alone. Throws std::invalid_argument.
    HapticTool(const ToolProperties& properties, const VirtualCoupling& coupling, double step,
               double blend = 0.0, int capacity = 32);

    /// The tool at rest at this pose.
    void reset(const RigidPose& pose) { m_dynamics.reset(pose); }
    /// The tool where the device holds it at rest.
    void reset_to_device(const RigidPose& device);
    /// Force at the centre of mass besides the coupling [N]: its weight, if the hand is to feel it.
    void set_force(const Vector3d& force) { m_force = force; }

    void set_coupling(const VirtualCoupling& coupling) noexcept { m_coupling = coupling; }

    /// One step. `model`: the newest one, nullptr or empty for none; its contact states go on from step to
    /// step, so it is not const.
    HapticTick tick(const RigidPose& device, const Twist& device_motion, LinearContactModel* model) noexcept;

    [[nodiscard]] const ToolDynamics& dynamics() const { return m_dynamics; }
    [[nodiscard]] const VirtualCoupling& coupling() const { return m_coupling; }
    [[nodiscard]] double step() const { return m_step; }

private:
    void take(const LinearContactModel& model);
    Vector6d contact_of(LinearContactModel& model, HapticTick& out);

    ToolDynamics m_dynamics;
    VirtualCoupling m_coupling;
    double m_step;
    Vector3d m_force = Vector3d::Zero();
    double m_blend;
    double m_share = 1.0;                 ///< of the newer model
    LinearContactModel m_newer, m_older;  ///< with `blend` alone
};

}  // namespace softcontact
