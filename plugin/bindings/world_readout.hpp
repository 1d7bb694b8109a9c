// SPDX-License-Identifier: LGPL-2.1-or-later
// What a World tells, as Python's lists, tables and arrays.
#pragma once

#include "world_arguments.hpp"

namespace softcontact::bindings {

py::list patches(const World& world);
py::dict statistics(const World& world);
py::object velocity_problem(const World& world);
Rows3 surface_vertices(const World& world, int surface);
py::dict vertex_loads(World& world, int surface);
py::tuple pose_tuple(const Pose& pose);

}  // namespace softcontact::bindings
