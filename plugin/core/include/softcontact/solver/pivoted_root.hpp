// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cmath>
#include <softcontact/types.hpp>
#include <vector>

namespace softcontact {

/// G of a positive semidefinite W = G Gᵀ, and the rows that the others follow from: Cholesky's factorisation
/// with the row next that has most left of its own diagonal, O(rows · rank²). Buffers are kept.
class PivotedRoot {
public:
    /// entry(i, j) is W; a row that has no more than the share `least` of its diagonal left follows from
    /// others.
    template <typename Entry>
    void compute(Index rows, double least, const Entry& entry)
    {
        m_pivots.clear();
        m_whole.resize(rows);
        for (Index i = 0; i < rows; ++i) {
            m_whole[i] = entry(i, i);
        }
        m_left = m_whole;
        m_factor.resize(rows, rows);
        for (Index rank = 0; rank < rows; ++rank) {
            Index pivot = -1;
            double most = least;
            for (Index i = 0; i < rows; ++i) {
                const double share = m_whole[i] > 0.0 ? m_left[i] / m_whole[i] : 0.0;
                if (share > most) {
                    most = share;
                    pivot = i;
                }
            }
            if (pivot < 0) {
                return;
            }
            auto column = m_factor.col(rank);
            for (Index i = 0; i < rows; ++i) {
                column[i] = entry(i, pivot);
            }
            column.noalias() -= m_factor.leftCols(rank) * m_factor.row(pivot).head(rank).transpose();
            column /= std::sqrt(m_left[pivot]);
            m_left -= column.cwiseAbs2();
            m_left[pivot] = 0.0;
            m_pivots.push_back(pivot);
        }
    }
    [[nodiscard]] const std::vector<Index>& pivots() const { return m_pivots; }
    /// G (rows, rank).
    [[nodiscard]] auto factor() const { return m_factor.leftCols(static_cast<Index>(m_pivots.size())); }

private:
    std::vector<Index> m_pivots;
    VectorXd m_whole, m_left;
    MatrixXd m_factor;
};

}  // namespace softcontact
