// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>

#include "softcontact/solver/contact_problem.hpp"

namespace softcontact {

/// One solve under way: the clock, the counts and the best force met, shared by the phases of a method.
class ContactRun {
public:
    ContactRun(const VectorXd& q, const VectorXd& mu, const ContactSolverOptions& options);

    [[nodiscard]] const ContactSolverOptions& options() const { return m_options; }
    [[nodiscard]] bool by_map() const { return m_options.rule == StoppingRule::natural_map; }
    [[nodiscard]] double residual(const VectorXd& r, const VectorXd& u) const
    {
        return natural_map_residual(m_q, m_mu, r, u);
    }

    /// Take note of a force and its residual if it is the best so far.
    void offer(const VectorXd& r, double residual);
    [[nodiscard]] const VectorXd& best() const { return m_best; }
    [[nodiscard]] double best_residual() const { return m_best_residual; }

    /// What the stopping rule looks at after a step from `before` to r; result.uzawa_error is set already.
    [[nodiscard]] double judge(const VectorXd& before, const VectorXd& r, double residual) const;
    /// Count a last iteration, that ended at a solution.
    void accept(const VectorXd& r, double judged);
    /// Count an iteration and what the rule saw; false when the budget of steps or of time is spent (and the
    /// reason is set).
    bool count(double judged);
    [[nodiscard]] bool out_of_time() const;
    /// Seconds left of the budget; infinity where there is none.
    [[nodiscard]] double time_left() const;
    /// Options for a part of the run: at most `most` of the iterations left, in the time left.
    [[nodiscard]] ContactSolverOptions part(double tolerance, int most) const;
    /// Count the iterations of a part that ended with this residual; as count.
    bool count_part(const ContactSolverResult& part, double residual);

    ContactSolverResult result;

private:
    bool within_budget();

    using Clock = std::chrono::steady_clock;
    const VectorXd& m_q;
    const VectorXd& m_mu;
    const ContactSolverOptions& m_options;
    Clock::time_point m_end;
    VectorXd m_best;
    double m_best_residual;
};

}  // namespace softcontact
