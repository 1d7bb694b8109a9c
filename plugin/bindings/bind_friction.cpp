// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bindings.hpp"

namespace softcontact::bindings {

void bind_friction(py::module_& module)
{
    (void)module;
}

}  // namespace softcontact::bindings
