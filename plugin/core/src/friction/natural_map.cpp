// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/friction/natural_map.hpp"

#include <algorithm>
#include <cmath>

#include "softcontact/friction/limit_projection.hpp"

namespace softcontact {

namespace {

/// Friction rows `first`.. of `count`, clamped to a disc or interval of radius factor · N.
void clamp_rows(int first, int count, double factor, const BlockVector& y, bool slope, BlockAnswer& answer)
{
    const double limit = factor * answer.load[0];
    const auto wanted = y.segment(first, count);
    const double length = wanted.norm();
    if (length <= limit) {
        answer.load.segment(first, count) = wanted;
        if (slope) {
            answer.slope.block(first, first, count, count).setIdentity();
        }
        return;
    }
    const BlockVector direction = wanted / length;
    answer.load.segment(first, count) = limit * direction;
    if (slope) {
        BlockMatrix turn = BlockMatrix::Identity(count, count);
        turn -= direction * direction.transpose();
        answer.slope.block(first, first, count, count) = (limit / length) * turn;
        answer.slope.middleRows(first, count) += factor * direction * answer.slope.row(0);
    }
}

void contensou_rows(const BlockDescriptor& block, const BlockVector& y, bool slope, BlockAnswer& answer)
{
    const LimitProjection friction =
        project_to_limit_surface(block.patch, block.mu * answer.load[0], y.segment<3>(1));
    answer.load.segment<3>(1) = friction.load;
    if (slope) {
        answer.slope.block<3, 3>(1, 1) = friction.by_load;
        answer.slope.middleRows<3>(1) += block.mu * friction.by_bound * answer.slope.row(0);
    }
}

/// A point under Coulomb's law: the same as below in three rows, for most blocks are such.
BlockAnswer point_answer(double factor, const Vector3d& y, bool slope)
{
    BlockAnswer answer{BlockVector::Zero(3), {}};
    if (slope) {
        answer.slope.setZero(3, 3);
    }
    if (!(y[0] > 0.0)) {
        return answer;
    }
    const double limit = factor * y[0], length = std::hypot(y[1], y[2]);
    const double share = length <= limit ? 1.0 : limit / length;
    answer.load << y[0], share * y[1], share * y[2];
    if (slope) {
        answer.slope(0, 0) = 1.0;
        answer.slope(1, 1) = answer.slope(2, 2) = share;
        if (length > limit) {
            const Vector2d direction = y.tail<2>() / length;
            answer.slope.bottomRightCorner<2, 2>() -= share * direction * direction.transpose();
            answer.slope.bottomLeftCorner<2, 1>() = factor * direction;
        }
    }
    return answer;
}

}  // namespace

double largest_velocity(const BlockDescriptor& block, const BlockVector& u)
{
    double largest = 0.0;
    for (int i = 0; i < block.rows; ++i) {
        const bool of_one_point = i == 3 && block.has_torsion() && block.patch.is_point();
        largest = std::max(largest, of_one_point ? 0.0 : std::abs(u[i]) * row_length(block, i));
    }
    return largest;
}

NormalLoad normal_part(const BlockDescriptor& block, const BlockVector& v)
{
    NormalLoad part(1 + block.tilts);
    part[0] = v[0];
    part.tail(block.tilts) = v.tail(block.tilts);
    return part;
}

BlockVector unit_compliance(const BlockDescriptor& block)
{
    BlockVector unit = BlockVector::Ones(block.rows);
    for (int i = 1; i < block.rows; ++i) {
        const double length = row_length(block, i);
        unit[i] = 1.0 / (length * length);
    }
    return unit;
}

double compliance_of(const BlockDescriptor& block, const BlockMatrix& own)
{
    const int translations = block.friction_rows() >= 2 ? 3 : 1;
    return own.diagonal().head(translations).mean();
}

BlockAnswer natural_answer(const BlockDescriptor& block, const DecoupledBounds& bounds, const BlockVector& y,
                           bool slope)
{
    BlockAnswer answer{BlockVector::Zero(block.rows), {}};
    if (slope) {
        answer.slope.setZero(block.rows, block.rows);
    }
    if (block.rows == 1) {
        answer.load[0] = std::min(block.upper, std::max(block.lower, y[0]));
        if (slope && answer.load[0] == y[0]) {
            answer.slope(0, 0) = 1.0;
        }
        return answer;
    }
    if (block.rows == 3 && block.tilts == 0) {
        return point_answer(block.mu * bounds.tangential, y, slope);
    }
    const MomentProjection normal = project_to_moment_cone(block.hull, normal_part(block, y));
    if (!(normal.load[0] > 0.0)) {
        return answer;
    }
    const int t = block.tilts, first_tilt = block.rows - t;
    answer.load[0] = normal.load[0];
    answer.load.tail(t) = normal.load.tail(t);
    if (slope) {
        answer.slope(0, 0) = normal.slope(0, 0);
        answer.slope.block(0, first_tilt, 1, t) = normal.slope.topRightCorner(1, t);
        answer.slope.block(first_tilt, 0, t, 1) = normal.slope.bottomLeftCorner(t, 1);
        answer.slope.block(first_tilt, first_tilt, t, t) = normal.slope.bottomRightCorner(t, t);
    }
    if (block.has_torsion() && block.law == FrictionLaw::contensou) {
        contensou_rows(block, y, slope, answer);
    } else if (block.friction_rows() >= 2) {
        clamp_rows(1, 2, block.mu * bounds.tangential, y, slope, answer);
        if (block.has_torsion()) {
            clamp_rows(3, 1, block.mu * bounds.torsional, y, slope, answer);
        }
    }
    return answer;
}

}  // namespace softcontact
