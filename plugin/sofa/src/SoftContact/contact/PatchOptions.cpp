// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/Words.h>
#include <SoftContact/contact/PatchOptions.h>

namespace softcontact::plugin {

std::string PatchOptions::read(double mu, const std::string& friction, const std::string& pressure,
                               const std::string& patch, PatchSettings& settings)
{
    if (!(mu >= 0.0)) {
        return "mu is " + std::to_string(mu) + "; a friction coefficient is >= 0";
    }
    settings.mu = mu;
    if (friction == "contensou") {
        settings.law = FrictionLaw::contensou;
    } else if (friction == "contensou-decoupled") {
        settings.law = FrictionLaw::contensou_decoupled;
    } else if (friction == "coulomb") {
        settings.law = FrictionLaw::coulomb;
    } else {
        return unknown_word("friction", friction, {"contensou", "contensou-decoupled", "coulomb"});
    }
    if (pressure == "nonuniform") {
        settings.pressure = PressureRule::nonuniform;
    } else if (pressure == "uniform") {
        settings.pressure = PressureRule::uniform;
    } else {
        return unknown_word("pressure", pressure, {"nonuniform", "uniform"});
    }
    if (patch != "moments" && patch != "mean") {
        return unknown_word("patch", patch, {"moments", "mean"});
    }
    settings.patch = patch == "moments" ? PatchLaw::moments : PatchLaw::mean;
    return {};
}

}  // namespace softcontact::plugin
