// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/haptics/tool_law.hpp"

#include <limits>
#include <stdexcept>

namespace softcontact {

ToolLaw::ToolLaw(const HapticTool& tool, int capacity)
    : m_tool(tool), m_model(capacity), m_couplings(tool.coupling())
{
    if (capacity < 0) {
        throw std::invalid_argument("capacity: " + std::to_string(capacity) + ", expected 0 or more");
    }
}

bool ToolLaw::fits(Index count) const noexcept
{
    const LinearContactModel none(0);
    const Index fixed = none.most_packed() - ContactTableau::packed_size(0);
    for (int contacts = 0; contacts <= m_model.rows.capacity(); ++contacts) {
        if (count == fixed + ContactTableau::packed_size(contacts)) {
            return true;
        }
    }
    return false;
}

void ToolLaw::take(const double* parameters, Index count) noexcept
{
    m_model.unpack(parameters, count);
}

void ToolLaw::reset(const DeviceState& state) noexcept
{
    m_tool.reset_to_device({state.position, state.orientation});
    m_last = {};
}

Vector6d ToolLaw::wrench(const DeviceState& state, double) noexcept
{
    if (m_couplings.take()) {
        m_tool.set_coupling(m_couplings.value());
    }
    m_last = m_tool.tick({state.position, state.orientation}, {state.linear_velocity, state.angular_velocity},
                         &m_model);
    if (!m_last.ok) {
        reset(state);  // the session fades in anew from there
        return Vector6d::Constant(std::numeric_limits<double>::quiet_NaN());
    }
    return m_last.device.vector();
}

void ToolLaw::tell(double* outputs) const noexcept
{
    const RigidPose& pose = m_tool.dynamics().pose();
    Eigen::Map<Eigen::Matrix<double, 19, 1>> out(outputs);
    out << pose.position, pose.orientation.coeffs(), m_tool.dynamics().motion().vector(),
        m_last.contact.vector();
    outputs[19] = m_last.touching;
}

}  // namespace softcontact
