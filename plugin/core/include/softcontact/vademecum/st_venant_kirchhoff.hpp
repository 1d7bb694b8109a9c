// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/types.hpp>

namespace softcontact {

/// St Venant-Kirchhoff's law: S = λ tr(E) 1 + 2 μ E with E = (FᵀF − 1)/2, P = F S.
struct StVenantKirchhoff {
    double lame = 0.0, shear = 0.0;  ///< λ, μ [Pa]

    /// Second Piola-Kirchhoff stress [Pa] of a Green-Lagrange strain, or of a change of it.
    [[nodiscard]] Matrix3d stress(const Matrix3d& strain) const
    {
        return lame * strain.trace() * Matrix3d::Identity() + 2.0 * shear * strain;
    }
    /// First Piola-Kirchhoff stress P [Pa] of a deformation gradient F.
    [[nodiscard]] Matrix3d first_piola(const Matrix3d& f) const
    {
        return f * stress(0.5 * (f.transpose() * f - Matrix3d::Identity()));
    }
    /// ∂P_iJ/∂F_kL [Pa] in row 3 i + J, column 3 k + L: symmetric.
    [[nodiscard]] Eigen::Matrix<double, 9, 9> moduli(const Matrix3d& f) const
    {
        const Matrix3d second = stress(0.5 * (f.transpose() * f - Matrix3d::Identity()));
        Eigen::Matrix<double, 9, 9> out;
        for (int k = 0; k < 3; ++k) {
            for (int l = 0; l < 3; ++l) {
                Matrix3d change = Matrix3d::Zero();
                change(k, l) = 1.0;
                const Matrix3d half = f.transpose() * change;
                const Matrix3d first = change * second + f * stress(0.5 * (half + half.transpose()));
                for (int i = 0; i < 3; ++i) {
                    for (int j = 0; j < 3; ++j) out(3 * i + j, 3 * k + l) = first(i, j);
                }
            }
        }
        return out;
    }
};

}  // namespace softcontact
