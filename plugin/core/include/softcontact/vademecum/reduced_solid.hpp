// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/vademecum/st_venant_kirchhoff.hpp>

namespace softcontact {

/// A St Venant-Kirchhoff solid on the modes of a vademecum, integrated at a few points with positive weights:
///
///     f_k(a) = Σ_q w_q P(1 + H_q) : ∂X_k/∂X(q),    H_q = Σ_k a_k ∂X_k/∂X(q) + D_q
///
/// D a gradient that the amplitudes do not change.
/// Source: Farhat et al. 2014 (energy-conserving sampling), with quadrature points in the place of elements.
class ReducedSolid {
public:
    /// @param gradients of the modes (m, 9 q) [1/m]: ∂X_k,i/∂X_J at point q in column 9 q + 3 i + J.
    /// @param weights (q) [m³], > 0. @param lame λ and @param shear μ [Pa].
    /// @throws std::invalid_argument arrays that do not fit, or numbers out of range.
    ReducedSolid(MatrixXd gradients, VectorXd weights, double lame, double shear);

    [[nodiscard]] Index mode_count() const { return m_gradients.rows(); }
    [[nodiscard]] Index point_count() const { return m_weights.size(); }

    /// D of each point (9 q), row by row; zero before it is set.
    [[nodiscard]] VectorXd& offsets() { return m_offsets; }
    /// Reduced forces (m) [N] at amplitudes (m) [m]. Allocates nothing.
    void force(const VectorXd& amplitudes, Eigen::Ref<VectorXd> out) noexcept;
    /// Their derivative (m, m) [N/m]. Allocates nothing.
    void tangent(const VectorXd& amplitudes, Eigen::Ref<MatrixXd> out) noexcept;

private:
    MatrixXd m_gradients;
    VectorXd m_weights;
    StVenantKirchhoff m_law;
    VectorXd m_offsets;
    VectorXd m_values;   ///< H, then w P, of all points (9 q)
    MatrixXd m_changes;  ///< w ∂P/∂a of all points (m, 9 q)
};

}  // namespace softcontact
