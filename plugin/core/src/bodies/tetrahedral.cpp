// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/bodies/tetrahedral.hpp"

#include <Eigen/Geometry>
#include <cassert>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace softcontact {

using Eigen::Map;
using Eigen::Ref;

namespace {

constexpr double kLargestTurn = 0.3;  // of refactor_rotation_tolerance [rad]

}  // namespace

TetrahedralDynamics::TetrahedralDynamics(CorotationalModel model, TetrahedralOptions options)
    : m_model(std::move(model)), m_options(std::move(options))
{
    check_options();
    if (m_options.linear) m_model.reset_rotations();
    m_x = m_model.rest_nodes();
    m_v = VectorXd::Zero(dof_count());
    m_x_free = m_x;
    m_v_free = m_v;
    m_force = Points::Zero(3, node_count());
    m_diagonal = m_v;
    m_dof_mass.resize(dof_count());
    for (Index k = 0; k < node_count(); ++k)
        m_dof_mass.segment<3>(3 * k).setConstant(m_model.lumped_mass()[k]);
    m_dof_anchor = VectorXd::Zero(dof_count());
    m_anchors.resize(3, static_cast<Index>(m_options.anchored_nodes.size()));
    for (Index k = 0; k < m_anchors.cols(); ++k) {
        const int node = m_options.anchored_nodes[k];
        m_anchors.col(k) = m_x.col(node);
        m_dof_anchor.segment<3>(3 * node).array() += m_options.anchor_stiffness[k];
    }

    m_free = m_options.fixed_nodes.empty() && m_options.anchored_nodes.empty() && !m_options.linear;
    m_stretch_known = m_rate_known = m_v_euler = m_v;
    m_middle = m_x;
    if (m_free) {
        m_turning = m_turned_on = m_v;
        m_turned_modes.resize(dof_count(), 3);
    }

    m_matrix = m_model.pattern();
    std::vector<char> is_fixed(node_count(), 0);
    for (const int node : m_options.fixed_nodes) is_fixed[node] = 1;
    for (int c = 0; c < m_matrix.cols(); ++c) {
        for (int k = m_matrix.outerIndexPtr()[c]; k < m_matrix.outerIndexPtr()[c + 1]; ++k) {
            const int r = m_matrix.innerIndexPtr()[k];
            if (is_fixed[r / 3] || is_fixed[c / 3]) m_cleared.push_back(k);
        }
    }
    m_factor.analyse(m_matrix);
}

void TetrahedralDynamics::check_options() const
{
    const auto check_not_negative = [](double value, const char* name) {
        if (!(value >= 0.0) || !std::isfinite(value)) {
            throw std::invalid_argument(std::string(name) + " = " + std::to_string(value) +
                                        ": give a finite value of 0 or more");
        }
    };
    const auto check_nodes = [this](const std::vector<int>& nodes, const char* name) {
        for (const int node : nodes) {
            if (node < 0 || node >= node_count()) {
                throw std::invalid_argument(std::string(name) + " has node index " + std::to_string(node) +
                                            ": give indices from 0 to " + std::to_string(node_count() - 1));
            }
        }
    };
    if (m_options.linear && m_model.stiffens()) {
        throw std::invalid_argument("linear: the material stiffens with strain; leave out one of the two");
    }
    check_not_negative(m_options.rayleigh_mass, "rayleigh_mass");
    check_not_negative(m_options.rayleigh_stiffness, "rayleigh_stiffness");
    if (!(m_options.refactor_rotation_tolerance >= 0.0 &&
          m_options.refactor_rotation_tolerance <= kLargestTurn)) {
        throw std::invalid_argument(
            "refactor_rotation_tolerance = " + std::to_string(m_options.refactor_rotation_tolerance) +
            " rad: give a value in [0, 0.3]");
    }
    check_nodes(m_options.fixed_nodes, "fixed_nodes");
    check_nodes(m_options.anchored_nodes, "anchored_nodes");
    if (m_options.anchor_stiffness.size() != static_cast<Index>(m_options.anchored_nodes.size())) {
        throw std::invalid_argument(
            "anchor_stiffness has " + std::to_string(m_options.anchor_stiffness.size()) + " entries for " +
            std::to_string(m_options.anchored_nodes.size()) + " anchored_nodes: give one a node");
    }
    for (const double stiffness : m_options.anchor_stiffness) {
        if (!(stiffness > 0.0) || !std::isfinite(stiffness)) {
            throw std::invalid_argument("anchor_stiffness has " + std::to_string(stiffness) +
                                        " N/m: give finite values above 0");
        }
    }
}

