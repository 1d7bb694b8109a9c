// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "contact_run.hpp"
#include "softcontact/solver/acceleration.hpp"
#include "softcontact/solver/contact_block.hpp"

namespace softcontact {

/// Extrapolates a sequence of points x -> G(x) by the change of each step, Σ w_i Δx_i² as its norm, and takes
/// u = W x + q along: an affine image needs no product with W. As SweepAcceleration, which has no image.
class SweepMixing {
public:
    static constexpr int window = 12;

    /// Steps are weighed by W_ii; W must stay. Nothing is allocated before the first use.
    SweepMixing(Acceleration method, const ContactMatrix& W);
    /// Anderson mixing with all weights one.
    explicit SweepMixing(Index rows);
    /// x, u after a step that began at (before, u_before), moved to where the next should begin.
    /// False where the weights are so large that u lost digits on the way and is to be computed afresh.
    bool apply(const VectorXd& before, const VectorXd& u_before, VectorXd& x, VectorXd& u);

private:
    void begin();
    void conjugate(const VectorXd& before, const VectorXd& u_before, VectorXd& x, VectorXd& u);
    bool mix(const VectorXd& before, VectorXd& x, VectorXd& u);

    Acceleration m_method;
    const ContactMatrix* m_matrix = nullptr;
    VectorXd m_weight;  // √w
    VectorXd m_step, m_last_step, m_last_x, m_last_u, m_direction, m_direction_u;
    MatrixXd m_step_changes, m_x_changes, m_u_changes;  // a column a remembered step
    Eigen::Matrix<double, window, window> m_gram;
    double m_last_norm = 0.0;
    int m_used = 0, m_next = 0;
    bool m_begun = false, m_started = false;
};

/// Block Gauss–Seidel with exact block solves, keeping u = W r + q up to date as it goes.
class ContactSweeps {
public:
    static constexpr Index contacts_a_poll = 64;

    explicit ContactSweeps(const ContactProblem& problem);

    void start(const VectorXd& force);
    /// One sweep in place.
    void sweep(ContactRun& run);
    /// u afresh from r.
    void refresh();

    VectorXd r, u;
    VectorXd before, u_before;  ///< those at the start of the last sweep
    int unsolved = 0;           ///< blocks without solution in the last sweep

private:
    const ContactProblem& m_problem;
    std::vector<ContactBlock> m_blocks;
};

/// √W_ii, the weights in which steps of r are measured.
[[nodiscard]] VectorXd step_weights(const ContactMatrix& W);

/// Sweep from `start` until done, out of budget, or after `patience` sweeps in which the best residual has
/// not fallen to a tenth (0: no such limit). True when the run is over.
bool run_sweeps(const ContactProblem& problem, ContactSweeps& sweeps, Acceleration acceleration, int patience,
                ContactRun& run);

}  // namespace softcontact
