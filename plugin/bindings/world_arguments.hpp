// SPDX-License-Identifier: LGPL-2.1-or-later
// What Python gives a World, turned into what the core takes; a wrong value is told by name.
#pragma once

#include <optional>
#include <softcontact/world/world.hpp>

#include "bindings.hpp"

namespace softcontact::bindings {

using Rows3 = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
using Rows4 = Eigen::Matrix<double, Eigen::Dynamic, 4, Eigen::RowMajor>;
using IntRows3 = Eigen::Matrix<int, Eigen::Dynamic, 3, Eigen::RowMajor>;
using IntRows4 = Eigen::Matrix<int, Eigen::Dynamic, 4, Eigen::RowMajor>;
using RowsX = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <typename T>
T required(const py::dict& dictionary, const char* key)
{
    if (!dictionary.contains(key)) {
        throw std::invalid_argument(std::string(key) + ": missing");
    }
    return py::cast<T>(dictionary[key]);
}

template <typename T>
T get(const py::dict& dictionary, const char* key, const T& fallback)
{
    return dictionary.contains(key) && !dictionary[key].is_none() ? py::cast<T>(dictionary[key]) : fallback;
}

Quaterniond quaternion(const Eigen::Vector4d& xyzw);
Surface make_surface(const Rows3& vertices, const IntRows3& triangles);
Embedding make_embedding(const IntRows4& nodes, const Rows4& weights);
Points embedded_vertices(const Rows3& nodes, const Embedding& embedding);
ContactModel parse_contact(const std::string& text);
Integrator parse_integrator(const std::string& text);
WorldSettings parse_settings(const py::dict& options);
TetrahedralSystem::Definition make_definition(const Rows3& nodes, const IntRows4& tetrahedra,
                                              const VectorXd& young, const VectorXd& poisson,
                                              const VectorXd& density, double rayleigh_mass,
                                              double rayleigh_stiffness, double refactor_rotation_tolerance,
                                              double stiffening, double stiffening_limit);
int add_articulated(World& world, const std::string& name, const py::list& links, const VectorXd& q0,
                    bool gravity_compensated);
int add_rigid(World& world, const std::string& name, const Rows3& vertices, const IntRows3& triangles,
              double mass, const Vector3d& com, const Matrix3d& inertia, const Vector3d& position,
              const Eigen::Vector4d& orientation, const Vector3d& linear_velocity,
              const Vector3d& angular_velocity, double friction, bool aggregate,
              const std::optional<ConvexShape>& shape);
PoseMotion make_motion(const std::vector<double>& times, const Rows3& positions, const Rows4& orientations);
int surface_id(const World& world, const std::string& name);

}  // namespace softcontact::bindings
