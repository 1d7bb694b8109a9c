// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/contact/VertexAreas.h>
#include <sofa/core/BaseState.h>
#include <sofa/core/behavior/MechanicalState.h>
#include <sofa/core/objectmodel/BaseContext.h>
#include <sofa/defaulttype/VecTypes.h>

#include <limits>

namespace softcontact::plugin {

namespace {

using sofa::type::Vec3;
using State = sofa::core::behavior::MechanicalState<sofa::defaulttype::Vec3Types>;

double triangle(const Vec3& a, const Vec3& b, const Vec3& c)
{
    return 0.5 * cross(b - a, c - a).norm();
}

}  // namespace

const VertexAreas::Areas& VertexAreas::areas(sofa::core::CollisionModel& model)
{
    auto* topology = model.getCollisionTopology();
    if (topology == nullptr) {
        topology = model.getContext()->getMeshTopology(sofa::core::objectmodel::BaseContext::Local);
    }
    const auto* state = dynamic_cast<const State*>(model.getContext()->getMechanicalState());
    const std::size_t elements =
        topology == nullptr ? 0 : topology->getNbTriangles() + topology->getNbQuads();
    const void* key = topology != nullptr ? static_cast<const void*>(topology) : &model;
    Areas& areas = m_areas[key];
    const std::size_t vertices = state == nullptr ? model.getSize() : state->getSize();
    if (areas.elements == elements && areas.values.size() == vertices && vertices > 0) {
        return areas;
    }
    areas.elements = elements;
    areas.values.assign(vertices, 0.0);
    double total = 0.0;
    if (state != nullptr && elements > 0) {
        const auto& x = state->read(sofa::core::vec_id::read_access::position)->getValue();
        const auto add = [&](std::size_t vertex, double area) {
            areas.values[vertex] += area;
            total += area;
        };
        for (const auto& t : topology->getTriangles()) {
            const double third = triangle(x[t[0]], x[t[1]], x[t[2]]) / 3.0;
            for (const auto vertex : t) add(vertex, third);
        }
        for (const auto& q : topology->getQuads()) {
            const double quarter =
                (triangle(x[q[0]], x[q[1]], x[q[2]]) + triangle(x[q[0]], x[q[2]], x[q[3]])) / 4.0;
            for (const auto vertex : q) add(vertex, quarter);
        }
    }
    std::size_t with_area = 0;
    for (const double area : areas.values) {
        with_area += area > 0.0 ? 1 : 0;
    }
    areas.mean =
        with_area > 0 ? total / static_cast<double>(with_area) : std::numeric_limits<double>::infinity();
    return areas;
}

const std::vector<double>& VertexAreas::of(sofa::core::CollisionModel& model)
{
    return areas(model).values;
}

double VertexAreas::mean(sofa::core::CollisionModel& model)
{
    return areas(model).mean;
}

}  // namespace softcontact::plugin
