// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "softcontact/bodies/articulated.hpp"

namespace softcontact {

/// A = Lᵀ L of a symmetric matrix with the zeros of a kinematic tree: L has entries between coordinates and
/// their ancestors alone, and L⁻ᵀ x none but where x and its ancestors have some. What a wrench on a link
/// exerts on the joints has all of its entries on the way to the root, and L⁻ᵀ leaves them there.
/// Source: Featherstone (2008), Sec. 6.5.
class TreeFactor {
public:
    explicit TreeFactor(const ArticulatedModel& model);

    /// Reads the entries of A (nv, nv) between coordinates and their ancestors. False where A is not positive
    /// definite.
    [[nodiscard]] bool factor(const MatrixXd& A);
    /// x ← A⁻¹ x, x ← L⁻ᵀ x and x ← L⁻¹ x (nv), the second and then the third of which are the first.
    void solve(double* x) const
    {
        solve_transposed(x);
        solve_lower(x);
    }
    void solve_transposed(double* x) const;
    void solve_lower(double* x) const;

private:
    /// Ancestors of a coordinate from the root on, itself the last; those of an ancestor come first among
    /// them.
    struct Row {
        std::size_t first = 0;
        int length = 0;
    };
    std::vector<Row> m_rows;
    std::vector<int> m_ancestors;
    std::vector<double> m_values;   ///< of L, beside m_ancestors
    std::vector<double> m_inverse;  ///< 1 / L_ii
};

}  // namespace softcontact
