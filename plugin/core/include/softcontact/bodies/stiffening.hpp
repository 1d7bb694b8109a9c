// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/bodies/material.hpp"
#include "softcontact/types.hpp"

namespace softcontact {

/// Exponential stiffening of an isotropic material, bounded.
///
/// With the linear stress σ(ε) = λ tr(ε) I + 2 μ ε and q = σ:ε / E, which under uniaxial stress is the
/// square of the stretch, the energy density is
///   W = E/(2b) (exp(b q) − 1),  stress ∂W/∂ε = g σ,  g = exp(b q),
/// up to g = limit, and beyond it W goes on linearly in q with the slope it has there, so that the stress is
/// continuous and g never exceeds the limit. W is convex in ε (a growing convex function of a positive
/// quadratic form): the tangent g C + 2 g′/E σ⊗σ is positive definite at every strain, and small strains
/// give the linear law.
///
/// Source: the exponential in a quadratic form of the strain is Fung's, "Biomechanics: mechanical properties
/// of living tissues", 2nd ed., Springer 1993, Sec. 7.12; the linear continuation is ours.
class StiffeningLaw {
public:
    /// What the tangent of an element needs at its last strain.
    struct State {
        double factor = 1.0;                 ///< g [-]
        double rank = 0.0;                   ///< 2 g′/E [1/Pa]
        Matrix3d stress = Matrix3d::Zero();  ///< linear stress σ in the element's axes [Pa]
    };

    explicit StiffeningLaw(const Material& material);

    /// Young's modulus times a factor > 0.
    void scale(double factor) { m_young *= factor; }

    [[nodiscard]] double factor(const Matrix3d& strain, const Matrix3d& linear_stress) const;
    /// Energy density [Pa].
    [[nodiscard]] double energy(const Matrix3d& strain, const Matrix3d& linear_stress) const;
    [[nodiscard]] State state(const Matrix3d& strain, const Matrix3d& linear_stress) const;
    /// Relative change of the tangent between two states [-], about the change of its largest eigenvalue.
    [[nodiscard]] double change(const State& from, const State& to) const;

private:
    [[nodiscard]] double measure(const Matrix3d& strain, const Matrix3d& linear_stress) const;

    double m_young;
    double m_rate;
    double m_limit;
    double m_end;  ///< q at which the factor reaches the limit
};

}  // namespace softcontact
