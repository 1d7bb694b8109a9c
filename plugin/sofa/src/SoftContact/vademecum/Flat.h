// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <sofa/config.h>

#include <softcontact/types.hpp>
#include <type_traits>

namespace softcontact::plugin {

static_assert(std::is_same_v<SReal, double>, "the core has double numbers");

/// SOFA's vector of packed entries as one of numbers.
template <class Vector>
Eigen::Map<const VectorXd> flat(const Vector& values)
{
    constexpr auto size = Vector::value_type::total_size;
    return {values.empty() ? nullptr : values.data()->ptr(), static_cast<Index>(values.size() * size)};
}

template <class Vector>
Eigen::Map<VectorXd> flat(Vector& values)
{
    constexpr auto size = Vector::value_type::total_size;
    return {values.empty() ? nullptr : values.data()->ptr(), static_cast<Index>(values.size() * size)};
}

}  // namespace softcontact::plugin
