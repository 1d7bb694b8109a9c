// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/haptics/force_law.hpp"
#include "softcontact/haptics/tool_dynamics.hpp"

namespace softcontact {

/// What the linear contact model is compared with: the haptic tool hangs between two couplings, one to the
/// device and one to the visual tool, whose last place and motion are all that the fast thread knows of
/// contact. A publication is the visual tool: position of its frame, quaternion x y z w, twist of its centre
/// of mass, 13 numbers. It tells what ToolLaw tells, with the second coupling's wrench in the place of
/// contact.
///
/// Both couplings enter the system matrix, so that a tick is stable whatever their gains are. Source: Otaduy
/// & Gross 2007, Sec. 6 (additional virtual coupling between the haptic tool and the visual tool).
class DoubleCouplingLaw final : public ForceLaw {
public:
    /// `first` to the device, `second` to the visual tool, at whose handle it holds the haptic one's; `step`
    /// of the fast thread [s]. Throws std::invalid_argument.
    DoubleCouplingLaw(const ToolProperties& properties, const VirtualCoupling& first,
                      const VirtualCoupling& second, double step);

    /// Force at the centre of mass besides the couplings [N].
    void set_force(const Vector3d& force) { m_force = force; }

    [[nodiscard]] Index parameter_count() const noexcept override { return 13; }
    void take(const double* parameters, Index count) noexcept override;
    void reset(const DeviceState& state) noexcept override;
    [[nodiscard]] Vector6d wrench(const DeviceState& state, double period) noexcept override;
    [[nodiscard]] Index output_count() const noexcept override { return 20; }
    void tell(double* outputs) const noexcept override;

private:
    ToolDynamics m_dynamics;
    VirtualCoupling m_first, m_second;
    double m_step;
    Vector3d m_force = Vector3d::Zero();
    bool m_joined = false;  ///< a visual tool is known
    RigidPose m_visual;     ///< where the visual tool holds the second coupling, and how that place moves
    Twist m_visual_motion;
    Wrench m_pull;  ///< of the second coupling on the tool
};

}  // namespace softcontact
