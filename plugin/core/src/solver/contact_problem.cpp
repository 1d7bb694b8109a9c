// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/solver/contact_problem.hpp"

#include <algorithm>
#include <cmath>

#include "softcontact/solver/uzawa.hpp"

namespace softcontact {

namespace {

double residual_from_velocity(const Eigen::Ref<const VectorXd>& q, const Eigen::Ref<const VectorXd>& mu,
                              const Eigen::Ref<const VectorXd>& r, const VectorXd& u)
{
    double squared = 0.0;
    for (Index i = 0; i < mu.size(); ++i) {
        const Vector3d force = r.segment<3>(3 * i);
        squared += (force - uzawa_step(force, u.segment<3>(3 * i), mu[i], 1.0)).squaredNorm();
    }
    const double size = std::max({q.norm(), r.norm(), u.norm()});
    return size > 0.0 ? std::sqrt(squared) / size : 0.0;
}

/// Uzawa sweeps over the contacts, with the freshest velocities.
class UzawaSweep {
public:
    UzawaSweep(const RowMajorRef& W, const Eigen::Ref<const VectorXd>& q,
               std::span<const BlockDescriptor> blocks, const BlockRows& rows,
               const ContactSolverOptions& options)
        : m_q(q.data(), q.size()), m_blocks(blocks), m_rows(rows), m_options(options)
    {
        double smallest = options.rho;
        if (!(smallest > 0.0)) {
            smallest = 1.0 / W.diagonal().maxCoeff();
        }
        for (const BlockDescriptor& block : blocks) {
            const Matrix3d diagonal = W.block<3, 3>(block.offset, block.offset);
            m_diagonal.push_back(diagonal);
            const double bound = diagonal.cwiseAbs().rowwise().sum().maxCoeff();
            m_rho.push_back(options.rho_per_block && bound > 0.0 ? 1.0 / bound : smallest);
        }
    }

    /// One sweep; returns |Δr / rho| over all contacts. `projections` counts the steps.
    double operator()(VectorXd& r, double inner_tolerance, long& projections) const
    {
        double squared = 0.0;
        for (std::size_t b = 0; b < m_blocks.size(); ++b) {
            const int offset = m_blocks[b].offset;
            const double mu = m_blocks[b].mu, rho = m_rho[b];
            Vector3d u;
            m_rows.multiply(static_cast<int>(b), r.data(), u.data());
            u += m_q.segment<3>(offset);
            const Vector3d old = r.segment<3>(offset);
            Vector3d force = old;
            if (m_options.method == ContactMethod::global_uzawa) {
                force = uzawa_step(old, u, mu, rho);
                ++projections;
            } else {
                projections += local_uzawa(m_diagonal[b], u - m_diagonal[b] * old, mu, rho, inner_tolerance,
                                           m_options.max_inner_iterations, force);
            }
            r.segment<3>(offset) = force;
            squared += ((force - old) / rho).squaredNorm();
        }
        return std::sqrt(squared);
    }

    [[nodiscard]] double rho() const { return *std::ranges::min_element(m_rho); }

private:
    Eigen::Map<const VectorXd> m_q;
    std::span<const BlockDescriptor> m_blocks;
    const BlockRows& m_rows;
    const ContactSolverOptions& m_options;
    std::vector<Matrix3d> m_diagonal;
    std::vector<double> m_rho;
};

}  // namespace

double natural_map_residual(const RowMajorRef& W, const Eigen::Ref<const VectorXd>& q,
                            const Eigen::Ref<const VectorXd>& mu, const Eigen::Ref<const VectorXd>& r)
{
    return residual_from_velocity(q, mu, r, W * r + q);
}

ContactSolverResult solve_contact_problem(const RowMajorRef& W, const Eigen::Ref<const VectorXd>& q,
                                          const Eigen::Ref<const VectorXd>& mu,
                                          const Eigen::Ref<const VectorXd>& guess,
                                          const ContactSolverOptions& options)
{
    const Index n = mu.size();
    std::vector<BlockDescriptor> blocks(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i) {
        blocks[static_cast<std::size_t>(i)] = {.offset = static_cast<int>(3 * i), .rows = 3, .mu = mu[i]};
    }
    ContactSolverResult result;
    result.force = guess;
    if (n == 0) {
        result.converged = true;
        return result;
    }
    BlockRows rows;
    rows.prepare(W, blocks);
    BlockGaussSeidel sweeps;
    sweeps.prepare(W, q, blocks);
    const UzawaSweep uzawa(W, q, blocks, rows, options);
    const Acceleration acceleration = options.method == ContactMethod::nncg       ? Acceleration::conjugate
                                      : options.method == ContactMethod::anderson ? Acceleration::anderson
                                                                                  : Acceleration::none;
    const bool by_blocks =
        options.method != ContactMethod::local_uzawa && options.method != ContactMethod::global_uzawa;

    const auto measure = [&] {
        VectorXd u(3 * n);
        for (Index i = 0; i < n; ++i) {
            rows.multiply(static_cast<int>(i), result.force.data(), u.data() + 3 * i);
        }
        result.velocity = u + q;
        result.residual = residual_from_velocity(q, mu, result.force, result.velocity);
    };
    measure();
    double inner_tolerance = options.inner_tolerance;
    VectorXd old(3 * n), best = result.force;
    double best_residual = result.residual;
    const bool by_map = options.rule == StoppingRule::natural_map;
    result.converged = by_map && result.residual <= options.tolerance;
    while (!result.converged && result.iterations < options.max_iterations) {
        if (by_blocks) {
            old = result.force;
            sweeps.sweep(result.force);
            result.inner_iterations += n;
            result.uzawa_error = (result.force - old).norm() / uzawa.rho();
        } else {
            if (!(options.inner_tolerance > 0.0)) {
                inner_tolerance = by_map
                                      ? 0.1 * std::max(options.tolerance, result.residual * 1e-2) * q.norm()
                                      : 0.1 * options.tolerance;
            }
            result.uzawa_error = uzawa(result.force, inner_tolerance, result.inner_iterations);
        }
        ++result.iterations;
        measure();
        if (!std::isfinite(result.residual)) {
            break;
        }
        if (result.residual < best_residual) {
            best_residual = result.residual;
            best = result.force;
        }
        const double judged = by_map ? result.residual : result.uzawa_error;
        result.history.push_back(judged);
        result.converged = judged <= options.tolerance;
        if (!result.converged && by_blocks && result.iterations < options.max_iterations) {
            sweeps.accelerate(acceleration, result.force);
        }
    }
    if (!result.converged && by_map) {
        // Hand back the best that was seen: an oscillating or diverging iteration ends anywhere.
        result.force = best;
        measure();
    }
    return result;
}

}  // namespace softcontact
