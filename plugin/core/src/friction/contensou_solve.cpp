// SPDX-License-Identifier: LGPL-2.1-or-later
#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "contensou_terms.hpp"
#include "softcontact/friction/contensou.hpp"

namespace softcontact {

namespace {

// Below this fraction of the fastest point's speed, a contact point may be the one the patch spins about.
constexpr double pivot_speed_ratio = 0.1;
// Smoothing at the end against the speed of the patch, its round-off against the free velocity, and the speed
// of the whole patch that counts as none.
constexpr double final_smoothing_ratio = 1e-11;
constexpr double smoothing_floor_ratio = 1e-13;
constexpr double rest_speed_ratio = 1e-12;
// Defects are velocities too: small enough at once, or small and no longer falling.
constexpr double converged_ratio = 2e-15;
constexpr double stagnation_ratio = 1e-9;
constexpr double accepted_ratio = 1e-6;
constexpr int max_iterations = 200;
constexpr int quick_iterations = 12;  // from a guess
// Singular compliances (a direction no body can move in) are inverted with this much of the mean added.
constexpr double singular_shift = 1e-15;

/// The block in scaled coordinates and per unit of bound: x = d - W p, with p the load with its sign turned.
struct Block {
    const FrictionPatch& patch;
    Matrix3d W;
    Vector3d d;
    double size;  // |d|

    [[nodiscard]] Vector3d inverse_times(const Vector3d& velocity) const
    {
        const Eigen::LDLT<Matrix3d> factors(W);
        const auto pivots = factors.vectorD();
        if (pivots.minCoeff() > 10.0 * singular_shift * pivots.maxCoeff()) {
            return factors.solve(velocity);
        }
        Matrix3d shifted = W;
        shifted.diagonal().array() += singular_shift * W.trace();
        return shifted.ldlt().solve(velocity);
    }

