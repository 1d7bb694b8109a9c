// SPDX-License-Identifier: LGPL-2.1-or-later
// Haptic tools as bodies of the world.
#include <cmath>
#include <softcontact/geometry/first_contact.hpp>
#include <softcontact/world/tool_system.hpp>
#include <softcontact/world/world.hpp>
#include <stdexcept>

namespace softcontact {

int World::add_tool(const std::string& name, Surface geometry, const ToolProperties& properties,
                    const VirtualCoupling& coupling, const RigidPose& pose, double friction)
{
    check_surface(name, friction);
    auto system = std::make_unique<ToolSystem>(name, properties, coupling, pose, m_gravity);
    const int body = new_body(name);
    ContactSurface surface(name, ContactSurface::Kind::link, std::move(geometry));
    surface.body = body;
    surface.friction = friction;
    surface.link_system = static_cast<int>(m_systems.size());
    surface.link = 0;
    surface.carrier = system.get();
    m_bodies.back().system = surface.link_system;
    m_systems.push_back(std::move(system));
    m_tools.push_back(body);
    add_surface(std::move(surface));
    return body;
}

ToolSystem* World::find_tool(int body) const
{
    const int system = m_bodies.at(static_cast<std::size_t>(body)).system;
    return system < 0 ? nullptr
                      : dynamic_cast<ToolSystem*>(m_systems[static_cast<std::size_t>(system)].get());
}

ToolSystem& World::tool(int body)
{
    ToolSystem* const found = body >= 0 && body < body_count() ? find_tool(body) : nullptr;
    if (found == nullptr) {
        throw std::invalid_argument("body " + std::to_string(body) + " is no tool; add_tool() gives one");
    }
    return *found;
}

const ToolSystem& World::tool(int body) const
{
    return const_cast<World*>(this)->tool(body);
}

void World::set_device(int body, const RigidPose& pose, const Twist& motion)
{
    tool(body).set_device(pose, motion);
}

void World::set_coupling(int body, const VirtualCoupling& coupling)
{
    tool(body).set_coupling(coupling);
}

void World::mark_tools()
{
    m_is_tool.assign(m_systems.size(), 0);
    for (const int body : m_tools) {
        m_is_tool[static_cast<std::size_t>(m_bodies[static_cast<std::size_t>(body)].system)] = 1;
    }
    const auto is_tool = [&](int surface) {
        const int system = m_surfaces[static_cast<std::size_t>(surface)].link_system;
        return system >= 0 && m_is_tool[static_cast<std::size_t>(system)] != 0;
    };
    for (auto& pair : m_pairs) {
        pair.of_tool = is_tool(pair.a) || is_tool(pair.b);
    }
}

void World::mark_touched()
{
    m_shown.assign(m_systems.size(), 0);
    for (const auto& pair : m_pairs) {
        if (!pair.of_tool || !pair.touched()) {
            continue;
        }
        for (const int side : {pair.a, pair.b}) {
            const ContactSurface& surface = m_surfaces[static_cast<std::size_t>(side)];
            const bool tool =
                surface.link_system >= 0 && m_is_tool[static_cast<std::size_t>(surface.link_system)];
            // A rigid body's blow against others is over with the step; tissue goes on bearing what it bore.
            for (const int system : {tool ? surface.link_system : -1, surface.field_system}) {
                if (system >= 0) {
                    m_shown[static_cast<std::size_t>(system)] = 1;
                }
            }
        }
    }
}

void World::find_contacts()
{
    // The free motion of a pressed tool goes as deep into the tissue as its coupling is stretched, and the
    // tissue comes out to meet it: contact that is looked for there depends on the time step, and comes and
    // goes in a tool that is held still. With what contact changed in the last step both are nearly where
    // they will be.
    bool shown = false;
    if (m_contact_changes.size() == m_systems.size() && !m_tools.empty()) {
        mark_touched();
        shown = std::find(m_shown.begin(), m_shown.end(), 1) != m_shown.end();
    }
    if (shown) {
        show_motion(true);
    }
    stop_tools_at_contact(shown);
    m_builder.detect(m_surfaces, m_pairs, m_travel, m_settings);
    if (shown && lost_contact()) {
        // It parts, or the last step was a blow and changed more than this one will.
        show_motion(false);
        stop_tools_at_contact(false);
        m_builder.detect(m_surfaces, m_pairs, m_travel, m_settings);
    }
}

void World::show_motion(bool with_contact)
{
    for (std::size_t s = 0; s < m_systems.size(); ++s) {
        if (m_shown[s] != 0) {
            m_systems[s]->show(m_step, contact_change(s, with_contact), 1.0);
        }
    }
    const double end = static_cast<double>(m_step_index + 1) * m_step;
    for (std::size_t i = 0; i < m_surfaces.size(); ++i) {
        m_surfaces[i].update(end);
        m_travel[i] = m_surfaces[i].travel();
    }
}

Eigen::Ref<const VectorXd> World::contact_change(std::size_t system, bool with_contact)
{
    if (with_contact && m_shown[system] != 0) {
        return m_contact_changes[system];
    }
    const Index dof = m_systems[system]->dof();
    if (m_no_change.size() < dof) {
        m_no_change.setZero(dof);
    }
    return m_no_change.head(dof);
}

bool World::lost_contact() const
{
    for (std::size_t i = 0; i < m_pairs.size(); ++i) {
        if (m_pairs[i].of_tool && m_pairs[i].touched() && !m_builder.found(i)) {
            return true;
        }
    }
    return false;
}

void World::stop_tools_at_contact(bool with_contact)
{
    const auto points = [](const ContactSurface& surface, bool start) {
        Points out(3, surface.geometry.vertex_count());
        for (int i = 0; i < surface.geometry.vertex_count(); ++i) {
            out.col(i) = start ? surface.start_vertex(i) : surface.geometry.world_vertex(i);
        }
        return out;
    };
    const double pressed_ratio = with_contact ? 3.0 : 10.0;  // of motion that counts as pressing
    for (const int body : m_tools) {
        const int system = m_bodies[static_cast<std::size_t>(body)].system;
        double first = 1.0;
        int own = -1;
        for (const auto& pair : m_pairs) {
            const auto& a = m_surfaces[static_cast<std::size_t>(pair.a)];
            const auto& b = m_surfaces[static_cast<std::size_t>(pair.b)];
            if (a.link_system != system && b.link_system != system) {
                continue;
            }
            // The tool's own way. Once it touches, its motion may go into the tissue, without contact as deep
            // as its coupling is stretched: detection sees that, and has to see it where the tissue is.
            const double travel =
                m_travel[static_cast<std::size_t>(a.link_system == system ? pair.a : pair.b)];
            const double seen = (pair.touched() ? pressed_ratio : 1.0) * m_settings.alarm_distance;
            if (!(travel > seen) || !std::isfinite(travel) || !a.swept_box().overlaps(b.swept_box())) {
                continue;  // what moves less is seen at the end of its free motion
            }
            const Points start_a = points(a, true), end_a = points(a, false);
            const Points start_b = points(b, true), end_b = points(b, false);
            const auto found = first_contact({a.geometry.triangles(), start_a, end_a},
                                             {b.geometry.triangles(), start_b, end_b});
            if (found && found->share < first) {
                first = found->share;
                own = a.link_system == system ? pair.a : pair.b;
            }
        }
        if (own >= 0) {
            m_systems[static_cast<std::size_t>(system)]->show(
                m_step, contact_change(static_cast<std::size_t>(system), with_contact), first);
            m_surfaces[static_cast<std::size_t>(own)].update(static_cast<double>(m_step_index + 1) * m_step);
        }
    }
}

}  // namespace softcontact
