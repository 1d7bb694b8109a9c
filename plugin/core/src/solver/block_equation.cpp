// SPDX-License-Identifier: LGPL-2.1-or-later
#include "block_equation.hpp"

#include <algorithm>
#include <cmath>

#include "softcontact/friction/contensou_slope.hpp"

namespace softcontact {

namespace {

// Compliance of the friction rows that is added, against that of the normal row: any will do, but a direction
// without any would hide what is wrong in it.
constexpr double least_compliance = 1e-9;

/// Friction rows `first`.. of `count` with the load clamped to a disc or interval of radius `factor` N*.
void clamp_rows(int first, int count, double factor, double compliance, double c, double normal,
                const Vector4d& lambda, const Vector4d& u, BlockEquation& e)
{
    const auto load = lambda.segment(first, count), velocity = u.segment(first, count);
    const VectorXd y = load - velocity / compliance;
    const double length = y.norm(), limit = factor * normal;
    if (length <= limit) {
        e.A.block(first, first, count, count).setIdentity();
        e.phi.segment(first, count) = velocity;
        e.admissible.segment(first, count) = y;
        return;
    }
    const VectorXd direction = y / length;
    const MatrixXd turn =
        limit / length * (MatrixXd::Identity(count, count) - direction * direction.transpose());
    e.A.block(first, first, count, count) = turn;
    e.B.block(first, first, count, count) = compliance * (MatrixXd::Identity(count, count) - turn);
    e.B.block(first, 0, count, 1) = -compliance * factor * direction;
    e.A.block(first, 0, count, 1) = compliance * factor / c * direction;
    e.admissible.segment(first, count) = limit * direction;
    e.phi.segment(first, count) = compliance * (load - limit * direction);
}

void contensou_rows(const BlockDescriptor& block, const Matrix4d& own, double c, double normal,
                    const Vector4d& lambda, const Vector4d& u, bool slope, BlockEquation& e)
{
    const double spin = c / (block.patch.length * block.patch.length);
    Matrix3d W = own.bottomRightCorner<3, 3>();
    W.diagonal() += least_compliance * Vector3d(c, c, spin);
    const Vector3d load = lambda.tail<3>();
    const Vector3d free = u.tail<3>() - W * load;
    const double bound = block.mu * normal;
    const ContensouSolution solution = solve_contensou(W, free, block.patch, bound, &load);
    e.admissible.tail<3>() = solution.load;
    e.phi.tail<3>() = W * (load - solution.load);
    if (!slope) {
        return;
    }
    if (solution.state == ContactState::stick && !block.patch.is_point()) {
        e.A.bottomRightCorner<3, 3>().setIdentity();
        return;
    }
    const ContensouSlope answer = contensou_slope(W, block.patch, bound, solution);
    e.A.bottomRightCorner<3, 3>() = -W * answer.by_free;
    e.B.bottomRightCorner<3, 3>() = W + W * answer.by_free * W;
    const Vector3d by_normal = -block.mu * (W * answer.by_bound);
    e.B.block<3, 1>(1, 0) = by_normal;
    e.A.block<3, 1>(1, 0) = -by_normal / c;
}

}  // namespace

BlockEquation block_equation(const BlockDescriptor& block, const DecoupledBounds& bounds, const Matrix4d& own,
                             const Vector4d& lambda, const Vector4d& u, bool slope)
{
    BlockEquation e;
    const double c = own(0, 0);
    if (block.rows == 1 && c > 0.0) {
        const double wanted = lambda[0] - u[0] / c;
        const double bounded = std::clamp(wanted, block.lower, block.upper);
        e.admissible[0] = bounded;
        if (bounded == wanted) {
            e.A(0, 0) = 1.0;
            e.phi[0] = u[0];
        } else {
            e.B(0, 0) = c;
            e.phi[0] = c * (lambda[0] - bounded);
        }
        return e;
    }
    const double normal = c > 0.0 ? lambda[0] - u[0] / c : 0.0;
    if (!(normal > 0.0)) {
        e.parted = true;
        e.phi.head(block.rows) = own.topLeftCorner(block.rows, block.rows) * lambda.head(block.rows);
        if (!(c > 0.0)) {
            e.phi[0] = std::min(0.0, u[0]);  // nothing can be done about it
        }
        return e;
    }
    e.A(0, 0) = 1.0;
    e.phi[0] = u[0];
    e.admissible[0] = normal;
    if (block.rows == 1) {
        return e;
    }
    if (block.rows == 4 && block.law == FrictionLaw::contensou) {
        contensou_rows(block, own, c, normal, lambda, u, slope, e);
        return e;
    }
    const double tangential = std::max(0.5 * (own(1, 1) + own(2, 2)), least_compliance * c);
    clamp_rows(1, 2, block.mu * bounds.tangential, tangential, c, normal, lambda, u, e);
    if (block.rows == 4) {
        const double spin = least_compliance * c / (block.patch.length * block.patch.length);
        clamp_rows(3, 1, block.mu * bounds.torsional, std::max(own(3, 3), spin), c, normal, lambda, u, e);
    }
    return e;
}

}  // namespace softcontact
