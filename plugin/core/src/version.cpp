// SPDX-License-Identifier: LGPL-2.1-or-later
#include <softcontact/version.hpp>

namespace softcontact {

const char* version()
{
    return "0.1.0";
}

}  // namespace softcontact
