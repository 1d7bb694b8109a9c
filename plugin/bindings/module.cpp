// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bindings.hpp"

PYBIND11_MODULE(_core, module)
{
    using namespace softcontact::bindings;
    module.doc() = "SoftContact's C++ core. Use the public modules of softcontact instead.";
    bind_geometry(module);
    bind_shape(module);
    bind_articulated(module);
    bind_tetrahedral(module);
    bind_friction(module);
    bind_contact(module);
    bind_solver(module);
    bind_condensed(module);
    bind_haptic_thread(module);
    bind_haptic_devices(module);
    bind_world(module);
    bind_haptics(module);
    bind_tool_law(module);
    bind_vademecum(module);
    bind_vademecum_contact(module);
    bind_vademecum_correction(module);
}
