// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <limits>

#include "softcontact/types.hpp"

namespace softcontact {

/// `v`, cut to the length `limit` where it is longer. The result is never longer, in whatever order its
/// length is reckoned: what is cut is shorter than the limit by some round-off.
inline Vector3d limited_length(const Vector3d& v, double limit) noexcept
{
    constexpr double within = 1.0 - 4.0 * std::numeric_limits<double>::epsilon();
    const double length = v.norm();
    return length > limit ? Vector3d(v * (limit * within / length)) : v;
}

}  // namespace softcontact
