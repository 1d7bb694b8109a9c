// SPDX-License-Identifier: LGPL-2.1-or-later
#include "world_arguments.hpp"

#include <cmath>
#include <limits>

namespace softcontact::bindings {

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

Integrator parse_integrator(const std::string& text)
{
    if (text == "implicit-euler") return Integrator::implicit_euler;
    if (text == "midpoint") return Integrator::midpoint;
    throw std::invalid_argument("integrator = '" + text + "': use 'implicit-euler' or 'midpoint'");
}

ContactModel parse_contact(const std::string& text)
{
    if (text == "aggregate") return ContactModel::aggregate;
    if (text == "point") return ContactModel::point;
    throw std::invalid_argument("contact = '" + text + "': use 'aggregate' or 'point'");
}

namespace {

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

PatchLaw parse_patch_law(const std::string& text)
{
    if (text == "moments" || text == "mean") {
        return text == "moments" ? PatchLaw::moments : PatchLaw::mean;
    }
    throw std::invalid_argument("patch_law = '" + text + "': use 'moments' or 'mean'");
}

PressureRule parse_pressure(const std::string& text)
{
    if (text == "nonuniform") return PressureRule::nonuniform;
    if (text == "uniform") return PressureRule::uniform;
    throw std::invalid_argument("pressure = '" + text + "': use 'nonuniform' or 'uniform'");
}

}  // namespace

WorldSettings parse_settings(const py::dict& options)
{
    WorldSettings settings;
    for (const auto& [key, value] : options) {
        const auto name = py::cast<std::string>(key);
        if (name == "contact")
            settings.contact = parse_contact(py::cast<std::string>(value));
        else if (name == "integrator")
            settings.integrator = parse_integrator(py::cast<std::string>(value));
        else if (name == "aggregation")
            settings.aggregation = parse_aggregation(py::cast<std::string>(value));
        else if (name == "friction_law")
            settings.friction_law = parse_friction_law(py::cast<std::string>(value));
        else if (name == "patch_law")
            settings.patch_law = parse_patch_law(py::cast<std::string>(value));
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

namespace {

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

}  // namespace

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

namespace {

void check_finite(const char* name, const Vector3d& value)
{
    if (!value.allFinite()) {
        throw std::invalid_argument(std::string(name) + ": give finite numbers");
    }
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

}  // namespace

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
    JointCompliance compliance{VectorXd::Zero(nv),
                               VectorXd::Zero(nv),
                               VectorXd::Constant(nv, -infinity),
                               VectorXd::Constant(nv, infinity),
                               VectorXd::Zero(nv),
                               VectorXd::Zero(nv)};
    for (int i = 0; i < model.link_count(); ++i) {
        const auto link = py::cast<py::dict>(links[static_cast<std::size_t>(i)]);
        const Index offset = model.v_offset(i);
        const Index count = model.dofs(i);
        fill(link, "stiffness", compliance.stiffness, offset, count);
        fill(link, "damping", compliance.damping, offset, count);
        fill(link, "lower", compliance.lower, offset, count);
        fill(link, "upper", compliance.upper, offset, count);
        fill(link, "friction", compliance.friction, offset, count);
        compliance.limit_stiffness.segment(offset, count)
            .setConstant(get<double>(link, "limit_stiffness", 0.0));
    }
    return world.add_articulated(name, model, compliance, q0.size() == 0 ? model.neutral() : q0,
                                 VectorXd::Zero(nv), gravity_compensated);
}

int add_rigid(World& world, const std::string& name, const Rows3& vertices, const IntRows3& triangles,
              double mass, const Vector3d& com, const Matrix3d& inertia, const Vector3d& position,
              const Eigen::Vector4d& orientation, const Vector3d& linear_velocity,
              const Vector3d& angular_velocity, double friction, bool aggregate,
              const std::optional<ConvexShape>& shape)
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
    JointCompliance compliance{VectorXd::Zero(6),
                               VectorXd::Zero(6),
                               VectorXd::Constant(6, -infinity),
                               VectorXd::Constant(6, infinity),
                               VectorXd::Zero(6),
                               VectorXd::Zero(6)};
    Surface surface = make_surface(vertices, triangles);
    const int body = world.add_articulated(name, model, compliance, q0, v0, false);
    const int number = world.add_link_surface(body, 0, name, std::move(surface), friction, aggregate);
    if (shape) {
        world.set_shape(number, *shape);
    }
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

}  // namespace softcontact::bindings
