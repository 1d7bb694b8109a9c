// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/solver/block_rows.hpp"

namespace softcontact {

/// W of a contact problem, as far as Newton's method asks for it.
class ContactOperator {
public:
    virtual ~ContactOperator() = default;

    /// velocity = W load.
    virtual void multiply(const VectorXd& load, VectorXd& velocity) = 0;
    /// What W has in a block's own rows and columns.
    [[nodiscard]] virtual BlockMatrix own(const BlockDescriptor& block) const = 0;
    /// The step of all loads with
    ///
    ///     step = off + S turn,   turn = -W step / added
    ///
    /// S the slopes of the blocks, `added` a compliance a row. Returns false where there is none.
    virtual bool find_step(std::span<const BlockDescriptor> blocks, std::span<const BlockMatrix> slopes,
                           const VectorXd& added, const VectorXd& off, VectorXd& step, VectorXd& turn) = 0;
    [[nodiscard]] virtual bool is_finite() const = 0;
};

}  // namespace softcontact
