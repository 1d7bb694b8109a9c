// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>
#include <softcontact/world/grasp_controller.hpp>
#include <stdexcept>

namespace softcontact {

GraspController::GraspController(int system, std::vector<GraspFinger> fingers, double start, double end,
                                 double force)
    : m_system(system), m_fingers(std::move(fingers)), m_start(start), m_end(end), m_force(force)
{
    if (!(end > start)) {
        throw std::invalid_argument("grasp: end = " + std::to_string(end) +
                                    " s must lie after start = " + std::to_string(start) + " s");
    }
    if (!(force > 0.0) || !std::isfinite(force)) {
        throw std::invalid_argument("grasp: force = " + std::to_string(force) +
                                    " N must be positive and finite");
    }
    for (const auto& finger : m_fingers) {
        if (finger.dofs.size() != finger.rates.size() || finger.dofs.size() != finger.links.size()) {
            throw std::invalid_argument("grasp: finger '" + finger.name +
                                        "' needs one rate and one link a coordinate");
        }
        for (const double rate : finger.rates) {
            if (!std::isfinite(rate)) {
                throw std::invalid_argument("grasp: finger '" + finger.name + "' has rate " +
                                            std::to_string(rate) + " rad/s; it must be finite");
            }
        }
        if (!(finger.share > 0.0)) {
            throw std::invalid_argument("grasp: finger '" + finger.name + "' has share " +
                                        std::to_string(finger.share) + "; it must be positive");
        }
        m_offsets.emplace_back(finger.dofs.size(), 0.0);
    }
}

void GraspController::advance(double time, double step, const std::vector<double>& link_forces)
{
    if (time < m_start || time > m_end) {
        return;
    }
    for (std::size_t f = 0; f < m_fingers.size(); ++f) {
        const auto& finger = m_fingers[f];
        double force = 0.0;
        for (std::size_t j = finger.dofs.size(); j-- > 0;) {
            // Two coordinates of one joint move the same link: its force counts once.
            if (j + 1 == finger.dofs.size() || finger.links[j] != finger.links[j + 1]) {
                force += link_forces[static_cast<std::size_t>(finger.links[j])];
            }
            const double pace = std::clamp(gain * (1.0 - force / (finger.share * m_force)), 0.0, 1.0);
            m_offsets[f][j] += pace * finger.rates[j] * step;
        }
    }
}

}  // namespace softcontact
