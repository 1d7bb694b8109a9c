// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/config.h>

#include <string>

namespace softcontact::plugin {

/// Coulomb's law of a point contact and how Uzawa's algorithm gets there.
struct SOFA_SOFTCONTACT_API BipotentialLaw {
    static constexpr const char* scheme_help =
        "local: at each visit Uzawa steps until the contact itself is solved; global: one step a visit";
    static constexpr const char* epsilon2_help =
        "local scheme: a contact counts as solved where |dr|/rho of a step is at most this, in the unit of "
        "the "
        "constraint's violation (m, or m/s in the order of velocities). 0: a tenth of the solver's tolerance";
    static constexpr const char* rho_help =
        "Step of the predictor r - rho (u + mu |u_t| n), impulse by violation. 0: for each contact 1 over "
        "the "
        "largest sum of a row of its own block of W";
    static constexpr const char* max_local_help = "local scheme: most Uzawa steps in one visit";
    static constexpr const char* tolerance_help =
        "What |dr|/rho may be at most, summed over all contacts. 0: the solver's tolerance";

    double mu = 0.8;
    bool local = true;
    double epsilon2 = 0.0;
    double rho = 0.0;
    int max_local_iterations = 1000;
    double tolerance = 0.0;  ///< what |dr|/rho may be at most, summed over all contacts

    /// Reads a scene's words and numbers into `law`; returns what is wrong and how to mend it, or nothing.
    [[nodiscard]] static std::string read(double mu, const std::string& scheme, double epsilon2, double rho,
                                          int max_local_iterations, double tolerance, BipotentialLaw& law);
};

}  // namespace softcontact::plugin
