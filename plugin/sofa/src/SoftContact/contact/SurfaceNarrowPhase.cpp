// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/Vectors.h>
#include <SoftContact/contact/AggregateGroup.h>
#include <SoftContact/contact/SurfaceNarrowPhase.h>
#include <sofa/component/collision/response/contact/CollisionResponse.h>
#include <sofa/core/ObjectFactory.h>
#include <sofa/core/behavior/MechanicalState.h>
#include <sofa/core/collision/DetectionOutput.h>
#include <sofa/core/collision/Intersection.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace softcontact::plugin {

namespace {

using TriangleModel = SurfaceNarrowPhase::TriangleModel;
using TriangleElement = sofa::component::collision::geometry::TTriangle<sofa::defaulttype::Vec3Types>;
using Outputs = sofa::core::collision::TDetectionOutputVector<TriangleModel, TriangleModel>;

const auto& positions(const TriangleModel& model)
{
    return model.getMechanicalState()->read(sofa::core::vec_id::read_access::position)->getValue();
}

/// Positions that the free motion of the step leads to; the present ones before the first step.
const auto& free_positions(const TriangleModel& model)
{
    const auto* free = model.getMechanicalState()->read(sofa::core::vec_id::read_access::freePosition);
    const auto& now = positions(model);
    return free != nullptr && free->getValue().size() == now.size() ? free->getValue() : now;
}

/// Whether the contacts of two models become patches.
bool makes_patches(TriangleModel& one, TriangleModel& two)
{
    using sofa::component::collision::response::contact::CollisionResponse;
    auto* root = one.getContext()->getRootContext();
    auto* manager = root->get<CollisionResponse>(sofa::core::objectmodel::BaseContext::SearchDown);
    return manager != nullptr && manager->getContactResponse(&one, &two).rfind("AggregateVolume", 0) == 0;
}

/// Where a material point is now.
template <class Coordinates>
sofa::type::Vec3 point_now(const SurfacePoint& point, const Coordinates& x)
{
    sofa::type::Vec3 sum;
    for (std::size_t k = 0; k < 3; ++k) {
        sum += x[static_cast<std::size_t>(point.vertices[k])] * point.weights[static_cast<Index>(k)];
    }
    return sum;
}

Points points_of(const TriangleModel& model)
{
    const auto& x = positions(model);
    Points points(3, static_cast<Index>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
        points.col(static_cast<Index>(i)) << x[i][0], x[i][1], x[i][2];
    }
    return points;
}

Triangles triangles_of(const TriangleModel& model)
{
    Triangles triangles(3, model.getSize());
    for (Index i = 0; i < triangles.cols(); ++i) {
        const TriangleElement triangle(const_cast<TriangleModel*>(&model), static_cast<sofa::Index>(i));
        triangles.col(i) << static_cast<int>(triangle.p1Index()), static_cast<int>(triangle.p2Index()),
            static_cast<int>(triangle.p3Index());
    }
    return triangles;
}

std::uint64_t edge_key(int a, int b)
{
    const auto [low, high] = std::minmax(a, b);
    return (static_cast<std::uint64_t>(low) << 32) | static_cast<std::uint64_t>(high);
}

}  // namespace

SurfaceNarrowPhase::Entry::Entry(TriangleModel& model) : surface(points_of(model), triangles_of(model))
{
    const Triangles& triangles = surface.triangles();
    of_vertex.assign(static_cast<std::size_t>(surface.vertex_count()), -1);
    for (int t = 0; t < surface.triangle_count(); ++t) {
        for (int k = 0; k < 3; ++k) {
            const int vertex = triangles(k, t), next = triangles((k + 1) % 3, t);
            of_vertex[static_cast<std::size_t>(vertex)] = t;
            of_edge.emplace(edge_key(vertex, next), t);
            of_corners[edge_key(vertex, next)].push_back(t);
        }
    }
    const auto flat = (surface.triangle_areas().array() <= 0.0).count();
    if (flat > 0 || !surface.triangle_areas().allFinite()) {
        throw std::invalid_argument(std::to_string(flat) +
                                    " of its triangles have no area; mend the mesh (softcontact mesh check)");
    }
    spacing = surface.vertex_areas().mean();
}

void SurfaceNarrowPhase::Entry::move(const TriangleModel& model, bool free)
{
    const auto& x = free ? free_positions(model) : positions(model);
    surface.update(Eigen::Map<const Points>(x.front().data(), 3, static_cast<Index>(x.size())));
    const auto &now = positions(model), &then = free_positions(model);
    travel = 0.0;
    for (std::size_t i = 0; i < now.size(); ++i) {
        travel = std::max(travel, double((then[i] - now[i]).norm()));
    }
    if (surface.folds()) {
        return;
    }
    // Tissue is what has once changed its shape: SOFA does not say which meshes are rigid.
    constexpr double same = 1e-6;
    const auto& edges = surface.topology().edges;
    const auto length = [](const Points& at, const auto& ends) {
        return (at.col(ends[1]) - at.col(ends[0])).norm();
    };
    for (Index e = 0; e < edges.cols() && !surface.folds(); ++e) {
        const double rest = length(surface.reference_vertices(), edges.col(e));
        surface.set_folds(std::abs(length(surface.local_vertices(), edges.col(e)) - rest) > same * rest);
    }
}

