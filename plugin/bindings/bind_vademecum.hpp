// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "bindings.hpp"

namespace softcontact::bindings {

// Part of bind_vademecum.
void bind_vademecum_distance(py::module_& module);
void bind_vademecum_timing(py::module_& module);

}  // namespace softcontact::bindings
