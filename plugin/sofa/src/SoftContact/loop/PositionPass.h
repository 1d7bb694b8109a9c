// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/config.h>
#include <sofa/component/constraint/lagrangian/solver/GenericConstraintSolver.h>

#include <bitset>

namespace softcontact::plugin {

using GenericSolver = sofa::component::constraint::lagrangian::solver::GenericConstraintSolver;

/// The problems of a solver's ring that a haptic thread holds, one bit a problem.
using HeldProblems = std::bitset<64>;

/// Read it before the first solve of a step: the solver drops the marks whenever it prepares a solve.
[[nodiscard]] HeldProblems heldProblems(GenericSolver& solver);

/// While it lives, `solver` works on the position pass; afterwards the solver shows the velocity pass again.
///
/// The position pass gets a problem of its own from the ring, so that `getConstraintProblem()` returns the
/// velocity pass's afterwards, with W, free velocities, impulses and resolutions; a haptic thread finds what
/// it holds untouched. Settings (`tolerance`, `maxIterations`, `computeGraphs`, `computeConstraintForces`)
/// and the solver's read-outs (`constraintForces`, `current...`) are put back too.
class PositionPassScope {
public:
    /// tolerance, max_iterations: for this pass.
    PositionPassScope(GenericSolver& solver, HeldProblems held, SReal tolerance, int maxIterations);
    ~PositionPassScope();

    PositionPassScope(const PositionPassScope&) = delete;
    PositionPassScope& operator=(const PositionPassScope&) = delete;

private:
    using Problem = sofa::component::constraint::lagrangian::solver::GenericConstraintProblem;

    GenericSolver& m_solver;
    Problem* m_current;
    Problem* m_last;
    HeldProblems m_held;
    SReal m_tolerance;
    int m_maxIterations;
    bool m_computeGraphs, m_computeConstraintForces;
    int m_numConstraints, m_numGroups, m_iterations;
    SReal m_error;
};

/// Let SOFA's point contacts (`FrictionContactConstraint`) correct positions along their normals only.
///
/// Their rows always come in threes, and their tangential violation in the order of positions is the slip of
/// the whole step: left alone, friction would pull a sliding body back. Call between buildSystem and
/// solveSystem. Returns how many contacts it changed.
int dropFriction(GenericSolver& solver);

}  // namespace softcontact::plugin
