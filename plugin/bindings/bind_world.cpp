// SPDX-License-Identifier: LGPL-2.1-or-later
#include <softcontact/version.hpp>

#include "world_readout.hpp"

namespace softcontact::bindings {

void bind_world(py::module_& module)
{
    using namespace py::literals;
    module.def("version", &version);
    py::class_<World>(module, "World")
        .def(py::init([](double time_step, const Vector3d& gravity, const py::dict& options) {
                 return std::make_unique<World>(time_step, gravity, parse_settings(options));
             }),
             "time_step"_a, "gravity"_a = Vector3d(0.0, 0.0, -9.81), "options"_a = py::dict())
        .def("add_rigid_body", &add_rigid, "name"_a, "vertices"_a, "triangles"_a, "mass"_a, "com"_a,
             "inertia"_a, "position"_a = Vector3d(Vector3d::Zero()),
             "orientation"_a = Eigen::Vector4d(0, 0, 0, 1), "linear_velocity"_a = Vector3d(Vector3d::Zero()),
             "angular_velocity"_a = Vector3d(Vector3d::Zero()), "friction"_a = 0.5, "aggregate"_a = false,
             "shape"_a = py::none())
        .def(
            "add_kinematic_body",
            [](World& world, const std::string& name, const Rows3& vertices, const IntRows3& triangles,
               const Vector3d& position, const Eigen::Vector4d& orientation, double friction,
               const std::optional<ConvexShape>& shape) {
                const int body =
                    world.add_kinematic(name, make_surface(vertices, triangles),
                                        PoseMotion({0.0}, {position}, {quaternion(orientation)}), friction);
                if (shape) {
                    world.set_shape(surface_id(world, name), *shape);
                }
                return body;
            },
            "name"_a, "vertices"_a, "triangles"_a, "position"_a = Vector3d(Vector3d::Zero()),
            "orientation"_a = Eigen::Vector4d(0, 0, 0, 1), "friction"_a = 0.5, "shape"_a = py::none())
        .def(
            "set_kinematic_motion",
            [](World& world, int body, const std::vector<double>& times, const Rows3& positions,
               const Rows4& orientations) {
                world.set_kinematic_motion(body, make_motion(times, positions, orientations));
            },
            "body"_a, "times"_a, "positions"_a, "orientations"_a)
        .def(
            "add_tetrahedral_body",
            [](World& world, const std::string& name, const Rows3& nodes, const IntRows4& tetrahedra,
               const VectorXd& young, const VectorXd& poisson, const VectorXd& density, double rayleigh_mass,
               double rayleigh_stiffness, const std::vector<int>& fixed_nodes, const IntRows4& surface_nodes,
               const Rows4& surface_weights, const IntRows3& surface_triangles, double friction,
               bool aggregate, const Vector3d& velocity, double refactor_rotation_tolerance,
               double stiffening, double stiffening_limit) {
                auto definition = make_definition(nodes, tetrahedra, young, poisson, density, rayleigh_mass,
                                                  rayleigh_stiffness, refactor_rotation_tolerance, stiffening,
                                                  stiffening_limit);
                definition.options.fixed_nodes = fixed_nodes;
                definition.velocity = velocity;
                Embedding embedding = make_embedding(surface_nodes, surface_weights);
                Surface surface(embedded_vertices(nodes, embedding), surface_triangles.transpose());
                world.check_surface(name, friction);
                const int body = world.add_tetrahedral(name, std::move(definition));
                world.add_field_surface(body, name, std::move(surface), std::move(embedding), friction,
                                        aggregate);
                return body;
            },
            "name"_a, "nodes"_a, "tetrahedra"_a, "young"_a, "poisson"_a, "density"_a, "rayleigh_mass"_a = 0.0,
            "rayleigh_stiffness"_a = 0.0, "fixed_nodes"_a = std::vector<int>(), "surface_nodes"_a,
            "surface_weights"_a, "surface_triangles"_a, "friction"_a = 0.5, "aggregate"_a = false,
            "velocity"_a = Vector3d(Vector3d::Zero()), "refactor_rotation_tolerance"_a = 0.0,
            "stiffening"_a = 0.0, "stiffening_limit"_a = 100.0)
        .def("add_articulated_body", &add_articulated, "name"_a, "links"_a, "q0"_a = VectorXd(),
             "gravity_compensated"_a = false)
        .def(
            "set_joint_motion",
            [](World& world, int body, const std::vector<double>& times, const RowsX& targets) {
                world.set_target_motion(body, VectorMotion(times, targets));
            },
            "body"_a, "times"_a, "targets"_a)
        .def("set_velocity", &World::set_velocity, "body"_a, "velocity"_a)
        .def("set_applied_force", &World::set_applied_force, "body"_a, "force"_a)
        .def(
            "add_phalanx",
            [](World& world, int body, int link, const std::string& name, const Rows3& nodes,
               const IntRows4& tetrahedra, const VectorXd& young, const VectorXd& poisson,
               const VectorXd& density, double rayleigh_mass, double rayleigh_stiffness,
               const std::vector<int>& bound_nodes, double bound_stiffness, const IntRows4& surface_nodes,
               const Rows4& surface_weights, const IntRows3& surface_triangles, double friction,
               double refactor_rotation_tolerance, double stiffening, double stiffening_limit, bool linear) {
                auto definition = make_definition(nodes, tetrahedra, young, poisson, density, rayleigh_mass,
                                                  rayleigh_stiffness, refactor_rotation_tolerance, stiffening,
                                                  stiffening_limit);
                definition.options.linear = linear;
                definition.options.anchored_nodes = bound_nodes;
                definition.options.anchor_stiffness =
                    VectorXd::Constant(static_cast<Index>(bound_nodes.size()), bound_stiffness);
                Embedding embedding = make_embedding(surface_nodes, surface_weights);
                Surface surface(embedded_vertices(nodes, embedding), surface_triangles.transpose());
                return world.add_phalanx(body, link, name, std::move(definition), std::move(surface),
                                         std::move(embedding), friction);
            },
            "body"_a, "link"_a, "name"_a, "nodes"_a, "tetrahedra"_a, "young"_a, "poisson"_a, "density"_a,
            "rayleigh_mass"_a = 0.0, "rayleigh_stiffness"_a = 0.0, "bound_nodes"_a, "bound_stiffness"_a,
            "surface_nodes"_a, "surface_weights"_a, "surface_triangles"_a, "friction"_a = 0.5,
            "refactor_rotation_tolerance"_a = 0.05, "stiffening"_a = 0.0, "stiffening_limit"_a = 100.0,
            "linear"_a = false)
        .def(
            "add_link_surface",
            [](World& world, int body, int link, const std::string& name, const Rows3& vertices,
               const IntRows3& triangles, double friction, bool aggregate,
               const std::optional<ConvexShape>& shape) {
                const int surface = world.add_link_surface(
                    body, link, name, make_surface(vertices, triangles), friction, aggregate);
                if (shape) {
                    world.set_shape(surface, *shape);
                }
                return surface;
            },
            "body"_a, "link"_a, "name"_a, "vertices"_a, "triangles"_a, "friction"_a = 0.5,
            "aggregate"_a = false, "shape"_a = py::none())
        .def(
            "set_pair_friction",
            [](World& world, const std::string& a, const std::string& b, double friction) {
                world.set_pair_friction(surface_id(world, a), surface_id(world, b), friction);
            },
            "name_a"_a, "name_b"_a, "friction"_a)
        .def(
            "set_pair_restitution",
            [](World& world, const std::string& a, const std::string& b, double restitution) {
                world.set_pair_restitution(surface_id(world, a), surface_id(world, b), restitution);
            },
            "name_a"_a, "name_b"_a, "restitution"_a)
        .def(
            "set_surface_velocity",
            [](World& world, const std::string& name, const Vector3d& linear, const Vector3d& angular,
               const Vector3d& centre) {
                world.set_surface_velocity(surface_id(world, name), {linear, angular, centre});
            },
            "name"_a, "linear"_a = Vector3d(Vector3d::Zero()), "angular"_a = Vector3d(Vector3d::Zero()),
            "centre"_a = Vector3d(Vector3d::Zero()))
        .def(
            "disable_pair",
            [](World& world, const std::string& a, const std::string& b) {
                world.disable_pair(surface_id(world, a), surface_id(world, b));
            },
            "name_a"_a, "name_b"_a)
        .def("scale_stiffness", &World::scale_stiffness, "body"_a, "factor"_a)
        .def(
            "set_contact_model",
            [](World& world, const std::string& model) { world.set_contact_model(parse_contact(model)); },
            "model"_a)
        .def(
            "add_grasp",
            [](World& world, int body, const py::list& fingers, double start, double end, double force) {
                std::vector<GraspFinger> list;
                for (const auto& item : fingers) {
                    const auto finger = py::cast<py::dict>(item);
                    list.push_back(
                        {get<std::string>(finger, "name", ""), required<std::vector<Index>>(finger, "dofs"),
                         required<std::vector<double>>(finger, "rates"),
                         required<std::vector<int>>(finger, "links"), get<double>(finger, "share", 1.0)});
                }
                world.add_grasp(body, std::move(list), start, end, force);
            },
            "body"_a, "fingers"_a, "start"_a, "end"_a, "force"_a)
        .def(
            "step",
            [](World& world, int count) {
                if (count < 0) {
                    throw std::invalid_argument("count = " + std::to_string(count) +
                                                ": give 0 steps or more");
                }
                for (int i = 0; i < count; ++i) {
                    if (!world.step()) {
                        return false;
                    }
                }
                return true;
            },
            "count"_a = 1, py::call_guard<py::gil_scoped_release>())
        .def_property_readonly("time", &World::time)
        .def_property_readonly("time_step", &World::time_step)
        .def_property_readonly("surface_names",
                               [](const World& world) {
                                   std::vector<std::string> names;
                                   for (int i = 0; i < world.surface_count(); ++i) {
                                       names.push_back(world.surface(i).name);
                                   }
                                   return names;
                               })
        .def_property_readonly("body_names",
                               [](const World& world) {
                                   std::vector<std::string> names;
                                   for (int i = 0; i < world.body_count(); ++i) {
                                       names.push_back(world.body_name(i));
                                   }
                                   return names;
                               })
        .def(
            "overlaps",
            [](World& world) {
                std::vector<std::tuple<int, int, double>> found;
                for (const World::Overlap& overlap : world.overlaps()) {
                    found.emplace_back(overlap.a, overlap.b, overlap.depth);
                }
                return found;
            },
            "Surfaces that overlap before the first step: (a, b, depth [m]).")
        .def("surface_vertices", &surface_vertices, "surface"_a)
        .def(
            "surface_local_vertices",
            [](const World& world, int surface) -> Rows3 {
                return world.surface(surface).geometry.local_vertices().transpose();
            },
            "surface"_a)
        .def(
            "surface_triangles",
            [](const World& world, int surface) -> IntRows3 {
                return world.surface(surface).geometry.triangles().transpose();
            },
            "surface"_a)
        .def(
            "surface_pose",
            [](const World& world, int surface) {
                return pose_tuple(world.surface(surface).geometry.pose());
            },
            "surface"_a)
        .def(
            "surface_deforms",
            [](const World& world, int surface) { return world.surface(surface).field != nullptr; },
            "surface"_a)
        .def(
            "surface_body", [](const World& world, int surface) { return world.surface(surface).body; },
            "surface"_a)
        .def(
            "body_pose",
            [](const World& world, int body, int link) { return pose_tuple(world.body_pose(body, link)); },
            "body"_a, "link"_a = 0)
        .def(
            "joint_positions",
            [](const World& world, int body) -> VectorXd { return world.articulated(body).positions(); },
            "body"_a)
        .def(
            "joint_velocities",
            [](const World& world, int body) -> VectorXd { return world.articulated(body).velocity(); },
            "body"_a)
        .def(
            "joint_constraint_forces",
            [](const World& world, int body) -> VectorXd {
                return world.articulated(body).constraint_forces();
            },
            "body"_a)
        .def(
            "link_names",
            [](const World& world, int body) {
                std::vector<std::string> names;
                const auto& model = world.articulated(body).model();
                for (int i = 0; i < model.link_count(); ++i) {
                    names.push_back(model.link(i).name);
                }
                return names;
            },
            "body"_a)
        .def("patches", &patches)
        .def("vertex_loads", &vertex_loads, "surface"_a)
        .def("velocity_problem", &velocity_problem)
        .def("statistics", &statistics)
        .def("energies",
             [](const World& world) {
                 return py::dict("kinetic"_a = world.kinetic_energy(), "elastic"_a = world.elastic_energy(),
                                 "potential"_a = world.potential_energy());
             })
        .def("state",
             [](const World& world) {
                 const auto state = world.state();
                 return VectorXd(Eigen::Map<const VectorXd>(state.data(), static_cast<Index>(state.size())));
             })
        .def("status", [](const World& world) {
            return py::dict("ok"_a = !world.failed(), "message"_a = world.failure(), "time"_a = world.time());
        });
}

}  // namespace softcontact::bindings
