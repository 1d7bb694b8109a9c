// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/friction/patch_block.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "contensou_terms.hpp"

namespace softcontact {

namespace {

constexpr int max_joint_iterations = 20;
constexpr int max_normal_iterations = 100;
constexpr int max_bracket_doublings = 80;
constexpr int max_decoupled_iterations = 500;
constexpr double smoothing_ratio = 1e-11;
// Below this fraction of the fastest point's speed, a contact point may be the one the patch spins about.
constexpr double pivot_ratio = 0.1;
constexpr double least_joint_step = 0.1;
// Normal velocity, against the size of its terms, that counts as none.
constexpr double closed_ratio = 4e-16;

/// The block with friction in scaled coordinates; friction loads enter as p = -(F_t, F_s, τ/L).
struct ScaledBlock {
    const FrictionPatch& patch;
    double mu;
    double W_nn, q_n;
    Vector3d W_fn, q_f;
    Matrix3d W_ff;

    /// dN and dp of the linearised slip equations p = mu N g(d - W p), with residual r of the second:
    /// dp = base + tangent dN.
    void linearise(double normal, const detail::ContensouTerms& terms, const Vector3d& r, Vector3d& base,
                   Vector3d& tangent) const
    {
        const Matrix3d stiffness = mu * normal * terms.hessian;
        Matrix3d system = stiffness * W_ff;
        system.diagonal().array() += 1.0;
        const Eigen::PartialPivLU<Matrix3d> factors(system);
        base = -factors.solve(r);
        tangent = factors.solve(mu * terms.gradient + stiffness * W_fn);
    }
};

/// The patch spins about contact point `centre`, whose force y is free within its share of the bound: with
/// that, p = mu N sign g + B y, and N, y and the rate w follow from linear equations,
///
///     q_f + W_fn N - W_ff p = w axis,    q_n + W_nn N - W_fn . p = 0
///
/// True, with N and p, if sign, bound and N > 0 hold.
bool pivot_at(const ScaledBlock& block, int centre, double sign, double& normal, Vector3d& p)
{
    const detail::SpinAboutPoint spin = detail::spin_about_point(block.patch, centre);
    Eigen::Matrix<double, 3, 2> arm;  // B: load of a force at the point
    arm << 1.0, 0.0, 0.0, 1.0, -spin.axis[0], -spin.axis[1];
    const Vector3d load = sign * block.mu * spin.load;
    Matrix4d system;
    system << block.W_ff * arm, spin.axis, block.W_ff * load - block.W_fn, -block.W_fn.transpose() * arm, 0.0,
        block.W_nn - block.W_fn.dot(load);
    Vector4d side;
    side << block.q_f, -block.q_n;
    const Vector4d solved = system.partialPivLu().solve(side);
    const double found = solved[3];
    if (!(found > 0.0) || !(sign * solved[2] > 0.0) ||
        !(solved.head<2>().norm() <= block.mu * found * spin.resting_share) ||
        !((system * solved - side).lpNorm<Eigen::Infinity>() <= 1e-12 * side.lpNorm<Eigen::Infinity>())) {
        return false;
    }
    normal = found;
    p = found * load + arm * solved.head<2>();
    return true;
}

/// The equations of a slipping block at (N, p), and how far they are from holding [m/s].
struct JointState {
    double normal = 0.0;
    Vector3d p = Vector3d::Zero();
    double speed = 0.0, gap_rate = 0.0, defect = 0.0;
    Vector3d x = Vector3d::Zero(), r = Vector3d::Zero();
    detail::ContensouTerms terms{};

