// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/contact/pressure_profile.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace softcontact {
namespace {

constexpr int most_steps = 100;
constexpr double accuracy = 1e-13;
/// A step that gains less of the potential, or of 1, cannot be told from round-off: it is the last.
constexpr double visible_gain = 1e-15;
/// Weight of |x|² that makes the slope unique and finite where the centre lies on the hull, or outside: there
/// the points nearest to it bear all. Without it round-off would decide.
constexpr double regularisation = 1e-12;

/// Spread across over spread along below which points lie on a line.
constexpr double line_ratio = 1e-6;

/// Coordinates in which the profile has its middle in the origin and a spread of 1 along both axes.
class Place {
public:
    Place(std::span<const double> profile, std::span<const double> offsets, double total) : m_offsets(offsets)
    {
        for (std::size_t i = 0; i < profile.size(); ++i) m_middle += profile[i] / total * offset(i);
        Eigen::Matrix2d spread = Eigen::Matrix2d::Zero();
        for (std::size_t i = 0; i < profile.size(); ++i) {
            const Vector2d arm = offset(i) - m_middle;
            spread += profile[i] / total * arm * arm.transpose();
        }
        Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> axes;
        axes.computeDirect(spread);
        const double along = axes.eigenvalues()[1];
        if (!(along > 0.0)) return;  // all in one point
        const double across = std::max(axes.eigenvalues()[0], line_ratio * line_ratio * along);
        m_scale =
            Vector2d(across, along).cwiseSqrt().cwiseInverse().asDiagonal() * axes.eigenvectors().transpose();
    }
    [[nodiscard]] Vector3d of(const Vector2d& offset) const
    {
        const Vector2d scaled = m_scale * (offset - m_middle);
        return {1.0, scaled.x(), scaled.y()};
    }
    [[nodiscard]] Vector3d operator()(std::size_t i) const { return of(offset(i)); }

private:
    [[nodiscard]] Vector2d offset(std::size_t i) const { return {m_offsets[2 * i], m_offsets[2 * i + 1]}; }

    std::span<const double> m_offsets;
    Vector2d m_middle = Vector2d::Zero();
    Eigen::Matrix2d m_scale = Eigen::Matrix2d::Identity();
};

/// The convex potential ½ Σ profile (x·(1, r))₊² + ½ ε |x|² − x·(1, centre), its gradient and its Hessian;
/// profiles are in units of their sum.
struct Potential {
    std::span<const double> profile;
    const Place& place;
    Vector3d wanted;
    double total;
    double value = 0.0;
    Vector3d gradient = Vector3d::Zero();
    Matrix3d hessian = Matrix3d::Zero();

    void at(const Vector3d& x)
    {
        value = 0.5 * regularisation * x.squaredNorm() - x.dot(wanted);
        gradient = regularisation * x - wanted;
        hessian = regularisation * Matrix3d::Identity();
        for (std::size_t i = 0; i < profile.size(); ++i) {
            const Vector3d here = place(i);
            const double pressure = x.dot(here);
            if (!(pressure > 0.0) || !(profile[i] > 0.0)) continue;
            const double weight = profile[i] / total;
            value += 0.5 * weight * pressure * pressure;
            gradient += weight * pressure * here;
            hessian += weight * here * here.transpose();
        }
    }
};

}  // namespace

void fit_pressure(std::span<const double> profile, std::span<const double> offsets, const Vector2d& centre,
                  std::span<double> shares)
{
    double total = 0.0;
    for (const double share : profile) total += share;
    const Place place(profile, offsets, total);
    Potential potential{profile, place, place.of(centre), total};
    Vector3d x = Vector3d::UnitX();
    potential.at(x);
    for (int step = 0; step < most_steps && potential.gradient.norm() > accuracy; ++step) {
        const Vector3d direction = -potential.hessian.ldlt().solve(potential.gradient);
        const double before = potential.value, slope = potential.gradient.dot(direction);
        const Vector3d start = x;
        if (-slope < visible_gain * std::max(1.0, std::abs(before))) {
            const double off = potential.gradient.norm();
            potential.at(start + direction);
            x = potential.gradient.norm() < off ? Vector3d(start + direction) : start;
            break;
        }
        double length = 1.0;
        do {
            x = start + length * direction;
            potential.at(x);
            length *= 0.5;
        } while (potential.value > before + 1e-4 * 2.0 * length * slope && length > 1e-12);
    }
    // What the weight of |x|² leaves on points that bear nothing counts for nothing: ε |x| and no more where
    // the centre is on the hull. Beyond it the slope has no bound, but the forces have.
    constexpr double most_left = 1e-6;
    const double nothing = std::min(10.0 * regularisation * x.norm(), most_left) * total;
    const auto share_of = [&](std::size_t i) {
        const double share = profile[i] * x.dot(place(i));
        return share > nothing ? share : 0.0;
    };
    double sum = 0.0;
    for (std::size_t i = 0; i < profile.size(); ++i) sum += share_of(i);
    // Points so close together that the centre is a world away: which of them bear makes no difference.
    const bool fitted = sum > 0.0 && std::isfinite(sum);
    for (std::size_t i = 0; i < profile.size(); ++i) {
        shares[i] = fitted ? share_of(i) / sum : profile[i] / total;
    }
}

}  // namespace softcontact
