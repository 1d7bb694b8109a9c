// SPDX-License-Identifier: LGPL-2.1-or-later
// What goes into a world before it steps: bodies, surfaces, pairs, motions; wrong input is refused here.
#include <algorithm>
#include <cmath>
#include <softcontact/world/world.hpp>
#include <stdexcept>

namespace softcontact {

namespace {

void require(bool condition, const std::string& message)
{
    if (!condition) {
        throw std::invalid_argument(message);
    }
}

void check_embedding(const ContactSurface& surface, const Embedding& embedding, Index dof)
{
    const Index vertices = surface.geometry.vertex_count();  // a surface has some
    require(embedding.nodes.cols() == vertices && embedding.weights.cols() == vertices,
            "embedding of '" + surface.name + "': one column a surface vertex is needed");
    require(embedding.nodes.minCoeff() >= 0 && 3 * embedding.nodes.maxCoeff() < dof,
            "embedding of '" + surface.name + "': node index out of range");
}

void check_settings(const WorldSettings& s)
{
    require(s.alarm_distance > 0.0 && std::isfinite(s.alarm_distance),
            "alarm_distance = " + std::to_string(s.alarm_distance) + " m must be positive");
    require(s.contact_offset >= 0.0 && s.contact_offset < s.alarm_distance,
            "contact_offset = " + std::to_string(s.contact_offset) +
                " m must lie in [0, alarm_distance = " + std::to_string(s.alarm_distance) + " m)");
    const auto positive = [](double value, const char* name) {
        require(value > 0.0 && std::isfinite(value),
                std::string(name) + " = " + std::to_string(value) + " must be positive and finite");
    };
    positive(s.max_penetration, "max_penetration");
    positive(s.solver_tolerance, "solver_tolerance");
    positive(s.accepted_residual, "accepted_residual");
    positive(s.position_tolerance, "position_tolerance");
    positive(s.max_speed, "max_speed");
    positive(s.unsolved_residual, "unsolved_residual");
    positive(s.solver_max_iterations, "solver_max_iterations");
    positive(s.position_max_iterations, "position_max_iterations");
    positive(s.inverted_steps, "inverted_steps");
    positive(s.unsolved_steps, "unsolved_steps");
}

}  // namespace

World::World(double time_step, const Vector3d& gravity, const WorldSettings& settings)
    : m_step(time_step), m_gravity(gravity), m_settings(settings)
{
    require(time_step > 0.0 && std::isfinite(time_step),
            "time_step = " + std::to_string(time_step) + " s must be positive and finite");
    require(gravity.allFinite(), "gravity must be finite");
    check_settings(settings);
    m_settings.least_bounce = 2.0 * gravity.norm() * time_step;
}

void World::check_name(const std::string& name) const
{
    require(!name.empty(), "name: a body or surface needs one");
    require(find_surface(name) < 0, "name '" + name + "' is taken; names of surfaces are unique");
}

int World::new_body(const std::string& name)
{
    require(!name.empty() && find_body(name) < 0, "body name '" + name + "' is empty or taken");
    Body body;
    body.name = name;
    m_bodies.push_back(std::move(body));
    return body_count() - 1;
}

int World::add_articulated(const std::string& name, const ArticulatedModel& model,
                           const JointCompliance& compliance, const VectorXd& q0, const VectorXd& v0,
                           bool gravity_compensated)
{
    auto system =
        std::make_unique<ArticulatedSystem>(name, model, compliance, q0, v0, m_gravity, gravity_compensated);
    system->set_integrator(m_settings.integrator);
    const int body = new_body(name);
    m_bodies.back().system = static_cast<int>(m_systems.size());
    m_systems.push_back(std::move(system));
    return body;
}

int World::add_tetrahedral(const std::string& name, TetrahedralSystem::Definition definition)
{
    definition.options.integrator = m_settings.integrator;
    auto system = std::make_unique<TetrahedralSystem>(name, std::move(definition), m_gravity,
                                                      m_settings.inverted_steps);
    const int body = new_body(name);
    m_bodies.back().system = static_cast<int>(m_systems.size());
    m_systems.push_back(std::move(system));
    return body;
}

void World::check_surface(const std::string& name, double friction) const
{
    check_name(name);
    require(friction >= 0.0 && std::isfinite(friction),
            "friction = " + std::to_string(friction) + " of '" + name + "' must be finite and >= 0");
}

int World::add_surface(ContactSurface surface)
{
    check_surface(surface.name, surface.friction);
    surface.update(m_time);
    surface.mark_start();
    m_surfaces.push_back(std::move(surface));
    m_pairs_stale = true;
    return surface_count() - 1;
}

void World::set_shape(int surface, ConvexShape shape)
{
    require(surface >= 0 && surface < surface_count(),
            "surface " + std::to_string(surface) + ": there is none");
    ContactSurface& own = m_surfaces[static_cast<std::size_t>(surface)];
    require(own.field == nullptr, "shape of '" + own.name + "': only rigid surfaces keep a shape");
    require(!shape.is_plane() || own.kind == ContactSurface::Kind::kinematic,
            "shape of '" + own.name + "': a plane has no end, so it must be kinematic");
    own.shape = std::make_shared<const ConvexShape>(std::move(shape));
    m_pairs_stale = true;
}

int World::add_kinematic(const std::string& name, Surface geometry, PoseMotion motion, double friction)
{
    require(!motion.empty(), "motion of '" + name + "': at least one keyframe is needed");
    ContactSurface surface(name, ContactSurface::Kind::kinematic, std::move(geometry));
    surface.motion = std::move(motion);
    surface.friction = friction;
    surface.body = body_count();
    check_surface(name, friction);
    const int body = new_body(name);
    m_bodies.back().surface = add_surface(std::move(surface));
    return body;
}

ArticulatedSystem& World::articulated_system(int body)
{
    require(body >= 0 && body < body_count(), "body " + std::to_string(body) + " does not exist");
    const int system = m_bodies[static_cast<std::size_t>(body)].system;
    auto* articulated =
        system < 0 ? nullptr
                   : dynamic_cast<ArticulatedSystem*>(m_systems[static_cast<std::size_t>(system)].get());
    require(articulated != nullptr, "body '" + body_name(body) + "' has no joints");
    return *articulated;
}

const ArticulatedSystem& World::articulated(int body) const
{
    return const_cast<World*>(this)->articulated_system(body);
}

int World::add_link_surface(int body, int link, const std::string& name, Surface geometry, double friction,
                            bool aggregate)
{
    const ArticulatedSystem& system = articulated_system(body);
    require(link >= 0 && link < system.model().link_count(),
            "link " + std::to_string(link) + " of '" + body_name(body) + "' does not exist");
    ContactSurface surface(name, ContactSurface::Kind::link, std::move(geometry));
    surface.body = body;
    surface.friction = friction;
    surface.aggregate = aggregate;
    surface.link_system = m_bodies[static_cast<std::size_t>(body)].system;
    surface.link = link;
    surface.carrier = &system;
    return add_surface(std::move(surface));
}

int World::add_field_surface(int body, const std::string& name, Surface geometry, Embedding embedding,
                             double friction, bool aggregate)
{
    require(body >= 0 && body < body_count(), "body " + std::to_string(body) + " does not exist");
    const int system = m_bodies[static_cast<std::size_t>(body)].system;
    const auto* field =
        system < 0
            ? nullptr
            : dynamic_cast<const TetrahedralSystem*>(m_systems[static_cast<std::size_t>(system)].get());
    require(field != nullptr, "body '" + body_name(body) + "' has no tetrahedra");
    ContactSurface surface(name, ContactSurface::Kind::field, std::move(geometry));
    check_embedding(surface, embedding, field->dof());
    surface.body = body;
    surface.friction = friction;
    surface.aggregate = aggregate;
    surface.field_system = system;
    surface.field = field;
    surface.geometry.set_folds(true);
    surface.embedding = std::move(embedding);
    return add_surface(std::move(surface));
}

int World::add_phalanx(int body, int link, const std::string& name, TetrahedralSystem::Definition definition,
                       Surface geometry, Embedding embedding, double friction)
{
    const ArticulatedSystem& system = articulated_system(body);
    require(link >= 0 && link < system.model().link_count(),
            "link " + std::to_string(link) + " of '" + body_name(body) + "' does not exist");
    check_surface(name, friction);
    // The field lives in the axes of its link: gravity and inertia act on the link.
    auto field = std::make_unique<TetrahedralSystem>(name, std::move(definition), Vector3d::Zero(),
                                                     m_settings.inverted_steps);
    ContactSurface surface(name, ContactSurface::Kind::phalanx, std::move(geometry));
    check_embedding(surface, embedding, field->dof());
    surface.body = body;
    surface.friction = friction;
    surface.aggregate = true;
    surface.link_system = m_bodies[static_cast<std::size_t>(body)].system;
    surface.link = link;
    surface.carrier = &system;
    surface.field_system = static_cast<int>(m_systems.size());
    surface.field = field.get();
    surface.geometry.set_folds(true);
    surface.embedding = std::move(embedding);
    m_systems.push_back(std::move(field));
    return add_surface(std::move(surface));
}

void World::set_pair_friction(int surface_a, int surface_b, double friction)
{
    require(friction >= 0.0 && std::isfinite(friction),
            "friction = " + std::to_string(friction) + " of a pair must be finite and >= 0");
    check_pair(surface_a, surface_b);
    m_laws.set_friction(surface_a, surface_b, friction);
    m_pairs_stale = true;
}

void World::set_pair_restitution(int surface_a, int surface_b, double restitution)
{
    require(restitution >= 0.0 && restitution <= 1.0,
            "restitution = " + std::to_string(restitution) + " of a pair must lie in [0, 1]");
    check_pair(surface_a, surface_b);
    m_laws.set_restitution(surface_a, surface_b, restitution);
    m_pairs_stale = true;
}

void World::set_surface_velocity(int surface, const ContactSurface::Belt& belt)
{
    require(surface >= 0 && surface < surface_count(),
            "surface " + std::to_string(surface) + " does not exist");
    require(belt.linear.allFinite() && belt.angular.allFinite() && belt.centre.allFinite(),
            "surface velocity of '" + this->surface(surface).name + "' must be finite");
    m_surfaces[static_cast<std::size_t>(surface)].belt = belt;
}

void World::check_pair(int surface_a, int surface_b) const
{
    require(surface_a != surface_b,
            "pair: surface '" + surface(surface_a).name + "' is named twice; name two surfaces");
}

void World::disable_pair(int surface_a, int surface_b)
{
    check_pair(surface_a, surface_b);
    m_laws.disable(surface_a, surface_b);
    m_pairs_stale = true;
}

void World::set_target_motion(int body, VectorMotion motion)
{
    articulated_system(body).set_target_motion(std::move(motion));
}

void World::set_velocity(int body, const VectorXd& velocity)
{
    ArticulatedSystem& system = articulated_system(body);
    require(velocity.size() == system.dof() && velocity.allFinite(),
            "velocity of '" + body_name(body) + "': " + std::to_string(system.dof()) +
                " finite values are needed");
    system.set_velocity(velocity);
}

void World::set_applied_force(int body, const VectorXd& force)
{
    ArticulatedSystem& system = articulated_system(body);
    require(
        force.size() == system.dof() && force.allFinite(),
        "force on '" + body_name(body) + "': " + std::to_string(system.dof()) + " finite values are needed");
    system.set_applied_force(force);
}

void World::scale_stiffness(int body, double factor)
{
    require(body >= 0 && body < body_count(), "body " + std::to_string(body) + ": there is none");
    const int index = m_bodies[static_cast<std::size_t>(body)].system;
    auto* const system =
        index < 0 ? nullptr
                  : dynamic_cast<TetrahedralSystem*>(m_systems[static_cast<std::size_t>(index)].get());
    require(system != nullptr,
            "body '" + body_name(body) + "' has no Young's modulus; name a tetrahedral body");
    system->scale_stiffness(factor);
}

void World::set_kinematic_motion(int body, PoseMotion motion)
{
    require(body >= 0 && body < body_count() && m_bodies[static_cast<std::size_t>(body)].surface >= 0,
            "body " + std::to_string(body) + " is not kinematic");
    auto& surface = m_surfaces[static_cast<std::size_t>(m_bodies[static_cast<std::size_t>(body)].surface)];
    surface.motion = std::move(motion);
    surface.update(m_time);
    surface.mark_start();
}

void World::set_contact_model(ContactModel model)
{
    m_settings.contact = model;
    m_pairs_stale = true;
}

void World::add_grasp(int body, std::vector<GraspFinger> fingers, double start, double end, double force)
{
    const ArticulatedSystem& system = articulated_system(body);
    for (const auto& finger : fingers) {
        for (const Index dof : finger.dofs) {
            require(dof >= 0 && dof < system.dof(), "grasp: finger '" + finger.name + "' names coordinate " +
                                                        std::to_string(dof) + " of " +
                                                        std::to_string(system.dof()));
        }
        for (const int link : finger.links) {
            require(link >= 0 && link < system.model().link_count(),
                    "grasp: finger '" + finger.name + "' names link " + std::to_string(link));
        }
    }
    m_grasps.emplace_back(m_bodies[static_cast<std::size_t>(body)].system, std::move(fingers), start, end,
                          force);
}

}  // namespace softcontact
