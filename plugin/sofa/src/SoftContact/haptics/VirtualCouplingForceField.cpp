// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/haptics/VirtualCouplingForceField.h>
#include <sofa/core/MechanicalParams.h>
#include <sofa/core/ObjectFactory.h>
#include <sofa/core/behavior/BaseLocalForceFieldMatrix.h>
#include <sofa/core/behavior/BaseMass.h>
#include <sofa/linearalgebra/FullMatrix.h>
#include <sofa/simulation/AnimateBeginEvent.h>
#include <sofa/simulation/AnimateEndEvent.h>

#include <Eigen/Eigenvalues>
#include <sofa/core/behavior/ForceField.inl>

namespace softcontact::plugin {

using sofa::core::MechanicalParams;
using sofa::core::objectmodel::ComponentState;

namespace {

const Rigid3Types::Coord identity(sofa::type::Vec3(0, 0, 0), sofa::type::Quat<SReal>(0, 0, 0, 1));

}  // namespace

VirtualCouplingForceField::VirtualCouplingForceField()
    : d_device(initData(&d_device, identity, "device", "Pose of the device [m]")),
      d_deviceVelocity(
          initData(&d_deviceVelocity, "deviceVelocity",
                   "Velocity of the device [m/s, rad/s]; unset: from the device's poses of two steps")),
      d_handle(initData(&d_handle, identity, "handle", "Place of the device in the tool's axes [m]")),
      d_stiffness(initData(&d_stiffness, SReal(500), "stiffness", "Stiffness of the coupling [N/m]")),
      d_damping(initData(
          &d_damping, SReal(-1), "damping",
          "Damping of the coupling [N s/m]; negative: sqrt(2 m k), that of dragging the tool's mass")),
      d_angularStiffness(initData(&d_angularStiffness, SReal(0.5), "angularStiffness",
                                  "Angular stiffness of the coupling [N m/rad]")),
      d_angularDamping(initData(
          &d_angularDamping, SReal(-1), "angularDamping",
          "Angular damping of the coupling [N m s/rad]; negative: sqrt(2 I k) with the tool's least moment")),
      d_maxForce(initData(&d_maxForce, SReal(0), "maxForce", "Greatest force of the coupling [N]; 0: none")),
      d_maxTorque(
          initData(&d_maxTorque, SReal(0), "maxTorque", "Greatest couple of the coupling [N m]; 0: none")),
      d_deviceForce(initData(&d_deviceForce, "deviceForce",
                             "OUTPUT: force and torque on the device after the step [N, N m]"))
{
    f_listening.setValue(true);
    d_deviceForce.setReadOnly(true);
}

void VirtualCouplingForceField::readTool()
{
    const auto* mass = getContext()->getMass();
    if (mass == nullptr) {
        throw std::invalid_argument("the tool's node has no mass; add a UniformMass to it");
    }
    sofa::linearalgebra::FullMatrix<SReal> matrix(6, 6);
    mass->getElementMass(0, &matrix);
    m_tool.mass = matrix.element(0, 0);
    Matrix3d inertia;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            inertia(i, j) = matrix.element(3 + i, 3 + j);
        }
    }
    // SOFA has it in world axes.
    const Matrix3d rotation = eigen(this->mstate->readPositions()[0]).orientation.toRotationMatrix();
    const Matrix3d turned = rotation.transpose() * inertia * rotation;
    m_tool.inertia = 0.5 * (turned + turned.transpose());
    m_leastInertia = Eigen::SelfAdjointEigenSolver<Matrix3d>(m_tool.inertia).eigenvalues()[0];
    static_cast<void>(ToolDynamics(m_tool));  // refuses what no body has
}

VirtualCoupling VirtualCouplingForceField::coupling() const
{
    VirtualCoupling::Gains gains = VirtualCoupling::dragging(
        m_tool.mass, m_leastInertia, d_stiffness.getValue(), d_angularStiffness.getValue());
    if (d_damping.getValue() >= 0) gains.damping = d_damping.getValue();
    if (d_angularDamping.getValue() >= 0) gains.angular_damping = d_angularDamping.getValue();
    if (d_maxForce.getValue() != 0) gains.max_force = d_maxForce.getValue();
    if (d_maxTorque.getValue() != 0) gains.max_torque = d_maxTorque.getValue();
    return VirtualCoupling(gains, eigen(d_handle.getValue()));
}

void VirtualCouplingForceField::readCoupling()
{
    try {
        m_coupling = coupling();
        d_componentState.setValue(ComponentState::Valid);
    } catch (const std::invalid_argument& error) {
        msg_error() << error.what();
        d_componentState.setValue(ComponentState::Invalid);
    }
}

