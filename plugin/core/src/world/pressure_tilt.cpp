// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cmath>
#include <softcontact/world/pressure_tilt.hpp>

namespace softcontact {

PressureTilt make_pressure_tilt(const AggregatePatch& patch, std::span<const double> areas,
                                std::span<const double> depths, double normal_force, double share,
                                double step)
{
    PressureTilt tilt;
    double volume = 0.0;
    for (int i = 0; i < patch.count; ++i) {
        const auto k = static_cast<std::size_t>(i);
        if (patch.shares[k] == 0.0) {
            continue;
        }
        const Vector2d r(patch.offsets[2 * k], patch.offsets[2 * k + 1]);
        tilt.spread += areas[k] * r * r.transpose();
        volume += areas[k] * depths[k];
    }
    if (!(volume > 0.0) || !(normal_force > 0.0)) {
        return tilt;
    }
    const double c = share * normal_force / volume;
    const double k_tt = c * tilt.spread(1, 1);
    const double k_ts = -c * tilt.spread(0, 1);
    const double k_ss = c * tilt.spread(0, 0);
    // Cholesky of the 2×2 K by hand: contacts on a line make it singular, and are welcome.
    Eigen::Matrix2d lower = Eigen::Matrix2d::Zero();
    lower(0, 0) = std::sqrt(std::max(k_tt, 0.0));
    lower(1, 0) = lower(0, 0) > 0.0 ? k_ts / lower(0, 0) : 0.0;
    lower(1, 1) = std::sqrt(std::max(k_ss - lower(1, 0) * lower(1, 0), 0.0));
    tilt.axes = std::sqrt(step) * patch.frame.rightCols<2>() * lower;
    constexpr double line_ratio = 1e-9;
    const double trace = tilt.spread.trace();
    tilt.has_spread = tilt.spread.determinant() > line_ratio * trace * trace;
    return tilt;
}

Eigen::Vector2d linear_pressure(const PressureTilt& tilt, const Eigen::Vector2d& moment)
{
    // Moment about t: Σ y f; about s: −Σ x f, with f = S (α x + β y).
    return tilt.spread.inverse() * Eigen::Vector2d(-moment[1], moment[0]);
}

void TiltElimination::reserve(std::size_t rows)
{
    const std::size_t tilts = rows / 3;  // two of the six rows of a patch
    m_effective.reserve(rows * rows);
    m_factor.reserve(tilts * tilts);
    m_coupling.reserve(tilts * rows);
    m_solved.reserve(tilts);
}

Eigen::Map<MatrixXd> TiltElimination::factor(Index tilts)
{
    m_factor.resize(static_cast<std::size_t>(tilts * tilts));
    return {m_factor.data(), tilts, tilts};
}

Eigen::Map<const RowMajorMatrix> TiltElimination::eliminate(const RowMajorRef& delassus, Index kept)
{
    const Index tilts = delassus.rows() - kept;
    if (tilts == 0 && delassus.outerStride() == kept) {
        return {delassus.data(), kept, kept};
    }
    m_effective.resize(static_cast<std::size_t>(kept * kept));
    Eigen::Map<RowMajorMatrix> effective(m_effective.data(), kept, kept);
    effective = delassus.topLeftCorner(kept, kept);
    if (tilts > 0) {
        Eigen::Map<MatrixXd> pivot = factor(tilts);
        pivot = delassus.bottomRightCorner(tilts, tilts);
        pivot.diagonal().array() += 1.0;
        Eigen::LLT<Eigen::Ref<MatrixXd>> in_place(pivot);
        m_coupling.resize(static_cast<std::size_t>(tilts * kept));
        Eigen::Map<MatrixXd> coupling(m_coupling.data(), tilts, kept);
        coupling = delassus.bottomLeftCorner(tilts, kept);
        in_place.matrixL().solveInPlace(coupling);
        effective.noalias() -= coupling.transpose() * coupling;
    }
    return {m_effective.data(), kept, kept};
}

void TiltElimination::shift(const Eigen::Ref<const VectorXd>& tilt_velocity,
                            Eigen::Ref<VectorXd> kept_velocity)
{
    const Index kept = kept_velocity.size();
    const Index tilts = tilt_velocity.size();
    if (tilts > 0) {
        // m_coupling is L⁻¹ W_tk, L Lᵀ = 1 + W_tt.
        m_solved.resize(static_cast<std::size_t>(tilts));
        Eigen::Map<VectorXd> solved(m_solved.data(), tilts);
        solved = tilt_velocity;
        factor(tilts).triangularView<Eigen::Lower>().solveInPlace(solved);
        const Eigen::Map<const MatrixXd> coupling(m_coupling.data(), tilts, kept);
        kept_velocity.noalias() -= coupling.transpose() * solved;
    }
}

void TiltElimination::recover(const RowMajorRef& delassus, const Eigen::Ref<const VectorXd>& kept_multipliers,
                              const Eigen::Ref<const VectorXd>& tilt_velocity,
                              Eigen::Ref<VectorXd> tilt_multipliers)
{
    const Index kept = kept_multipliers.size();
    const Index tilts = delassus.rows() - kept;
    if (tilts > 0) {
        const auto lower = factor(tilts).triangularView<Eigen::Lower>();
        tilt_multipliers.noalias() = -delassus.bottomLeftCorner(tilts, kept) * kept_multipliers;
        tilt_multipliers -= tilt_velocity;
        lower.solveInPlace(tilt_multipliers);
        lower.transpose().solveInPlace(tilt_multipliers);
    }
}

}  // namespace softcontact
