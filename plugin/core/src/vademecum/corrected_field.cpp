// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/vademecum/corrected_field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "require.hpp"

namespace softcontact {

namespace {

constexpr double stale = 0.1;  // a step that shrinks less than this in energy asks for a new tangent

}  // namespace

void CorrectionSettings::validate() const
{
    require(max_iterations >= 1, "max_iterations: expected one step or more");
    require(std::isfinite(tolerance) && tolerance > 0.0, "tolerance: expected a finite number > 0");
}

CorrectedField::CorrectedField(LoadedField& field, ReducedSolid solid, std::vector<Index> points,
                               SolidCells cells, Points forces, std::vector<Index> nodes,
                               const CorrectionSettings& settings)
    : m_field(field),
      m_solid(std::move(solid)),
      m_points(std::move(points)),
      m_cells(std::move(cells)),
      m_forces(std::move(forces)),
      m_load_nodes(std::move(nodes)),
      m_settings(settings)
{
    settings.validate();
    const SeparatedField& all = field.field();
    const auto number = [&all](Index node) { return node >= 0 && node < all.node_count(); };
    require(m_solid.mode_count() == all.mode_count(), "gradients: expected those of the field's modes");
    require(m_forces.cols() == all.case_count() && m_forces.allFinite() &&
                static_cast<Index>(m_load_nodes.size()) == all.case_count() &&
                std::all_of(m_load_nodes.begin(), m_load_nodes.end(), number),
            "forces, nodes: expected one a case, finite, at a node");
    const Index quadrature = m_cells.count() * m_cells.points;
    require(m_cells.corners >= 1 && m_cells.points >= 1 &&
                static_cast<Index>(m_cells.gradients.size()) == 3 * quadrature * m_cells.corners &&
                static_cast<Index>(m_cells.weights.size()) == quadrature &&
                std::all_of(m_cells.nodes.begin(), m_cells.nodes.end(), number),
            "cells: arrays that do not fit together");
    require(static_cast<Index>(m_points.size()) == m_solid.point_count() &&
                std::all_of(m_points.begin(), m_points.end(),
                            [&](Index point) { return point >= 0 && point < quadrature; }),
            "points: expected a point of the cells' quadrature for each weight");
    for (Points* each : {&m_moved, &m_dents, &m_nodal}) each->setZero(3, all.node_count());
    for (VectorXd* each : {&m_amplitudes, &m_goal, &m_residual, &m_step, &m_load}) {
        each->setZero(all.mode_count());
    }
    m_tangent.setIdentity(all.mode_count(), all.mode_count());
    m_factor.compute(m_tangent);
}

CorrectionStatus CorrectedField::load(std::span<const Index> cases, std::span<const double> sizes) noexcept
{
    m_field.predict(cases, sizes);
    start(cases, sizes);
    const double scale = std::abs(m_load.dot(m_amplitudes));
    if (!(scale > 0.0)) return {.converged = true};
    const bool kept = m_has_factor;
    CorrectionStatus out = iterate(scale);
    if (!out.converged && kept) {  // a tangent from another state may have led astray
        m_has_factor = false;
        m_amplitudes = m_field.amplitudes();
        out = iterate(scale);
    }
    if (!out.converged) {
        m_has_factor = false;
    } else {
        m_step = m_amplitudes - m_field.amplitudes();
        m_field.correct(m_step);
    }
    return out;
}

CorrectionStatus CorrectedField::iterate(double scale) noexcept
{
    CorrectionStatus out;
    double before = std::numeric_limits<double>::infinity();
    while (out.iterations < m_settings.max_iterations && !out.converged) {
        m_solid.force(m_amplitudes, m_residual);
        m_residual = m_goal - m_residual;
        double energy = std::numeric_limits<double>::infinity();
        const auto step = [&] {
            m_step.noalias() = m_factor.solve(m_residual);
            energy = std::abs(m_step.dot(m_residual));
        };
        if (m_has_factor) step();
        // the first step with a kept tangent has none to be compared with
        if (!m_has_factor || (out.iterations > 0 && !(energy < stale * before))) {
            m_solid.tangent(m_amplitudes, m_tangent);
            m_factor.compute(m_tangent);
            m_has_factor = true;
            ++out.tangents;
            step();
        }
        if (!std::isfinite(energy)) break;
        before = energy;
        m_amplitudes += m_step;
        ++out.iterations;
        out.residual = std::sqrt(energy / scale);
        out.converged = out.residual <= m_settings.tolerance;
    }
    return out;
}

void CorrectedField::start(std::span<const Index> cases, std::span<const double> sizes) noexcept
{
    const MatrixXd& modes = m_field.field().solution().modes;
    m_amplitudes = m_field.amplitudes();
    m_field.displacements(m_moved);
    for (Index node = 0; node < m_moved.cols(); ++node) {
        const Vector3d smooth = modes.middleCols<3>(3 * node).transpose().lazyProduct(m_amplitudes);
        m_dents.col(node) = m_moved.col(node) - smooth;
    }
    m_nodal.setZero();
    for (Index point = 0; point < static_cast<Index>(m_cells.weights.size()); ++point) {
        const Matrix3d first = m_cells.weights[static_cast<std::size_t>(point)] *
                               m_cells.law.first_piola(gradient(m_moved, point) + Matrix3d::Identity());
        const Index* nodes = m_cells.nodes.data() + m_cells.corners * (point / m_cells.points);
        const double* slopes = m_cells.gradients.data() + 3 * m_cells.corners * point;
        for (Index a = 0; a < m_cells.corners; ++a) {
            m_nodal.col(nodes[a]) += first * Eigen::Map<const Vector3d>(slopes + 3 * a);
        }
    }
    m_load.setZero();
    for (std::size_t j = 0; j < std::min(cases.size(), sizes.size()); ++j) {
        if (cases[j] < 0 || cases[j] >= m_field.field().case_count() || !std::isfinite(sizes[j])) continue;
        const Index node = m_load_nodes[static_cast<std::size_t>(cases[j])];
        m_load.noalias() += modes.middleCols<3>(3 * node) * (sizes[j] * m_forces.col(cases[j]));
    }
    for (std::size_t q = 0; q < m_points.size(); ++q) {
        const Matrix3d dent = gradient(m_dents, m_points[q]);
        for (int i = 0; i < 3; ++i) {
            m_solid.offsets().segment<3>(9 * static_cast<Index>(q) + 3 * i) = dent.row(i).transpose();
        }
    }
    m_solid.force(m_amplitudes, m_goal);
    m_goal += m_load;
    const Eigen::Map<const VectorXd> nodal(m_nodal.data(), m_nodal.size());
    m_goal.noalias() -= modes * nodal;
}

Matrix3d CorrectedField::gradient(const Points& field, Index point) const noexcept
{
    const Index* nodes = m_cells.nodes.data() + m_cells.corners * (point / m_cells.points);
    const double* slopes = m_cells.gradients.data() + 3 * m_cells.corners * point;
    Matrix3d out = Matrix3d::Zero();
    for (Index a = 0; a < m_cells.corners; ++a) {
        out += field.col(nodes[a]) * Eigen::Map<const Eigen::RowVector3d>(slopes + 3 * a);
    }
    return out;
}

}  // namespace softcontact
