// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/world/contact_surface.hpp>

namespace softcontact {

/// Whether a vertex of `mover` went through `other` within the step that ends now, or into it by more than
/// `max_penetration`, so that contact between the two was missed.
///
/// Paths are straight and seen from the frame of `other`. A path goes through where it enters and leaves by
/// faces that look opposite ways, with more than `grazing_depth` of material at half way [m]: one that cuts a
/// corner or slides along does not count.
[[nodiscard]] bool passed_into(const ContactSurface& mover, const ContactSurface& other,
                               double max_penetration, double grazing_depth);

}  // namespace softcontact
