// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "contact_run.hpp"

namespace softcontact {

/// Local or global Uzawa sweeps, as options.method says, until done or out of budget.
/// Source: Talbi, Joli, Feng and Kheddar, Sec. 3.3.1 and 3.3.2.
void run_uzawa(const ContactProblem& problem, const VectorXd& guess, ContactRun& run);

}  // namespace softcontact