    JointState(const ScaledBlock& block, double at_normal, const Vector3d& at_p) : normal(at_normal), p(at_p)
    {
        x = block.q_f + block.W_fn * normal - block.W_ff * p;
        speed = x.norm();
        terms = detail::smoothed_terms(block.patch, x, smoothing_ratio * speed);
        r = p - block.mu * normal * terms.gradient;
        gap_rate = block.q_n + block.W_nn * normal - block.W_fn.dot(p);
        defect = (block.W_ff * r).norm() + std::abs(gap_rate);
    }
};

/// Newton on (N, p) at once, with a short line search on the defect. Gives up where that does not help.
bool joint_newton(const ScaledBlock& block, double& normal, Vector3d& p)
{
    const double size = std::abs(block.q_n) + block.q_f.norm();
    double last = 1e300;
    int rejected = -1;
    JointState now(block, normal, p);
    for (int k = 0; k < max_joint_iterations; ++k) {
        if (!(now.speed > 1e-9 * size) || !(now.normal > 0.0)) {
            return false;
        }
        if (now.terms.slowest <= pivot_ratio * pivot_ratio * now.terms.fastest &&
            now.terms.slowest_point != rejected && !block.patch.is_point()) {
            rejected = now.terms.slowest_point;
            const double sign = now.x[2] < 0.0 ? -1.0 : 1.0;
            if (pivot_at(block, rejected, sign, normal, p) || pivot_at(block, rejected, -sign, normal, p)) {
                return true;
            }
        }
        if (now.defect <= 1e-14 * size || (now.defect <= 1e-12 * size && now.defect > 0.25 * last)) {
            normal = now.normal;
            p = block.mu * normal * now.terms.gradient;
            return true;
        }
        last = now.defect;
        Vector3d base, tangent;
        block.linearise(now.normal, now.terms, now.r, base, tangent);
        const double slope = block.W_nn - block.W_fn.dot(tangent);
        const double step = -(now.gap_rate - block.W_fn.dot(base)) / slope;
        if (!(slope > 0.0) || !std::isfinite(step)) {
            return false;
        }
        const Vector3d turn = base + tangent * step;
        double t = 1.0;
        for (;; t *= 0.5) {
            const JointState next(block, now.normal + t * step, now.p + t * turn);
            if (next.defect <= (1.0 - 0.25 * t) * last) {
                now = next;
                break;
            }
            if (t <= least_joint_step) {
                return false;
            }
        }
    }
    return false;
}

/// Value and slope of N -> u_n(N), with friction solved at that N.
struct NormalCurve {
    const ScaledBlock& block;
    Matrix3d W;  // friction compliance, unscaled
    double value = 0.0, slope = 0.0, size = 0.0;
    ContensouSolution friction{};
    bool have_guess = false;

