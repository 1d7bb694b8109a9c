// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <limits>
#include <softcontact/haptics/rigid_state.hpp>

namespace softcontact {

/// What a coupling does to a tool at one instant.
struct CouplingLoad {
    Wrench tool;         ///< on the tool: force, and torque about its centre of mass
    Wrench device;       ///< on the device: force, and torque about the device point
    Matrix6d stiffness;  ///< −∂(F, T)/∂(x, φ): tool moved, and turned about its centre of mass [N/m], [N·m]
    Matrix6d damping;    ///< −∂(F, T)/∂(v, ω) [N·s/m], [N·m·s]
};

/// Six-degree-of-freedom spring and damper between a device and the handle of a tool.
///
///     F = k (p_device − p_handle) + b (v_device − v_handle),    T = r × F + k_r θ + b_r (ω_device − ω)
///
/// r from the centre of mass to the handle, θ the rotation vector from the tool's orientation to the
/// device's. Forces longer than max_force and couples longer than max_torque are cut to that length. Source:
/// Otaduy & Gross 2007, Sec. 4.1 (coupled 6 × 6 where the handle is off the centre of mass); damping for
/// dragging: Keith et al., Sec. 3.
class VirtualCoupling {
public:
    struct Gains {
        double stiffness = 500.0;                                     ///< k [N/m] >= 0
        double damping = 10.0;                                        ///< b [N·s/m] >= 0
        double angular_stiffness = 0.5;                               ///< k_r [N·m/rad] >= 0
        double angular_damping = 0.005;                               ///< b_r [N·m·s/rad] >= 0
        double max_force = std::numeric_limits<double>::infinity();   ///< [N] > 0
        double max_torque = std::numeric_limits<double>::infinity();  ///< [N·m] > 0
    };

    VirtualCoupling() = default;
    /// `handle`: the place of the device in the tool's frame when the coupling is at rest. Throws
    /// std::invalid_argument on negative or infinite gains.
    explicit VirtualCoupling(const Gains& gains, const RigidPose& handle = {});

    /// b = sqrt(2 m k) for a dragged mass m [kg]; b_r likewise with its least moment of inertia [kg·m²].
    [[nodiscard]] static Gains dragging(double mass, double least_inertia, double stiffness,
                                        double angular_stiffness);

    /// Load on a tool whose frame is at `tool`, whose centre of mass is at `centre` (world) and whose twist,
    /// of the centre of mass, is `motion`. Jacobians are exact, not symmetric in general.
    [[nodiscard]] CouplingLoad evaluate(const RigidPose& device, const Twist& device_motion,
                                        const RigidPose& tool, const Vector3d& centre,
                                        const Twist& motion) const;
    /// The same without the Jacobians (zero), for what is done with forces alone.
    [[nodiscard]] CouplingLoad load(const RigidPose& device, const Twist& device_motion,
                                    const RigidPose& tool, const Vector3d& centre, const Twist& motion) const;
    /// Symmetric, positive semidefinite stiffness and damping for the tool's system matrix: those of the
    /// uncut coupling, without the part that may push the tool away from where it is.
    void system_matrices(const RigidPose& device, const RigidPose& tool, const Vector3d& centre,
                         Matrix6d& stiffness, Matrix6d& damping) const;

    [[nodiscard]] const Gains& gains() const { return m_gains; }
    [[nodiscard]] const RigidPose& handle() const { return m_handle; }

private:
    Gains m_gains;
    RigidPose m_handle;
};

}  // namespace softcontact
