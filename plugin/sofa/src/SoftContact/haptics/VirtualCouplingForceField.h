// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/config.h>
#include <SoftContact/haptics/RigidConversion.h>
#include <sofa/core/behavior/ForceField.h>

#include <softcontact/haptics/tool_dynamics.hpp>

namespace sofa::core {
class ObjectFactory;
}

namespace softcontact::plugin {

/// Spring and damper of six degrees of freedom between a haptic device and a rigid tool:
/// softcontact::VirtualCoupling as a force field on the tool's one Rigid3 frame, whose origin is the centre
/// of mass (as SOFA's masses have it).
///
///     F = k (p_device − p_handle) + b (v_device − v_handle),    T = r × F + k_r θ + b_r (ω_device − ω)
///
/// Its stiffness and damping go into the implicit system, all 6 × 6 of them. The device may be linked to any
/// driver's pose (GeomagicDriver.positionDevice); its velocity is given, or comes from the poses of two
/// steps. Source: Otaduy & Gross 2007, Sec. 4.1.
class SOFA_SOFTCONTACT_API VirtualCouplingForceField : public sofa::core::behavior::ForceField<Rigid3Types> {
public:
    SOFA_CLASS(VirtualCouplingForceField, SOFA_TEMPLATE(sofa::core::behavior::ForceField, Rigid3Types));

    using Pose = Rigid3Types::Coord;
    using Motion = Rigid3Types::Deriv;
    using VecCoord = Rigid3Types::VecCoord;
    using VecDeriv = Rigid3Types::VecDeriv;
    using DataVecCoord = sofa::Data<VecCoord>;
    using DataVecDeriv = sofa::Data<VecDeriv>;

    sofa::Data<Pose> d_device;            ///< pose of the device [m]
    sofa::Data<Motion> d_deviceVelocity;  ///< [m/s, rad/s]; unset: from the poses of two steps
    sofa::Data<Pose> d_handle;            ///< place of the device in the tool's axes
    sofa::Data<SReal> d_stiffness;        ///< k [N/m]
    sofa::Data<SReal> d_damping;          ///< b [N s/m]; negative: that of dragging the tool's mass
    sofa::Data<SReal> d_angularStiffness, d_angularDamping;
    sofa::Data<SReal> d_maxForce, d_maxTorque;  ///< [N], [N m]; 0: none
    sofa::Data<Motion> d_deviceForce;           ///< OUTPUT: load on the device after the step [N, N m]

    void init() override;
    void handleEvent(sofa::core::objectmodel::Event* event) override;
    void addForce(const sofa::core::MechanicalParams* params, DataVecDeriv& f, const DataVecCoord& x,
                  const DataVecDeriv& v) override;
    void addDForce(const sofa::core::MechanicalParams* params, DataVecDeriv& df,
                   const DataVecDeriv& dx) override;
    void buildStiffnessMatrix(sofa::core::behavior::StiffnessMatrix* matrix) override;
    void buildDampingMatrix(sofa::core::behavior::DampingMatrix* matrix) override;
    SReal getPotentialEnergy(const sofa::core::MechanicalParams* params,
                             const DataVecCoord& x) const override;

    /// Throws std::invalid_argument.
    [[nodiscard]] VirtualCoupling coupling() const;
    /// As the mass of the node tells it at init().
    [[nodiscard]] const ToolProperties& tool() const { return m_tool; }
    [[nodiscard]] RigidPose device() const { return eigen(d_device.getValue()); }

protected:
    VirtualCouplingForceField();
    ~VirtualCouplingForceField() override = default;

private:
    void readTool();
    void readCoupling();

    ToolProperties m_tool;
    double m_leastInertia = 0.0;
    VirtualCoupling m_coupling;
    Twist m_deviceMotion;
    RigidPose m_lastDevice;
    bool m_hasLast = false;
    Matrix6d m_stiffness = Matrix6d::Zero(), m_damping = Matrix6d::Zero();
};

void registerVirtualCouplingForceField(sofa::core::ObjectFactory* factory);

}  // namespace softcontact::plugin