int SurfaceNarrowPhase::Entry::triangleOf(const SurfacePoint& point) const
{
    const auto [a, b, c] = point.vertices;
    if (a == b && b == c) {
        return of_vertex[static_cast<std::size_t>(a)];
    }
    if (a == b || b == c || a == c) {
        return of_edge.at(edge_key(a, a == b ? c : b));
    }
    for (const int t : of_corners.at(edge_key(a, b))) {
        if ((surface.triangles().col(t).array() == c).any()) {
            return t;
        }
    }
    throw std::logic_error("no triangle has the corners of a contact");
}

SurfaceNarrowPhase::SurfaceNarrowPhase()
    : d_maxPenetration(initData(&d_maxPenetration, SReal(-1), "maxPenetration",
                                "Depth to which a contact is followed [m]; negative: 4 alarm distances")),
      d_freeMotion(
          initData(&d_freeMotion, false, "freeMotion",
                   "Look for contacts where the free motion of the step leads, not where bodies are"))
{
}

void SurfaceNarrowPhase::beginNarrowPhase()
{
    NarrowPhaseDetection::beginNarrowPhase();
    ++m_step;
}

SurfaceNarrowPhase::Entry* SurfaceNarrowPhase::entry(TriangleModel& model)
{
    if (std::find(m_refused.begin(), m_refused.end(), &model) != m_refused.end()) {
        return nullptr;
    }
    auto& kept = m_entries[&model];
    const auto vertices = static_cast<int>(positions(model).size());
    const bool changed = kept != nullptr && (kept->surface.vertex_count() != vertices ||
                                             kept->surface.triangle_count() != int(model.getSize()));
    try {
        if (kept == nullptr || changed) {
            kept = std::make_unique<Entry>(model);
        }
        if (kept->step != m_step) {
            kept->move(model, d_freeMotion.getValue());
            kept->step = m_step;
        }
    } catch (const std::invalid_argument& error) {
        msg_error() << "'" << model.getPathName() << "' takes no part in contact: " << error.what();
        m_refused.push_back(&model);
        return nullptr;
    }
    return kept.get();
}

void SurfaceNarrowPhase::addCollisionPair(
    const std::pair<sofa::core::CollisionModel*, sofa::core::CollisionModel*>& pair)
{
    auto* one = dynamic_cast<TriangleModel*>(pair.first->getLast());
    auto* two = dynamic_cast<TriangleModel*>(pair.second->getLast());
    if (one == nullptr || two == nullptr) {
        msg_warning_when(!m_warned) << "only pairs of TriangleCollisionModel are looked at, not '"
                                    << pair.first->getLast()->getPathName() << "' and '"
                                    << pair.second->getLast()->getPathName()
                                    << "'; use BVHNarrowPhase for other models";
        m_warned = true;
        return;
    }
    if (one == two || (!one->isSimulated() && !two->isSimulated()) || one->empty() || two->empty()) {
        return;
    }
    Entry* first = entry(*one);
    Entry* second = entry(*two);
    if (first == nullptr || second == nullptr) {
        return;
    }
    const int rank1 = AggregateGroup::rankOf(*one), rank2 = AggregateGroup::rankOf(*two);
    const bool moves1 = one->isSimulated(), moves2 = two->isSimulated();
    const bool swapped = rank1 != rank2     ? rank2 > rank1
                         : moves1 != moves2 ? moves2
                                            : second->spacing < first->spacing;
    TriangleModel& model_a = swapped ? *two : *one;
    TriangleModel& model_b = swapped ? *one : *two;
    const Entry& a = swapped ? *second : *first;
    const Entry& b = swapped ? *first : *second;

    const double kept = one->getContactDistance() + two->getContactDistance();
    DetectionOptions options;
    options.alarm_distance = intersectionMethod->getAlarmDistance() + kept;
    options.contact_offset = intersectionMethod->getContactDistance() + kept;
    options.max_penetration = d_maxPenetration.getValue();
    options.limit_smooth_edges(makes_patches(*one, *two), options.alarm_distance, a.travel + b.travel);
    detect_contacts(a.surface, b.surface, options, m_workspace, m_found);

    // Pairs are told as (B, A), so that SOFA's normal, from the first to the second, is the core's.
    auto*& kept_outputs = getDetectionOutputs(&model_b, &model_a);
    if (kept_outputs == nullptr) {
        kept_outputs = new Outputs();  // NarrowPhaseDetection releases it
    }
    auto& outputs = *static_cast<Outputs*>(kept_outputs);
    const auto& x_a = positions(model_a);
    const auto& x_b = positions(model_b);
    for (const ContactPoint& contact : m_found) {
        auto& output = outputs.emplace_back();
        output.elem = {TriangleElement(&model_b, static_cast<sofa::Index>(b.triangleOf(contact.b))),
                       TriangleElement(&model_a, static_cast<sofa::Index>(a.triangleOf(contact.a)))};
        output.id = static_cast<sofa::core::collision::DetectionOutput::ContactId>(outputs.size());
        output.point[0] = point_now(contact.b, x_b);
        output.point[1] = point_now(contact.a, x_a);
        output.normal = vec3(contact.normal);
        output.value = contact.gap;
    }
}

void registerSurfaceNarrowPhase(sofa::core::ObjectFactory* factory)
{
    factory->registerObjects(sofa::core::ObjectRegistrationData(
                                 "Contacts between triangle surfaces by signed local minimum distances, in "
                                 "the place of BVHNarrowPhase: points that have gone through the other "
                                 "surface keep their contact.")
                                 .add<SurfaceNarrowPhase>());
}

}  // namespace softcontact::plugin