    void at(double normal)
    {
        const FrictionPatch& patch = block.patch;
        const Vector3d scaled_free = block.q_f + block.W_fn * normal;
        const Vector3d free(scaled_free[0], scaled_free[1], scaled_free[2] / patch.length);
        const Vector3d guess = friction.load;
        friction = solve_contensou(W, free, patch, block.mu * normal, have_guess ? &guess : nullptr);
        have_guess = friction.state == ContactState::slip;
        const Vector3d p = -detail::scaled_load(patch, friction.load);
        const double reaction = block.W_fn.dot(p);
        value = block.q_n + block.W_nn * normal - reaction;
        size = std::abs(block.q_n) + block.W_nn * normal + std::abs(reaction);
        slope = 0.0;
        if (friction.state == ContactState::stick) {
            slope = block.W_nn - block.W_fn.dot(block.W_ff.ldlt().solve(block.W_fn));
        } else if (friction.pivot < 0) {
            const Vector3d x = scaled_free - block.W_ff * p;
            Vector3d base, tangent;
            block.linearise(normal, detail::smoothed_terms(patch, x, smoothing_ratio * x.norm()),
                            Vector3d::Zero(), base, tangent);
            slope = block.W_nn - block.W_fn.dot(tangent);
        }
    }
};

/// Bracketed Newton on the normal curve; secant or bisection where it has no slope.
bool solve_normal(NormalCurve& curve, double start, double& normal)
{
    double low = 0.0, low_value = curve.block.q_n;
    double high = start, high_value = 0.0;
    for (int k = 0;; ++k) {
        curve.at(high);
        high_value = curve.value;
        if (high_value >= 0.0) {
            break;
        }
        if (k == max_bracket_doublings || !std::isfinite(high_value)) {
            return false;
        }
        low = high;
        low_value = high_value;
        high *= 2.0;
    }
    normal = high;
    for (int k = 0; k < max_normal_iterations; ++k) {
        if (std::abs(curve.value) <= closed_ratio * curve.size || high - low <= 4e-16 * high) {
            return true;
        }
        double next = curve.slope > 0.0 ? normal - curve.value / curve.slope
                                        : low + (high - low) * (low_value / (low_value - high_value));
        if (!(next > low && next < high) || k % 8 == 7) {
            next = 0.5 * (low + high);
        }
        if (next == normal) {
            return true;
        }
        normal = next;
        curve.at(normal);
        if (curve.value < 0.0) {
            low = normal;
            low_value = curve.value;
        } else {
            high = normal;
            high_value = curve.value;
        }
    }
    return std::abs(curve.value) <= 1e-10 * curve.size;
}

/// Does u = W λ + q vanish, row by row, against the size of its terms? It need not where W is singular.
bool stops(const Matrix4d& W, const Vector4d& q, const Vector4d& force)
{
    const Vector4d size = W.cwiseAbs() * force.cwiseAbs() + q.cwiseAbs();
    return ((W * force + q).cwiseAbs().array() <= 1e-9 * size.array()).all();
}

PatchSolution from_coulomb(const Matrix4d& W, const Vector4d& q, double mu, double torque)
{
    const Vector3d q3 = q.head<3>() + W.block<3, 1>(0, 3) * torque;
    const CoulombSolution point = solve_coulomb_block(W.topLeftCorner<3, 3>(), q3, mu);
    PatchSolution solution;
    solution.force << point.force, torque;
    solution.state = point.state;
    solution.converged = point.converged;
    return solution;
}

}  // namespace

PatchSolution solve_contensou_block(const Matrix4d& W, const Vector4d& q, const FrictionPatch& patch,
                                    double mu, const Vector4d& guess)
{
    if (q[0] >= 0.0) {
        return {};
    }
    if (!(W(0, 0) > 0.0) || !q.allFinite()) {
        return {.converged = false};
    }
    if (mu == 0.0 || (patch.is_point() && patch.mean_t == 0.0 && patch.mean_s == 0.0)) {
        return from_coulomb(W, q, mu, 0.0);
    }
    PatchSolution solution;
    const Vector4d stuck = -W.ldlt().solve(q);
    if (stuck[0] > 0.0 && !patch.is_point() && stops(W, q, stuck) &&
        contensou_holds(patch, mu * stuck[0], stuck.tail<3>())) {
        solution.force = stuck;
        solution.state = ContactState::stick;
        return solution;
    }

    ScaledBlock block{patch,
                      mu,
                      W(0, 0),
                      q[0],
                      detail::scaled_velocity(patch, W.block<3, 1>(1, 0)),
                      detail::scaled_velocity(patch, q.tail<3>()),
                      detail::scaled_compliance(patch, W.bottomRightCorner<3, 3>())};
    double normal = guess[0];
    Vector3d p = -detail::scaled_load(patch, guess.tail<3>());
    if (!(normal > 0.0)) {
        normal = -q[0] / W(0, 0);
        const Vector3d x = block.q_f + block.W_fn * normal;
        p = mu * normal * detail::smoothed_terms(patch, x, 0.1 * x.norm()).gradient;
    }
    solution.state = ContactState::slip;
    const double start = normal;
    if (joint_newton(block, normal, p)) {
        solution.force << normal, -detail::unscaled_load(patch, p);
        return solution;
    }
    NormalCurve curve{block, W.bottomRightCorner<3, 3>()};
    if (!solve_normal(curve, start, normal) || !curve.friction.converged ||
        !curve.friction.load.allFinite()) {
        // Whatever was reached may be far off; without torsion there is always an admissible force to go on
        // with.
        solution = from_coulomb(W, q, mu, 0.0);
        solution.converged = false;
        return solution;
    }
    solution.force << normal, curve.friction.load;
    solution.state = curve.friction.state;
    return solution;
}

PatchSolution solve_decoupled_block(const Matrix4d& W, const Vector4d& q, const DecoupledBounds& bounds,
                                    double mu, const Vector4d& guess)
{
    double torque = bounds.torsional > 0.0 ? guess[3] : 0.0;
    PatchSolution solution = from_coulomb(W, q, mu * bounds.tangential, torque);
    if (!(bounds.torsional > 0.0) || !(W(3, 3) > 0.0)) {
        return torque == 0.0 ? solution : from_coulomb(W, q, mu * bounds.tangential, 0.0);
    }
    // Alternate: the spin row at fixed forces, the other three at a fixed torque.
    for (int k = 0; k < max_decoupled_iterations; ++k) {
        const double limit = mu * solution.force[0] * bounds.torsional;
        const double free_spin = q[3] + W.block<1, 3>(3, 0).dot(solution.force.head<3>());
        const double next = std::clamp(-free_spin / W(3, 3), -limit, limit);
        const double change = std::abs(next - torque);
        torque = next;
        solution = from_coulomb(W, q, mu * bounds.tangential, torque);
        if (change <= 1e-15 * std::max(std::abs(torque), limit)) {
            if (solution.state == ContactState::stick && std::abs(torque) >= limit && limit > 0.0) {
                solution.state = ContactState::slip;
            }
            return solution;
        }
    }
    solution.converged = false;
    return solution;
}

}  // namespace softcontact
