// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/config.h>
#include <SoftContact/haptics/RigidConversion.h>
#include <sofa/component/constraint/lagrangian/solver/GenericConstraintProblem.h>

#include <softcontact/haptics/row_condensation.hpp>
#include <string>

namespace softcontact::plugin {

/// The point contacts of SOFA's last solve, in the core's words: forces and velocities, three rows a contact.
///
/// Impulses become forces (λ/dt), and rows that SOFA solved in positions become velocities (gap/dt). A
/// contact without friction has one row in SOFA; it gets two tangents that nothing moves. Keeps its buffers.
class SolvedContacts {
public:
    using Problem = sofa::component::constraint::lagrangian::solver::GenericConstraintProblem;

    /// `tool`: the constraint rows on the tool's one frame; `velocities`: the rows were solved in the order
    /// of velocities. Returns what is wrong and how to mend it, or nothing.
    std::string read(Problem& problem, const Rigid3Types::MatrixDeriv& tool, bool velocities, double dt);

    /// To condense; A⁻¹ and the velocity of the free motion are the tool's. Valid until the next read().
    [[nodiscard]] SolvedStep step(const Matrix6d& mobility, const Vector6d& freeVelocity) const;

private:
    double m_step = 0.0;
    std::vector<SolvedStep::Contact> m_contacts;
    std::vector<int> m_rows;  // of SOFA's problem; -1: added
    SolvedStep::Matrix m_delassus;
    VectorXd m_velocities, m_forces;
    MatrixXd m_reach;
};

}  // namespace softcontact::plugin
