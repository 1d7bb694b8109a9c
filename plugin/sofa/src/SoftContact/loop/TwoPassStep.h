// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/config.h>
#include <sofa/core/behavior/BaseAnimationLoop.h>
#include <sofa/core/objectmodel/BaseContext.h>

namespace softcontact::plugin {

/// What an animation loop tells a constraint about the step it is in.
///
/// A constraint asks `TwoPassStep::find(getContext())` while it builds its rows; no answer means a loop with
/// one solve a step. Under a loop with two passes a contact
///  - writes all its rows in the velocity pass, with 0 <= lambda_n _|_ u_n + max(g, 0)/h >= 0, g the gap at
///    `position`, which still is the start of the step, u from `cParams->readV(state)`;
///  - writes its normal rows only in the position pass, with the gap at `cParams->readX(state)`, the
///  integrated
///    positions, and keeps the forces it reported in the velocity pass.
/// Both passes use the same contacts: detection runs once a step.
/// Source: Talvas2015, Algorithm 1.
class TwoPassStep {
public:
    enum class Pass { none, velocity, position };

    virtual ~TwoPassStep() = default;

    /// The pass being solved; none outside the two solves.
    [[nodiscard]] virtual Pass pass() const = 0;

    /// Length of the step being solved [s]; 0 before the first step.
    [[nodiscard]] virtual SReal step() const = 0;

    /// The nearest animation loop at or above `context`, where it has two passes; else null.
    [[nodiscard]] static const TwoPassStep* find(const sofa::core::objectmodel::BaseContext* context)
    {
        if (context == nullptr) return nullptr;
        using Loop = sofa::core::behavior::BaseAnimationLoop;
        return dynamic_cast<const TwoPassStep*>(
            context->get<Loop>(sofa::core::objectmodel::BaseContext::SearchUp));
    }

    /// The pass that a component in `context` is being asked in.
    [[nodiscard]] static Pass passOf(const sofa::core::objectmodel::BaseContext* context)
    {
        const TwoPassStep* step = find(context);
        return step == nullptr ? Pass::none : step->pass();
    }
};

}  // namespace softcontact::plugin
