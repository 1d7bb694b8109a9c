// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>

#include "softcontact/geometry/surface.hpp"

namespace softcontact {

enum class Feature : std::uint8_t { vertex, edge, face };

/// Point of a triangle nearest to a query point.
struct TrianglePoint {
    Vector3d point = Vector3d::Zero();        ///< barycentric combination of the corners
    Vector3d barycentric = Vector3d::Zero();  ///< weights of the corners, >= 0, sum 1
    double squared_distance = 0.0;
    Feature feature = Feature::face;
    int index = 0;  ///< vertex: corner 0..2; edge: k for the edge from corner k to k + 1; face: 0
};

/// Nearest point of the triangle (a, b, c): the projection where it falls inside, else the nearest point of
/// the edges it lies beyond. Needles and triangles of no area reduce to their edges.
[[nodiscard]] TrianglePoint closest_point_on_triangle(const Vector3d& query, const Vector3d& a,
                                                      const Vector3d& b, const Vector3d& c);

/// Nearest points of two segments: first = a0 + s (a1 − a0), second = b0 + t (b1 − b0), s and t in [0, 1].
struct SegmentPair {
    double s = 0.0;
    double t = 0.0;
    Vector3d first = Vector3d::Zero();
    Vector3d second = Vector3d::Zero();
    double squared_distance = 0.0;
};

/// Nearest points of the segments (a0, a1) and (b0, b1). The minimum is the crossing of the two lines'
/// common normal where that lies inside both, else it has an end of one segment: all five are compared, which
/// stays exact for parallel and for zero-length segments. Parallel ones return the first end that is nearest.
[[nodiscard]] SegmentPair closest_points_of_segments(const Vector3d& a0, const Vector3d& a1,
                                                     const Vector3d& b0, const Vector3d& b1);

/// Nearest point of a surface with the side the query is on.
struct ClosestPoint {
    double signed_distance = 0.0;  ///< [m], negative inside
    Vector3d point = Vector3d::Zero();
    /// Unit, outwards: (query − point)/distance outside, its opposite inside; the pseudo-normal of the
    /// feature where the distance is round-off (zero if the feature has none). On a face it is the face's
    /// normal.
    Vector3d normal = Vector3d::Zero();
    int triangle = -1;  ///< -1: nothing within the distance asked for, and the rest is unset
    Vector3d barycentric = Vector3d::Zero();
    Feature feature = Feature::face;
    int feature_index = -1;    ///< index of the vertex, edge or triangle in the surface
    bool on_boundary = false;  ///< on the rim of an open surface, where the side is not defined
    [[nodiscard]] bool found() const { return triangle >= 0; }
};

/// Distances below this share of the surface's size are round-off, their direction means nothing.
inline constexpr double coincidence_ratio = 1e-9;

/// Nearest point of the surface within max_distance [m] (inf allowed), everything in world coordinates.
/// Of equally near triangles the lowest index wins. Does not allocate.
///
/// Source: Bærentzen & Aanæs 2005, "Signed distance computation using the angle weighted pseudonormal".
[[nodiscard]] ClosestPoint closest_point(const Surface& surface, const Vector3d& world_point,
                                         double max_distance);

/// What is kept of a search to make the next one for a point near by shorter; it changes no answer.
struct NearTriangle {
    int triangle = -1;
    Vector3d point = Vector3d::Zero();  ///< that was asked for
    /// No other triangle was nearer, with the surface's deformed path at that time [m].
    double others = -std::numeric_limits<double>::infinity();
};

/// The same in the surface's local frame, with or without a memory.
[[nodiscard]] ClosestPoint closest_point_local(const Surface& surface, const Vector3d& local_point,
                                               double max_distance, NearTriangle* memory = nullptr);

}  // namespace softcontact
