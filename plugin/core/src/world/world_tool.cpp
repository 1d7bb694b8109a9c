// SPDX-License-Identifier: LGPL-2.1-or-later
// Haptic tools as bodies of the world.
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

}  // namespace softcontact
