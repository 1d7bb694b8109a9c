// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/vademecum/load_coordinates.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace softcontact {

namespace {

std::vector<Index> checked(std::vector<Index> cases, const SeparatedField& field)
{
    if (cases.empty()) throw std::invalid_argument("loads: expected one or more");
    std::vector<Index> sorted = cases;
    std::sort(sorted.begin(), sorted.end());
    if (sorted.front() < 0 || sorted.back() >= field.case_count()) {
        throw std::invalid_argument("loads: expected cases in 0 … " + std::to_string(field.case_count() - 1));
    }
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
        throw std::invalid_argument("loads: a load is there twice");
    }
    return cases;
}

}  // namespace

LoadCoordinates::LoadCoordinates(const SeparatedField& field, std::vector<Index> cases, bool together)
    : m_cases(checked(std::move(cases), field)),
      m_predictor(together ? Predictor::deflection : Predictor::superposition),
      m_loaded(field, static_cast<Index>(m_cases.size())),
      m_slopes(field, static_cast<Index>(m_cases.size()), static_cast<Index>(m_cases.size()))
{
    const auto count = static_cast<Index>(m_cases.size());
    m_tangent.setZero(3 * field.node_count(), count);
    m_sizes.setZero(count);
    set(VectorXd::Zero(count));
}

bool LoadCoordinates::set(const Eigen::Ref<const VectorXd>& sizes) noexcept
{
    if (sizes.size() != count() || !sizes.allFinite()) return false;
    m_sizes = sizes;
    m_loaded.predict(m_cases, {m_sizes.data(), static_cast<std::size_t>(m_sizes.size())}, m_predictor);
    m_slopes.update(m_loaded);
    m_slopes.all(m_tangent);
    return true;
}

}  // namespace softcontact
