// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <sofa/core/collision/DetectionOutput.h>

#include <cmath>
#include <vector>

namespace softcontact::plugin {

/// Takes out what is no contact. SOFA's CCDTightInclusionIntersection adds an output without elements before
/// each hit of two lines, and a hit of lines that touch already has no normal.
inline void drop_empty_outputs(std::vector<sofa::core::collision::DetectionOutput*>& outputs)
{
    std::erase_if(outputs, [](const auto* output) {
        return output->elem.first.getCollisionModel() == nullptr ||
               output->elem.second.getCollisionModel() == nullptr || !std::isfinite(output->normal.norm2());
    });
}

}  // namespace softcontact::plugin
