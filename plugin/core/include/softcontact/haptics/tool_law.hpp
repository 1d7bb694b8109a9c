// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/haptics/force_law.hpp"
#include "softcontact/haptics/haptic_tool.hpp"
#include "softcontact/haptics/latest_value.hpp"

namespace softcontact {

/// The haptic tool as the fast thread's force law: a publication is a packed LinearContactModel, of any
/// number of contacts up to the capacity. It tells the tool's pose (position, quaternion x y z w), its twist,
/// the contact wrench and the number of contacts with a force: 20 numbers.
class ToolLaw final : public ForceLaw {
public:
    /// Throws std::invalid_argument where the capacity is negative.
    ToolLaw(const HapticTool& tool, int capacity);

    /// Another coupling from the next tick on; from one slow thread, also while the fast one runs. A
    /// recording tells of the first coupling alone.
    void set_coupling(const VirtualCoupling& coupling)
    {
        m_couplings.slot() = coupling;
        m_couplings.publish();
    }

    [[nodiscard]] Index parameter_count() const noexcept override { return m_model.most_packed(); }
    [[nodiscard]] bool fits(Index count) const noexcept override;
    void take(const double* parameters, Index count) noexcept override;
    void reset(const DeviceState& state) noexcept override;
    [[nodiscard]] Vector6d wrench(const DeviceState& state, double period) noexcept override;
    [[nodiscard]] Index output_count() const noexcept override { return 20; }
    void tell(double* outputs) const noexcept override;

private:
    HapticTool m_tool;
    LinearContactModel m_model;
    LatestValue<VirtualCoupling> m_couplings;
    HapticTick m_last;
};

}  // namespace softcontact
