// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/friction/coulomb.hpp"

#include <cmath>

#include "softcontact/friction/slip_curve.hpp"

namespace softcontact {

namespace {

// Velocity, against the sizes of its terms, that round-off leaves of none.
constexpr double rest_ratio = 1e-9;

/// Does the contact rest under this force? Of a nearly singular W the elimination may say so where it does
/// not.
bool rests(const Matrix3d& W, const Vector3d& q, const Vector3d& force)
{
    const Vector3d size = W.cwiseAbs() * force.cwiseAbs() + q.cwiseAbs();
    return (W * force + q).lpNorm<Eigen::Infinity>() <= rest_ratio * size.maxCoeff();
}

/// Does it slide against its friction, with the surfaces touching?
bool slides(const Matrix3d& W, const Vector3d& q, const Vector3d& force)
{
    const Vector3d size = W.cwiseAbs() * force.cwiseAbs() + q.cwiseAbs();
    const Vector3d u = W * force + q;
    const double least = rest_ratio * size.maxCoeff();
    const double across = std::abs(u.y() * force.z() - u.z() * force.y());
    const double along = u.y() * force.y() + u.z() * force.z();
    const double length = std::hypot(force.y(), force.z());
    return std::abs(u.x()) <= least && across <= least * length && along <= least * length;
}

}  // namespace

Vector3d project_to_cone(const Vector3d& force, double mu)
{
    const double tangential = std::hypot(force.y(), force.z());
    // The sign counts where mu = 0 and the force is a pull along the normal.
    if (force.x() >= 0.0 && tangential <= mu * force.x()) {
        return force;
    }
    if (mu * tangential <= -force.x()) {
        return Vector3d::Zero();
    }
    const double normal = (force.x() + mu * tangential) / (1.0 + mu * mu);
    const double scale = mu * normal / tangential;
    return {normal, scale * force.y(), scale * force.z()};
}

CoulombSolution solve_coulomb_block(const Matrix3d& W, const Vector3d& q, double mu)
{
    CoulombSolution solution;
    if (q.x() >= 0.0) {
        return solution;
    }
    SlipCurve curve(W, mu);
    curve.ease_where_singular(W);
    curve.set_free(q);
    const double normal_free = curve.normal_free();
    if (!(W(0, 0) > 0.0) || !std::isfinite(normal_free)) {
        solution.converged = false;
        return solution;
    }
    if (mu == 0.0) {
        solution.force.x() = normal_free;
        solution.state = ContactState::slip;
        return solution;
    }

    SlipCurve::Point point = curve.at(0.0);
    // A block without tangential compliance has no unique stick force: none is asked for when c = 0.
    if (curve.at_rest()) {
        point = {.n = normal_free, .value = -mu * normal_free};
    }
    const bool finite = std::isfinite(point.t) && std::isfinite(point.s);
    if (finite && point.value <= 0.0) {
        solution.force << point.n, point.t, point.s;
        solution.state = ContactState::stick;
        solution.converged = rests(W, q, solution.force);
        return solution;
    }
    double ratio = 0.0;
    solution.state = ContactState::slip;
    solution.converged = find_slip(curve, ratio, point);
    if (!std::isfinite(point.value)) {
        point = {.n = normal_free};  // a force to go on with
    }
    // Exactly on the cone, whatever the last bits of the root.
    const double length = std::hypot(point.t, point.s);
    const double normal = std::max(point.n, 0.0);
    const double factor = length > 0.0 ? mu * normal / length : 0.0;
    solution.force << normal, factor * point.t, factor * point.s;
    solution.converged = solution.converged && slides(W, q, solution.force);
    return solution;
}

}  // namespace softcontact
