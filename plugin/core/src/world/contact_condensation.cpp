// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cmath>
#include <softcontact/world/contact_condensation.hpp>
#include <softcontact/world/tool_system.hpp>
#include <stdexcept>
#include <string>

namespace softcontact {

ContactCondensation::ContactCondensation(const World& world, int tool, double fast_step)
    : m_tool(tool), m_fast_step(fast_step)
{
    static_cast<void>(world.tool(tool));
    if (!(fast_step > 0.0) || !std::isfinite(fast_step)) {
        throw std::invalid_argument("fast_step = " + std::to_string(fast_step) + " s must be finite and > 0");
    }
}

void ContactCondensation::build(const World& world, double published, LinearContactModel& out)
{
    const auto problem = world.velocity_problem();
    if (!problem) {
        throw std::invalid_argument(
            "the linear contact model takes point contacts; set contact = 'point' in a scene with a tool");
    }
    const ToolSystem& system = world.tool(m_tool);
    if (world.contact_rows().system_count() <= world.system_index(m_tool)) {
        throw std::invalid_argument(
            "tool '" + system.name() +
            "' has made no step yet, and a model is that of a step; step the world first");
    }
    const ToolDynamics& tool = system.dynamics();
    out.sequence = ++m_sequence;
    out.step = world.time_step();
    out.time = world.time() - out.step;
    out.published = published;
    out.fast_step = m_fast_step;
    out.reference = tool.start_pose();
    out.centre = tool.start_pose() * tool.properties().centre;
    out.free_force = tool.free_force();
    out.system = tool.system_matrix(system.coupling(), system.device(), tool.start_pose(), m_fast_step);

    m_reach.resize(6, problem->right_hand_side.size());
    world.contact_rows().generalized_forces(world.system_index(m_tool), m_reach);
    MatrixXd mobility = MatrixXd::Identity(6, 6);
    tool.solve(mobility);
    // Only what the tool touches is for the fast thread: what else holds, feet on the ground and joints at
    // their limits, is one with the bodies.
    m_points.keep_tool(*problem, m_reach);
    m_contacts.clear();
    for (const BlockDescriptor& block : m_points.blocks) {
        m_contacts.push_back({block.offset, block.mu});
    }
    m_rows.build({.delassus = m_points.delassus,
                  .right_hand_side = m_points.right_hand_side,
                  .multipliers = m_points.multipliers,
                  .contacts = m_contacts,
                  .reach = m_points.reach,
                  .mobility = mobility,
                  .free_velocity = tool.free_velocity(),
                  .step = out.step},
                 out);
}

}  // namespace softcontact
