// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <span>
#include <vector>

#include "softcontact/contact/contact_point.hpp"
#include "softcontact/geometry/surface.hpp"

namespace softcontact {

struct RegionLimits {
    double gap = 0.0;  ///< [m] of the gaps that are given, below which a place belongs to the region
    double facing =
        0.0;  ///< [m] the same of the surfaces as they are, where triangles of both face each other
    double outside = 0.0;  ///< [m] gap at corners without contact, above the other two
};

/// The region in which two surfaces touch, and what each contact point has of its area.
///
/// The region lies on A. A triangle of A whose contacts are at its corners alone belongs to it where the gap,
/// linear between the corners, is not above the limit; one that B's edges cross or B's vertices touch, where
/// a triangle of B faces it within the limit as well: so its area does not depend on how finely A or B are
/// meshed. Areas are seen along the contact normal: the sides of a body that stands on its bottom have none.
/// Each triangle's share goes to its contact points. Buffers grow to the largest surfaces seen.
class ContactRegion {
public:
    /// Sets ContactPoint::area [m²] of all points of a pair. gaps (points.size()) [m]: those behind the
    /// region.
    void share_area(const Surface& a, const Surface& b, std::span<const double> gaps,
                    const RegionLimits& limits, std::span<ContactPoint> points);

private:
    static constexpr int most_corners =
        9;  ///< of a triangle cut by a triangle and a half-plane, and to spare
    struct Corner {
        Vector3d weights;  ///< barycentric in the triangle of A
        double gap;
    };
    struct Polygon {
        std::array<Corner, most_corners> corners;
        int count = 0;
    };
    template <typename Value>
    static void cut(Polygon& polygon, const Value& value);
    static void share_corners(const Polygon& polygon, std::array<double, most_corners>& of_corner);

    void list_triangles(const Surface& a, std::span<const ContactPoint> points);
    void share_triangle(const Surface& a, const Surface& b, int triangle, std::span<const double> gaps,
                        const RegionLimits& limits, std::span<ContactPoint> points);
    void give(const Polygon& polygon, double area, std::span<ContactPoint> points);

    std::vector<int> m_contact_of_vertex;            ///< −1 between calls
    std::vector<int> m_place_of_triangle;            ///< −1 between calls
    std::vector<int> m_triangles;                    ///< with contact points
    std::vector<std::vector<int>> m_inner;           ///< of each of those: points that are not at a corner
    std::vector<std::pair<int, Vector3d>> m_takers;  ///< of the triangle at hand: point, barycentric place
};

}  // namespace softcontact
