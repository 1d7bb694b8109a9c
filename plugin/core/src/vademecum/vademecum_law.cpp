// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/vademecum/vademecum_law.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace softcontact {

void VademecumScales::validate() const
{
    if (!(std::isfinite(length) && length > 0.0)) {
        throw std::invalid_argument("length: expected a finite scale > 0");
    }
    if (!(std::isfinite(force) && force > 0.0)) {
        throw std::invalid_argument("force: expected a finite scale > 0");
    }
    if (!(std::isfinite(damping) && damping >= 0.0)) {
        throw std::invalid_argument("damping: expected a finite one >= 0 [N s/m]");
    }
}

VademecumLaw::VademecumLaw(std::unique_ptr<ContactResponse> response, Points shell,
                           const VademecumScales& scales)
    : m_response(std::move(response)), m_shell(std::move(shell)), m_moved(m_shell), m_scales(scales)
{
    scales.validate();
    const bool rigid = m_response->body_count() == 1;
    if (m_shell.cols() != (rigid ? m_response->contact().point_count() : 0) || !m_shell.allFinite()) {
        throw std::invalid_argument(
            "shell: expected finite points (n, 3) [m], none where a second body has it");
    }
}

void VademecumLaw::take(const double* parameters, Index count) noexcept
{
    RigidPose body;
    body.position = Eigen::Map<const Vector3d>(parameters);
    body.orientation.coeffs() = Eigen::Map<const Eigen::Vector4d>(parameters + 3);
    if (body.orientation.norm() > 0.0) {
        body.orientation.normalize();
        m_body = body;
    }
    std::array<Index, ContactResponse::most_held> cases{};
    std::array<double, ContactResponse::most_held> sizes{};
    const auto loads = static_cast<std::size_t>((count - 7) / 2);
    for (std::size_t i = 0; i < loads; ++i) {
        cases[i] = static_cast<Index>(std::clamp(parameters[7 + 2 * i], -1.0, 1e15));
        sizes[i] = parameters[8 + 2 * i];
    }
    m_response->hold({cases.data(), loads}, {sizes.data(), loads});
}

void VademecumLaw::reset(const DeviceState&) noexcept
{
    m_response->release();
    m_status = {};
    m_wrench = {};
}

Vector6d VademecumLaw::wrench(const DeviceState& state, double) noexcept
{
    const Quaterniond to_body = m_body.orientation.conjugate();
    const Vector3d at = to_body * (m_scales.length * state.position - m_body.position);
    const Quaterniond turn = to_body * state.orientation;
    if (m_response->body_count() == 2) {
        m_status = m_response->solve(RigidPose{at, turn});
    } else {
        m_moved.noalias() = turn.toRotationMatrix().lazyProduct(m_shell);
        m_moved.colwise() += at;
        m_status = m_response->solve(m_moved);
    }
    m_wrench = m_response->wrench(at);
    if (!m_wrench.vector().allFinite()) {
        reset(state);
        return Vector6d::Constant(std::numeric_limits<double>::quiet_NaN());
    }
    Vector6d out;
    out.head<3>() = m_scales.force * (m_body.orientation * m_wrench.force);
    out.tail<3>() = m_scales.force / m_scales.length * (m_body.orientation * m_wrench.torque);
    if (m_status.contacts > 0) out.head<3>() -= m_scales.damping * state.linear_velocity;
    return out;
}

void VademecumLaw::tell(double* outputs) const noexcept
{
    double deepest = 0.0, sliding = 0.0;
    for (Index shell = 0; shell < m_response->shell_count(); ++shell) {
        for (const PenaltyPoint& contact : m_response->contact(shell).contacts()) {
            deepest = std::max(deepest, contact.depth);
            sliding += contact.slides ? 1.0 : 0.0;
        }
    }
    outputs[0] = static_cast<double>(m_status.contacts);
    outputs[1] = sliding;
    outputs[2] = m_status.converged ? 1.0 : 0.0;
    outputs[3] = m_status.iterations;
    outputs[4] = deepest;
    Eigen::Map<Vector6d>(outputs + 5) = m_wrench.vector();
    std::fill(outputs + 11, outputs + output_count(), 0.0);
    for (Index number = 0; number < m_response->body_count(); ++number) {
        const ContactBody& body = m_response->body(number);
        double* out = outputs + 11 + number * (1 + 2 * m_response->capacity());
        *out++ = static_cast<double>(body.load_count());
        for (Index i = 0; i < body.load_count(); ++i) {
            const auto load = body.load(i);
            *out++ = static_cast<double>(load.load_case);
            *out++ = load.size;
        }
    }
}

}  // namespace softcontact
