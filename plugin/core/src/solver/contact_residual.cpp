// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/solver/contact_residual.hpp"

#include <algorithm>
#include <cmath>

namespace softcontact {

namespace {

// Squares of numbers between these neither overflow nor vanish.
constexpr double least_size = 1e-140, most_size = 1e140;
// Blocks with less compliance than this, against the largest, have none to speak of.
constexpr double least_compliance = 1e-12;

constexpr int power_steps = 12;

/// From a fixed start.
double operator_size(const DelassusOperator& W, Index rows)
{
    VectorXd x(rows), y;
    for (Index i = 0; i < rows; ++i) {
        x[i] = 1.0 + 0.5 * std::sin(1.7 * static_cast<double>(i));
    }
    double size = 0.0;
    for (int k = 0; k < power_steps; ++k) {
        x /= x.norm();
        W.apply(x, y);
        size = std::max(size, y.norm());
        if (!(y.norm() > 0.0)) {
            break;
        }
        x = y;
    }
    return size;
}

struct Ratio {
    double defect, size;

    /// Not by std::max of the parts: a NaN must come out as one.
    [[nodiscard]] double value() const { return defect == 0.0 ? 0.0 : defect / size; }
};

/// A ratio that is the same when q, r and u grow together: so that it is never lost to overflow.
template <typename Measure>
double measured(const Measure& measure, const VectorXd& q, const VectorXd& r, const VectorXd& u)
{
    const Ratio plain = measure(q, r, u, 0);
    if (q.size() == 0 || (plain.size > least_size && plain.size < most_size)) {
        return plain.value();
    }
    const double largest =
        std::max({q.lpNorm<Eigen::Infinity>(), r.lpNorm<Eigen::Infinity>(), u.lpNorm<Eigen::Infinity>()});
    if (!(largest > 0.0 && std::isfinite(largest))) {
        return plain.value();
    }
    const int power = -std::ilogb(largest);
    const auto scaled = [power](const VectorXd& x) {
        return VectorXd(x.unaryExpr([power](double value) { return std::ldexp(value, power); }));
    };
    return measure(scaled(q), scaled(r), scaled(u), power).value();
}

}  // namespace

double natural_map_residual(const VectorXd& q, const VectorXd& mu, const VectorXd& r, const VectorXd& u)
{
    const auto measure = [&mu](const VectorXd& free, const VectorXd& forces, const VectorXd& velocities,
                               int) {
        double squared = 0.0, r_squared = 0.0, u_squared = 0.0;
        for (Index i = 0; i < mu.size(); ++i) {
            const Vector3d force = forces.segment<3>(3 * i), velocity = velocities.segment<3>(3 * i);
            r_squared += force.squaredNorm();
            u_squared += velocity.squaredNorm();
            const double friction = mu[i];
            const double slip = std::sqrt(velocity.y() * velocity.y() + velocity.z() * velocity.z());
            // P_K(r - û), as project_to_cone
            const double n = force.x() - velocity.x() - friction * slip;
            const double t = force.y() - velocity.y(), s = force.z() - velocity.z();
            const double length = std::sqrt(t * t + s * s);
            if (length <= friction * n) {
                const double normal = force.x() - n;
                squared += normal * normal + velocity.y() * velocity.y() + velocity.z() * velocity.z();
            } else if (friction * length <= -n) {
                squared += force.squaredNorm();
            } else {
                const double normal = (n + friction * length) / (1.0 + friction * friction);
                const double scale = friction * normal / length;
                squared += (force - Vector3d(normal, scale * t, scale * s)).squaredNorm();
            }
        }
        return Ratio{std::sqrt(squared), std::max({free.norm(), std::sqrt(r_squared), std::sqrt(u_squared)})};
    };
    return measured(measure, q, r, u);
}

double scaled_residual(const VectorXd& mu, const VectorXd& compliance, double load, const VectorXd& r,
                       const VectorXd& u)
{
    const auto measure = [&](const VectorXd&, const VectorXd& forces, const VectorXd& velocities, int power) {
        double squared = 0.0;
        for (Index i = 0; i < mu.size(); ++i) {
            const Vector3d velocity = velocities.segment<3>(3 * i);
            const Vector3d pressed = compliance[i] * forces.segment<3>(3 * i);
            const Vector3d y = pressed - velocity;
            if (y.x() <= 0.0) {
                squared += pressed.squaredNorm();
                continue;
            }
            const double length = std::sqrt(y.y() * y.y() + y.z() * y.z()), bound = mu[i] * y.x();
            if (length <= bound) {
                squared += velocity.squaredNorm();
                continue;
            }
            const double scale = bound / length;
            const double t = pressed.y() - scale * y.y(), s = pressed.z() - scale * y.z();
            squared += velocity.x() * velocity.x() + t * t + s * s;
        }
        return Ratio{std::sqrt(squared), std::ldexp(load, power)};
    };
    return measured(measure, u, r, u);
}

double load_of(const ContactMatrix& W, const VectorXd& q, const VectorXd& r)
{
    VectorXd sum = q.cwiseAbs();
    for (Index c = 0; c < W.contacts(); ++c) {
        const Vector3d force = r.segment<3>(3 * c).cwiseAbs();
        if (force.x() != 0.0 || force.y() != 0.0 || force.z() != 0.0) {
            W.for_each_in_column(c, [&](Index row, const Matrix3d& block) {
                sum.segment<3>(3 * row) += block.cwiseAbs() * force;
            });
        }
    }
    return sum.stableNorm();
}

VectorXd block_compliances(const ContactMatrix& W)
{
    VectorXd compliance(W.contacts());
    double largest = 0.0;
    for (Index i = 0; i < W.contacts(); ++i) {
        compliance[i] = W.diagonal(i).trace() / 3.0;
        largest = std::max(largest, compliance[i]);
    }
    const double fallback = largest > 0.0 ? largest : 1.0;
    for (double& own : compliance) {
        own = own > least_compliance * largest ? own : fallback;
    }
    return compliance;
}

VectorXd operator_compliances(const DelassusOperator& W, Index contacts)
{
    const double size = contacts > 0 ? operator_size(W, 3 * contacts) : 0.0;
    return VectorXd::Constant(contacts, size > 0.0 ? size : 1.0);
}

}  // namespace softcontact
