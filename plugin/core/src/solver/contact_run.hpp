// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>

#include "softcontact/solver/contact_problem.hpp"

namespace softcontact {

/// One solve under way: the clock, the counts and the best force met, shared by the phases of a method.
class ContactRun {
public:
    using Clock = std::chrono::steady_clock;

    explicit ContactRun(const ContactProblem& problem, const ContactSolverOptions& options);
    /// With a W that is only applied. compliance (n,): see operator_compliances.
    ContactRun(const VectorXd& q, const VectorXd& mu, VectorXd compliance,
               const ContactSolverOptions& options);

    [[nodiscard]] const ContactSolverOptions& options() const { return m_options; }
    [[nodiscard]] bool by_map() const { return m_options.rule == StoppingRule::natural_map; }
    [[nodiscard]] const VectorXd& compliance() const { return m_compliance; }
    /// The larger of natural_map_residual and scaled_residual.
    [[nodiscard]] double error(const VectorXd& r, const VectorXd& u);
    /// scaled_residual with the load of this very force.
    [[nodiscard]] double scaled(const VectorXd& r, const VectorXd& u);

    /// Take note of a force and its error if it is the best so far.
    void offer(const VectorXd& r, double error);
    [[nodiscard]] const VectorXd& best() const { return m_best; }
    [[nodiscard]] double best_error() const { return m_best_error; }

    /// What the stopping rule looks at after a step from `before` to r; result.uzawa_error is set already.
    [[nodiscard]] double judge(const VectorXd& before, const VectorXd& r, double error) const;
    /// Count a last iteration, that ended at a solution.
    void accept(const VectorXd& r, double judged);
    /// Count an iteration and what the rule saw; false when the budget of steps or of time is spent (and the
    /// reason is set).
    bool count(double judged);
    [[nodiscard]] bool out_of_time() const;
    /// Seconds left of the budget; infinity where there is none.
    [[nodiscard]] double time_left() const;
    /// See ContactSolverOptions::poll. To be called often: it looks at the clock and no more, most times.
    void poll()
    {
        if (m_options.poll != nullptr && Clock::now() >= m_next_poll) {
            m_options.poll();
            m_next_poll = Clock::now() + poll_period;
        }
    }
    [[nodiscard]] bool polls() const { return m_options.poll != nullptr; }
    static constexpr std::chrono::milliseconds poll_period{20};

    ContactSolverResult result;

private:
    bool within_budget();
    void weigh(const VectorXd& r);

    const VectorXd& m_q;
    const VectorXd& m_mu;
    const ContactSolverOptions& m_options;
    const ContactMatrix* m_matrix = nullptr;
    VectorXd m_compliance;
    double m_load = 0.0;  // of a force not long ago
    int m_load_age = 0, m_load_period = 1;
    Clock::time_point m_end, m_next_poll;
    VectorXd m_best;
    double m_best_error;
};

}  // namespace softcontact
