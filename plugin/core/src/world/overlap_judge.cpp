// SPDX-License-Identifier: LGPL-2.1-or-later
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <softcontact/contact/shape_depth.hpp>
#include <softcontact/geometry/mass_properties.hpp>
#include <softcontact/geometry/rigid_travel.hpp>
#include <softcontact/geometry/shape_separation.hpp>
#include <softcontact/world/overlap_judge.hpp>

namespace softcontact {

namespace {

constexpr double tolerance_ratio = 0.004;  ///< of the smaller body's size
constexpr double thickness_ratio = 0.1;    ///< and no more than this share of the thinner body
constexpr double unseen_ratio = 0.05;      ///< motion in tolerances that needs no new look

/// How deep the deepest vertex of a surface is behind a plane.
double depth_behind(const Pose& plane, const Surface& surface)
{
    const Vector3d normal = surface.pose().rotation.transpose() * plane.rotation.col(2);
    const double level = plane.rotation.col(2).dot(surface.pose().translation - plane.translation);
    return std::max(0.0, -(level + (normal.transpose() * surface.local_vertices()).minCoeff()));
}

/// Length, width and height of a body, in any order [m]. Tissue has no axes of its own: it counts as the box
/// of its second moments, the same however it lies.
Vector3d extent(const ContactSurface& surface)
{
    const Surface& geometry = surface.geometry;
    const Aabb& box = geometry.local_box();
    if (surface.kind != ContactSurface::Kind::field || !geometry.is_closed()) return box.upper - box.lower;
    const MassProperties solid = mass_properties(geometry.reference_vertices(), geometry.triangles());
    const Vector3d inertia = Eigen::SelfAdjointEigenSolver<Matrix3d>(solid.inertia).eigenvalues();
    const Vector3d squares = 12.0 / solid.volume * (Vector3d::Constant(0.5 * inertia.sum()) - inertia);
    return squares.cwiseMax(0.0).cwiseSqrt();
}

}  // namespace

void OverlapJudge::set_surfaces(const std::vector<ContactSurface>& surfaces)
{
    m_extents.clear();
    for (const ContactSurface& surface : surfaces) {
        m_extents.push_back(extent(surface));
    }
    m_broad_phase = BroadPhase();
    m_boxes.resize(surfaces.size());
    m_looks.clear();
    m_kept.clear();
}

OverlapJudge::Look OverlapJudge::first_look(const std::vector<ContactSurface>& surfaces,
                                            const PairLaw& law) const
{
    const auto index_a = static_cast<std::size_t>(law.a), index_b = static_cast<std::size_t>(law.b);
    Vector3d a = m_extents[index_a], b = m_extents[index_b];
    if (surfaces[index_a].is_plane()) a = b;  // its picture says nothing
    if (surfaces[index_b].is_plane()) b = a;
    Look look;
    look.law = law;
    look.size = std::min(a.maxCoeff(), b.maxCoeff());
    const double thickness = std::min(a.minCoeff(), b.minCoeff());
    look.tolerance = tolerance_ratio * look.size;
    if (thickness > 0.0) {  // not a flat sheet
        look.tolerance = std::min(look.tolerance, thickness_ratio * thickness);
    }
    return look;
}

void OverlapJudge::list_near(const std::vector<ContactSurface>& surfaces, const PairLaws& laws,
                             ContactModel model)
{
    m_broad_phase.find_pairs(m_boxes, 0.0, m_near);
    std::swap(m_past, m_looks);
    m_looks.clear();
    auto past = m_past.begin();
    const auto order = [](const Look& look) { return std::minmax(look.law.a, look.law.b); };
    for (const BroadPhase::Pair& pair : m_near) {
        while (past != m_past.end() && BroadPhase::Pair(order(*past)) < pair) ++past;
        if (past != m_past.end() && BroadPhase::Pair(order(*past)) == pair) {
            m_looks.push_back(*past);
        } else if (const auto law = laws.of(surfaces, pair.first, pair.second, model)) {
            m_looks.push_back(first_look(surfaces, *law));
        }
    }
}

bool OverlapJudge::still_holds(const Look& look, const Surface& a, const Surface& b, const Pose& a_to_b)
{
    return look.known && rigid_travel(a.local_box(), look.a_to_b, a_to_b) +
                                 (a.deformed_path() - look.path_a) + (b.deformed_path() - look.path_b) <=
                             unseen_ratio * look.tolerance;
}

void OverlapJudge::look(std::vector<ContactSurface>& surfaces, const PairLaws& laws, ContactModel model)
{
    for (std::size_t i = 0; i < surfaces.size(); ++i) {
        m_boxes[i] = surfaces[i].bounds();
    }
    list_near(surfaces, laws, model);
    for (Look& look : m_looks) {
        ContactSurface& side_a = surfaces[static_cast<std::size_t>(look.law.a)];
        ContactSurface& side_b = surfaces[static_cast<std::size_t>(look.law.b)];
        Surface &a = side_a.geometry, &b = side_b.geometry;
        const Pose a_to_b{b.pose().rotation.transpose() * a.pose().rotation,
                          b.pose().inverse_times(a.pose().translation)};
        if (still_holds(look, a, b, a_to_b)) {
            continue;
        }
        if (side_a.shape && side_b.shape) {
            look.depth = std::max(0.0, -separation(side_a.placed(), side_b.placed()).gap);
        } else if (side_a.is_plane() || side_b.is_plane()) {
            look.depth = depth_behind(side_a.is_plane() ? side_a.geometry.pose() : b.pose(),
                                      side_a.is_plane() ? b : a);
        } else {
            a.refresh();
            b.refresh();
            look.depth = m_search.depth(a, b);
            for (const auto& [shaped, mesh] : {std::pair(&side_a, &b), std::pair(&side_b, &a)}) {
                // The picture lies inside. A patch bears by it, so it is judged by it.
                if (shaped->shape && shaped->shape->is_round() && !look.law.aggregated) {
                    look.depth = std::max(look.depth, depth_of_shape(shaped->placed(), *mesh));
                }
            }
        }
        look.known = true;
        look.a_to_b = a_to_b;
        look.path_a = a.deformed_path();
        look.path_b = b.deformed_path();
    }
}

void OverlapJudge::keep()
{
    for (Look& look : m_looks) {
        look.before = look.depth;
    }
    m_kept = m_looks;
}

void OverlapJudge::go_back()
{
    m_looks = m_kept;
    for (Look& look : m_looks) {
        look.known = false;
    }
}

}  // namespace softcontact
