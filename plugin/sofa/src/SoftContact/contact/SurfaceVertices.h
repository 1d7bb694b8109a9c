// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/config.h>
#include <sofa/core/CollisionModel.h>
#include <sofa/core/topology/BaseMeshTopology.h>

#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace softcontact::plugin {

/// What a patch needs to know of the vertices of a collision model.
struct SurfaceVertices {
    std::vector<double>
        areas;  ///< [m²] a third of each triangle and a quarter of each quad around; 0 for no surface
    std::vector<int> clusters;  ///< which patch a contact at the vertex belongs to
    double meanArea = std::numeric_limits<double>::infinity();  ///< of the vertices that have one [m²]
};

/// Vertices of the collision models of a scene, in the shape in which they were first seen. Models over one
/// topology share them.
class SOFA_SOFTCONTACT_API SurfaceLibrary {
public:
    static constexpr double whole = std::numeric_limits<double>::infinity();

    /// patchSize: largest extent of a patch [m]; `whole` for one patch; 0 for automatic: four spacings of the
    /// vertices, at most half the surface.
    const SurfaceVertices& of(sofa::core::CollisionModel& model, double patchSize);

private:
    std::map<std::pair<const void*, double>, std::pair<std::size_t, SurfaceVertices>> m_surfaces;
};

}  // namespace softcontact::plugin
