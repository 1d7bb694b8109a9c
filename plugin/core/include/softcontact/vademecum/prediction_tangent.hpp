// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/vademecum/separated_field.hpp>

namespace softcontact {

/// Derivative of the displacements that a LoadedField predicts by the sizes of its loads,
///
///     ∂u/∂t_i = σ_i(τ_i) + Σ_j t_j σ_j'(τ_j) ∂τ_j/∂t_i,    σ_j(τ) = u_j(τ)/τ
///
/// ∂τ_j/∂t_i the likeness of i and j; 1 for i = j and else 0 where the loads are superposed. Nothing
/// allocates after the construction.
class PredictionTangent {
public:
    /// For as many loads as a LoadedField has room for, the last `columns` of which are followed at most.
    PredictionTangent(const SeparatedField& field, Index capacity, Index columns);

    /// As `loaded` is, by its loads from the number `first` on.
    void update(const LoadedField& loaded, Index first = 0) noexcept;

    [[nodiscard]] Index columns() const { return m_columns; }
    /// Of the modes' amplitudes (m, columns) [m].
    [[nodiscard]] auto amplitudes() const { return m_ways.leftCols(m_columns); }
    /// Of a node (3, columns) [m].
    void at(Index node, Eigen::Ref<MatrixXd> out) const noexcept;
    /// Of all nodes (3 n, columns) [m]: component c of node i in row 3 i + c.
    void all(Eigen::Ref<MatrixXd> out) const noexcept;

private:
    void add_dent(Index load, Index entry, Eigen::Ref<MatrixXd> out) const noexcept;

    const SeparatedField& m_field;
    Index m_columns = 0, m_first = 0, m_count = 0;
    std::vector<LoadedField::Answer> m_answers;
    MatrixXd m_series;    ///< of σ (terms, loads)
    MatrixXd m_slopes;    ///< of t σ' (terms, loads)
    MatrixXd m_likeness;  ///< ∂τ_j/∂t_i (loads, columns)
    MatrixXd m_ways;      ///< (m, columns)
    VectorXd m_bend;      ///< of one load (m)
};

}  // namespace softcontact
