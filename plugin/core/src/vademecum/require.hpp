// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <stdexcept>
#include <string>

namespace softcontact {

/// Refuses an argument that does not hold: std::invalid_argument with the message. A literal is not copied.
inline void require(bool holds, const char* message)
{
    if (!holds) throw std::invalid_argument(message);
}
inline void require(bool holds, const std::string& message)
{
    if (!holds) throw std::invalid_argument(message);
}

}  // namespace softcontact
