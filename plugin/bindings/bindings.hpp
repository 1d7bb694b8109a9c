// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace softcontact::bindings {

namespace py = pybind11;

// One function a core topic; each lives in bind_<topic>.cpp and holds no logic.
void bind_geometry(py::module_& module);
void bind_shape(py::module_& module);
void bind_articulated(py::module_& module);
void bind_tetrahedral(py::module_& module);
void bind_contact(py::module_& module);
void bind_friction(py::module_& module);
void bind_solver(py::module_& module);
void bind_condensed(py::module_& module);
void bind_haptic_thread(py::module_& module);
void bind_haptic_devices(py::module_& module);
void bind_tool_law(py::module_& module);
void bind_vademecum(py::module_& module);
void bind_vademecum_contact(py::module_& module);
void bind_vademecum_correction(py::module_& module);
void bind_world(py::module_& module);
void bind_haptics(py::module_& module);

}  // namespace softcontact::bindings
