// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/config.h>
#include <sofa/core/CollisionModel.h>

#include <string>
#include <vector>

namespace softcontact::plugin {

/// Looks through the parameters that a scene gives a contact response (responseParams of CollisionResponse,
/// and contactResponse of the two models) for names that the response does not know, which SOFA passes over
/// in silence. Returns what is wrong, with the nearest name, or nothing.
SOFA_SOFTCONTACT_API std::string unknown_parameter(const sofa::core::CollisionModel& model1,
                                                   const sofa::core::CollisionModel& model2,
                                                   const std::string& response,
                                                   const std::vector<std::string>& known);

}  // namespace softcontact::plugin
