// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/config.h>
#include <sofa/core/CollisionModel.h>
#include <sofa/core/topology/BaseMeshTopology.h>

#include <map>
#include <vector>

namespace softcontact::plugin {

/// Areas of the vertices of collision models, a third of each triangle and a quarter of each quad around
/// them, in the shape in which they were first seen. Models over one topology share them.
class SOFA_SOFTCONTACT_API VertexAreas {
public:
    /// Areas by vertex [m²]; all zero where the model has no surface (points, spheres).
    const std::vector<double>& of(sofa::core::CollisionModel& model);

    /// Mean area of the vertices that have one [m²]; infinity where none has.
    double mean(sofa::core::CollisionModel& model);

private:
    struct Areas {
        std::size_t elements = 0;
        std::vector<double> values;
        double mean = 0.0;
    };
    const Areas& areas(sofa::core::CollisionModel& model);

    std::map<const void*, Areas> m_areas;  // by topology, or by model where it has none
};

}  // namespace softcontact::plugin
