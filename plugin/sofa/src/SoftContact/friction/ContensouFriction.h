// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/config.h>
#include <sofa/core/behavior/ConstraintResolution.h>

#include <memory>
#include <softcontact/friction/block_step.hpp>
#include <thread>
#include <vector>

namespace softcontact::plugin {

/// Where a patch keeps what the solver found: impulses of its rows [N s, N m s].
struct SolvedRows {
    std::vector<double> impulses;
    bool solved = true;     ///< every visit found the block's solution
    bool converged = true;  ///< as the constraint solver says
    bool fresh = false;     ///< written since it was last read
};

/// The rows of one patch in SOFA's constraint solvers: normal law and Coulomb-Contensou friction, solved
/// exactly together at each visit (softcontact::BlockStep).
///
/// Works under BlockGaussSeidelConstraintSolver, NNCGConstraintSolver and ImprovedJacobiConstraintSolver.
/// SOFA's unknowns are impulses, whatever the order of the constraint; the laws are homogeneous, so that
/// velocities or displacements come out in the unit of the rows' violation.
class SOFA_SOFTCONTACT_API ContensouFriction : public sofa::core::behavior::ConstraintResolution {
public:
    /// guess: impulses to start from, empty for none. result: filled when the solver is done; may be null.
    ContensouFriction(BlockLaw law, std::vector<double> guess, std::shared_ptr<SolvedRows> result);

    void init(int line, SReal** w, SReal* force) override;
    void resolution(int line, SReal** w, SReal* d, SReal* force, SReal* dFree) override;
    void store(int line, SReal* force, bool convergence) override;

private:
    BlockStep m_step;
    MatrixXd m_delassus;
    VectorXd m_free;
    std::vector<double> m_guess;
    std::shared_ptr<SolvedRows> m_result;
    std::thread::id m_owner;  ///< a haptic thread may solve again, but the result is the simulation's
    bool m_solved = true;
};

}  // namespace softcontact::plugin
