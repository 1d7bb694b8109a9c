// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <Eigen/SparseCore>

#include "contact_run.hpp"

namespace softcontact {

/// right -> matrix⁻¹ right by LU; the matrix is used up. False where the system is singular.
///
/// A large factorisation runs in a thread of its own where the run is polled, because nothing can cut it
/// short: when the poll ends the run, that thread finishes what it holds and ends.
[[nodiscard]] bool solve_dense(MatrixXd& matrix, VectorXd& right, ContactRun& run);
[[nodiscard]] bool solve_sparse(Eigen::SparseMatrix<double>& matrix, VectorXd& right, ContactRun& run);

}  // namespace softcontact
