// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>

namespace softcontact {

/// Isotropic elastic material, linear or stiffening with strain (see StiffeningLaw).
struct Material {
    double young_modulus = 1e5;  ///< E [Pa], > 0
    double poisson_ratio = 0.3;  ///< nu [-], 0 <= nu < 0.5
    double density = 1000.0;     ///< rho [kg/m^3], > 0
    double stiffening = 0.0;     ///< b [-], >= 0; 0: linear. Under uniaxial stress sigma = E eps exp(b eps^2)
    double stiffening_limit = 100.0;  ///< largest factor on E [-], >= 1; beyond it the law goes on linearly

    /// First Lamé parameter [Pa].
    [[nodiscard]] double lambda() const
    {
        return young_modulus * poisson_ratio / ((1.0 + poisson_ratio) * (1.0 - 2.0 * poisson_ratio));
    }
    /// Shear modulus [Pa].
    [[nodiscard]] double mu() const { return young_modulus / (2.0 * (1.0 + poisson_ratio)); }

    /// Throws std::invalid_argument that names the field, its value and its range; NaN is refused.
    void validate() const
    {
        if (!(young_modulus > 0.0) || !std::isfinite(young_modulus)) {
            throw std::invalid_argument("young_modulus = " + std::to_string(young_modulus) +
                                        " Pa: give a finite value above 0");
        }
        if (!(poisson_ratio >= 0.0 && poisson_ratio < 0.5)) {
            throw std::invalid_argument("poisson_ratio = " + std::to_string(poisson_ratio) +
                                        ": give a value in [0, 0.5); for rubber or tissue 0.45 to 0.49");
        }
        if (!(density > 0.0) || !std::isfinite(density)) {
            throw std::invalid_argument("density = " + std::to_string(density) +
                                        " kg/m^3: give a finite value above 0");
        }
        if (!(stiffening >= 0.0 && stiffening <= 1e3)) {
            throw std::invalid_argument("stiffening = " + std::to_string(stiffening) +
                                        ": give a value in [0, 1000]; 0 is linear, 5 to 20 for a finger pad");
        }
        if (!(stiffening_limit >= 1.0 && stiffening_limit <= 1e6)) {
            throw std::invalid_argument("stiffening_limit = " + std::to_string(stiffening_limit) +
                                        ": give a factor in [1, 1e6]");
        }
    }
};

}  // namespace softcontact
