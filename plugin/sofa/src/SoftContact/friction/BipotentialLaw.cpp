// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/Words.h>
#include <SoftContact/friction/BipotentialLaw.h>

#include <cmath>
#include <sstream>

namespace softcontact::plugin {

namespace {

std::string wrong(const char* field, double value, const char* remedy)
{
    std::ostringstream message;
    message << field << " is " << value << "; " << remedy;
    return message.str();
}

bool is_amount(double value)
{
    return value >= 0.0 && std::isfinite(value);
}

}  // namespace

std::string BipotentialLaw::read(double mu, const std::string& scheme, double epsilon2, double rho,
                                 int max_local_iterations, double tolerance, BipotentialLaw& law)
{
    if (!is_amount(mu)) {
        return wrong("mu", mu, "a friction coefficient is >= 0");
    }
    if (scheme != "local" && scheme != "global") {
        return unknown_word("scheme", scheme, {"local", "global"});
    }
    if (!is_amount(epsilon2)) {
        return wrong("epsilon2", epsilon2, "give a tolerance > 0, or 0 for a tenth of the solver's");
    }
    if (!is_amount(rho)) {
        return wrong("rho", rho, "give a step > 0, or 0 for one that fits each contact");
    }
    if (max_local_iterations < 1) {
        return wrong("maxLocalIterations", max_local_iterations, "give at least 1");
    }
    if (!is_amount(tolerance)) {
        return wrong("tol", tolerance, "give a tolerance > 0, or 0 for the solver's");
    }
    law.mu = mu;
    law.local = scheme == "local";
    law.epsilon2 = epsilon2;
    law.rho = rho;
    law.max_local_iterations = max_local_iterations;
    law.tolerance = tolerance;
    return {};
}

}  // namespace softcontact::plugin
