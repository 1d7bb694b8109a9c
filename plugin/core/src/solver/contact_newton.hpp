// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "contact_equation.hpp"
#include "contact_run.hpp"

namespace softcontact {

/// Nonsmooth Newton on the Alart–Curnier equations with a backtracking line search and a Levenberg–Marquardt
/// compliance on the diagonal of W, which makes up for missing rank and grows when steps fail.
class ContactNewton {
public:
    /// compliance (n,): of the contacts, see ContactRun.
    ContactNewton(const ContactProblem& problem, const VectorXd& compliance);

    enum class End { converged, no_progress, budget };
    /// Steps from r. `most`: steps at most; r ends at the best residual met.
    End run(VectorXd& r, int most, ContactRun& run);

private:
    /// Newton step at (r, u) with the extra compliance; false where the system is singular.
    bool direction(const VectorXd& r, const VectorXd& u, double extra, VectorXd& step, ContactRun& run);
    bool solve_system(Index size, double extra, VectorXd& right, ContactRun& run);
    template <typename Visitor>
    void for_each_block(double extra, Visitor&& visit) const;

    const ContactProblem& m_problem;
    VectorXd m_rho;
    double m_extra;
    std::vector<ContactEquation> m_equations;
    std::vector<Index> m_place;  // of a contact in the linear system; -1 where it is parted
    MatrixXd m_matrix;
};

/// Gauss–Seidel phases and Newton phases in turn, from `guess`, until done or out of budget. The sweeps get
/// Newton near; they go on until `patience` of them bring no tenfold gain, and for twice as long each time
/// Newton has made no progress. From the second time on, projections from zero and proximal
/// points are tried in turn.
void run_newton(const ContactProblem& problem, const VectorXd& guess, int patience, ContactRun& run);

}  // namespace softcontact
