// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/config.h>
#include <sofa/core/CollisionModel.h>

#include <string>
#include <vector>

namespace softcontact::plugin {

/// Looks through the parameters that a scene gives a contact response (responseParams of CollisionResponse,
/// rules of RuleBasedContactManager, contactResponse of the two models) for names that the response does not
/// know and for numbers that are none, which SOFA passes over in silence.
///
/// words: parameters whose value is a word; the others are numbers. Returns what is wrong, with the nearest
/// name, or nothing.
SOFA_SOFTCONTACT_API std::string unknown_parameter(const sofa::core::CollisionModel& model1,
                                                   const sofa::core::CollisionModel& model2,
                                                   const std::string& response,
                                                   const std::vector<std::string>& known,
                                                   const std::vector<std::string>& words = {});

}  // namespace softcontact::plugin
