// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/vademecum/prediction_tangent.hpp"

#include <algorithm>

namespace softcontact {

PredictionTangent::PredictionTangent(const SeparatedField& field, Index capacity, Index columns)
    : m_field(field)
{
    const Index terms = field.solution().terms;
    m_answers.resize(static_cast<std::size_t>(capacity));
    m_series.setZero(terms, capacity);
    m_slopes.setZero(terms, capacity);
    m_likeness.setZero(capacity, columns);
    m_ways.setZero(field.mode_count(), columns);
    m_bend.setZero(field.mode_count());
}

void PredictionTangent::update(const LoadedField& loaded, Index first) noexcept
{
    const SeparatedSolution& solution = m_field.solution();
    const Index terms = solution.terms;
    const bool together = loaded.predictor() == Predictor::deflection;
    m_first = first;
    m_count = std::min(loaded.load_count(), static_cast<Index>(m_answers.size()));
    m_columns = std::min(std::max<Index>(0, m_count - first), m_ways.cols());
    for (Index j = 0; j < m_count; ++j) {
        const auto& answer = m_answers[static_cast<std::size_t>(j)] = loaded.answer(j);
        m_field.secant(answer.sign * answer.felt, m_series.col(j));
        m_series.col(j) *= answer.sign;
        m_field.secant_slope(answer.sign * answer.felt, m_slopes.col(j));
        m_slopes.col(j) *= answer.size;
        if (j < first) continue;
        const Index i = j - first;
        if (i < m_columns) {
            m_ways.col(i).noalias() =
                solution.amplitudes.middleCols(terms * answer.load_case, terms) * m_series.col(j);
        }
    }
    for (Index j = 0; j < m_count; ++j) {
        const auto& answer = m_answers[static_cast<std::size_t>(j)];
        if (answer.size == 0.0) continue;
        m_bend.noalias() = solution.amplitudes.middleCols(terms * answer.load_case, terms) * m_slopes.col(j);
        for (Index i = 0; i < m_columns; ++i) {
            const Index with = m_answers[static_cast<std::size_t>(first + i)].asked;
            m_likeness(j, i) = together ? m_field.likeness(with, answer.asked) : (first + i == j ? 1.0 : 0.0);
            if (m_likeness(j, i) != 0.0) m_ways.col(i) += m_likeness(j, i) * m_bend;
        }
    }
}

void PredictionTangent::add_dent(Index load, Index entry, Eigen::Ref<MatrixXd> out) const noexcept
{
    const SeparatedSolution& solution = m_field.solution();
    const auto own = solution.dents.middleCols(solution.terms * entry, solution.terms);
    if (load >= m_first && load - m_first < m_columns) {
        out.col(load - m_first) += own.lazyProduct(m_series.col(load));
    }
    if (m_answers[static_cast<std::size_t>(load)].size == 0.0) return;
    const Vector3d bend = own.lazyProduct(m_slopes.col(load));
    for (Index i = 0; i < m_columns; ++i) out.col(i) += m_likeness(load, i) * bend;
}

void PredictionTangent::at(Index node, Eigen::Ref<MatrixXd> out) const noexcept
{
    const SeparatedSolution& solution = m_field.solution();
    for (Index i = 0; i < m_columns; ++i) {
        for (int c = 0; c < 3; ++c) out(c, i) = solution.modes.col(3 * node + c).dot(m_ways.col(i));
    }
    for (Index load = 0; load < m_count; ++load) {
        const auto s = static_cast<std::size_t>(m_answers[static_cast<std::size_t>(load)].load_case);
        const auto first = solution.dent_nodes.begin() + solution.dent_starts[s];
        const auto last = solution.dent_nodes.begin() + solution.dent_starts[s + 1];
        const auto found = std::lower_bound(first, last, node);
        if (found != last && *found == node) add_dent(load, found - solution.dent_nodes.begin(), out);
    }
}

void PredictionTangent::all(Eigen::Ref<MatrixXd> out) const noexcept
{
    const SeparatedSolution& solution = m_field.solution();
    out.noalias() = solution.modes.transpose() * m_ways.leftCols(m_columns);
    for (Index load = 0; load < m_count; ++load) {
        const auto s = static_cast<std::size_t>(m_answers[static_cast<std::size_t>(load)].load_case);
        for (Index d = solution.dent_starts[s]; d < solution.dent_starts[s + 1]; ++d) {
            add_dent(load, d, out.middleRows<3>(3 * solution.dent_nodes[static_cast<std::size_t>(d)]));
        }
    }
}

}  // namespace softcontact
