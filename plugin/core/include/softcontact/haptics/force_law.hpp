// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/haptics/device.hpp"

namespace softcontact {

/// What the fast thread evaluates at each tick: the device's pose in, the wrench on the device out. The slow
/// thread's data reach it as one row of numbers, so that a session can be written down and
/// replayed whatever the law is. Nothing here may allocate, lock, log or throw.
class ForceLaw {
public:
    virtual ~ForceLaw() = default;

    /// Most numbers in a publication of the slow thread.
    [[nodiscard]] virtual Index parameter_count() const noexcept = 0;
    /// Whether a publication of so many numbers makes sense; asked in the slow thread.
    [[nodiscard]] virtual bool fits(Index count) const noexcept { return count == parameter_count(); }
    /// New data, finite numbers, of a length that fits.
    virtual void take(const double* parameters, Index count) noexcept = 0;
    /// Start anew from a device at rest in this state: first pose, jump of the pose, return from an error.
    virtual void reset(const DeviceState& state) noexcept = 0;
    /// Force and torque on the device [N, N m]; `period` since the last call [s], always the nominal one.
    [[nodiscard]] virtual Vector6d wrench(const DeviceState& state, double period) noexcept = 0;

    /// Numbers that the law tells after each tick (the tool's pose, say), for the slow thread to read.
    [[nodiscard]] virtual Index output_count() const noexcept { return 0; }
    virtual void tell(double* outputs) const noexcept { (void)outputs; }
};

}  // namespace softcontact
