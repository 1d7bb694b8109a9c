// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/bodies/stiffening.hpp"

#include <cmath>
#include <limits>

namespace softcontact {

StiffeningLaw::StiffeningLaw(const Material& material)
    : m_young(material.young_modulus),
      m_rate(material.stiffening),
      m_limit(material.stiffening_limit),
      m_end(m_rate > 0.0 ? std::log(m_limit) / m_rate : std::numeric_limits<double>::infinity())
{
}

double StiffeningLaw::measure(const Matrix3d& strain, const Matrix3d& linear_stress) const
{
    return strain.cwiseProduct(linear_stress).sum() / m_young;
}

double StiffeningLaw::factor(const Matrix3d& strain, const Matrix3d& linear_stress) const
{
    const double q = measure(strain, linear_stress);
    return q < m_end ? std::exp(m_rate * q) : m_limit;
}

double StiffeningLaw::energy(const Matrix3d& strain, const Matrix3d& linear_stress) const
{
    const double q = measure(strain, linear_stress);
    if (m_rate == 0.0) return 0.5 * m_young * q;
    if (q < m_end) return 0.5 * m_young * std::expm1(m_rate * q) / m_rate;
    return 0.5 * m_young * ((m_limit - 1.0) / m_rate + m_limit * (q - m_end));
}

StiffeningLaw::State StiffeningLaw::state(const Matrix3d& strain, const Matrix3d& linear_stress) const
{
    const double q = measure(strain, linear_stress);
    if (!(q < m_end)) return {m_limit, 0.0, linear_stress};
    const double g = std::exp(m_rate * q);
    return {g, 2.0 * m_rate * g / m_young, linear_stress};
}

double StiffeningLaw::change(const State& from, const State& to) const
{
    // The two parts of the tangent over E: g, and w⊗w with w² = rank σ²/E.
    const double before = std::sqrt(from.rank / m_young);
    const double after = std::sqrt(to.rank / m_young);
    const double turned = (after * to.stress - before * from.stress).norm();
    const double size = after * to.stress.norm() + before * from.stress.norm();
    const double largest = from.factor + before * before * from.stress.squaredNorm();
    return (std::abs(to.factor - from.factor) + turned * size) / largest;
}

}  // namespace softcontact