void VirtualCouplingForceField::init()
{
    Inherit1::init();
    if (!this->mstate || this->mstate->getSize() != 1) {
        msg_error() << "needs a Rigid3 state of one frame in its node, the tool's";
        d_componentState.setValue(ComponentState::Invalid);
        return;
    }
    m_hasLast = false;
    m_deviceMotion = {};
    try {
        readTool();
    } catch (const std::invalid_argument& error) {
        msg_error() << error.what();
        d_componentState.setValue(ComponentState::Invalid);
        return;
    }
    readCoupling();
}

void VirtualCouplingForceField::handleEvent(sofa::core::objectmodel::Event* event)
{
    if (!this->mstate || d_componentState.getValue() != ComponentState::Valid) return;
    if (sofa::simulation::AnimateBeginEvent::checkEventType(event)) {
        readCoupling();
        const RigidPose pose = device();
        if (d_deviceVelocity.isSet()) {
            m_deviceMotion = eigen(d_deviceVelocity.getValue());
        } else {
            const double dt = getContext()->getDt();
            m_deviceMotion = m_hasLast && dt > 0
                                 ? Twist{.linear = displacement(m_lastDevice, pose).head<3>() / dt,
                                         .angular = displacement(m_lastDevice, pose).tail<3>() / dt}
                                 : Twist{};
        }
        m_lastDevice = pose;
        m_hasLast = true;
    } else if (sofa::simulation::AnimateEndEvent::checkEventType(event)) {
        const RigidPose pose = eigen(this->mstate->readPositions()[0]);
        const CouplingLoad load = m_coupling.load(device(), m_deviceMotion, pose, pose.position,
                                                  eigen(this->mstate->readVelocities()[0]));
        d_deviceForce.setValue(sofaDeriv(load.device.vector()));
    }
}

void VirtualCouplingForceField::addForce(const MechanicalParams*, DataVecDeriv& f, const DataVecCoord& x,
                                         const DataVecDeriv& v)
{
    if (d_componentState.getValue() != ComponentState::Valid) return;
    const RigidPose pose = eigen(x.getValue()[0]);
    const CouplingLoad load =
        m_coupling.load(device(), m_deviceMotion, pose, pose.position, eigen(v.getValue()[0]));
    m_coupling.system_matrices(device(), pose, pose.position, m_stiffness, m_damping);
    auto force = sofa::helper::getWriteAccessor(f);
    force[0] += sofaDeriv(load.tool.vector());
}

void VirtualCouplingForceField::addDForce(const MechanicalParams* params, DataVecDeriv& df,
                                          const DataVecDeriv& dx)
{
    if (d_componentState.getValue() != ComponentState::Valid) return;
    const SReal k = sofa::core::mechanicalparams::kFactorIncludingRayleighDamping(
        params, this->rayleighStiffness.getValue());
    const Vector6d moved = eigen(dx.getValue()[0]).vector();
    auto force = sofa::helper::getWriteAccessor(df);
    force[0] += sofaDeriv(-(k * m_stiffness + params->bFactor() * m_damping) * moved);
}

void VirtualCouplingForceField::buildStiffnessMatrix(sofa::core::behavior::StiffnessMatrix* matrix)
{
    if (d_componentState.getValue() != ComponentState::Valid) return;
    auto out = matrix->getForceDerivativeIn(this->mstate).withRespectToPositionsIn(this->mstate);
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) out(i, j) += -m_stiffness(i, j);
    }
}

void VirtualCouplingForceField::buildDampingMatrix(sofa::core::behavior::DampingMatrix* matrix)
{
    if (d_componentState.getValue() != ComponentState::Valid) return;
    auto out = matrix->getForceDerivativeIn(this->mstate).withRespectToVelocityIn(this->mstate);
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) out(i, j) += -m_damping(i, j);
    }
}

SReal VirtualCouplingForceField::getPotentialEnergy(const MechanicalParams*, const DataVecCoord& x) const
{
    const RigidPose tool = eigen(x.getValue()[0]), device = this->device();
    const RigidPose& handle = m_coupling.handle();
    const Vector6d stretch =
        displacement({tool * handle.position, tool.orientation * handle.orientation}, device);
    const VirtualCoupling::Gains& gains = m_coupling.gains();
    return 0.5 * gains.stiffness * stretch.head<3>().squaredNorm() +
           0.5 * gains.angular_stiffness * stretch.tail<3>().squaredNorm();
}

void registerVirtualCouplingForceField(sofa::core::ObjectFactory* factory)
{
    factory->registerObjects(sofa::core::ObjectRegistrationData(
                                 "Spring and damper between a haptic device and a rigid tool, with their "
                                 "six-dimensional stiffness and damping in the implicit system.")
                                 .add<VirtualCouplingForceField>());
}

}  // namespace softcontact::plugin
