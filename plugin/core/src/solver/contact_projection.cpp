// SPDX-License-Identifier: LGPL-2.1-or-later
#include "contact_projection.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "contact_equation.hpp"
#include "contact_sweeps.hpp"
#include "softcontact/solver/uzawa.hpp"

namespace softcontact {

namespace {

constexpr double safety = 0.9;  // of 1/|W|, for the step of a projection
// Largest Krylov space of a Newton step, and how far it lowers the linear residual.
constexpr Index krylov_size = 80;
constexpr double krylov_tolerance = 1e-4;
constexpr int newton_steps = 25, most_halvings = 5;

/// GMRES on apply(x) = right from zero, without restart.
template <typename Apply>
VectorXd krylov_solve(const Apply& apply, const VectorXd& right)
{
    const Index rows = right.size(), most = std::min(rows, krylov_size);
    const double size = right.norm();
    if (!(size > 0.0)) {
        return VectorXd::Zero(rows);
    }
    MatrixXd basis(rows, most + 1), hessenberg = MatrixXd::Zero(most + 1, most);
    basis.col(0) = right / size;
    VectorXd weights, image;
    for (Index k = 0; k < most; ++k) {
        apply(VectorXd(basis.col(k)), image);
        for (int pass = 0; pass < 2; ++pass) {
            for (Index j = 0; j <= k; ++j) {
                const double part = basis.col(j).dot(image);
                hessenberg(j, k) += part;
                image -= part * basis.col(j);
            }
        }
        const double rest = image.norm();
        hessenberg(k + 1, k) = rest;
        VectorXd goal = VectorXd::Zero(k + 2);
        goal[0] = size;
        const auto square = hessenberg.topLeftCorner(k + 2, k + 1);
        const bool last = k + 1 == most || !(rest > 1e-14 * size);
        if (last || (k + 1) % 5 == 0) {
            weights = square.completeOrthogonalDecomposition().solve(goal);
            if (last || (square * weights - goal).norm() <= krylov_tolerance * size) {
                return basis.leftCols(k + 1) * weights;
            }
        }
        basis.col(k + 1) = image / rest;
    }
    return VectorXd::Zero(rows);
}

class Projection {
public:
    Projection(const DelassusOperator& W, double size, const VectorXd& q, const VectorXd& mu, ContactRun& run)
        : m_W(W), m_q(q), m_mu(mu), m_run(run), m_rho(safety / size)
    {
    }

    /// Steps from the best force until over (true), or `patience` of them without a tenfold gain.
    bool project(int patience);
    bool newton();

private:
    void velocity(const VectorXd& r, VectorXd& u) const
    {
        m_W.apply(r, u);
        u += m_q;
    }
    /// Is (r, u) a solution, or the budget spent?
    bool over(const VectorXd& r, const VectorXd& u)
    {
        const double error = m_run.error(r, u);
        if (error <= m_run.options().tolerance) {
            m_run.accept(r, error);
            return true;
        }
        m_run.offer(r, error);
        const bool stop = !m_run.count(error);
        if (!std::isfinite(error)) {
            m_run.result.reason = StopReason::not_finite;
            return true;
        }
        return stop;
    }

    const DelassusOperator& m_W;
    const VectorXd& m_q;
    const VectorXd& m_mu;
    ContactRun& m_run;
    double m_rho;
};

bool Projection::project(int patience)
{
    VectorXd r = m_run.best(), before, u, u_before;
    velocity(r, u);
    SweepAcceleration mixing;
    mixing.start(m_q.size());
    for (Index row = 0; row < m_q.size(); ++row) {
        mixing.set_weight(row, 1.0);
    }
    double milestone = m_run.best_error();
    int waited = 0;
    for (;;) {
        before = r;
        u_before = u;
        for (Index i = 0; i < m_mu.size(); ++i) {
            r.segment<3>(3 * i) = uzawa_step(r.segment<3>(3 * i), u.segment<3>(3 * i), m_mu[i], m_rho);
        }
        velocity(r, u);
        m_run.result.inner_iterations += m_mu.size();
        if (over(r, u)) {
            return true;
        }
        if (m_run.best_error() <= 0.1 * milestone) {
            milestone = m_run.best_error();
            waited = 0;
        } else if (++waited >= patience) {
            return false;
        }
        if (!mixing.apply(Acceleration::anderson, before, u_before, r, u)) {
            velocity(r, u);
        }
    }
}

bool Projection::newton()
{
    const Index n = m_mu.size();
    const VectorXd rho = VectorXd::Constant(n, m_rho);
    VectorXd r = m_run.best(), u, image, next, next_u;
    velocity(r, u);
    double now = contact_merit(rho, m_mu, r, u);
    std::vector<ContactEquation> equations(static_cast<std::size_t>(n));
    for (int k = 0; k < newton_steps; ++k) {
        VectorXd right(3 * n);
        for (Index i = 0; i < n; ++i) {
            ContactEquation& e = equations[static_cast<std::size_t>(i)];
            e = contact_equation(m_rho, m_mu[i], r.segment<3>(3 * i), u.segment<3>(3 * i));
            right.segment<3>(3 * i) = -e.phi;
        }
        const auto jacobian = [&](const VectorXd& x, VectorXd& out) {
            m_run.poll();
            m_W.apply(x, image);
            out.resize(3 * n);
            for (Index i = 0; i < n; ++i) {
                const ContactEquation& e = equations[static_cast<std::size_t>(i)];
                out.segment<3>(3 * i) = e.A * image.segment<3>(3 * i) + e.B * x.segment<3>(3 * i);
            }
        };
        const VectorXd step = krylov_solve(jacobian, right);
        if (!step.allFinite()) {
            return false;
        }
        m_W.apply(step, image);
        bool taken = false;
        double t = 1.0;
        for (int h = 0; h <= most_halvings && !taken; ++h, t *= 0.5) {
            next = r + t * step;
            next_u = u + t * image;
            const double merit = contact_merit(rho, m_mu, next, next_u);
            if (merit <= (1.0 - 1e-2 * t) * now) {
                taken = true;
                now = merit;
            }
        }
        if (!taken) {
            return false;
        }
        r = next;
        velocity(r, u);
        if (over(r, u)) {
            return true;
        }
    }
    return false;
}

}  // namespace

void run_projection(const DelassusOperator& W, double size, const VectorXd& q, const VectorXd& mu,
                    const VectorXd& guess, ContactRun& run)
{
    run.offer(guess, run.best_error());
    Projection projection(W, size, q, mu, run);
    for (int patience = 30;; patience *= 2) {
        if (projection.project(patience) || projection.newton()) {
            return;
        }
    }
}

}  // namespace softcontact
