// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/contact/PatchOptions.h>
#include <sofa/helper/DiffLib.h>

#include <sstream>
#include <vector>

namespace softcontact::plugin {

namespace {

std::string unknown(const std::string& field, const std::string& value, const std::vector<std::string>& known)
{
    std::ostringstream message;
    message << field << " is '" << value << "'; it must be one of";
    for (const auto& name : known) {
        message << ' ' << name;
    }
    const auto near = sofa::helper::getClosestMatch(value, known, 1, SReal(0.5));
    if (!near.empty()) {
        message << "; did you mean '" << std::get<0>(near.front()) << "'?";
    }
    return message.str();
}

}  // namespace

std::string PatchOptions::read(double mu, const std::string& friction, const std::string& pressure,
                               PatchSettings& settings)
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
        return unknown("friction", friction, {"contensou", "contensou-decoupled", "coulomb"});
    }
    if (pressure == "nonuniform") {
        settings.pressure = PressureRule::nonuniform;
    } else if (pressure == "uniform") {
        settings.pressure = PressureRule::uniform;
    } else {
        return unknown("pressure", pressure, {"nonuniform", "uniform"});
    }
    return {};
}

}  // namespace softcontact::plugin