    /// Spin about one contact point: its force f and the rate w follow from d - W (sign g + B f) = w axis,
    /// linear but for the sign (a soft threshold). True, with p, if that force respects its bound.
    bool pivot_about(int centre, Vector3d& p) const
    {
        const detail::SpinAboutPoint spin = detail::spin_about_point(patch, centre);
        Eigen::Matrix<double, 3, 2> arm;  // B: load of a force at the point
        arm << 1.0, 0.0, 0.0, 1.0, -spin.axis[0], -spin.axis[1];
        Matrix3d system;
        system << W * arm, spin.axis;
        Eigen::Matrix<double, 3, 2> sides;
        sides << d, W * spin.load;
        const Eigen::Matrix<double, 3, 2> solved = system.partialPivLu().solve(sides);
        const double excess = std::abs(solved(2, 0)) - solved(2, 1);
        if (!(excess > 0.0) && !patch.is_point()) {
            return false;
        }
        const double sign = solved(2, 0) < 0.0 ? -1.0 : 1.0;
        const Vector2d force = solved.col(0).head<2>() - sign * solved.col(1).head<2>();
        if (!(force.norm() <= spin.resting_share)) {
            return false;
        }
        p = sign * spin.load + arm * force;
        return true;
    }
};

enum class Ending { slip, rest, pivot, stalled };

/// Newton on F(p) = ½ pᵀ W p + Φ_ε(d - W p), whose gradient is W (p - ∇Φ_ε): needs no inverse of W. The
/// smoothing ε is cut only once the step has converged for it; tied to the present speed it could follow a
/// spurious approach to rest.
Ending newton(const Block& block, double epsilon, int limit, Vector3d& p, int& iterations, int& pivot)
{
    const FrictionPatch& patch = block.patch;
    Vector3d x = block.d - block.W * p;
    detail::ContensouTerms terms = detail::smoothed_terms(patch, x, epsilon);
    int rejected_pivot = -1;
    double least_defect = 1e300;
    int stagnant = 0;
    bool flat = false;  // the last step left the potential as it was, to round-off
    const double noise = block.size + block.W.trace() * patch.total;
    for (; iterations < limit; ++iterations) {
        const double speed = x.norm();
        const Vector3d residual = p - terms.gradient;
        const double defect = (block.W * residual).norm();  // a velocity
        const double last_epsilon =
            std::max(final_smoothing_ratio * speed, smoothing_floor_ratio * block.size);
        const bool last = epsilon <= 1.5 * last_epsilon;
        if (last && !(speed > rest_speed_ratio * block.size)) {
            return Ending::rest;
        }
        if (terms.slowest <= pivot_speed_ratio * pivot_speed_ratio * terms.fastest &&
            terms.slowest_point != rejected_pivot) {
            if (block.pivot_about(terms.slowest_point, p)) {
                pivot = terms.slowest_point;
                return Ending::pivot;
            }
            rejected_pivot = terms.slowest_point;
        }
        if (defect <= 0.5 * least_defect) {
            least_defect = defect;
            stagnant = 0;
        } else if (flat || least_defect <= stagnation_ratio * noise) {
            ++stagnant;
        }
        if (last) {
            if (defect <= converged_ratio * block.size || stagnant >= 2) {
                return Ending::slip;
            }
        } else if (defect <= 0.3 * epsilon || stagnant >= 2) {
            epsilon = std::max(last_epsilon, 0.03 * epsilon);
            terms = detail::smoothed_terms(patch, x, epsilon);
            rejected_pivot = -1;
            least_defect = 1e300;
            stagnant = 0;
            --iterations;
            continue;
        }

        Matrix3d system = terms.hessian * block.W;
        system.diagonal().array() += 1.0;
        const Vector3d step = -system.partialPivLu().solve(residual);
        const double slope = residual.dot(block.W * step);
        const double merit = 0.5 * p.dot(block.W * p) + terms.value;
        double t = 1.0;
        for (int halvings = 0;; ++halvings, t *= 0.5) {
            const Vector3d candidate = p + t * step;
            const Vector3d moved = block.d - block.W * candidate;
            terms = detail::smoothed_terms(patch, moved, epsilon);
            const double trial = 0.5 * candidate.dot(block.W * candidate) + terms.value;
            // Near the end the decrease drowns in round-off: there the defect of the full step judges.
            const bool near = halvings == 0 && trial <= merit + 1e-9 * std::abs(merit) &&
                              (block.W * (candidate - terms.gradient)).norm() <= 0.5 * defect;
            if (near || trial <= merit + 1e-4 * t * slope || halvings == 30) {
                flat = std::abs(trial - merit) <= 2e-15 * std::abs(merit);
                p = candidate;
                x = moved;
                break;
            }
        }
    }
    return Ending::stalled;
}

}  // namespace

ContensouSolution solve_contensou(const Matrix3d& W, const Vector3d& d, const FrictionPatch& patch,
                                  double bound, const Vector3d* guess)
{
    ContensouSolution solution;
    solution.velocity = d;
    if (d.isZero(0.0)) {
        return solution;
    }
    if (!(bound > 0.0) || !(patch.total > 0.0)) {
        solution.state = ContactState::slip;
        return solution;
    }
    Block block{patch, bound * detail::scaled_compliance(patch, W), detail::scaled_velocity(patch, d), 0.0};
    block.size = block.d.norm();
    if (!(block.W.trace() > 0.0)) {
        const detail::ContensouTerms terms = detail::smoothed_terms(patch, block.d, 0.0);
        solution.load = -bound * detail::unscaled_load(patch, terms.gradient);
        solution.state = ContactState::slip;
        return solution;
    }

    Vector3d p = block.inverse_times(block.d);
    if (!patch.is_point() && detail::holds_scaled(patch, p) &&
        (block.d - block.W * p).norm() <= 1e-9 * block.size) {
        solution.load = -bound * detail::unscaled_load(patch, p);
        solution.velocity.setZero();
        return solution;
    }

    Ending ending = Ending::stalled;
    int pivot = -1;
    if (patch.is_point() && block.pivot_about(0, p)) {
        ending = Ending::pivot;
        pivot = 0;
    } else if (guess != nullptr && !guess->isZero(0.0)) {
        // A load from the last sweep is close: no continuation, and a short leash.
        p = -detail::scaled_load(patch, *guess) / bound;
        const double speed = (block.d - block.W * p).norm();
        ending =
            newton(block, final_smoothing_ratio * speed, quick_iterations, p, solution.iterations, pivot);
        if (ending == Ending::rest) {
            ending = Ending::stalled;
        }
    }
    if (ending == Ending::stalled) {
        int count = 0;
        p = detail::smoothed_terms(patch, block.d, 0.1 * block.size).gradient;
        const double speed = (block.d - block.W * p).norm();
        ending = newton(block, 0.1 * std::min(speed, block.size), max_iterations, p, count, pivot);
        solution.iterations += count;
    }
    Vector3d load = p;
    if (ending != Ending::pivot) {
        const Vector3d x = block.d - block.W * p;
        load = detail::smoothed_terms(patch, x, final_smoothing_ratio * x.norm()).gradient;
    }
    const Vector3d velocity = block.d - block.W * load;
    solution.load = -bound * detail::unscaled_load(patch, load);
    solution.velocity = velocity;
    solution.velocity[2] /= patch.length;
    solution.pivot = pivot;
    solution.converged = ending == Ending::pivot || ending == Ending::rest ||
                         (block.W * (p - load)).norm() <= accepted_ratio * block.size;
    // A point patch whose point rests does not slip, however it spins.
    solution.state = patch.is_point() && pivot >= 0 ? ContactState::stick : ContactState::slip;
    return solution;
}

}  // namespace softcontact
