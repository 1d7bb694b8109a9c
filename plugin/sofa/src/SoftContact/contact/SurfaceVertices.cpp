// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/contact/SurfaceVertices.h>
#include <sofa/core/behavior/MechanicalState.h>
#include <sofa/core/objectmodel/BaseContext.h>
#include <sofa/defaulttype/VecTypes.h>

#include <algorithm>
#include <cmath>
#include <softcontact/contact/surface_clusters.hpp>

namespace softcontact::plugin {

namespace {

using State = sofa::core::behavior::MechanicalState<sofa::defaulttype::Vec3Types>;
using Topology = sofa::core::topology::BaseMeshTopology;

// A patch much finer than the mesh is a point contact; one much coarser presses in where it should not.
constexpr double automatic_spacings = 4.0;
// So that a body stands on more than one patch, which a tilt would turn over.
constexpr double automatic_fraction = 0.5;

struct Shape {
    Points vertices, normals;
    std::vector<double> areas;
};

Shape shape_of(const State& state, Topology& topology)
{
    const auto& x = state.read(sofa::core::vec_id::read_access::position)->getValue();
    Shape shape;
    const auto count = static_cast<Index>(x.size());
    shape.vertices.resize(3, count);
    shape.normals = Points::Zero(3, count);
    shape.areas.assign(x.size(), 0.0);
    for (Index i = 0; i < count; ++i) {
        const auto& p = x[static_cast<std::size_t>(i)];
        shape.vertices.col(i) = Vector3d(p[0], p[1], p[2]);
    }
    const auto add = [&](const auto& vertices, auto a, auto b, auto c) {
        const Vector3d u = shape.vertices.col(Index(b)) - shape.vertices.col(Index(a));
        const Vector3d v = shape.vertices.col(Index(c)) - shape.vertices.col(Index(a));
        const Vector3d normal = 0.5 * u.cross(v);
        for (const auto vertex : vertices) {
            shape.areas[vertex] += normal.norm() / static_cast<double>(vertices.size());
            shape.normals.col(Index(vertex)) += normal;
        }
    };
    for (const auto& t : topology.getTriangles()) {
        add(t, t[0], t[1], t[2]);
    }
    for (const auto& q : topology.getQuads()) {
        add(q, q[0], q[1], q[2]);
        add(q, q[0], q[2], q[3]);
    }
    return shape;
}

double automatic_size(const Shape& shape, double mean_area)
{
    const Vector3d extent = shape.vertices.rowwise().maxCoeff() - shape.vertices.rowwise().minCoeff();
    return std::min(automatic_spacings * std::sqrt(mean_area), automatic_fraction * extent.maxCoeff());
}

}  // namespace

const SurfaceVertices& SurfaceLibrary::of(sofa::core::CollisionModel& model, double patchSize)
{
    auto* topology = model.getCollisionTopology();
    if (topology == nullptr) {
        topology = model.getContext()->getMeshTopology(sofa::core::objectmodel::BaseContext::Local);
    }
    const auto* state = dynamic_cast<const State*>(model.getContext()->getMechanicalState());
    const std::size_t elements =
        topology == nullptr ? 0 : topology->getNbTriangles() + topology->getNbQuads();
    const void* key = topology != nullptr ? static_cast<const void*>(topology) : &model;
    const std::size_t count = state == nullptr ? model.getSize() : state->getSize();
    auto& [seen, surface] = m_surfaces[{key, patchSize}];
    if (seen == elements && surface.areas.size() == count && count > 0) {
        return surface;
    }
    seen = elements;
    surface = {};
    surface.areas.assign(count, 0.0);
    surface.clusters.assign(count, 0);
    if (state == nullptr || elements == 0) {
        return surface;
    }
    const Shape shape = shape_of(*state, *topology);
    surface.areas = shape.areas;
    double total = 0.0, with_area = 0.0;
    for (const double area : surface.areas) {
        total += area;
        with_area += area > 0.0 ? 1.0 : 0.0;
    }
    if (with_area == 0.0) {
        return surface;
    }
    surface.meanArea = total / with_area;
    const double size = patchSize > 0.0 ? patchSize : automatic_size(shape, surface.meanArea);
    if (std::isfinite(size) && size > 0.0) {
        surface.clusters = cluster_vertices(shape.vertices, shape.normals, size);
    }
    return surface;
}

}  // namespace softcontact::plugin
