// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/bodies/free_rotation.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace softcontact {

namespace {

constexpr double series_limit = 1e-4;  // of (|y|/2)²: the first omitted terms are under round-off

double cayley_scale(const Vector3d& y)
{
    const double square = 0.25 * y.squaredNorm();
    if (square < series_limit) {
        return 1.0 - square * (1.0 / 3.0 - square * (1.0 / 5.0 - square / 7.0));
    }
    const double half = std::sqrt(square);
    return std::atan(half) / half;
}

Matrix3d cross_matrix(const Vector3d& x)
{
    Matrix3d matrix;
    matrix << 0.0, -x[2], x[1], x[2], 0.0, -x[0], -x[1], x[0], 0.0;
    return matrix;
}

/// Newton's method on `time` × momentum; the solution turns by no more than about turn_limit.
bool find_turn(const Matrix3d& inertia, const Vector3d& wanted, Vector3d& y)
{
    constexpr int most = 30;
    constexpr double last_change = 1e-9;  // Newton's next one is its square
    for (int i = 0; i < most; ++i) {
        const CayleyTurn turn(y);
        const Vector3d change =
            turn.momentum_slope(inertia).partialPivLu().solve(wanted - turn.momentum(inertia));
        y += change;
        if (!y.allFinite()) {
            return false;
        }
        if (change.norm() <= last_change * y.norm()) {
            return true;
        }
    }
    return false;
}

}  // namespace

CayleyTurn::CayleyTurn(const Vector3d& vector) : m_vector(vector), m_scale(cayley_scale(vector)) {}

CayleyTurn::CayleyTurn(const Matrix3d& rotation)
    : CayleyTurn(Vector3d(Vector3d(rotation(2, 1) - rotation(1, 2), rotation(0, 2) - rotation(2, 0),
                                   rotation(1, 0) - rotation(0, 1)) *
                          (2.0 / (1.0 + rotation.trace()))))
{
}

Quaterniond CayleyTurn::rotation() const
{
    const Vector3d half = 0.5 * m_vector;
    return Quaterniond(1.0, half[0], half[1], half[2]).normalized();
}

Vector3d CayleyTurn::momentum(const Matrix3d& inertia) const
{
    const Vector3d product = inertia * m_vector;
    return m_scale * (product + 0.5 * m_vector.cross(product));
}

Matrix3d CayleyTurn::momentum_slope(const Matrix3d& inertia) const
{
    const Vector3d product = inertia * m_vector;
    const double square = 0.25 * m_vector.squaredNorm();
    // ∂scale/∂y = slope y.
    const double slope = square < series_limit ? -1.0 / 6.0 + square * (1.0 / 5.0 - square * 3.0 / 14.0)
                                               : (1.0 / (1.0 + square) - m_scale) / (4.0 * square);
    return m_scale * (inertia + 0.5 * (cross_matrix(m_vector) * inertia - cross_matrix(product))) +
           slope * (product + 0.5 * m_vector.cross(product)) * m_vector.transpose();
}

Vector3d variational_momentum(const Matrix3d& inertia, const Vector3d& turned)
{
    constexpr double series_below = 1e-2;  // of θ²
    const double square = turned.squaredNorm();
    const double half = 0.5 * std::sqrt(square);
    const double second =
        square < series_below
            ? 1.0 / 12.0 + square * (1.0 / 720.0 + square * (1.0 / 30240.0 + square / 1209600.0))
            : (1.0 - half * std::cos(half) / std::sin(half)) / square;
    const Vector3d product = inertia * turned, moved = turned.cross(product);
    return product + 0.5 * moved + second * turned.cross(moved);
}

FreeRotation rotate_freely(const Matrix3d& inertia, const Vector3d& momentum, double time)
{
    constexpr double most_parts = 1e4;
    FreeRotation result;
    result.momentum = momentum;
    const auto by_inertia = inertia.partialPivLu();
    Vector3d rate = by_inertia.solve(momentum);
    if (rate.isZero(0.0)) {
        return result;
    }
    constexpr double turn_limit = 0.1;  // [rad] in one part: the wobble's rate is off by 1/12 of its square
    const double turns = time * rate.norm() / turn_limit;
    if (!(turns < most_parts)) {
        result.found = false;
        return result;
    }
    const int parts = static_cast<int>(std::ceil(std::max(turns, 1.0)));
    const double part = time / parts;
    Vector3d turned = Vector3d::Zero();
    for (int i = 0; i < parts; ++i) {
        Vector3d y = part * rate;
        if (!find_turn(inertia, part * result.momentum, y)) {
            result.found = false;
            return result;
        }
        const CayleyTurn turn(y);
        const Quaterniond rotation = turn.rotation();
        result.turn = result.turn * rotation;
        result.momentum = rotation.conjugate() * result.momentum;
        turned += turn.turned();
        rate = by_inertia.solve(result.momentum);
    }
    result.turn.normalize();
    result.rate = turned / time;
    return result;
}

}  // namespace softcontact
