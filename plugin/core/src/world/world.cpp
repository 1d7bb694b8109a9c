// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <chrono>
#include <cmath>
#include <softcontact/world/passage.hpp>
#include <softcontact/world/world.hpp>
#include <stdexcept>

namespace softcontact {

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::time_point from, Clock::time_point to)
{
    return std::chrono::duration<double, std::milli>(to - from).count();
}

void require(bool condition, const std::string& message)
{
    if (!condition) {
        throw std::invalid_argument(message);
    }
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
    const int body = new_body(name);
    m_bodies.back().system = static_cast<int>(m_systems.size());
    m_systems.push_back(std::move(system));
    return body;
}

int World::add_tetrahedral(const std::string& name, TetrahedralSystem::Definition definition)
{
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
    surface.articulated = &system;
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
    require(embedding.nodes.cols() == surface.geometry.vertex_count() &&
                embedding.weights.cols() == surface.geometry.vertex_count(),
            "embedding of '" + name + "': one column a surface vertex is needed");
    require(embedding.nodes.size() == 0 ||
                (embedding.nodes.minCoeff() >= 0 && 3 * embedding.nodes.maxCoeff() < field->dof()),
            "embedding of '" + name + "': node index out of range");
    surface.body = body;
    surface.friction = friction;
    surface.aggregate = aggregate;
    surface.field_system = system;
    surface.field = field;
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
    require(embedding.nodes.cols() == surface.geometry.vertex_count() &&
                embedding.weights.cols() == surface.geometry.vertex_count(),
            "embedding of '" + name + "': one column a surface vertex is needed");
    require(embedding.nodes.minCoeff() >= 0 && 3 * embedding.nodes.maxCoeff() < field->dof(),
            "embedding of '" + name + "': node index out of range");
    surface.body = body;
    surface.friction = friction;
    surface.aggregate = true;
    surface.link_system = m_bodies[static_cast<std::size_t>(body)].system;
    surface.link = link;
    surface.articulated = &system;
    surface.field_system = static_cast<int>(m_systems.size());
    surface.field = field.get();
    surface.embedding = std::move(embedding);
    m_bodies[static_cast<std::size_t>(body)].owned_systems.push_back(surface.field_system);
    m_systems.push_back(std::move(field));
    return add_surface(std::move(surface));
}

void World::set_pair_friction(int surface_a, int surface_b, double friction)
{
    require(friction >= 0.0 && std::isfinite(friction),
            "friction = " + std::to_string(friction) + " of a pair must be finite and >= 0");
    check_pair(surface_a, surface_b);
    m_pair_friction.push_back({std::minmax(surface_a, surface_b), friction});
    m_pairs_stale = true;
}

void World::check_pair(int surface_a, int surface_b) const
{
    require(surface_a != surface_b,
            "pair: surface '" + surface(surface_a).name + "' is named twice; name two surfaces");
}

