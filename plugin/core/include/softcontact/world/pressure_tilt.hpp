// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <Eigen/Cholesky>
#include <softcontact/contact/aggregate.hpp>
#include <softcontact/solver/block_rows.hpp>
#include <vector>

namespace softcontact {

/// How the pressure of a patch answers when the two bodies tilt against each other within the step.
///
/// One normal row leaves the tilt of a patch free; what holds it is that the weights follow the penetration,
/// so that the centre of pressure wanders to the deeper side. Taken at the free positions alone that is an
/// explicit spring, unstable for light objects. Its derivative with respect to the tilt φ about (t, s) is a
/// stiffness
///     K = c [[D_ss, −D_ts], [−D_ts, D_tt]],   c = share · N / Σ S_i d_i,   D = Σ S_i r_i r_iᵀ,
/// and the moment −K h ω that the tilt rate ω caused by contact produces in the step enters here, implicitly:
/// as two linear rows a patch that are eliminated before the solve. The solve keeps its four rows; a body at
/// rest feels nothing of it. Where the weights belong to the poses at the start of the step, ω is all of the
/// tilt rate.
struct PressureTilt {
    int block = -1;
    Eigen::Matrix<double, 3, 2> axes = Eigen::Matrix<double, 3, 2>::Zero();  ///< √h (t, s) L, K = L Lᵀ
    Eigen::Matrix2d spread = Eigen::Matrix2d::Zero();                        ///< D
    bool from_start = false;  ///< the weights belong to the poses at the start of the step, not the free ones
    bool has_spread = false;  ///< D is regular: the moment can be told as a linear normal pressure
};

/// Tilt of a patch; `depths` the free penetrations [m] behind its weights, `normal_force` that of the last
/// step.
[[nodiscard]] PressureTilt make_pressure_tilt(const AggregatePatch& patch, std::span<const double> areas,
                                              std::span<const double> depths, double normal_force,
                                              double share, double step);

/// Normal forces f_i [N] at the points that make up a moment (about t, about s) [N·m]: f_i = S_i (α x_i + β
/// y_i).
[[nodiscard]] Eigen::Vector2d linear_pressure(const PressureTilt& tilt, const Eigen::Vector2d& moment);

/// Eliminates the rows after the first `kept` from u = W λ: W_eff = W_kk − W_kt (1 + W_tt)⁻¹ W_tk.
class TiltElimination {
public:
    /// Makes room for a problem of so many rows, tilts included.
    void reserve(std::size_t rows);
    /// Returns W_eff (kept, kept), row-major; valid until the next call. Without tilts it is W itself, valid
    /// as long as that.
    Eigen::Map<const RowMajorMatrix> eliminate(const RowMajorRef& delassus, Index kept);
    /// kept_velocity −= W_kt (1 + W_tt)⁻¹ tilt_velocity: what the tilt rates without contact do to the kept
    /// rows.
    void shift(const Eigen::Ref<const VectorXd>& tilt_velocity, Eigen::Ref<VectorXd> kept_velocity);
    /// The eliminated multipliers that belong to λ (kept).
    void recover(const RowMajorRef& delassus, const Eigen::Ref<const VectorXd>& kept_multipliers,
                 const Eigen::Ref<const VectorXd>& tilt_velocity, Eigen::Ref<VectorXd> tilt_multipliers);

private:
    [[nodiscard]] Eigen::Map<MatrixXd> factor(Index tilts);

    std::vector<double> m_effective;
    std::vector<double> m_factor;    ///< 1 + W_tt, then its Cholesky factor in the lower triangle
    std::vector<double> m_coupling;  ///< L⁻¹ W_tk
    std::vector<double> m_solved;
};

}  // namespace softcontact
