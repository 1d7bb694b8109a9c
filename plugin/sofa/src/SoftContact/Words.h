// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/config.h>

#include <string>
#include <vector>

namespace softcontact::plugin {

/// Message on a word that is none of those known, with the nearest of them.
[[nodiscard]] SOFA_SOFTCONTACT_API std::string unknown_word(const std::string& field,
                                                            const std::string& value,
                                                            const std::vector<std::string>& known);

}  // namespace softcontact::plugin
