// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cmath>
#include <softcontact/types.hpp>
#include <utility>

namespace softcontact {

/// Gauss elimination with pivots, in place, without an allocation; the solution ends in `right`. False where
/// the matrix is singular.
inline bool eliminate(Eigen::Ref<MatrixXd> matrix, Eigen::Ref<VectorXd> right) noexcept
{
    const Index n = matrix.rows();
    for (Index k = 0; k < n; ++k) {
        Index pivot = 0;
        const double largest = matrix.col(k).tail(n - k).cwiseAbs().maxCoeff(&pivot);
        if (!(largest > 0.0) || !std::isfinite(largest)) return false;
        pivot += k;
        if (pivot != k) {
            matrix.row(k).swap(matrix.row(pivot));
            std::swap(right[k], right[pivot]);
        }
        for (Index i = k + 1; i < n; ++i) {
            const double factor = matrix(i, k) / matrix(k, k);
            matrix(i, k) = factor;
            right[i] -= factor * right[k];
        }
        for (Index j = k + 1; j < n; ++j) {  // column by column
            matrix.col(j).tail(n - k - 1) -= matrix(k, j) * matrix.col(k).tail(n - k - 1);
        }
    }
    for (Index k = n - 1; k >= 0; --k) {
        right[k] /= matrix(k, k);
        right.head(k) -= right[k] * matrix.col(k).head(k);
    }
    return right.allFinite();
}

}  // namespace softcontact
