// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/vademecum/separated_field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "require.hpp"

namespace softcontact {

namespace {

/// out[j] = term(T_j, T_j') of the Chebyshev polynomials at x = 2 inside − 1, T_j' by x.
template <typename Term>
void chebyshev_terms(double inside, Eigen::Ref<VectorXd> out, const Term& term) noexcept
{
    const double x = 2.0 * inside - 1.0;
    double value = 1.0, next = x;    // T_j, T_{j+1}
    double slope = 0.0, rise = 1.0;  // their derivatives
    for (Index j = 0; j < out.size(); ++j) {
        out[j] = term(value, slope);
        const double after = 2.0 * x * next - value;
        const double steeper = 2.0 * next + 2.0 * x * rise - slope;
        value = next;
        next = after;
        slope = rise;
        rise = steeper;
    }
}

void check_dents(const SeparatedSolution& solution, Index nodes)
{
    const auto& starts = solution.dent_starts;
    const auto entries = static_cast<Index>(solution.dent_nodes.size());
    require(starts.size() >= 2 && starts.front() == 0 && starts.back() == entries &&
                std::is_sorted(starts.begin(), starts.end()),
            "dent_starts: expected cases + 1 numbers growing from 0 to the " + std::to_string(entries) +
                " entries");
    require(solution.dents.rows() == 3 && solution.dents.cols() == solution.terms * entries,
            "dents: expected three components of each term and entry");
    for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
        for (Index d = starts[s]; d < starts[s + 1]; ++d) {
            const Index node = solution.dent_nodes[static_cast<std::size_t>(d)];
            const bool grows = d == starts[s] || node > solution.dent_nodes[static_cast<std::size_t>(d - 1)];
            require(node >= 0 && node < nodes && grows,
                    "dent_nodes: expected nodes of the mesh, growing within case " + std::to_string(s));
        }
    }
}

}  // namespace

SeparatedField::SeparatedField(SeparatedSolution solution) : m_solution(std::move(solution))
{
    require(m_solution.terms >= 1, "terms: expected 1 or more");
    require(m_solution.modes.cols() % 3 == 0 && m_solution.modes.size() > 0,
            "modes: expected three components of each node");
    check_dents(m_solution, node_count());
    require(m_solution.amplitudes.rows() == mode_count() &&
                m_solution.amplitudes.cols() == m_solution.terms * case_count(),
            "amplitudes: expected one of each mode, term and case");
    require(m_solution.modes.allFinite() && m_solution.amplitudes.allFinite() && m_solution.dents.allFinite(),
            "modes, amplitudes, dents: a value is not finite");
    const auto& opposites = m_solution.opposites;
    require(opposites.empty() || (static_cast<Index>(opposites.size()) == case_count() &&
                                  std::all_of(opposites.begin(), opposites.end(),
                                              [&](Index s) { return s >= -1 && s < case_count(); })),
            "opposites: expected none, or one case or -1 for each case");
    m_peaks.setZero(mode_count());
    for (Index node = 0; node < node_count(); ++node) {
        m_peaks = m_peaks.cwiseMax(m_solution.modes.middleCols<3>(3 * node).rowwise().norm());
    }
    VectorXd series(m_solution.terms);
    secant(0.0, series);
    m_first.resize(mode_count(), case_count());
    for (Index s = 0; s < case_count(); ++s) {
        m_first.col(s) = m_solution.amplitudes.middleCols(m_solution.terms * s, m_solution.terms) * series;
    }
}

void SeparatedField::basis(double size, Eigen::Ref<VectorXd> out) const noexcept
{
    const double inside = std::clamp(size, 0.0, 1.0);
    const double beyond = size - inside;
    chebyshev_terms(inside, out, [&](double value, double slope) {
        return inside * value + beyond * (value + 2.0 * inside * slope);
    });
}

void SeparatedField::basis_slope(double size, Eigen::Ref<VectorXd> out) const noexcept
{
    const double inside = std::clamp(size, 0.0, 1.0);
    chebyshev_terms(inside, out, [&](double value, double slope) { return value + 2.0 * inside * slope; });
}

void SeparatedField::secant(double size, Eigen::Ref<VectorXd> out) const noexcept
{
    // beyond 1: (T + (t − 1) (T + 2 T'))/t
    chebyshev_terms(std::clamp(size, 0.0, 1.0), out, [&](double value, double slope) {
        return size <= 1.0 ? value : value + (size - 1.0) / size * 2.0 * slope;
    });
}

void SeparatedField::secant_slope(double size, Eigen::Ref<VectorXd> out) const noexcept
{
    const double factor = size < 0.0 ? 0.0 : size <= 1.0 ? 2.0 : 2.0 / (size * size);
    chebyshev_terms(std::clamp(size, 0.0, 1.0), out, [&](double, double slope) { return factor * slope; });
}

double SeparatedField::likeness(Index i, Index j) const noexcept
{
    const double own = m_first.col(j).squaredNorm();
    return i == j ? 1.0 : own > 0.0 ? m_first.col(i).dot(m_first.col(j)) / own : 0.0;
}

Vector3d SeparatedField::dent(Index load_case, Index node,
                              const Eigen::Ref<const VectorXd>& series) const noexcept
{
    const auto s = static_cast<std::size_t>(load_case);
    const auto first = m_solution.dent_nodes.begin() + m_solution.dent_starts[s];
    const auto last = m_solution.dent_nodes.begin() + m_solution.dent_starts[s + 1];
    const auto found = std::lower_bound(first, last, node);
    if (found == last || *found != node) return Vector3d::Zero();
    const Index entry = found - m_solution.dent_nodes.begin();
    return m_solution.dents.middleCols(m_solution.terms * entry, m_solution.terms).lazyProduct(series);
}