void TetrahedralDynamics::set_state(const Ref<const Points>& x, const Ref<const VectorXd>& v)
{
    if (x.cols() != node_count() || v.size() != dof_count()) {
        throw std::invalid_argument("state has " + std::to_string(x.cols()) + " positions and " +
                                    std::to_string(v.size()) + " velocity components: give " +
                                    std::to_string(node_count()) + " and " + std::to_string(dof_count()));
    }
    if (!x.allFinite() || !v.allFinite()) {
        throw std::invalid_argument(
            "state has a value that is not finite: give finite positions and velocities");
    }
    m_x = x;
    m_v = v;
    m_rotations_fresh = false;
    release_fixed(m_v);
    m_x_free = m_x;
    m_v_free = m_v;
    m_gained = 0.0;
    m_status = Status::ok;
}

void TetrahedralDynamics::scale_stiffness(double factor)
{
    if (!(factor > 0.0) || !std::isfinite(factor)) {
        throw std::invalid_argument("factor = " + std::to_string(factor) + ": give a finite value above 0");
    }
    m_model.scale_stiffness(factor);
    m_factor_step = 0.0;
}

void TetrahedralDynamics::release_fixed(Ref<MatrixXd> rows) const
{
    for (const int node : m_options.fixed_nodes) rows.middleRows<3>(3 * node).setZero();
}

bool TetrahedralDynamics::refresh_rotations()
{
    // Once for given positions: they are found from the last ones, so a second time would change their last
    // bits, and with them the run of whoever asks for energies.
    if (!m_rotations_fresh) {
        m_rotations_finite = m_options.linear ? m_model.check(m_x) : m_model.update(m_x);
        m_rotations_fresh = true;
    }
    return m_rotations_finite;
}

void TetrahedralDynamics::apply_position_correction(const Ref<const VectorXd>& correction)
{
    assert(correction.size() == dof_count());
    Map<VectorXd> free(m_force.data(), dof_count());
    free = correction;
    release_fixed(free);
    m_x += m_force;
    m_rotations_fresh = false;
}

double TetrahedralDynamics::kinetic_energy() const
{
    return 0.5 * m_v.dot(m_dof_mass.cwiseProduct(m_v));
}

double TetrahedralDynamics::elastic_energy()
{
    refresh_rotations();
    return stored_energy(m_x);
}

double TetrahedralDynamics::stored_energy(const Ref<const Points>& x) const
{
    double energy = m_model.energy(x);
    for (Index k = 0; k < m_anchors.cols(); ++k) {
        const Vector3d stretch = x.col(m_options.anchored_nodes[k]) - m_anchors.col(k);
        energy += 0.5 * m_options.anchor_stiffness[k] * stretch.squaredNorm();
    }
    return energy;
}

Vector3d TetrahedralDynamics::momentum() const
{
    return Map<const Points>(m_v.data(), 3, node_count()) * m_model.lumped_mass();
}

Vector3d TetrahedralDynamics::angular_momentum() const
{
    Vector3d sum = Vector3d::Zero();
    for (Index k = 0; k < node_count(); ++k) {
        sum += m_model.lumped_mass()[k] * m_x.col(k).cross(m_v.segment<3>(3 * k));
    }
    return sum;
}

Vector3d TetrahedralDynamics::center_of_mass() const
{
    return m_x * m_model.lumped_mass() / mass();
}

}  // namespace softcontact
