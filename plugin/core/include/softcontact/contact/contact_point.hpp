// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cstdint>

#include "softcontact/types.hpp"

namespace softcontact {

/// Material point of a surface: Σ weights[k] · vertex(vertices[k]). Unused entries repeat a vertex with
/// weight 0, so that indexing is always safe.
struct SurfacePoint {
    std::array<int, 3> vertices{};
    Vector3d weights = Vector3d::Zero();  ///< >= 0, sum 1
};

/// What a contact's identity rests on.
enum class ContactKind : std::uint8_t { vertex_of_a = 0, vertex_of_b = 1, edge_edge = 2 };

/// One pair of near points of the bodies A and B, world coordinates.
struct ContactPoint {
    SurfacePoint a;
    SurfacePoint b;
    Vector3d p = Vector3d::Zero();       ///< point of A
    Vector3d q = Vector3d::Zero();       ///< point of B
    Vector3d normal = Vector3d::Zero();  ///< unit, from B to A
    double gap = 0.0;       ///< normal·(p − q) − contact_offset [m], negative where they penetrate
    double area = 0.0;      ///< share of A's surface [m²]
    std::uint64_t key = 0;  ///< the same while the same features touch, see contact_key
};

/// Identity of a contact within its pair of surfaces: the kind and the indices of the vertex (first, second
/// unused), or of A's and B's edge. A vertex keeps its key while it slides over the other surface. Ascending
/// keys order the kinds as ContactKind does.
[[nodiscard]] constexpr std::uint64_t contact_key(ContactKind kind, int first, int second = 0)
{
    return (static_cast<std::uint64_t>(kind) << 62) | (static_cast<std::uint64_t>(first) << 31) |
           static_cast<std::uint64_t>(second);
}

[[nodiscard]] constexpr ContactKind contact_kind(std::uint64_t key)
{
    return static_cast<ContactKind>(key >> 62);
}

}  // namespace softcontact
