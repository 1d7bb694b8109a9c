// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/vademecum/load_coordinates.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace softcontact {

namespace {

std::vector<LoadCoordinates::Load> checked(std::vector<LoadCoordinates::Load> loads,
                                           const SeparatedField& field)
{
    if (loads.empty()) throw std::invalid_argument("loads: expected one or more");
    std::vector<Index> sorted;
    for (const auto& load : loads) {
        sorted.push_back(load.load_case);
        if (load.load_case < 0 || load.load_case >= field.case_count() || load.node < 0 ||
            load.node >= field.node_count()) {
            throw std::invalid_argument("loads: expected cases in 0 … " +
                                        std::to_string(field.case_count() - 1) + " at nodes in 0 … " +
                                        std::to_string(field.node_count() - 1));
        }
    }
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
        throw std::invalid_argument("loads: a load is there twice");
    }
    return loads;
}

}  // namespace

LoadCoordinates::LoadCoordinates(const SeparatedField& field, std::vector<Load> loads, bool together)
    : m_field(field),
      m_loads(checked(std::move(loads), field)),
      m_together(false),
      m_loaded(field, static_cast<Index>(m_loads.size()))
{
    const auto count = static_cast<Index>(m_loads.size());
    m_sizes.setZero(count);
    m_felt.setZero(count);
    m_series.setZero(field.solution().terms, count);
    m_bends.setZero(field.solution().terms, count);
    m_amplitudes.setZero(field.mode_count(), count);
    m_bent.setZero(field.mode_count(), count);
    m_tangent.setZero(3 * field.node_count(), count);
    set(VectorXd::Zero(count));
    if (!together) return;
    read_shares();
    m_together = true;
    set(VectorXd::Zero(count));
}

void LoadCoordinates::read_shares()
{
    m_shares.setZero(count(), count());
    for (Index i = 0; i < count(); ++i) {
        const Load& load = m_loads[static_cast<std::size_t>(i)];
        m_shares.row(i) = load.direction.transpose() * m_tangent.middleRows<3>(3 * load.node);
        const double own = m_shares(i, i);
        if (!(own > 0.0)) throw std::invalid_argument("loads: one does not move its node along itself");
        m_shares.row(i) /= own;
    }
}

bool LoadCoordinates::set(const Eigen::Ref<const VectorXd>& sizes) noexcept
{
    if (sizes.size() != count() || !sizes.allFinite()) return false;
    m_sizes = sizes;
    m_loaded.clear();
    if (m_together) {
        combine();
    } else {
        superpose();
    }
    differentiate();
    return true;
}

void LoadCoordinates::superpose() noexcept
{
    m_felt = m_sizes;
    for (Index load = 0; load < count(); ++load) {
        m_loaded.add(load_case(load), m_sizes[load]);
        m_field.basis_slope(m_sizes[load], m_series.col(load));
    }
}

void LoadCoordinates::combine() noexcept
{
    m_felt.noalias() = m_shares * m_sizes;
    for (Index load = 0; load < count(); ++load) {
        // u_i(t)/t has a limit at t = 0
        const double felt = std::abs(m_felt[load]) > 1e-100 ? m_felt[load] : 1e-100;
        m_loaded.add(load_case(load), felt, m_sizes[load] / felt);
        m_field.secant(m_felt[load], m_series.col(load));
        m_field.secant_slope(m_felt[load], m_bends.col(load));
    }
}

/// Modes first, then dents.
void LoadCoordinates::differentiate() noexcept
{
    const SeparatedSolution& solution = m_field.solution();
    const Index terms = solution.terms;
    for (Index load = 0; load < count(); ++load) {
        const auto own = solution.amplitudes.middleCols(terms * load_case(load), terms);
        m_amplitudes.col(load).noalias() = own * m_series.col(load);
        if (!m_together) continue;
        m_bent.col(load).noalias() = own * m_bends.col(load);
        m_bent.col(load) *= m_sizes[load];
    }
    if (m_together) m_amplitudes.noalias() += m_bent * m_shares;
    m_tangent.noalias() = solution.modes.transpose() * m_amplitudes;
    for (Index load = 0; load < count(); ++load) {
        const auto s = static_cast<std::size_t>(load_case(load));
        for (Index d = solution.dent_starts[s]; d < solution.dent_starts[s + 1]; ++d) {
            auto rows = m_tangent.middleRows<3>(3 * solution.dent_nodes[static_cast<std::size_t>(d)]);
            const auto own = solution.dents.middleCols(terms * d, terms);
            rows.col(load) += own.lazyProduct(m_series.col(load));
            if (!m_together || m_sizes[load] == 0.0) continue;
            const Vector3d bent = m_sizes[load] * own.lazyProduct(m_bends.col(load));
            for (Index other = 0; other < count(); ++other) rows.col(other) += m_shares(load, other) * bent;
        }
    }
}

}  // namespace softcontact
