// SPDX-License-Identifier: LGPL-2.1-or-later
// A block of every kind behind one step, as solvers outside of the core call it.
#undef NDEBUG
#include <cassert>
#include <cmath>
#include <stdexcept>

#include "counted_allocations.hpp"
#include "softcontact/friction/block_step.hpp"
#include "softcontact/friction/moment_block.hpp"

using namespace softcontact;

namespace {

constexpr double half = 0.05;

/// A square patch below a body whose rows give as those of a cube of 1 kg do.
BlockLaw square(int rows)
{
    BlockLaw law{.rows = rows, .mu = 0.4, .bounds = {1.0, 0.0}};
    law.shares.assign(4, 0.25);
    law.offsets = {-half, -half, half, -half, half, half, -half, half};
    law.corners = rows == 5 ? std::vector<double>{-half, 0.0, half, 0.0} : law.offsets;
    law.axis = -Vector2d::UnitY();  // a line along t tilts about s
    return law;
}

MatrixXd compliance(int rows)
{
    MatrixXd W = MatrixXd::Identity(rows, rows);
    for (int i = 3; i < rows; ++i) {
        W(i, i) = 6.0 / (4.0 * half * half);
    }
    if (rows > 4) {  // the centre of mass lies above the patch: a push aside tilts
        const int tilt = rows - 1;
        W(1, 1) += half * half * W(tilt, tilt);
        W(1, tilt) = W(tilt, 1) = half * W(tilt, tilt);
    }
    return W;
}

void rows_of_moments_are_solved_as_by_the_core(int rows)
{
    BlockStep step(square(rows));
    const MatrixXd W = compliance(rows);
    step.prepare(W);
    VectorXd q = VectorXd::Zero(rows), lambda = VectorXd::Zero(rows);
    q[0] = -1.0;
    q[1] = 0.3;
    q[rows - 1] = 2.0;
    assert(step.solve(q, lambda));
    assert(lambda[0] > 0.0 && std::abs(lambda[rows - 1]) <= half * lambda[0] * (1.0 + 1e-12));
    assert(std::hypot(lambda[1], lambda[2]) <= 0.4 * lambda[0] * (1.0 + 1e-12));

    const BlockLaw law = square(rows);
    BlockDescriptor block{.rows = rows, .mu = law.mu, .tilts = rows - 4};
    block.patch = make_friction_patch(law.shares.data(), law.offsets.data(), 4);
    block.hull = make_moment_hull(law.corners.data(), static_cast<int>(law.corners.size() / 2), law.axis);
    const BlockSolution solution = solve_moment_block(W, q, block, law.bounds, BlockVector::Zero(rows));
    assert(solution.converged && (solution.force - lambda).norm() <= 1e-12 * lambda.norm());

    const long before = test::allocations;
    q[1] = 3.0;  // slides
    assert(step.solve(q, lambda));
    assert(test::allocations == before);
    assert(std::abs(std::hypot(lambda[1], lambda[2]) - 0.4 * lambda[0]) <= 1e-9);
}

void impossible_laws_are_refused()
{
    const auto refused = [](BlockLaw law) {
        try {
            BlockStep step(std::move(law));
        } catch (const std::invalid_argument&) {
            return true;
        }
        return false;
    };
    assert(refused({.rows = 2}));
    assert(refused({.rows = 7}));
    assert(refused({.rows = 6}));  // no corner
    BlockLaw odd = square(6);
    odd.corners.pop_back();
    assert(refused(std::move(odd)));
    assert(!refused(square(5)));
}

}  // namespace

int main()
{
    rows_of_moments_are_solved_as_by_the_core(5);
    rows_of_moments_are_solved_as_by_the_core(6);
    impossible_laws_are_refused();
    return 0;
}
