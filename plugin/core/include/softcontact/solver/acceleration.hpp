// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/types.hpp"

namespace softcontact {

/// What happens to λ between two sweeps of a Gauss–Seidel solver.
enum class Acceleration {
    none,
    conjugate,  ///< nonsmooth nonlinear conjugate gradient (NNCG)
    anderson,   ///< Anderson mixing of the last sweeps
};

/// Extrapolates a sequence of sweeps λ -> G(λ). What it returns need not respect any contact law: sweep
/// again. An affine image of λ, such as u = W λ + q, may be taken along: it needs no product with W then.
///
/// Steps are measured in the energy norm Σ W_ii Δλ_i², so that newtons and newton-metres mix. Both methods
/// forget their past when a sweep moves λ more than before. Buffers grow to the largest problem seen.
/// Sources: Silcowitz, Niebe and Erleben 2010 (NNCG); Anderson 1965, Walker and Ni 2011 (type II, least
/// squares).
class SweepAcceleration {
public:
    static constexpr int window = 12;  ///< sweeps that Anderson mixing remembers

    void reserve(Index rows);
    /// Begin a problem; weights W_ii come by set_weight for each row.
    void start(Index rows);
    void set_weight(Index row, double diagonal);

    /// λ after a sweep that began at `before`, moved to where the next sweep should begin.
    void apply(Acceleration method, const Eigen::Ref<const VectorXd>& before, Eigen::Ref<VectorXd> lambda);
    /// The same with an image. False where the weights of the mixing are so large that the image lost digits
    /// on the way and is to be computed afresh.
    bool apply(Acceleration method, const VectorXd& before, const VectorXd& image_before, VectorXd& lambda,
               VectorXd& image);

private:
    using SmallMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, window, window>;
    using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, window, 1>;

    /// How far the direction of before is taken.
    double conjugate(const Eigen::Ref<const VectorXd>& before, Eigen::Ref<VectorXd> lambda);
    /// Weights of the remembered changes; none where they are not to be mixed in.
    [[nodiscard]] SmallVector mix(const Eigen::Ref<const VectorXd>& before,
                                  const Eigen::Ref<const VectorXd>& lambda, const VectorXd* image);

    Index m_size = 0;
    double m_last_norm = 0.0;  // squared, of the last step
    int m_used = 0, m_next = 0;
    bool m_started = false;
    VectorXd m_weight;     // √W_ii
    VectorXd m_direction;  // NNCG
    VectorXd m_step, m_last_step, m_last_point;
    MatrixXd m_step_changes, m_point_changes;  // a column a remembered sweep
    VectorXd m_image_direction, m_last_image;  // where an image is taken along
    MatrixXd m_image_changes;
    Eigen::Matrix<double, window, window> m_gram;
};

}  // namespace softcontact
