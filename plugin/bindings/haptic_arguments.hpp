// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "bindings.hpp"
#include "softcontact/haptics/haptic_thread.hpp"

namespace softcontact::bindings {

using Cloud = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Of (x, y, z, w), as it is: a recording also holds readings that are no rotations.
inline Quaterniond quaternion_from(const Eigen::Vector4d& xyzw)
{
    return Quaterniond(xyzw[3], xyzw[0], xyzw[1], xyzw[2]);
}

[[nodiscard]] HapticThreadSettings thread_settings_from(const py::dict& given);

}  // namespace softcontact::bindings
