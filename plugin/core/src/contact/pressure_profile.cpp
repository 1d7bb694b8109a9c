// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/contact/pressure_profile.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace softcontact {
namespace {

constexpr int most_steps = 100;
constexpr double accuracy = 1e-13;
/// A step that gains less of the potential, which is about 1/2, cannot be told from round-off: it is the
/// last.
constexpr double visible_gain = 1e-15;
/// A centre on the hull itself asks for an infinite slope; this share of the pressure stays in the way.
constexpr double regularisation = 1e-12;

/// The convex potential ½ Σ profile (x·(1, r))₊² − x·(1, centre), its gradient and its Hessian; lengths are
/// in units of `length`.
struct Potential {
    std::span<const double> profile;
    std::span<const double> offsets;
    Vector3d wanted;
    double length;
    double value = 0.0;
    Vector3d gradient = Vector3d::Zero();
    Matrix3d hessian = Matrix3d::Zero();

    [[nodiscard]] Vector3d place(std::size_t i) const
    {
        return {1.0, offsets[2 * i] / length, offsets[2 * i + 1] / length};
    }

    void at(const Vector3d& x)
    {
        value = -x.dot(wanted);
        gradient = -wanted;
        hessian.setZero();
        for (std::size_t i = 0; i < profile.size(); ++i) {
            const Vector3d here = place(i);
            const double pressure = x.dot(here);
            if (!(pressure > 0.0) || !(profile[i] > 0.0)) continue;
            value += 0.5 * profile[i] * pressure * pressure;
            gradient += profile[i] * pressure * here;
            hessian += profile[i] * here * here.transpose();
        }
    }
};

}  // namespace

bool fit_pressure(std::span<const double> profile, std::span<const double> offsets, const Vector2d& centre,
                  std::span<double> shares)
{
    double total = 0.0, spread = 0.0;
    for (std::size_t i = 0; i < profile.size(); ++i) {
        total += profile[i];
        spread += profile[i] * (offsets[2 * i] * offsets[2 * i] + offsets[2 * i + 1] * offsets[2 * i + 1]);
    }
    Potential potential{profile, offsets, {}, spread > 0.0 ? std::sqrt(spread / total) : 1.0};
    potential.wanted << 1.0, centre[0] / potential.length, centre[1] / potential.length;
    Vector3d x(1.0 / total, 0.0, 0.0);
    potential.at(x);
    for (int step = 0; step < most_steps && potential.gradient.norm() > accuracy; ++step) {
        Matrix3d system = potential.hessian;
        system.diagonal().array() += regularisation * total;
        const Vector3d direction = -system.ldlt().solve(potential.gradient);
        const double before = potential.value, slope = potential.gradient.dot(direction);
        if (-slope < visible_gain) {
            x += direction;
            potential.at(x);
            break;
        }
        const Vector3d start = x;
        double length = 1.0;
        do {
            x = start + length * direction;
            potential.at(x);
            length *= 0.5;
        } while (potential.value > before + 1e-4 * 2.0 * length * slope && length > 1e-12);
    }
    constexpr double close_enough = 1e-6;
    const bool found = potential.gradient.norm() <= close_enough;
    double sum = 0.0;
    for (std::size_t i = 0; i < profile.size(); ++i) {
        const double pressure = found ? std::max(0.0, x.dot(potential.place(i))) : 1.0;
        shares[i] = profile[i] * pressure;
        sum += shares[i];
    }
    for (double& share : shares) share /= sum;
    return found;
}

}  // namespace softcontact
