// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <sofa/type/Vec.h>

#include <softcontact/types.hpp>

namespace softcontact::plugin {

/// SOFA's vectors as Eigen's, and back.
[[nodiscard]] inline Vector3d vector3(const sofa::type::Vec3& v)
{
    return {v[0], v[1], v[2]};
}

[[nodiscard]] inline sofa::type::Vec3 vec3(const Vector3d& v)
{
    return {v[0], v[1], v[2]};
}

}  // namespace softcontact::plugin
