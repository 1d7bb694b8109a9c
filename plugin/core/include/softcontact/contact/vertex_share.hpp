// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>
#include <vector>

#include "softcontact/contact/contact_point.hpp"

namespace softcontact {

/// Shares the areas of the vertices of A, or of the other side, among the contacts that touch them and adds
/// them to ContactPoint::area.
///
/// With β_jv the weight of vertex v in contact j, S_j = Σ_v S_v β_jv / max(1, Σ_j β_jv): a vertex that
/// touches alone has just its own area, and together the contacts never have more than the area of the
/// vertices they touch. vertex_areas [m²] and touch (zero before and after the call) are indexed by vertex.
void share_vertex_areas(std::span<ContactPoint> points, std::span<const double> vertex_areas,
                        std::vector<double>& touch, SurfacePoint ContactPoint::* side = &ContactPoint::a);

/// Marks contacts that say again what a nearer one at the same vertex of A says already.
///
/// Detectors that test a vertex against every triangle near it find the nearest point of each, also where
/// that lies on an edge beyond which the surface goes on. Of two contacts at one vertex whose normals enclose
/// less than the angle of `same_face_cosine` only the one with the smaller gap counts, the earlier one of
/// equals; walls that meet in a corner both count. repeated (points.size()): 1 where the contact can be
/// dropped.
void find_repeated_vertices(std::span<const ContactPoint> points, std::vector<char>& repeated,
                            double same_face_cosine = 0.3);

}  // namespace softcontact
