// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/config.h>

namespace softcontact::plugin {

/// Registers the plugin, once however often it is called.
SOFA_SOFTCONTACT_API void init();

}  // namespace softcontact::plugin
