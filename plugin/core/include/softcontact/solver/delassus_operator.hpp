// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/types.hpp"

namespace softcontact {

/// W as something that can be applied: H A⁻¹ Hᵀ with a factorised A, or a function of the caller's.
class DelassusOperator {
public:
    DelassusOperator() = default;
    DelassusOperator(const DelassusOperator&) = delete;
    DelassusOperator& operator=(const DelassusOperator&) = delete;
    virtual ~DelassusOperator() = default;

    /// out = W r.
    virtual void apply(const VectorXd& r, VectorXd& out) const = 0;
};

}  // namespace softcontact
