// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/haptics/force_law.hpp"

namespace softcontact {

/// A flat wall, the plainest thing to touch:
///
///     F = −(K d + B ḋ) n,   d = n · (x − p) < 0 inside;   never pulling
///
/// Published numbers: p (3), n (3, out of the wall), K [N/m], B [N s/m]. A bilateral wall acts on both sides:
/// the linear loop whose stability is known in closed form.
class VirtualWall final : public ForceLaw {
public:
    explicit VirtualWall(bool bilateral = false) noexcept : m_bilateral(bilateral) {}

    [[nodiscard]] Index parameter_count() const noexcept override { return 8; }
    void take(const double* p, Index) noexcept override
    {
        m_point = Vector3d(p[0], p[1], p[2]);
        m_normal = Vector3d(p[3], p[4], p[5]).normalized();
        m_stiffness = p[6];
        m_damping = p[7];
    }
    void reset(const DeviceState&) noexcept override {}
    [[nodiscard]] Vector6d wrench(const DeviceState& state, double) noexcept override
    {
        Vector6d out = Vector6d::Zero();
        const double depth = m_normal.dot(state.position - m_point);
        const double force = -m_stiffness * depth - m_damping * m_normal.dot(state.linear_velocity);
        if (m_bilateral || (depth < 0.0 && force > 0.0)) {
            out.head<3>() = force * m_normal;
        }
        return out;
    }

private:
    bool m_bilateral;
    Vector3d m_point = Vector3d::Zero(), m_normal = Vector3d::UnitZ();
    double m_stiffness = 0.0, m_damping = 0.0;
};

}  // namespace softcontact
