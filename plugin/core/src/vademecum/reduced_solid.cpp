// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/vademecum/reduced_solid.hpp"

#include <cmath>
#include <stdexcept>

namespace softcontact {

namespace {

using RowMatrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

}  // namespace

ReducedSolid::ReducedSolid(MatrixXd gradients, VectorXd weights, double lame, double shear)
    : m_gradients(std::move(gradients)), m_weights(std::move(weights)), m_law{lame, shear}
{
    if (m_weights.size() < 1 || m_gradients.rows() < 1 || m_gradients.cols() != 9 * m_weights.size()) {
        throw std::invalid_argument("gradients: expected (modes, 9 × points), with a weight a point");
    }
    if (!m_gradients.allFinite() || !m_weights.allFinite() || !(m_weights.minCoeff() > 0.0)) {
        throw std::invalid_argument("gradients, weights: expected finite gradients and weights > 0");
    }
    if (!(std::isfinite(lame) && std::isfinite(shear) && shear > 0.0)) {
        throw std::invalid_argument("lame, shear: expected finite moduli, the shear modulus > 0 [Pa]");
    }
    m_offsets.setZero(m_gradients.cols());
    m_values.setZero(m_gradients.cols());
    m_changes.setZero(m_gradients.rows(), m_gradients.cols());
}

void ReducedSolid::force(const VectorXd& amplitudes, Eigen::Ref<VectorXd> out) noexcept
{
    m_values = m_offsets;
    m_values.noalias() += m_gradients.transpose() * amplitudes;
    for (Index q = 0; q < point_count(); ++q) {
        Eigen::Map<RowMatrix3> value(m_values.data() + 9 * q);
        value = m_weights[q] * m_law.first_piola(Matrix3d(value) + Matrix3d::Identity());
    }
    out.noalias() = m_gradients * m_values;
}

void ReducedSolid::tangent(const VectorXd& amplitudes, Eigen::Ref<MatrixXd> out) noexcept
{
    m_values = m_offsets;
    m_values.noalias() += m_gradients.transpose() * amplitudes;
    for (Index q = 0; q < point_count(); ++q) {
        const Matrix3d gradient = Eigen::Map<const RowMatrix3>(m_values.data() + 9 * q);
        const Eigen::Matrix<double, 9, 9> moduli =
            m_weights[q] * m_law.moduli(gradient + Matrix3d::Identity());
        m_changes.middleCols<9>(9 * q).noalias() = m_gradients.middleCols<9>(9 * q) * moduli;
    }
    out.noalias() = m_changes * m_gradients.transpose();
}

}  // namespace softcontact
