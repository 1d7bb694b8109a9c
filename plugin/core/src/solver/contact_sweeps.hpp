// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "contact_run.hpp"
#include "softcontact/solver/acceleration.hpp"
#include "softcontact/solver/contact_block.hpp"

namespace softcontact {

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

/// Sweep from `start` until done, out of budget, or after `patience` sweeps in which the best residual has
/// not fallen to a tenth (0: no such limit). True when the run is over.
bool run_sweeps(const ContactProblem& problem, ContactSweeps& sweeps, Acceleration acceleration, int patience,
                ContactRun& run);

}  // namespace softcontact