LoadedField::LoadedField(const SeparatedField& field, Index capacity) : m_field(field)
{
    require(capacity >= 1, "capacity: expected room for one load or more");
    m_answers.resize(static_cast<std::size_t>(capacity));
    m_series.setZero(field.solution().terms, capacity);
    m_amplitudes.setZero(field.mode_count());
    m_together.setZero(field.mode_count());
}

void LoadedField::clear() noexcept
{
    m_count = 0;
    m_predictor = Predictor::superposition;
    m_amplitudes.setZero();
}

bool LoadedField::add(Index load_case, double size, double share) noexcept
{
    if (load_case < 0 || load_case >= m_field.case_count() || !std::isfinite(size) || !std::isfinite(share) ||
        m_count == static_cast<Index>(m_answers.size())) {
        return false;
    }
    m_field.basis(size, m_series.col(m_count));
    m_series.col(m_count) *= share;
    take({load_case, load_case, 1.0, size, size});
    return true;
}

void LoadedField::take(const Answer& answer) noexcept
{
    const SeparatedSolution& solution = m_field.solution();
    m_amplitudes.noalias() +=
        solution.amplitudes.middleCols(solution.terms * answer.load_case, solution.terms) *
        m_series.col(m_count);
    m_answers[static_cast<std::size_t>(m_count++)] = answer;
}

void LoadedField::predict(std::span<const Index> cases, std::span<const double> sizes,
                          Predictor predictor) noexcept
{
    clear();
    m_predictor = predictor;
    const std::size_t count = std::min(cases.size(), sizes.size());
    const auto known = [&](std::size_t i) {
        return cases[i] >= 0 && cases[i] < m_field.case_count() && std::isfinite(sizes[i]);
    };
    const MatrixXd& first = m_field.first_amplitudes();
    const bool together = predictor == Predictor::deflection;
    m_together.setZero();
    for (std::size_t i = 0; together && i < count; ++i) {
        if (known(i) && sizes[i] != 0.0) m_together += sizes[i] * first.col(cases[i]);
    }
    for (std::size_t j = 0; j < count && m_count < static_cast<Index>(m_answers.size()); ++j) {
        if (!known(j)) continue;
        Answer answer{cases[j], cases[j], 1.0, sizes[j], sizes[j]};
        const double own = together ? first.col(cases[j]).squaredNorm() : 0.0;
        if (own > 0.0) answer.felt = first.col(cases[j]).dot(m_together) / own;
        if (const Index opposite = m_field.opposite(cases[j]); opposite >= 0 && answer.felt < 0.0) {
            answer.load_case = opposite;
            answer.sign = -1.0;
        }
        m_field.secant(answer.sign * answer.felt, m_series.col(m_count));
        m_series.col(m_count) *= answer.sign * sizes[j];
        take(answer);
    }
}

Vector3d LoadedField::dent(Index entry, Index load) const noexcept
{
    const SeparatedSolution& solution = m_field.solution();
    return solution.dents.middleCols(solution.terms * entry, solution.terms).lazyProduct(m_series.col(load));
}

double LoadedField::dent_bound() const noexcept
{
    double bound = 0.0;
    for (Index load = 0; load < m_count; ++load) {
        const auto& starts = m_field.solution().dent_starts;
        const auto s = static_cast<std::size_t>(load_case(load));
        double most = 0.0;
        for (Index d = starts[s]; d < starts[s + 1]; ++d) most = std::max(most, dent(d, load).norm());
        bound += most;
    }
    return bound;
}

Vector3d LoadedField::displacement(Index node) const noexcept
{
    if (node < 0 || node >= m_field.node_count()) {
        return Vector3d::Constant(std::numeric_limits<double>::quiet_NaN());
    }
    const SeparatedSolution& solution = m_field.solution();
    Vector3d moved;
    for (int c = 0; c < 3; ++c) moved[c] = solution.modes.col(3 * node + c).dot(m_amplitudes);
    for (Index load = 0; load < m_count; ++load) {
        const auto s = static_cast<std::size_t>(load_case(load));
        const auto first = solution.dent_nodes.begin() + solution.dent_starts[s];
        const auto last = solution.dent_nodes.begin() + solution.dent_starts[s + 1];
        const auto found = std::lower_bound(first, last, node);
        if (found != last && *found == node) moved += dent(found - solution.dent_nodes.begin(), load);
    }
    return moved;
}

void LoadedField::displacements(std::span<const Index> nodes, Eigen::Ref<Points> out) const noexcept
{
    const auto count = std::min(static_cast<Index>(nodes.size()), out.cols());
    for (Index i = 0; i < count; ++i) out.col(i) = displacement(nodes[static_cast<std::size_t>(i)]);
}

void LoadedField::displacements(Eigen::Ref<Points> out) const noexcept
{
    const SeparatedSolution& solution = m_field.solution();
    const Index count = std::min(out.cols(), m_field.node_count());
    for (Index i = 0; i < count; ++i) {
        for (int c = 0; c < 3; ++c) out(c, i) = solution.modes.col(3 * i + c).dot(m_amplitudes);
    }
    for (Index load = 0; load < m_count; ++load) {
        const auto s = static_cast<std::size_t>(load_case(load));
        for (Index d = solution.dent_starts[s]; d < solution.dent_starts[s + 1]; ++d) {
            const Index node = solution.dent_nodes[static_cast<std::size_t>(d)];
            if (node < count) out.col(node) += dent(d, load);
        }
    }
}

}  // namespace softcontact