void World::disable_pair(int surface_a, int surface_b)
{
    check_pair(surface_a, surface_b);
    m_disabled.emplace_back(std::minmax(surface_a, surface_b));
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

void World::set_kinematic_motion(int body, PoseMotion motion)
{
    require(body >= 0 && body < body_count() && m_bodies[static_cast<std::size_t>(body)].surface >= 0,
            "body " + std::to_string(body) + " is not kinematic");
    auto& surface = m_surfaces[static_cast<std::size_t>(m_bodies[static_cast<std::size_t>(body)].surface)];
    surface.motion = std::move(motion);
    surface.update(m_time);
    surface.mark_start();
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

void World::list_pairs()
{
    m_pairs.clear();
    for (int i = 0; i < surface_count(); ++i) {
        for (int j = i + 1; j < surface_count(); ++j) {
            const auto& a = m_surfaces[static_cast<std::size_t>(i)];
            const auto& b = m_surfaces[static_cast<std::size_t>(j)];
            const bool moved =
                a.kind != ContactSurface::Kind::kinematic || b.kind != ContactSurface::Kind::kinematic;
            const bool same_link = a.link_system >= 0 && a.link_system == b.link_system && a.link == b.link;
            const bool same_field = a.field_system >= 0 && a.field_system == b.field_system;
            const bool disabled = std::find(m_disabled.begin(), m_disabled.end(),
                                            std::pair<int, int>(i, j)) != m_disabled.end();
            if (!moved || same_link || same_field || disabled) {
                continue;
            }
            // A aggregates; else it is the softer, else the one that moves, else the first.
            const auto rank = [](const ContactSurface& surface) {
                return 4 * static_cast<int>(surface.aggregate) +
                       2 * static_cast<int>(surface.field_system >= 0) +
                       static_cast<int>(surface.kind != ContactSurface::Kind::kinematic);
            };
            ContactPair pair;
            const bool swapped = rank(b) > rank(a);
            pair.a = swapped ? j : i;
            pair.b = swapped ? i : j;
            pair.aggregated = m_settings.contact == ContactModel::aggregate && (a.aggregate || b.aggregate);
            pair.friction = std::sqrt(a.friction * b.friction);
            for (const auto& [surfaces, friction] : m_pair_friction) {
                if (surfaces == std::pair<int, int>(i, j)) {
                    pair.friction = friction;  // the last one given counts
                }
            }
            m_pairs.push_back(std::move(pair));
        }
    }
    m_travel.resize(m_surfaces.size());
    m_pairs_stale = false;
}

void World::advance_grasps()
{
    for (auto& grasp : m_grasps) {
        auto& system = static_cast<ArticulatedSystem&>(*m_systems[static_cast<std::size_t>(grasp.system())]);
        m_link_forces.assign(static_cast<std::size_t>(system.model().link_count()), 0.0);
        for (const auto& report : m_builder.reports()) {
            const auto& a = m_surfaces[static_cast<std::size_t>(report.surface_a)];
            const auto& b = m_surfaces[static_cast<std::size_t>(report.surface_b)];
            const bool a_is_hand = a.link_system == grasp.system();
            const bool b_is_hand = b.link_system == grasp.system();
            if (a_is_hand != b_is_hand) {  // fingers that touch each other hold nothing
                m_link_forces[static_cast<std::size_t>(a_is_hand ? a.link : b.link)] += report.normal_force;
            }
        }
        grasp.advance(m_time + m_step, m_step, m_link_forces);
        for (std::size_t f = 0; f < grasp.finger_count(); ++f) {
            for (std::size_t j = 0; j < grasp.finger(f).dofs.size(); ++j) {
                system.set_target_offset(grasp.finger(f).dofs[j], grasp.offsets(f)[j]);
            }
        }
    }
}

bool World::free_motion()
{
    const double end = static_cast<double>(m_step_index + 1) * m_step;
    for (auto& surface : m_surfaces) {
        surface.mark_start();
    }
    for (auto& system : m_systems) {
        if (!system->free_motion(end, m_step)) {
            const Health health = system->health();
            return fail(system->name(),
                        health.ok ? "the system matrix could not be factored" : health.reason);
        }
    }
    for (std::size_t i = 0; i < m_surfaces.size(); ++i) {
        m_surfaces[i].update(end);
        m_travel[i] = m_surfaces[i].travel();
    }
    return true;
}

void World::apply_velocity()
{
    for (std::size_t s = 0; s < m_systems.size(); ++s) {
        m_systems[s]->finish(m_step,
                             m_builder.rows().response(static_cast<int>(s), m_builder.multipliers(), m_step));
    }
}

void World::apply_position()
{
    for (std::size_t s = 0; s < m_systems.size(); ++s) {
        m_systems[s]->correct(m_builder.rows().response(static_cast<int>(s), m_builder.position_multipliers(),
                                                        m_step * m_step));
    }
}

bool World::check_health()
{
    for (const auto& system : m_systems) {
        Health health = system->health();
        if (health.ok && !(system->velocity().cwiseAbs().maxCoeff() <= m_settings.max_speed)) {
            health = {false, "speed above the limit (max_speed): the step diverged"};
        }
        if (!health.ok) {
            return fail(system->name(), health.reason);
        }
    }
    return check_contacts() && check_passages();
}

bool World::check_contacts()
{
    if (m_statistics.penetration_max > m_settings.max_penetration) {
        const ContactPair& pair = m_pairs[static_cast<std::size_t>(m_overlapping_pair)];
        return fail(moving_side(pair), "is " + std::to_string(1e3 * m_statistics.penetration_max) +
                                           " mm inside '" + other_side(pair) +
                                           "', more than max_penetration");
    }
    const bool useful = m_statistics.residual <= m_settings.unsolved_residual;
    m_unsolved_for = useful ? 0 : m_unsolved_for + 1;
    if (m_unsolved_for > m_settings.unsolved_steps) {
        const auto& reports = m_builder.reports();
        const auto heaviest =
            std::max_element(reports.begin(), reports.end(),
                             [](const auto& x, const auto& y) { return x.normal_force < y.normal_force; });
        const std::string body =
            heaviest == reports.end() ? "?" : m_surfaces[static_cast<std::size_t>(heaviest->surface_a)].name;
        return fail(body,
                    "no contact forces were found for " + std::to_string(m_unsolved_for) + " steps in a row");
    }
    return true;
}

bool World::check_passages()
{
    // Slower motion than this cannot carry one surface past another unseen.
    const double seen = m_settings.alarm_distance;
    constexpr double grazing_ratio = 0.1;
    for (std::size_t i = 0; i < m_surfaces.size(); ++i) {
        m_travel[i] = m_surfaces[i].travel();
    }
    for (const auto& pair : m_pairs) {
        const auto& a = m_surfaces[static_cast<std::size_t>(pair.a)];
        const auto& b = m_surfaces[static_cast<std::size_t>(pair.b)];
        if (m_travel[static_cast<std::size_t>(pair.a)] + m_travel[static_cast<std::size_t>(pair.b)] <= seen ||
            !a.swept_box().overlaps(b.swept_box())) {
            continue;
        }
        if (passed_into(a, b, m_settings.max_penetration, grazing_ratio * seen) ||
            passed_into(b, a, m_settings.max_penetration, grazing_ratio * seen)) {
            return fail(moving_side(pair), "went into or through '" + other_side(pair) + "' within one step");
        }
    }
    return true;
}

bool World::fail(const std::string& body, const std::string& reason)
{
    m_failure = "body '" + body + "': " + reason;
    m_failed = true;
    return false;
}

const std::string& World::moving_side(const ContactPair& pair) const
{
    const auto& a = m_surfaces[static_cast<std::size_t>(pair.a)];
    const auto& b = m_surfaces[static_cast<std::size_t>(pair.b)];
    return a.kind == ContactSurface::Kind::kinematic ? b.name : a.name;
}

const std::string& World::other_side(const ContactPair& pair) const
{
    const auto& a = m_surfaces[static_cast<std::size_t>(pair.a)];
    const auto& b = m_surfaces[static_cast<std::size_t>(pair.b)];
    return a.kind == ContactSurface::Kind::kinematic ? a.name : b.name;
}

bool World::step()
{
    if (m_failed) {
        return false;
    }
    if (m_pairs_stale) {
        list_pairs();
    }
    const auto start = Clock::now();
    advance_grasps();
    if (!free_motion()) {
        return false;
    }
    const auto freed = Clock::now();
    m_builder.detect(m_surfaces, m_pairs, m_travel, m_settings);
    const auto detected = Clock::now();
    m_builder.assemble(m_systems, m_surfaces, m_pairs, m_settings, m_step);
    const GaussSeidelResult velocity = m_builder.solve_velocity(m_settings, m_step);
    apply_velocity();
    const auto solved = Clock::now();
    const GaussSeidelResult position = m_builder.solve_position(m_settings, m_step);
    apply_position();
    ++m_step_index;
    m_time = static_cast<double>(m_step_index) * m_step;
    for (auto& surface : m_surfaces) {
        surface.update(m_time);
    }
    m_builder.report(m_surfaces, m_pairs);
    const auto done = Clock::now();

    m_statistics.contacts = m_builder.contact_count();
    m_statistics.rows = m_builder.row_count();
    m_statistics.patches = static_cast<int>(m_builder.reports().size());
    m_statistics.iterations = velocity.iterations;
    m_statistics.residual = velocity.residual;
    m_statistics.converged = velocity.converged && position.converged;
    const auto overlap = m_builder.overlap(m_surfaces, m_pairs);
    m_statistics.penetration_max = overlap.depth;
    m_overlapping_pair = overlap.pair;
    m_statistics.step_ms = milliseconds(start, done);
    m_statistics.free_ms = milliseconds(start, freed);
    m_statistics.detection_ms = milliseconds(freed, detected);
    m_statistics.solve_ms = milliseconds(detected, solved);
    m_statistics.position_ms = milliseconds(solved, done);
    return check_health();
}

int World::find_surface(const std::string& name) const
{
    for (std::size_t i = 0; i < m_surfaces.size(); ++i) {
        if (m_surfaces[i].name == name) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

int World::find_body(const std::string& name) const
{
    for (std::size_t i = 0; i < m_bodies.size(); ++i) {
        if (m_bodies[i].name == name) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

const std::string& World::body_name(int body) const
{
    return m_bodies.at(static_cast<std::size_t>(body)).name;
}

const System* World::body_system(int body) const
{
    const int system = m_bodies.at(static_cast<std::size_t>(body)).system;
    return system < 0 ? nullptr : m_systems[static_cast<std::size_t>(system)].get();
}

Pose World::body_pose(int body, int link) const
{
    const Body& entry = m_bodies.at(static_cast<std::size_t>(body));
    if (entry.surface >= 0) {
        return m_surfaces[static_cast<std::size_t>(entry.surface)].geometry.pose();
    }
    const ArticulatedSystem& system = articulated(body);
    require(link >= 0 && link < system.model().link_count(),
            "link " + std::to_string(link) + " of '" + body_name(body) + "' does not exist");
    return system.link_pose(link);
}

double World::kinetic_energy() const
{
    double energy = 0.0;
    for (const auto& system : m_systems) {
        energy += system->kinetic_energy();
    }
    return energy;
}

double World::elastic_energy() const
{
    double energy = 0.0;
    for (const auto& system : m_systems) {
        energy += system->elastic_energy();
    }
    return energy;
}

double World::potential_energy() const
{
    double energy = 0.0;
    for (const auto& system : m_systems) {
        energy += system->potential_energy();
    }
    return energy;
}

std::vector<double> World::state() const
{
    std::vector<double> out;
    for (const auto& system : m_systems) {
        system->append_state(out);
    }
    return out;
}

}  // namespace softcontact
