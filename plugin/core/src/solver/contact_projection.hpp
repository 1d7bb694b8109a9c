// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "contact_run.hpp"

namespace softcontact {

/// A stored W as an operator.
class MatrixOperator : public DelassusOperator {
public:
    explicit MatrixOperator(const ContactMatrix& W) : m_matrix(W) {}
    void apply(const VectorXd& r, VectorXd& out) const override { m_matrix.multiply(r, out); }

private:
    const ContactMatrix& m_matrix;
};

/// Solve with products W r alone: projection steps r -> P_K(r - rho û) on all contacts at once, with Anderson
/// mixing, and Newton steps on the Alart–Curnier equations by GMRES in turn, until done or out of budget.
/// size: of W, see operator_compliances.
void run_projection(const DelassusOperator& W, double size, const VectorXd& q, const VectorXd& mu,
                    const VectorXd& guess, ContactRun& run);

}  // namespace softcontact
