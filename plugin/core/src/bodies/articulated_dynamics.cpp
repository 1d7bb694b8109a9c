// SPDX-License-Identifier: LGPL-2.1-or-later
#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <type_traits>

#include "articulated_spatial.hpp"
#include "softcontact/bodies/articulated.hpp"

namespace softcontact {
namespace {

using spatial::at;

/// Calls work with the joint's number of freedoms as a compile-time constant: products stay in registers.
template <typename Work>
void with_dofs(int dofs, Work&& work)
{
    switch (dofs) {
        case 1:
            work(std::integral_constant<int, 1>{});
            break;
        case 2:
            work(std::integral_constant<int, 2>{});
            break;
        case 3:
            work(std::integral_constant<int, 3>{});
            break;
        case 6:
            work(std::integral_constant<int, 6>{});
            break;
        default:
            break;
    }
}

/// Acceleration of the link that its velocity alone causes: v × S v̇ and the change of S in link axes.
Vector6d velocity_product(const ArticulatedModel& model, const ArticulatedData& data, int i,
                          const Eigen::Ref<const VectorXd>& v)
{
    Vector6d product = spatial::cross_motion(at(data.velocity, i), spatial::joint_rate(model, data, i, v));
    if (model.link(i).joint == JointType::universal) {
        // The first axis is constant before the second rotation, so it turns backwards in link axes.
        const int offset = model.v_offset(i);
        const Vector3d first = data.motion.col(offset).tail<3>();
        product.tail<3>() -= v[offset] * v[offset + 1] * model.link(i).axis2.cross(first);
    }
    return product;
}

/// The world accelerating upwards instead of gravity pulling downwards (Featherstone 5.3).
Vector6d base_acceleration(const Vector3d& gravity)
{
    Vector6d acceleration = Vector6d::Zero();
    acceleration.head<3>() = -gravity;
    return acceleration;
}

Vector6d parent_acceleration(const ArticulatedModel& model, const ArticulatedData& data, int i,
                             const Vector6d& base)
{
    const int parent = model.link(i).parent;
    return spatial::motion_to_child(at(data.local, i),
                                    parent < 0 ? base : at(data.link_acceleration, parent));
}

/// Xᵀ I X: an articulated inertia seen from the parent's frame.
void add_to_parent(const Pose& local, const Matrix6d& inertia, Matrix6d& parent)
{
    const Matrix3d& r = local.rotation;
    Matrix3d p;
    p << 0.0, -local.translation[2], local.translation[1], local.translation[2], 0.0, -local.translation[0],
        -local.translation[1], local.translation[0], 0.0;
    const Matrix3d linear = r * inertia.topLeftCorner<3, 3>() * r.transpose();
    const Matrix3d turned = r * inertia.topRightCorner<3, 3>() * r.transpose();
    const Matrix3d coupling = turned - linear * p;
    const Matrix3d angular = r * inertia.bottomRightCorner<3, 3>() * r.transpose();
    parent.topLeftCorner<3, 3>() += linear;
    parent.topRightCorner<3, 3>() += coupling;
    parent.bottomLeftCorner<3, 3>() += coupling.transpose();
    parent.bottomRightCorner<3, 3>() += angular + p * coupling - turned.transpose() * p;
}

/// The two last passes of the articulated body algorithm, from data.force (bias forces of the links,
/// consumed) and data.velocity_product, with the inertias of factorize_mass. `out` may be `load`.
void propagate(const ArticulatedModel& model, ArticulatedData& data, const Eigen::Ref<const VectorXd>& load,
               const Vector6d& base, Eigen::Ref<VectorXd> out)
{
    for (int i = model.link_count() - 1; i >= 0; --i) {
        const int offset = model.v_offset(i);
        const Vector6d& product = at(data.velocity_product, i);
        Vector6d force = at(data.force, i) + at(data.articulated, i) * product;
        with_dofs(model.dofs(i), [&](auto size) {
            constexpr int K = size();
            const auto u = data.projected.middleCols<K>(offset);
            // The pivot load relative to the velocity product: Sᵀ IA c is in both Sᵀ force and Uᵀ c.
            const Eigen::Matrix<double, K, 1> rest =
                load.segment<K>(offset) - data.motion.middleCols<K>(offset).transpose() * force;
            data.pivot_load.segment<K>(offset) = rest + u.transpose() * product;
            const Eigen::Matrix<double, K, 1> rate = data.pivot_inverse.block<K, K>(0, offset) * rest;
            force += u * rate;
        });
        if (model.link(i).parent >= 0)
            at(data.force, model.link(i).parent) += spatial::force_to_parent(at(data.local, i), force);
    }
    for (int i = 0; i < model.link_count(); ++i) {
        const int offset = model.v_offset(i);
        Vector6d acceleration = parent_acceleration(model, data, i, base) + at(data.velocity_product, i);
        with_dofs(model.dofs(i), [&](auto size) {
            constexpr int K = size();
            const Eigen::Matrix<double, K, 1> rest =
                data.pivot_load.segment<K>(offset) -
                data.projected.middleCols<K>(offset).transpose() * acceleration;
            const Eigen::Matrix<double, K, 1> rate = data.pivot_inverse.block<K, K>(0, offset) * rest;
            out.segment<K>(offset) = rate;
            acceleration += data.motion.middleCols<K>(offset) * rate;
        });
        at(data.link_acceleration, i) = acceleration;
    }
}

}  // namespace

void mass_matrix(const ArticulatedModel& model, ArticulatedData& data, const Eigen::Ref<const VectorXd>& q)
{
    forward_kinematics(model, data, q);
    data.mass.setZero();
    for (int i = 0; i < model.link_count(); ++i) at(data.composite, i) = model.inertia(i);
    for (int i = model.link_count() - 1; i >= 0; --i) {
        const int parent = model.link(i).parent;
        if (parent >= 0) at(data.composite, parent) += at(data.composite, i).seen_from(at(data.local, i));
        const int offset = model.v_offset(i);
        for (int k = offset; k < offset + model.dofs(i); ++k) {
            Vector6d force = at(data.composite, i) * Vector6d(data.motion.col(k));
            for (int j = i; j >= 0; j = model.link(j).parent) {
                for (int l = model.v_offset(j); l < model.v_offset(j) + model.dofs(j); ++l)
                    data.mass(l, k) = data.mass(k, l) = data.motion.col(l).dot(force);
                force = spatial::force_to_parent(at(data.local, j), force);
            }
        }
    }
    data.mass.diagonal() += model.armature();
}

void bias_force(const ArticulatedModel& model, ArticulatedData& data, const Eigen::Ref<const VectorXd>& q,
                const Eigen::Ref<const VectorXd>& v, const Vector3d& gravity)
{
    forward_velocity(model, data, q, v);
    const Vector6d base = base_acceleration(gravity);
    for (int i = 0; i < model.link_count(); ++i) {
        const Vector6d& velocity = at(data.velocity, i);
        const Vector6d acceleration =
            parent_acceleration(model, data, i, base) + velocity_product(model, data, i, v);
        at(data.link_acceleration, i) = acceleration;
        at(data.force, i) =
            model.inertia(i) * acceleration + spatial::cross_force(velocity, model.inertia(i) * velocity);
    }
    for (int i = model.link_count() - 1; i >= 0; --i) {
        for (int k = model.v_offset(i); k < model.v_offset(i) + model.dofs(i); ++k)
            data.bias[k] = data.motion.col(k).dot(at(data.force, i));
        if (model.link(i).parent >= 0)
            at(data.force, model.link(i).parent) +=
                spatial::force_to_parent(at(data.local, i), at(data.force, i));
    }
}

void factorize_mass(const ArticulatedModel& model, ArticulatedData& data,
                    const Eigen::Ref<const VectorXd>& diagonal)
{
    for (int i = 0; i < model.link_count(); ++i) at(data.articulated, i) = model.inertia(i).matrix();
    for (int i = model.link_count() - 1; i >= 0; --i) {
        const int offset = model.v_offset(i);
        const int parent = model.link(i).parent;
        const Matrix6d& inertia = at(data.articulated, i);
        Matrix6d remaining = inertia;
        with_dofs(model.dofs(i), [&](auto size) {
            constexpr int K = size();
            using Pivot = Eigen::Matrix<double, K, K>;
            const auto axes = data.motion.middleCols<K>(offset);
            const Eigen::Matrix<double, 6, K> u = inertia * axes;
            Pivot pivot = axes.transpose() * u;
            pivot.diagonal() += model.armature().segment<K>(offset);
            if (diagonal.size() > 0) pivot.diagonal() += diagonal.segment<K>(offset);
            Pivot inverse;
            if constexpr (K <= 3)  // in closed form
                inverse = pivot.inverse();
            else
                inverse = pivot.llt().solve(Pivot::Identity());
            data.projected.middleCols<K>(offset) = u;
            data.pivot_inverse.block<K, K>(0, offset) = inverse;
            remaining -= u * inverse * u.transpose();
        });
        if (parent >= 0) add_to_parent(at(data.local, i), remaining, at(data.articulated, parent));
    }
}

void solve_mass(const ArticulatedModel& model, ArticulatedData& data, Eigen::Ref<VectorXd> x)
{
    for (int i = 0; i < model.link_count(); ++i) {
        at(data.velocity_product, i).setZero();
        at(data.force, i).setZero();
    }
    propagate(model, data, x, Vector6d::Zero(), x);
}

void forward_dynamics(const ArticulatedModel& model, ArticulatedData& data,
                      const Eigen::Ref<const VectorXd>& q, const Eigen::Ref<const VectorXd>& v,
                      const Eigen::Ref<const VectorXd>& tau, std::span<const Vector6d> external)
{
    if (external.empty())
        spatial::link_velocity(model, data, q, v);
    else
        forward_velocity(model, data, q, v);
    factorize_mass(model, data, VectorXd());
    for (int i = 0; i < model.link_count(); ++i) {
        const Vector6d& velocity = at(data.velocity, i);
        at(data.velocity_product, i) = velocity_product(model, data, i, v);
        Vector6d force = spatial::cross_force(velocity, model.inertia(i) * velocity);
        if (!external.empty()) {
            const Vector6d& wrench = external[static_cast<std::size_t>(i)];
            const Matrix3d& rotation = at(data.pose, i).rotation;
            force.head<3>() -= rotation.transpose() * wrench.head<3>();
            force.tail<3>() -= rotation.transpose() * wrench.tail<3>();
        }
        at(data.force, i) = force;
    }
    propagate(model, data, tau, base_acceleration(model.gravity), data.acceleration);
}

}  // namespace softcontact
