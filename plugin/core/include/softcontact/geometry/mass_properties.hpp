// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "softcontact/types.hpp"

namespace softcontact {

/// Of a solid of unit density; multiply volume and inertia by the density [kg/m³].
struct MassProperties {
    double volume = 0.0;                  ///< [m³]
    Vector3d com = Vector3d::Zero();      ///< centre of mass [m]
    Matrix3d inertia = Matrix3d::Zero();  ///< about the centre of mass, mesh axes [m⁵]
};

/// Volume, centre of mass and inertia of the solid inside a closed triangle mesh, exact for the polyhedron.
///
/// Sums signed tetrahedra (o, a, b, c) with o the mean of the vertices:
///   V = Σ det/6,  V (com − o) = Σ det/24 s,  ∫ x xᵀ = Σ det/120 (a aᵀ + b bᵀ + c cᵀ + s sᵀ),  s = a + b + c.
///
/// vertices: (3, n) [m]; triangles: (3, m), counter-clockwise seen from outside.
/// Raises std::invalid_argument where the mesh is not closed, or encloses no positive volume.
/// Source: Tonon 2004, "Explicit exact formulas for the 3-D tetrahedron inertia tensor", in covariance form.
[[nodiscard]] MassProperties mass_properties(const Eigen::Ref<const Points>& vertices,
                                             const Eigen::Ref<const Triangles>& triangles);

}  // namespace softcontact
