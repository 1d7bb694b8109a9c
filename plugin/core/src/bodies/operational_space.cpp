// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/bodies/operational_space.hpp"

#include <algorithm>

#include "articulated_spatial.hpp"

namespace softcontact {

using spatial::at;

namespace {

/// spatial::motion_to_child of six motions at once.
Matrix6d motions_to_child(const Pose& local, const Matrix6d& motions)
{
    const Matrix3d to_child = local.rotation.transpose();
    Matrix6d result;
    for (int k = 0; k < 6; ++k) {
        const Vector3d angular = motions.col(k).tail<3>();
        result.col(k).head<3>() = to_child * (motions.col(k).head<3>() + angular.cross(local.translation));
        result.col(k).tail<3>() = to_child * angular;
    }
    return result;
}

Matrix6d forces_to_parent(const Pose& local, const Matrix6d& forces)
{
    Matrix6d result;
    for (int k = 0; k < 6; ++k) result.col(k) = spatial::force_to_parent(local, forces.col(k));
    return result;
}

}  // namespace

OperationalSpace::OperationalSpace(const ArticulatedModel& model)
    : m_touched_of(static_cast<std::size_t>(model.link_count()), -1),
      m_reached(static_cast<std::size_t>(model.link_count()), 0),
      m_motion(static_cast<std::size_t>(model.link_count()), Matrix6d::Zero()),
      m_pivot_load(Matrix6Xd::Zero(6, model.nv()))
{
    for (int i = 0; i < model.link_count(); ++i) m_parents.push_back(model.link(i).parent);
}

void OperationalSpace::reserve(Index rows)
{
    const auto count = static_cast<std::size_t>(rows);
    m_wrenches.reserve(6 * count);
    m_projected.reserve(6 * count);
    m_inverse.reserve(count * count);
    m_runs.reserve(count);
    m_touched.reserve(m_parents.size());
    m_omega.reserve(std::min(count, m_parents.size()) * std::min(count, m_parents.size()));
}

void OperationalSpace::clear()
{
    for (const int link : m_touched) at(m_touched_of, link) = -1;
    std::fill(m_reached.begin(), m_reached.end(), 0);
    m_touched.clear();
    m_runs.clear();
    m_wrenches.clear();
    m_rows = 0;
}

Index OperationalSpace::add(const ArticulatedData& data, int link, const Vector3d& world_point,
                            const Eigen::Ref<const Points>& forces, const Eigen::Ref<const Points>& moments)
{
    int& index = at(m_touched_of, link);
    if (index < 0) {
        index = static_cast<int>(m_touched.size());
        m_touched.push_back(link);
        for (int i = link; i >= 0 && at(m_reached, i) == 0; i = at(m_parents, i)) at(m_reached, i) = 1;
    }
    const Index first = m_rows, count = forces.cols();
    if (m_runs.empty() || m_runs.back().touched != index) m_runs.push_back({index, first, 0});
    m_runs.back().count += count;
    m_rows += count;
    m_wrenches.resize(static_cast<std::size_t>(6 * m_rows));
    Eigen::Map<Matrix6Xd> columns(m_wrenches.data() + 6 * first, 6, count);
    const Pose& pose = at(data.pose, link);
    const Vector3d arm = world_point - pose.translation;
    for (Index k = 0; k < count; ++k) {
        const Vector3d force = forces.col(k);
        columns.col(k).head<3>() = pose.rotation.transpose() * force;
        columns.col(k).tail<3>() = pose.rotation.transpose() * (moments.col(k) + arm.cross(force));
    }
    return first;
}

void OperationalSpace::respond(const ArticulatedModel& model, const ArticulatedData& data, int loaded)
{
    // Towards the root: what each joint on the way takes of the six unit wrenches.
    const int link = at(m_touched, loaded);
    for (Index k = 0; k < model.nv(); ++k) m_pivot_load.col(k).setZero();
    Matrix6d load = Matrix6d::Identity();
    for (int i = link; i >= 0; i = at(m_parents, i)) {
        const int offset = model.v_offset(i), dofs = model.dofs(i);
        for (int a = 0; a < dofs; ++a)
            m_pivot_load.col(offset + a).noalias() = load.transpose() * data.motion.col(offset + a);
        for (int a = 0; a < dofs; ++a)
            for (int b = 0; b < dofs; ++b)
                load.noalias() -= data.pivot_inverse(b, offset + a) * data.projected.col(offset + b) *
                                  m_pivot_load.col(offset + a).transpose();
        if (at(m_parents, i) >= 0) load = forces_to_parent(at(data.local, i), load);
    }
    // Away from it, to where other rows are.
    for (int i = 0; i < model.link_count(); ++i) {
        if (at(m_reached, i) == 0) continue;
        Matrix6d& motion = at(m_motion, i);
        if (at(m_parents, i) < 0)
            motion.setZero();
        else
            motion = motions_to_child(at(data.local, i), at(m_motion, at(m_parents, i)));
        const int offset = model.v_offset(i), dofs = model.dofs(i);
        Eigen::Matrix<double, 6, 6> rest;
        for (int a = 0; a < dofs; ++a)
            rest.col(a).noalias() =
                m_pivot_load.col(offset + a) - motion.transpose() * data.projected.col(offset + a);
        for (int a = 0; a < dofs; ++a) {
            Vector6d rate = Vector6d::Zero();
            for (int b = 0; b < dofs; ++b) rate += data.pivot_inverse(a, offset + b) * rest.col(b);
            motion.noalias() += data.motion.col(offset + a) * rate.transpose();
        }
    }
}

void OperationalSpace::assemble(const ArticulatedModel& model, const ArticulatedData& data)
{
    const auto touched = static_cast<int>(m_touched.size());
    m_omega.resize(static_cast<std::size_t>(touched) * static_cast<std::size_t>(touched));
    const auto omega = [&](int a, int b) -> Matrix6d& { return at(m_omega, a * touched + b); };
    for (int b = 0; b < touched; ++b) {
        respond(model, data, b);
        for (int a = 0; a < touched; ++a) omega(a, b) = at(m_motion, at(m_touched, a));
    }
    m_inverse.resize(static_cast<std::size_t>(m_rows * m_rows));
    m_projected.resize(static_cast<std::size_t>(6 * m_rows));
    Eigen::Map<MatrixXd> inverse(m_inverse.data(), m_rows, m_rows);
    for (std::size_t j = 0; j < m_runs.size(); ++j) {
        const Run& right = m_runs[j];
        for (std::size_t i = 0; i <= j; ++i) {
            const Run& left = m_runs[i];
            Eigen::Map<Matrix6Xd> projected(m_projected.data(), 6, right.count);
            projected.noalias() = omega(left.touched, right.touched) * wrenches(right);
            auto block = inverse.block(left.first, right.first, left.count, right.count);
            block.noalias() = wrenches(left).transpose().lazyProduct(projected);
            if (i != j) inverse.block(right.first, left.first, right.count, left.count) = block.transpose();
        }
    }
    // Round-off makes the blocks on the diagonal differ from their transposes; solvers rely on symmetry.
    for (const Run& run : m_runs)
        for (Index k = run.first; k < run.first + run.count; ++k)
            for (Index l = run.first; l < k; ++l) inverse(k, l) = inverse(l, k);
}

Eigen::Map<const MatrixXd> OperationalSpace::inverse_inertia() const
{
    return {m_inverse.data(), m_rows, m_rows};
}

void OperationalSpace::response(const ArticulatedModel& model, ArticulatedData& data,
                                const Eigen::Ref<const VectorXd>& multipliers, Eigen::Ref<VectorXd> out) const
{
    for (int i = 0; i < model.link_count(); ++i) at(data.force, i).setZero();
    for (const Run& run : m_runs)
        at(data.force, at(m_touched, run.touched)) +=
            wrenches(run) * multipliers.segment(run.first, run.count);
    // Jᵀ by one pass towards the root, then the solve.
    for (int i = model.link_count() - 1; i >= 0; --i) {
        for (int k = model.v_offset(i); k < model.v_offset(i) + model.dofs(i); ++k)
            out[k] = data.motion.col(k).dot(at(data.force, i));
        if (at(m_parents, i) >= 0)
            at(data.force, at(m_parents, i)) +=
                spatial::force_to_parent(at(data.local, i), at(data.force, i));
    }
    solve_mass(model, data, out);
}

}  // namespace softcontact
