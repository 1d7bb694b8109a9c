// SPDX-License-Identifier: LGPL-2.1-or-later
#include <Eigen/Eigenvalues>
#include <algorithm>
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

void OverlapJudge::set_pairs(const std::vector<ContactSurface>& surfaces,
                             const std::vector<ContactPair>& pairs)
{
    std::vector<std::pair<int, int>> sides;
    m_looks.assign(pairs.size(), Look());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        sides.emplace_back(pairs[i].a, pairs[i].b);
        Vector3d a = extent(surfaces[static_cast<std::size_t>(pairs[i].a)]);
        Vector3d b = extent(surfaces[static_cast<std::size_t>(pairs[i].b)]);
        if (surfaces[static_cast<std::size_t>(pairs[i].a)].is_plane()) a = b;  // its picture says nothing
        if (surfaces[static_cast<std::size_t>(pairs[i].b)].is_plane()) b = a;
        m_looks[i].size = std::min(a.maxCoeff(), b.maxCoeff());
        const double thickness = std::min(a.minCoeff(), b.minCoeff());
        m_looks[i].tolerance = tolerance_ratio * m_looks[i].size;
        if (thickness > 0.0) {  // not a flat sheet
            m_looks[i].tolerance = std::min(m_looks[i].tolerance, thickness_ratio * thickness);
        }
    }
    m_finder.set_pairs(static_cast<int>(surfaces.size()), sides);
}

bool OverlapJudge::still_holds(const Look& look, const Surface& a, const Surface& b, const Pose& a_to_b)
{
    return look.known && rigid_travel(a.local_box(), look.a_to_b, a_to_b) +
                                 (a.deformed_path() - look.path_a) + (b.deformed_path() - look.path_b) <=
                             unseen_ratio * look.tolerance;
}

void OverlapJudge::look(std::vector<ContactSurface>& surfaces, const std::vector<ContactPair>& pairs)
{
    for (std::size_t i = 0; i < surfaces.size(); ++i) {
        m_finder.boxes()[i] = surfaces[i].bounds();
    }
    for (Look& look : m_looks) {
        look.near = false;
    }
    for (const std::size_t i : m_finder.find(0.0)) {
        Look& look = m_looks[i];
        look.near = true;
        const ContactSurface& side_a = surfaces[static_cast<std::size_t>(pairs[i].a)];
        const ContactSurface& side_b = surfaces[static_cast<std::size_t>(pairs[i].b)];
        Surface& a = surfaces[static_cast<std::size_t>(pairs[i].a)].geometry;
        Surface& b = surfaces[static_cast<std::size_t>(pairs[i].b)].geometry;
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
        }
        look.known = true;
        look.a_to_b = a_to_b;
        look.path_a = a.deformed_path();
        look.path_b = b.deformed_path();
    }
    for (Look& look : m_looks) {
        if (!look.near) {
            look.depth = 0.0;
            look.known = false;
        }
    }
}

void OverlapJudge::go_back(const std::vector<double>& depths)
{
    for (std::size_t i = 0; i < m_looks.size(); ++i) {
        m_looks[i].depth = depths[i];
        m_looks[i].known = false;
    }
}

}  // namespace softcontact
