// SPDX-License-Identifier: LGPL-2.1-or-later
// Internal to the friction topic: the smoothed potential and its derivatives, in scaled coordinates.
//
// Velocities are x = (v_t, v_s, L ω) [m/s] and loads p = (F_t, F_s, τ/L) with L = patch.length, so that the
// three components have one unit and one size. The bound mu N is taken out: everything here is per unit of
// bound.
#pragma once

#include <algorithm>
#include <cmath>

#include "softcontact/friction/contensou.hpp"

namespace softcontact::detail {

struct ContensouTerms {
    double value = 0.0;                    ///< Φ_ε
    Vector3d gradient = Vector3d::Zero();  ///< ∇Φ_ε, a load inside B
    Matrix3d hessian = Matrix3d::Zero();   ///< ∇²Φ_ε
    double slowest = 0.0, fastest = 0.0;   ///< squared speeds of the contact points
    int slowest_point = 0;
};

/// Lever of point i: its velocity is (x0 + x2 c_t, x1 + x2 c_s).
inline void lever_of(const FrictionPatch& patch, int i, double inverse_length, double& c_t, double& c_s)
{
    c_t = -patch.offsets[2 * i + 1] * inverse_length;
    c_s = patch.offsets[2 * i] * inverse_length;
}

/// Φ_ε = Σ a_i √(|u_i|² + ε²).
inline double smoothed_value(const FrictionPatch& patch, const Vector3d& x, double epsilon)
{
    const double inverse_length = 1.0 / patch.length;
    const double smoothing = epsilon * epsilon;
    double value = 0.0;
    for (int i = 0; i < patch.count; ++i) {
        double c_t, c_s;
        lever_of(patch, i, inverse_length, c_t, c_s);
        const double u_t = x[0] + x[2] * c_t;
        const double u_s = x[1] + x[2] * c_s;
        value += patch.shares[i] * std::sqrt(u_t * u_t + u_s * u_s + smoothing);
    }
    return value;
}

inline ContensouTerms smoothed_terms(const FrictionPatch& patch, const Vector3d& x, double epsilon)
{
    const double inverse_length = 1.0 / patch.length;
    const double smoothing = std::max(epsilon * epsilon, 1e-300);
    ContensouTerms terms;
    terms.slowest = 1e300;
    double g0 = 0, g1 = 0, g2 = 0, h00 = 0, h01 = 0, h02 = 0, h11 = 0, h12 = 0, h22 = 0, value = 0;
    for (int i = 0; i < patch.count; ++i) {
        double c_t, c_s;
        lever_of(patch, i, inverse_length, c_t, c_s);
        const double u_t = x[0] + x[2] * c_t;
        const double u_s = x[1] + x[2] * c_s;
        const double squared = u_t * u_t + u_s * u_s;
        const double inverse = 1.0 / std::sqrt(squared + smoothing);
        const double share = patch.shares[i];
        const double e_t = u_t * inverse, e_s = u_s * inverse;
        const double stiffness = share * inverse;
        value += share * (squared + smoothing) * inverse;
        const double f_t = share * e_t, f_s = share * e_s;
        g0 += f_t;
        g1 += f_s;
        g2 += c_t * f_t + c_s * f_s;
        const double m00 = stiffness * (1.0 - e_t * e_t);
        const double m01 = -stiffness * e_t * e_s;
        const double m11 = stiffness * (1.0 - e_s * e_s);
        const double k_t = m00 * c_t + m01 * c_s, k_s = m01 * c_t + m11 * c_s;
        h00 += m00;
        h01 += m01;
        h11 += m11;
        h02 += k_t;
        h12 += k_s;
        h22 += c_t * k_t + c_s * k_s;
        if (share > 0.0 && squared < terms.slowest) {
            terms.slowest = squared;
            terms.slowest_point = i;
        }
        terms.fastest = std::max(terms.fastest, squared);
    }
    terms.value = value;
    terms.gradient << g0, g1, g2;
    terms.hessian << h00, h01, h02, h01, h11, h12, h02, h12, h22;
    return terms;
}

inline Vector3d scaled_velocity(const FrictionPatch& patch, const Vector3d& velocity)
{
    return {velocity[0], velocity[1], velocity[2] * patch.length};
}

inline Vector3d scaled_load(const FrictionPatch& patch, const Vector3d& load)
{
    return {load[0], load[1], load[2] / patch.length};
}

inline Vector3d unscaled_load(const FrictionPatch& patch, const Vector3d& load)
{
    return {load[0], load[1], load[2] * patch.length};
}

/// Compliance for scaled loads and velocities.
inline Matrix3d scaled_compliance(const FrictionPatch& patch, const Matrix3d& W)
{
    Matrix3d scaled = W;
    scaled.row(2) *= patch.length;
    scaled.col(2) *= patch.length;
    return scaled;
}

/// Load and potential when the patch spins at rate `spin` = ±1 (scaled) about contact point `centre`, that
/// point and those on top of it left out: their force is free within `resting_share`.
struct SpinAboutPoint {
    Vector3d axis = Vector3d::Zero();  ///< velocity (scaled) of the unit spin
    Vector3d load = Vector3d::Zero();  ///< load of the moving points for spin +1
    double potential = 0.0;            ///< Φ(axis)
    double resting_share = 0.0;
};

inline SpinAboutPoint spin_about_point(const FrictionPatch& patch, int centre)
{
    const double inverse_length = 1.0 / patch.length;
    double z_t, z_s;
    lever_of(patch, centre, inverse_length, z_t, z_s);
    SpinAboutPoint spin;
    spin.axis << -z_t, -z_s, 1.0;
    for (int i = 0; i < patch.count; ++i) {
        double c_t, c_s;
        lever_of(patch, i, inverse_length, c_t, c_s);
        const double u_t = c_t - z_t, u_s = c_s - z_s;
        const double speed = std::sqrt(u_t * u_t + u_s * u_s);
        const double share = patch.shares[i];
        if (speed == 0.0) {
            spin.resting_share += share;
            continue;
        }
        const double f_t = share * u_t / speed, f_s = share * u_s / speed;
        spin.load[0] += f_t;
        spin.load[1] += f_s;
        spin.load[2] += c_t * f_t + c_s * f_s;
        spin.potential += share * speed;
    }
    return spin;
}

/// Is a scaled load per unit of bound inside because a linear distribution f_i = a_i (α + β n × r_i) of it
/// respects every bound? Of a patch with spread.
[[nodiscard]] bool spread_holds(const FrictionPatch& patch, const Vector3d& load);

/// Same membership test as contensou_holds for a scaled load per unit of bound.
[[nodiscard]] bool holds_scaled(const FrictionPatch& patch, const Vector3d& load);

/// Gauge of a scaled load per unit of bound, of a patch with spread, and the unit velocity at which
/// load · x is that multiple of Φ(x): the normal of B's surface where the load's ray leaves it.
[[nodiscard]] double gauge_scaled(const FrictionPatch& patch, const Vector3d& load, Vector3d& direction);

}  // namespace softcontact::detail
