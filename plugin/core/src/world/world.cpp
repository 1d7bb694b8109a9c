// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <softcontact/world/tool_system.hpp>
#include <softcontact/world/world.hpp>
#include <stdexcept>

namespace softcontact {

void World::renew_pairs()
{
    m_builder.clear_pairs(m_pairs);
    m_judge.set_surfaces(m_surfaces);
    m_judge.look(m_surfaces, m_laws, m_settings.contact);
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
            // Whatever it meets stops a finger, another finger too.
            for (const ContactSurface* surface : {&a, &b}) {
                if (surface->link_system == grasp.system()) {
                    m_link_forces[static_cast<std::size_t>(surface->link)] += report.normal_force;
                }
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
    if (const ToolSystem* tool = find_tool(body)) {
        return tool->link_pose(link);
    }
    const ArticulatedSystem& system = articulated(body);
    if (link < 0 || link >= system.model().link_count()) {
        throw std::invalid_argument("link " + std::to_string(link) + " of '" + body_name(body) +
                                    "' does not exist");
    }
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
