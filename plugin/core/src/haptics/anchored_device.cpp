// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/haptics/anchored_device.hpp"

#include <stdexcept>

namespace softcontact {

AnchoredDevice::AnchoredDevice(HapticDevice& device, const RigidPose& start)
    : m_device(device), m_start(start)
{
    if (!start.finite()) {
        throw std::invalid_argument("start: a finite position and a unit quaternion are needed");
    }
    m_start.orientation.normalize();
}

void AnchoredDevice::read(DeviceState& state) noexcept
{
    m_device.read(m_reading);
    if (m_reading.sequence == m_sequence) {
        return;  // nothing fresh
    }
    m_sequence = m_reading.sequence;
    const RigidPose pose{m_reading.position, m_reading.orientation};
    if (pose.finite() && !m_anchored.exchange(true, std::memory_order_relaxed)) {
        m_shift = m_start.position - pose.position;
        m_turn = pose.orientation.conjugate() * m_start.orientation;
    }
    state = m_reading;
    state.position += m_shift;
    state.orientation = m_reading.orientation * m_turn;
}

}  // namespace softcontact
