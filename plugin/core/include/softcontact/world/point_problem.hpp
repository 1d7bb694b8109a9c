// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/solver/pivoted_root.hpp>
#include <softcontact/world/contact_problem_builder.hpp>

namespace softcontact {

/// Some point contacts of a velocity pass alone, as they are with all others at work: u = W λ + q on their
/// rows.
///
/// Joints at a limit, or held by their friction, and contacts that stick do not move; a joint that slides
/// against its friction keeps that force; contacts that are open push nothing.
struct PointProblem {
    RowMajorMatrix delassus;   ///< W (3n, 3n) [m/s per N]
    VectorXd right_hand_side;  ///< q (3n) [m/s]
    VectorXd multipliers;      ///< λ that was found (3n) [N]
    std::vector<BlockDescriptor> blocks;
    MatrixXd reach;  ///< Hᵀ (6, 3n) of the kept rows, where one was given

    /// Keeps all contacts. The constraints, blocks of one row, come after them.
    void keep_contacts(const VelocityProblem& problem);
    /// Keeps the contacts of a tool and those that slide, which do not only hold.
    /// `reach_of_all`: Hᵀ (6, rows) of the tool.
    void keep_tool(const VelocityProblem& problem, const MatrixXd& reach_of_all);

private:
    void eliminate(const VelocityProblem& problem);
    void choose_basis(const VelocityProblem& problem);

    std::vector<Index> m_kept, m_held, m_basis;
    VectorXd m_own;
    PivotedRoot m_root;  ///< of W on the held rows
    RowMajorMatrix m_system, m_coupling;
};

}  // namespace softcontact
