// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <random>

#include "softcontact/types.hpp"

namespace softcontact {

/// The same in every run of a test.
inline std::mt19937 random_numbers(3);

/// Numbers between -1 and 1.
inline MatrixXd random_matrix(Index rows, Index columns)
{
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    return MatrixXd::NullaryExpr(rows, columns, [&] { return number(random_numbers); });
}

}  // namespace softcontact
