// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cmath>
#include <limits>
#include <softcontact/version.hpp>
#include <softcontact/world/patch_load.hpp>
#include <softcontact/world/world.hpp>

#include "bindings.hpp"

namespace softcontact::bindings {

namespace {

using Rows3 = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
using Rows4 = Eigen::Matrix<double, Eigen::Dynamic, 4, Eigen::RowMajor>;
using IntRows3 = Eigen::Matrix<int, Eigen::Dynamic, 3, Eigen::RowMajor>;
using IntRows4 = Eigen::Matrix<int, Eigen::Dynamic, 4, Eigen::RowMajor>;
using RowsX = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Quaterniond quaternion(const Eigen::Vector4d& xyzw)
{
    const Quaterniond q(xyzw);
    if (!(std::abs(q.norm() - 1.0) < 1e-6)) {
        throw std::invalid_argument("orientation: quaternion (x, y, z, w) has norm " +
                                    std::to_string(q.norm()) + ", not 1; normalise it");
    }
    return q.normalized();
}

Surface make_surface(const Rows3& vertices, const IntRows3& triangles)
{
    return Surface(vertices.transpose(), triangles.transpose());
}

Embedding make_embedding(const IntRows4& nodes, const Rows4& weights)
{
    return {nodes.transpose(), weights.transpose()};
}

Points embedded_vertices(const Rows3& nodes, const Embedding& embedding)
{
    if (embedding.weights.cols() != embedding.nodes.cols()) {
        throw std::invalid_argument(
            "surface_weights: one row a surface vertex is needed, as in surface_nodes");
    }
    Points vertices = Points::Zero(3, embedding.nodes.cols());
    for (Index i = 0; i < vertices.cols(); ++i) {
        for (int k = 0; k < 4; ++k) {
            const int node = embedding.nodes(k, i);
            if (node < 0 || node >= nodes.rows()) {
                throw std::invalid_argument("surface_nodes: node " + std::to_string(node) + " of " +
                                            std::to_string(nodes.rows()) + " does not exist");
            }
            vertices.col(i) += embedding.weights(k, i) * nodes.row(node).transpose();
        }
    }
    return vertices;
}

ContactModel parse_contact(const std::string& text)
{
    if (text == "aggregate") return ContactModel::aggregate;
    if (text == "point") return ContactModel::point;
    throw std::invalid_argument("contact = '" + text + "': use 'aggregate' or 'point'");
}

Aggregation parse_aggregation(const std::string& text)
{
    if (text == "single") return Aggregation::single;
    if (text == "adaptive") return Aggregation::adaptive;
    throw std::invalid_argument("aggregation = '" + text + "': use 'single' or 'adaptive'");
}

FrictionLaw parse_friction_law(const std::string& text)
{
    if (text == "contensou") return FrictionLaw::contensou;
    if (text == "contensou-decoupled") return FrictionLaw::contensou_decoupled;
    if (text == "coulomb") return FrictionLaw::coulomb;
    throw std::invalid_argument("friction_law = '" + text +
                                "': use 'contensou', 'contensou-decoupled' or 'coulomb'");
}

PressureRule parse_pressure(const std::string& text)
{
    if (text == "nonuniform") return PressureRule::nonuniform;
    if (text == "uniform") return PressureRule::uniform;
    throw std::invalid_argument("pressure = '" + text + "': use 'nonuniform' or 'uniform'");
}

WorldSettings parse_settings(const py::dict& options)
{
    WorldSettings settings;
    for (const auto& [key, value] : options) {
        const auto name = py::cast<std::string>(key);
        if (name == "contact")
            settings.contact = parse_contact(py::cast<std::string>(value));
        else if (name == "aggregation")
            settings.aggregation = parse_aggregation(py::cast<std::string>(value));
        else if (name == "friction_law")
            settings.friction_law = parse_friction_law(py::cast<std::string>(value));
        else if (name == "pressure")
            settings.pressure = parse_pressure(py::cast<std::string>(value));
        else if (name == "alarm_distance")
            settings.alarm_distance = py::cast<double>(value);
        else if (name == "contact_offset")
            settings.contact_offset = py::cast<double>(value);
        else if (name == "max_penetration")
            settings.max_penetration = py::cast<double>(value);
        else if (name == "solver_tolerance")
            settings.solver_tolerance = py::cast<double>(value);
        else if (name == "solver_max_iterations")
            settings.solver_max_iterations = py::cast<int>(value);
        else if (name == "accepted_residual")
            settings.accepted_residual = py::cast<double>(value);
        else if (name == "position_tolerance")
            settings.position_tolerance = py::cast<double>(value);
        else if (name == "position_max_iterations")
            settings.position_max_iterations = py::cast<int>(value);
        else if (name == "max_speed")
            settings.max_speed = py::cast<double>(value);
        else if (name == "unsolved_residual")
            settings.unsolved_residual = py::cast<double>(value);
        else if (name == "unsolved_steps")
            settings.unsolved_steps = py::cast<int>(value);
        else if (name == "inverted_steps")
            settings.inverted_steps = py::cast<int>(value);
        else
            throw std::invalid_argument("options: unknown key '" + name + "'");
    }
    return settings;
}

std::vector<Material> make_materials(const VectorXd& young, const VectorXd& poisson, const VectorXd& density,
                                     double stiffening, double stiffening_limit, Index elements)
{
    const auto at = [&](const VectorXd& values, Index i, const char* name) {
        if (values.size() != 1 && values.size() != elements) {
            throw std::invalid_argument(std::string(name) + ": " + std::to_string(values.size()) +
                                        " values for " + std::to_string(elements) +
                                        " elements; give one or one each");
        }
        return values[values.size() == 1 ? 0 : i];
    };
    std::vector<Material> materials;
    for (Index i = 0; i < elements; ++i) {
        materials.push_back({at(young, i, "young"), at(poisson, i, "poisson"), at(density, i, "density"),
                             stiffening, stiffening_limit});
    }
    return materials;
}

TetrahedralSystem::Definition make_definition(const Rows3& nodes, const IntRows4& tetrahedra,
                                              const VectorXd& young, const VectorXd& poisson,
                                              const VectorXd& density, double rayleigh_mass,
                                              double rayleigh_stiffness, double refactor_rotation_tolerance,
                                              double stiffening, double stiffening_limit)
{
    TetrahedralSystem::Definition definition;
    definition.model = CorotationalModel(
        nodes.transpose(), tetrahedra.transpose(),
        make_materials(young, poisson, density, stiffening, stiffening_limit, tetrahedra.rows()));
    definition.options.rayleigh_mass = rayleigh_mass;
    definition.options.rayleigh_stiffness = rayleigh_stiffness;
    definition.options.refactor_rotation_tolerance = refactor_rotation_tolerance;
    return definition;
}

void check_finite(const char* name, const Vector3d& value)
{
    if (!value.allFinite()) {
        throw std::invalid_argument(std::string(name) + ": give finite numbers");
    }
}

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

void fill(const py::dict& link, const char* key, VectorXd& values, Index offset, Index count)
{
    if (!link.contains(key) || link[key].is_none()) {
        return;
    }
    const auto given = py::cast<std::vector<double>>(link[key]);
    if (static_cast<Index>(given.size()) != count) {
        throw std::invalid_argument("link '" + get<std::string>(link, "name", "") + "': " + key + " has " +
                                    std::to_string(given.size()) + " values, its joint has " +
                                    std::to_string(count));
    }
    values.segment(offset, count) = Eigen::Map<const VectorXd>(given.data(), count);
}

int add_articulated(World& world, const std::string& name, const py::list& links, const VectorXd& q0,
                    bool gravity_compensated)
{
    ArticulatedModel model;
    for (const auto& item : links) {
        const auto link = py::cast<py::dict>(item);
        LinkDescription description;
        description.name = get<std::string>(link, "name", "");
        description.parent = get<int>(link, "parent", -1);
        description.joint = joint_type(get<std::string>(link, "joint", "fixed"));
        description.axis = get<Vector3d>(link, "axis", Vector3d::UnitZ());
        description.axis2 = get<Vector3d>(link, "axis2", Vector3d::UnitX());
        description.placement.translation = get<Vector3d>(link, "position", Vector3d::Zero());
        description.placement.rotation =
            quaternion(get<Eigen::Vector4d>(link, "orientation", Eigen::Vector4d(0, 0, 0, 1)))
                .toRotationMatrix();
        description.mass = get<double>(link, "mass", 0.0);
        description.com = get<Vector3d>(link, "com", Vector3d::Zero());
        description.inertia = get<Matrix3d>(link, "inertia", Matrix3d::Zero());
        model.add_link(description);
    }
    const Index nv = model.nv();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    JointCompliance compliance{VectorXd::Zero(nv), VectorXd::Zero(nv), VectorXd::Constant(nv, -infinity),
                               VectorXd::Constant(nv, infinity), VectorXd::Zero(nv)};
    for (int i = 0; i < model.link_count(); ++i) {
        const auto link = py::cast<py::dict>(links[static_cast<std::size_t>(i)]);
        const Index offset = model.v_offset(i);
        const Index count = model.dofs(i);
        fill(link, "stiffness", compliance.stiffness, offset, count);
        fill(link, "damping", compliance.damping, offset, count);
        fill(link, "lower", compliance.lower, offset, count);
        fill(link, "upper", compliance.upper, offset, count);
        compliance.limit_stiffness.segment(offset, count)
            .setConstant(get<double>(link, "limit_stiffness", 0.0));
    }
    return world.add_articulated(name, model, compliance, q0.size() == 0 ? model.neutral() : q0,
                                 VectorXd::Zero(nv), gravity_compensated);
}

int add_rigid(World& world, const std::string& name, const Rows3& vertices, const IntRows3& triangles,
              double mass, const Vector3d& com, const Matrix3d& inertia, const Vector3d& position,
              const Eigen::Vector4d& orientation, const Vector3d& linear_velocity,
              const Vector3d& angular_velocity, double friction, bool aggregate)
{
    check_finite("position", position);
    check_finite("linear_velocity", linear_velocity);
    check_finite("angular_velocity", angular_velocity);
    world.check_surface(name, friction);
    ArticulatedModel model;
    LinkDescription link;
    link.name = name;
    link.joint = JointType::free;
    link.mass = mass;
    link.com = com;
    link.inertia = inertia;
    model.add_link(link);
    const Quaterniond rotation = quaternion(orientation);
    VectorXd q0(7);
    q0 << position, rotation.coeffs();
    VectorXd v0(6);  // of the body's origin, in body axes
    const Vector3d origin_velocity = linear_velocity - angular_velocity.cross(rotation * com);
    v0 << rotation.conjugate() * origin_velocity, rotation.conjugate() * angular_velocity;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    JointCompliance compliance{VectorXd::Zero(6), VectorXd::Zero(6), VectorXd::Constant(6, -infinity),
                               VectorXd::Constant(6, infinity), VectorXd::Zero(6)};
    Surface surface = make_surface(vertices, triangles);
    const int body = world.add_articulated(name, model, compliance, q0, v0, false);
    world.add_link_surface(body, 0, name, std::move(surface), friction, aggregate);
    return body;
}

PoseMotion make_motion(const std::vector<double>& times, const Rows3& positions, const Rows4& orientations)
{
    std::vector<Vector3d> points;
    std::vector<Quaterniond> rotations;
    for (Index i = 0; i < positions.rows(); ++i) {
        points.emplace_back(positions.row(i).transpose());
    }
    for (Index i = 0; i < orientations.rows(); ++i) {
        rotations.push_back(quaternion(orientations.row(i).transpose()));
    }
    return PoseMotion(times, std::move(points), std::move(rotations));
}

int surface_id(const World& world, const std::string& name)
{
    const int id = world.find_surface(name);
    if (id < 0) {
        throw std::invalid_argument("surface '" + name + "' does not exist");
    }
    return id;
}

py::list patches(const World& world)
{
    py::list list;
    for (const auto& report : world.patches()) {
        py::dict patch;
        patch["body"] = world.surface(report.surface_a).name;
        patch["other"] = world.surface(report.surface_b).name;
        patch["number"] = report.number;
        patch["aggregated"] = report.aggregated;
        patch["force"] = report.force;
        patch["torque"] = report.torque;
        patch["centre"] = report.centre;
        patch["normal"] = report.normal;
        patch["normal_force"] = report.normal_force;
        patch["area"] = report.area;
        patch["volume"] = report.volume;
        patch["pressure_mean"] = report.pressure_mean;
        patch["pressure_max"] = report.pressure_max;
        const double gauge = world.slip_gauge(report);
        const bool slips = report.aggregated ? report.sliding : gauge > 1.0 - slip_margin;
        patch["state"] = slips ? "slip" : "stick";
        patch["slip_gauge"] = gauge;
        patch["contacts"] = report.point_count;
        Rows3 points(report.point_count, 3);
        Rows3 forces(report.point_count, 3);
        VectorXd areas(report.point_count);
        for (int i = 0; i < report.point_count; ++i) {
            const auto& point = world.patch_points()[report.first_point + static_cast<std::size_t>(i)];
            points.row(i) = point.position.transpose();
            forces.row(i) = point.force.transpose();
            areas[i] = point.area;
        }
        patch["points"] = points;
        patch["point_forces"] = forces;
        patch["point_areas"] = areas;
        list.append(patch);
    }
    return list;
}

py::dict statistics(const World& world)
{
    const StepStatistics& s = world.statistics();
    using namespace py::literals;
    return py::dict("contacts"_a = s.contacts, "rows"_a = s.rows, "patches"_a = s.patches,
                    "iterations"_a = s.iterations, "residual"_a = s.residual, "converged"_a = s.converged,
                    "position_residual"_a = s.position_residual, "penetration_max"_a = s.penetration_max,
                    "step_ms"_a = s.step_ms, "free_ms"_a = s.free_ms, "detection_ms"_a = s.detection_ms,
                    "solve_ms"_a = s.solve_ms, "position_ms"_a = s.position_ms);
}

py::object velocity_problem(const World& world)
{
    using namespace py::literals;
    const auto problem = world.velocity_problem();
    if (!problem) {
        return py::none();
    }
    VectorXd mu(static_cast<Index>(problem->blocks.size()));
    for (Index i = 0; i < mu.size(); ++i) {
        mu[i] = problem->blocks[static_cast<std::size_t>(i)].mu;
    }
    return py::dict("W"_a = RowMajorMatrix(problem->delassus), "q"_a = VectorXd(problem->right_hand_side),
                    "mu"_a = mu, "force"_a = VectorXd(problem->multipliers));
}

Rows3 surface_vertices(const World& world, int surface)
{
    const Surface& geometry = world.surface(surface).geometry;
    Rows3 vertices(geometry.vertex_count(), 3);
    for (int i = 0; i < geometry.vertex_count(); ++i) {
        vertices.row(i) = geometry.world_vertex(i).transpose();
    }
    return vertices;
}

py::dict vertex_loads(World& world, int surface)
{
    using namespace py::literals;
    const Surface& geometry = world.refreshed_surface(surface).geometry;
    Points forces(3, geometry.vertex_count());
    VectorXd normal_forces(geometry.vertex_count());
    world.vertex_forces(surface, forces, normal_forces);
    const VectorXd& areas = geometry.vertex_areas();
    const VectorXd inverse = (areas.array() > 0.0).select(areas.cwiseInverse(), 0.0);
    return py::dict("areas"_a = areas, "forces"_a = Rows3(forces.transpose()),
                    "pressures"_a = VectorXd(normal_forces.cwiseProduct(inverse)),
                    "tractions"_a = Rows3((forces * inverse.asDiagonal()).transpose()));
}

py::tuple pose_tuple(const Pose& pose)
{
    return py::make_tuple(pose.translation, Quaterniond(pose.rotation).coeffs());
}

}  // namespace

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
             "angular_velocity"_a = Vector3d(Vector3d::Zero()), "friction"_a = 0.5, "aggregate"_a = false)
        .def(
            "add_kinematic_body",
            [](World& world, const std::string& name, const Rows3& vertices, const IntRows3& triangles,
               const Vector3d& position, const Eigen::Vector4d& orientation, double friction) {
                return world.add_kinematic(name, make_surface(vertices, triangles),
                                           PoseMotion({0.0}, {position}, {quaternion(orientation)}),
                                           friction);
            },
            "name"_a, "vertices"_a, "triangles"_a, "position"_a = Vector3d(Vector3d::Zero()),
            "orientation"_a = Eigen::Vector4d(0, 0, 0, 1), "friction"_a = 0.5)
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
               const IntRows3& triangles, double friction, bool aggregate) {
                return world.add_link_surface(body, link, name, make_surface(vertices, triangles), friction,
                                              aggregate);
            },
            "body"_a, "link"_a, "name"_a, "vertices"_a, "triangles"_a, "friction"_a = 0.5,
            "aggregate"_a = false)
        .def(
            "set_pair_friction",
            [](World& world, const std::string& a, const std::string& b, double friction) {
                world.set_pair_friction(surface_id(world, a), surface_id(world, b), friction);
            },
            "name_a"_a, "name_b"_a, "friction"_a)
        .def(
            "disable_pair",
            [](World& world, const std::string& a, const std::string& b) {
                world.disable_pair(surface_id(world, a), surface_id(world, b));
            },
            "name_a"_a, "name_b"_a)
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
