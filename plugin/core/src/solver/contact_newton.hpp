// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "contact_run.hpp"

namespace softcontact {

/// Gauss–Seidel phases and BlockNewton in turn, from `guess`, until done or out of budget. The sweeps get
/// Newton near; they go on until `patience` of them bring no tenfold gain, and for twice as long each time
/// Newton has made no progress.
void run_newton(const ContactProblem& problem, const VectorXd& guess, int patience, ContactRun& run);

}  // namespace softcontact
