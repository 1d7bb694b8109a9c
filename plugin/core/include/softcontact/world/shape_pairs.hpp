// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <softcontact/contact/contact_point.hpp>
#include <softcontact/contact/detection.hpp>
#include <softcontact/world/contact_surface.hpp>
#include <vector>

namespace softcontact {

/// Contacts of two surfaces with shapes, at most `alarm_distance` [m] and what they move apart: of shapes
/// that touch at the start of the step as they are then, of others as their free motion brings them together.
/// Gaps without contact offset: shapes that are known as they are need none. The contacts replace the content
/// of `out`.
///
/// Returns the share of the step at which two free bodies that are further apart meet, 1 where they do not:
/// cut there, forces act at one point of both, and the impact keeps angular momentum.
double find_shape_contacts(const ContactSurface& a, const ContactSurface& b, double alarm_distance,
                           std::vector<ContactPoint>& out);

/// Contacts of a mesh with a plane: its vertices behind the plane, and those near it that face it. No offset
/// either.
void find_plane_contacts(const ContactSurface& mesh, const ContactSurface& plane, bool mesh_is_a,
                         double alarm_distance, std::vector<ContactPoint>& out);

/// Whether a mesh meets a round shape itself, not its picture. A patch on tissue is spread over the picture:
/// its points, areas and gaps belong together. Meshes of boxes and hulls are exact themselves.
[[nodiscard]] bool meets_round_shape(const ContactSurface& a, const ContactSurface& b, bool patch);

/// Contacts of a mesh with a round shape, without contact offset. On tissue that is held, and that the free
/// motion of the step takes the shape along, they are looked for where it takes it: what rolls does not
/// stumble over what it will have rolled on by then. What comes in is met where it starts, and so is free
/// tissue, which takes up angular momentum: forces act on one point of both. Each contact has a share of the
/// area of the tissue [m²].
void find_mesh_contacts(const ContactSurface& a, const ContactSurface& b, const DetectionOptions& options,
                        DetectionWorkspace& workspace, std::vector<ContactPoint>& out);

}  // namespace softcontact
