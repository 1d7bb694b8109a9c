// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/contact/PatchRecord.h>

#include <string>

namespace softcontact::plugin {

/// The words by which scenes choose friction and pressure.
struct SOFA_SOFTCONTACT_API PatchOptions {
    static constexpr const char* friction_help =
        "contensou: slip and spin coupled on the limit surface; contensou-decoupled: bounds at the free "
        "velocity, "
        "slip and spin apart; coulomb: slip alone, no torsion row";
    static constexpr const char* pressure_help =
        "nonuniform: pressure follows the penetration; uniform: the same everywhere";

    static constexpr const char* patch_size_help =
        "Largest extent of a patch [m]: wider contact is split into several. 0: four spacings of the "
        "surface's vertices, "
        "at most half of the surface; a body in an AggregateGroup is then one patch";
    static constexpr const char* patch_help =
        "moments: the normal force bears the moments of its pressure, by two rows more; mean: it is one row "
        "without moment, as in the paper";

    /// Reads them into settings; returns what is wrong and how to mend it, or nothing.
    static std::string read(double mu, const std::string& friction, const std::string& pressure,
                            const std::string& patch, PatchSettings& settings);
};

}  // namespace softcontact::plugin
