// SPDX-License-Identifier: LGPL-2.1-or-later
#include "articulated_spatial.hpp"
#include "softcontact/bodies/articulated.hpp"

namespace softcontact {

using spatial::at;

namespace {

/// A link in its parent's frame, and its joint's axes in its own.
const Pose& place_link(const ArticulatedModel& model, ArticulatedData& data, int i, const double* q)
{
    const LinkDescription& link = model.link(i);
    const double* joint_q = q + model.q_offset(i);
    if (link.joint == JointType::universal)
        data.motion.col(model.v_offset(i)).tail<3>() = Eigen::AngleAxisd(-joint_q[1], link.axis2) * link.axis;
    return at(data.local, i) = link.placement * joint_pose(link.joint, link.axis, link.axis2, joint_q);
}

void move_link(const ArticulatedModel& model, ArticulatedData& data, int i,
               const Eigen::Ref<const VectorXd>& v)
{
    const int parent = model.link(i).parent;
    Vector6d velocity = spatial::joint_rate(model, data, i, v);
    if (parent >= 0) velocity += spatial::motion_to_child(at(data.local, i), at(data.velocity, parent));
    at(data.velocity, i) = velocity;
}

}  // namespace

void forward_kinematics(const ArticulatedModel& model, ArticulatedData& data,
                        const Eigen::Ref<const VectorXd>& q)
{
    for (int i = 0; i < model.link_count(); ++i) {
        const int parent = model.link(i).parent, offset = model.v_offset(i);
        const Pose& local = place_link(model, data, i, q.data());
        const Pose& pose = at(data.pose, i) = parent < 0 ? local : at(data.pose, parent) * local;
        for (int k = offset; k < offset + model.dofs(i); ++k) {
            data.world_motion.col(k).head<3>() = pose.rotation * data.motion.col(k).head<3>();
            data.world_motion.col(k).tail<3>() = pose.rotation * data.motion.col(k).tail<3>();
        }
    }
}

void forward_velocity(const ArticulatedModel& model, ArticulatedData& data,
                      const Eigen::Ref<const VectorXd>& q, const Eigen::Ref<const VectorXd>& v)
{
    forward_kinematics(model, data, q);
    for (int i = 0; i < model.link_count(); ++i) move_link(model, data, i, v);
}

void spatial::link_velocity(const ArticulatedModel& model, ArticulatedData& data,
                            const Eigen::Ref<const VectorXd>& q, const Eigen::Ref<const VectorXd>& v)
{
    for (int i = 0; i < model.link_count(); ++i) {
        place_link(model, data, i, q.data());
        move_link(model, data, i, v);
    }
}

void point_jacobian(const ArticulatedModel& model, const ArticulatedData& data, int link,
                    const Vector3d& world_point, JacobianRef jacobian)
{
    jacobian.setZero();
    for (int j = link; j >= 0; j = model.link(j).parent) {
        const Vector3d arm = world_point - at(data.pose, j).translation;
        for (int k = model.v_offset(j); k < model.v_offset(j) + model.dofs(j); ++k) {
            const Vector3d axis = data.world_motion.col(k).tail<3>();
            jacobian.col(k) = data.world_motion.col(k).head<3>() + axis.cross(arm);
        }
    }
}

void angular_jacobian(const ArticulatedModel& model, const ArticulatedData& data, int link,
                      JacobianRef jacobian)
{
    jacobian.setZero();
    for (int j = link; j >= 0; j = model.link(j).parent)
        for (int k = model.v_offset(j); k < model.v_offset(j) + model.dofs(j); ++k)
            jacobian.col(k) = data.world_motion.col(k).tail<3>();
}

void link_jacobian_transpose(const ArticulatedModel& model, const ArticulatedData& data, int link,
                             MatrixXd& columns)
{
    columns.setZero(model.nv(), 6);
    for (int j = link; j >= 0; j = model.link(j).parent) {
        const Vector3d arm = at(data.pose, link).translation - at(data.pose, j).translation;
        for (int k = model.v_offset(j); k < model.v_offset(j) + model.dofs(j); ++k) {
            const Vector3d axis = data.world_motion.col(k).tail<3>();
            columns.row(k).head<3>() = data.world_motion.col(k).head<3>() + axis.cross(arm);
            columns.row(k).tail<3>() = axis;
        }
    }
}

Vector3d point_velocity(const ArticulatedModel& /*model*/, const ArticulatedData& data, int link,
                        const Vector3d& world_point)
{
    const Pose& pose = at(data.pose, link);
    const Vector6d& velocity = at(data.velocity, link);
    const Vector3d angular = pose.rotation * velocity.tail<3>();
    return pose.rotation * velocity.head<3>() + angular.cross(world_point - pose.translation);
}

double kinetic_energy(const ArticulatedModel& model, const ArticulatedData& data,
                      const Eigen::Ref<const VectorXd>& v)
{
    double twice = v.cwiseAbs2().dot(model.armature());
    for (int i = 0; i < model.link_count(); ++i)
        twice += at(data.velocity, i).dot(model.inertia(i) * at(data.velocity, i));
    return 0.5 * twice;
}

double potential_energy(const ArticulatedModel& model, const ArticulatedData& data)
{
    double energy = 0.0;
    for (int i = 0; i < model.link_count(); ++i)
        energy -= model.link(i).mass * model.gravity.dot(at(data.pose, i) * model.link(i).com);
    return energy;
}

Vector3d centre_of_mass(const ArticulatedModel& model, const ArticulatedData& data)
{
    double mass = 0.0;
    Vector3d moment = Vector3d::Zero();
    for (int i = 0; i < model.link_count(); ++i) {
        mass += model.link(i).mass;
        moment += model.link(i).mass * (at(data.pose, i) * model.link(i).com);
    }
    return moment / mass;
}

}  // namespace softcontact
