// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

namespace softcontact {

/// Version of the core, "major.minor.patch".
[[nodiscard]] const char* version();

}  // namespace softcontact
