// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/loop/PositionPass.h>
#include <sofa/component/constraint/lagrangian/model/UnilateralConstraintResolution.h>

#include <algorithm>

namespace softcontact::plugin {

namespace {

using sofa::component::constraint::lagrangian::solver::GenericConstraintProblem;
using PointContact =
    sofa::component::constraint::lagrangian::model::UnilateralConstraintResolutionWithFriction;

/// The ring of problems is protected and made for one solve a step; never instantiated, it only names
/// members.
struct Ring : GenericSolver {
    static constexpr unsigned size = CP_BUFFER_SIZE;
    static auto& problems(GenericSolver& solver) { return solver.*(&Ring::m_cpBuffer); }
    static auto& held(GenericSolver& solver) { return solver.*(&Ring::m_cpIsLocked); }
    static auto& current(GenericSolver& solver) { return solver.*(&Ring::current_cp); }
    static auto& last(GenericSolver& solver) { return solver.*(&Ring::last_cp); }
};
static_assert(Ring::size <= HeldProblems().size());

/// Three rows of which only the normal one acts.
class NormalOnly final : public sofa::core::behavior::ConstraintResolution {
public:
    explicit NormalOnly(SReal tolerance) : ConstraintResolution(3, tolerance) {}

    void resolution(int line, SReal** w, SReal* d, SReal* force, SReal* /*dFree*/) override
    {
        const SReal compliance = w[line][line];
        const SReal impulse = compliance > 0 ? force[line] - d[line] / compliance : 0;
        force[line] = std::max<SReal>(impulse, 0);
        force[line + 1] = force[line + 2] = 0;
    }
};

}  // namespace

HeldProblems heldProblems(GenericSolver& solver)
{
    HeldProblems held;
    const auto& locks = Ring::held(solver);
    for (unsigned i = 0; i < Ring::size; ++i) held[i] = locks[i];
    return held;
}

PositionPassScope::PositionPassScope(GenericSolver& solver, HeldProblems held, SReal tolerance,
                                     int maxIterations)
    : m_solver(solver),
      m_current(Ring::current(solver)),
      m_last(Ring::last(solver)),
      m_held(heldProblems(solver)),
      m_tolerance(solver.d_tolerance.getValue()),
      m_maxIterations(solver.d_maxIt.getValue()),
      m_computeGraphs(solver.d_computeGraphs.getValue()),
      m_computeConstraintForces(solver.d_computeConstraintForces.getValue()),
      m_numConstraints(solver.d_currentNumConstraints.getValue()),
      m_numGroups(solver.d_currentNumConstraintGroups.getValue()),
      m_iterations(solver.d_currentIterations.getValue()),
      m_error(solver.d_currentError.getValue())
{
    const auto& problems = Ring::problems(solver);
    for (unsigned i = 0; i < Ring::size; ++i) {
        if (!held[i] && !m_held[i] && problems[i].get() != m_last) {
            Ring::current(solver) = problems[i].get();
            break;
        }
    }
    solver.d_tolerance.setValue(tolerance);
    solver.d_maxIt.setValue(maxIterations);
    solver.d_computeGraphs.setValue(false);
    solver.d_computeConstraintForces.setValue(false);
}

PositionPassScope::~PositionPassScope()
{
    Ring::current(m_solver) = m_current;
    Ring::last(m_solver) = m_last;
    for (unsigned i = 0; i < Ring::size; ++i) Ring::held(m_solver)[i] = m_held[i];
    m_solver.d_tolerance.setValue(m_tolerance);
    m_solver.d_maxIt.setValue(m_maxIterations);
    m_solver.d_computeGraphs.setValue(m_computeGraphs);
    m_solver.d_computeConstraintForces.setValue(m_computeConstraintForces);
    m_solver.d_currentNumConstraints.setValue(m_numConstraints);
    m_solver.d_currentNumConstraintGroups.setValue(m_numGroups);
    m_solver.d_currentIterations.setValue(m_iterations);
    m_solver.d_currentError.setValue(m_error);
}

int dropFriction(GenericSolver& solver)
{
    auto* problem = dynamic_cast<GenericConstraintProblem*>(solver.getConstraintProblem());
    if (problem == nullptr) return 0;
    int changed = 0;
    for (auto*& resolution : problem->constraintsResolutions) {
        if (dynamic_cast<PointContact*>(resolution) == nullptr) continue;
        const SReal tolerance = resolution->getTolerance();
        delete resolution;
        resolution = new NormalOnly(tolerance);
        ++changed;
    }
    return changed;
}

}  // namespace softcontact::plugin
