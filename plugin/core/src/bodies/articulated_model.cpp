// SPDX-License-Identifier: LGPL-2.1-or-later
#include <Eigen/Eigenvalues>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "softcontact/bodies/articulated.hpp"

namespace softcontact {
namespace {

constexpr double unit_tolerance = 1e-6;  // digits lost in a file; the rest is normalised away
constexpr double pivot_relative_tolerance = 1e-12;
constexpr double inertia_relative_tolerance = 1e-6;  // files carry some 6 digits

template <typename Value>
[[noreturn]] void refuse(const LinkDescription& link, const char* field, const Value& value,
                         const char* remedy)
{
    std::ostringstream message;
    message << "link '" << link.name << "': " << field << " = " << value << " " << remedy;
    throw std::invalid_argument(message.str());
}

void check_axis(const LinkDescription& link, const Vector3d& axis, const char* field)
{
    if (!(std::abs(axis.norm() - 1.0) <= unit_tolerance))
        refuse(link, field, axis.transpose(), "must have norm 1; normalise it");
}

void check_placement(const LinkDescription& link)
{
    const Matrix3d& rotation = link.placement.rotation;
    if (!link.placement.translation.allFinite())
        refuse(link, "placement.translation", link.placement.translation.transpose(), "must be finite");
    if (!((rotation.transpose() * rotation - Matrix3d::Identity()).cwiseAbs().maxCoeff() <= unit_tolerance) ||
        !(rotation.determinant() > 0.0))
        refuse(link, "placement.rotation", rotation, "must be a rotation matrix");
}

void check_inertia(const LinkDescription& link)
{
    const Matrix3d& inertia = link.inertia;
    if (!(link.mass >= 0.0) || !std::isfinite(link.mass))
        refuse(link, "mass", link.mass, "must be finite and >= 0 kg");
    if (!link.com.allFinite()) refuse(link, "com", link.com.transpose(), "must be finite");
    if (!inertia.allFinite()) refuse(link, "inertia", inertia, "must be finite");
    if (link.mass == 0.0 && !inertia.isZero(0.0))
        refuse(link, "inertia", inertia, "of a massless link must be zero; give the link a mass");
    const double tolerance = inertia_relative_tolerance * inertia.cwiseAbs().maxCoeff();
    if (!((inertia - inertia.transpose()).cwiseAbs().maxCoeff() <= tolerance))
        refuse(link, "inertia", inertia, "must be symmetric");
    const Vector3d moments =
        Eigen::SelfAdjointEigenSolver<Matrix3d>(inertia, Eigen::EigenvaluesOnly).eigenvalues();
    if (!(moments[0] >= -tolerance))
        refuse(link, "inertia", inertia, "must have principal moments >= 0 kg m²");
    if (!(moments[0] + moments[1] >= moments[2] - tolerance))
        refuse(
            link, "inertia", inertia,
            "breaks the triangle inequality (largest principal moment <= sum of the others): no body has it; "
            "it must be about the centre of mass, in link axes, kg m²");
}

void check_armature(const LinkDescription& link)
{
    if (link.armature.size() == 0) return;
    if (link.armature.size() != velocity_size(link.joint))
        refuse(link, "armature size", link.armature.size(), "must be the joint's number of freedoms, or 0");
    if (!(link.armature.minCoeff() >= 0.0) || !link.armature.allFinite())
        refuse(link, "armature", link.armature.transpose(), "must be finite and >= 0");
}

RigidInertia about_origin(const LinkDescription& link)
{
    const Matrix3d offset = skew(link.com);
    return {link.mass, link.mass * link.com,
            0.5 * (link.inertia + link.inertia.transpose()) - link.mass * offset * offset};
}

void write_axes(const LinkDescription& link, int offset, Matrix6Xd& motion)
{
    switch (link.joint) {
        case JointType::fixed:
            break;
        case JointType::revolute:
            motion.col(offset).tail<3>() = link.axis;
            break;
        case JointType::prismatic:
            motion.col(offset).head<3>() = link.axis;
            break;
        case JointType::universal:  // the first axis follows the second angle: forward_kinematics writes it
            motion.col(offset + 1).tail<3>() = link.axis2;
            break;
        case JointType::spherical:
            motion.middleCols<3>(offset).bottomRows<3>().setIdentity();
            break;
        case JointType::free:
            motion.middleCols<6>(offset).setIdentity();
            break;
    }
}

/// A configuration at which no tree is singular by accident.
VectorXd generic_configuration(const ArticulatedModel& model)
{
    VectorXd step(model.nv());
    for (int i = 0; i < model.nv(); ++i) step[i] = 0.4 + 0.3 * std::sin(1.7 * i);
    VectorXd q = model.neutral();
    model.integrate(q, step, q);
    return q;
}

/// Least eigenvalue of Sᵀ IA S + armature of joint i, scaled to 1 for the composite inertia's diagonal; 0
/// where that diagonal vanishes.
double smallest_pivot(const ArticulatedModel& model, const ArticulatedData& data, int i)
{
    const int offset = model.v_offset(i);
    const int dofs = model.dofs(i);
    const VectorXd carried = data.mass.diagonal().segment(offset, dofs);
    if (!(carried.minCoeff() > 0.0)) return 0.0;
    MatrixXd pivot =
        data.motion.middleCols(offset, dofs).transpose() * data.projected.middleCols(offset, dofs);
    pivot.diagonal() += model.armature().segment(offset, dofs);
    const VectorXd scale = carried.cwiseSqrt().cwiseInverse();
    const MatrixXd scaled = scale.asDiagonal() * pivot * scale.asDiagonal();
    return Eigen::SelfAdjointEigenSolver<MatrixXd>(scaled, Eigen::EigenvaluesOnly).eigenvalues()[0];
}

}  // namespace

Vector6d RigidInertia::operator*(const Vector6d& motion) const
{
    Vector6d result;
    const Vector3d linear = motion.head<3>();
    const Vector3d angular = motion.tail<3>();
    result.head<3>() = mass * linear + angular.cross(moment);
    result.tail<3>() = moment.cross(linear) + rotational * angular;
    return result;
}

RigidInertia RigidInertia::seen_from(const Pose& local) const
{
    const Vector3d turned = local.rotation * moment;
    const Matrix3d p = skew(local.translation);
    const Matrix3d h = skew(turned);
    return {mass, turned + mass * local.translation,
            local.rotation * rotational * local.rotation.transpose() - h * p - p * h - mass * p * p};
}

void RigidInertia::operator+=(const RigidInertia& other)
{
    mass += other.mass;
    moment += other.moment;
    rotational += other.rotational;
}

Matrix6d RigidInertia::matrix() const
{
    Matrix6d result;
    const Matrix3d h = skew(moment);
    result << mass * Matrix3d::Identity(), -h, h, rotational;
    return result;
}

int ArticulatedModel::add_link(const LinkDescription& link)
{
    if (link.parent < -1 || link.parent >= link_count())
        refuse(link, "parent", link.parent, "must be an earlier link's index, or -1 for the world");
    const bool one_axis = link.joint == JointType::revolute || link.joint == JointType::prismatic;
    if (one_axis || link.joint == JointType::universal) check_axis(link, link.axis, "axis");
    if (link.joint == JointType::universal) {
        check_axis(link, link.axis2, "axis2");
        if (!(link.axis.cross(link.axis2).norm() > 1e-3))
            refuse(link, "axis2", link.axis2.transpose(), "must not be parallel to axis");
    }
    check_placement(link);
    check_inertia(link);
    check_armature(link);

    m_links.push_back(link);
    LinkDescription& stored = m_links.back();
    stored.axis.normalize();
    stored.axis2.normalize();
    stored.placement.rotation = Quaterniond(link.placement.rotation).normalized().toRotationMatrix();
    m_inertias.push_back(about_origin(link));
    m_q_offsets.push_back(m_nq);
    m_v_offsets.push_back(m_nv);
    const int dofs = velocity_size(link.joint);
    m_armature.conservativeResize(m_nv + dofs);
    if (link.armature.size() == dofs)
        m_armature.tail(dofs) = link.armature;
    else
        m_armature.tail(dofs).setZero();
    m_nq += configuration_size(link.joint);
    m_nv += dofs;
    return link_count() - 1;
}

int ArticulatedModel::find_link(std::string_view name) const
{
    for (int i = 0; i < link_count(); ++i)
        if (link(i).name == name) return i;
    return -1;
}

VectorXd ArticulatedModel::neutral() const
{
    VectorXd q = VectorXd::Zero(m_nq);
    for (int i = 0; i < link_count(); ++i) {
        const JointType joint = link(i).joint;
        if (joint == JointType::spherical || joint == JointType::free)
            q[q_offset(i) + configuration_size(joint) - 1] = 1.0;
    }
    return q;
}

void ArticulatedModel::integrate(const Eigen::Ref<const VectorXd>& q, const Eigen::Ref<const VectorXd>& dv,
                                 Eigen::Ref<VectorXd> out) const
{
    for (int i = 0; i < link_count(); ++i)
        joint_integrate(link(i).joint, q.data() + q_offset(i), dv.data() + v_offset(i),
                        out.data() + q_offset(i));
}

void ArticulatedModel::difference(const Eigen::Ref<const VectorXd>& q0, const Eigen::Ref<const VectorXd>& q1,
                                  Eigen::Ref<VectorXd> out) const
{
    for (int i = 0; i < link_count(); ++i)
        joint_difference(link(i).joint, q0.data() + q_offset(i), q1.data() + q_offset(i),
                         out.data() + v_offset(i));
}

ArticulatedData::ArticulatedData(const ArticulatedModel& model)
    : motion(Matrix6Xd::Zero(6, model.nv())),
      world_motion(Matrix6Xd::Zero(6, model.nv())),
      mass(MatrixXd::Zero(model.nv(), model.nv())),
      bias(VectorXd::Zero(model.nv())),
      acceleration(VectorXd::Zero(model.nv())),
      projected(Matrix6Xd::Zero(6, model.nv())),
      pivot_inverse(Matrix6Xd::Zero(6, model.nv())),
      pivot_load(VectorXd::Zero(model.nv()))
{
    const auto count = static_cast<std::size_t>(model.link_count());
    pose.resize(count);
    local.resize(count);
    for (auto* vectors : {&velocity, &velocity_product, &force, &link_acceleration})
        vectors->assign(count, Vector6d::Zero());
    composite.resize(count);
    articulated.assign(count, Matrix6d::Zero());
    for (int i = 0; i < model.link_count(); ++i) write_axes(model.link(i), model.v_offset(i), motion);

    // The pivots of the articulated recursion are those of M: one that vanishes at a generic configuration,
    // against the inertia that the joint carries with everything beyond it locked, vanishes at all.
    mass_matrix(model, *this, generic_configuration(model));
    factorize_mass(model, *this, VectorXd());
    for (int i = 0; i < model.link_count(); ++i) {
        if (model.dofs(i) > 0 && !(smallest_pivot(model, *this, i) > pivot_relative_tolerance))
            refuse(model.link(i), "joint", joint_name(model.link(i).joint),
                   "moves no inertia: the mass matrix is singular; give this link or one beyond it mass and "
                   "inertia, or the joint an armature");
    }
    forward_velocity(model, *this, model.neutral(), VectorXd::Zero(model.nv()));
}

}  // namespace softcontact
