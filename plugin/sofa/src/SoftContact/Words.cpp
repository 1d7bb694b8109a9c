// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/Words.h>
#include <sofa/helper/DiffLib.h>

#include <sstream>
#include <tuple>

namespace softcontact::plugin {

std::string unknown_word(const std::string& field, const std::string& value,
                         const std::vector<std::string>& known)
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

}  // namespace softcontact::plugin
