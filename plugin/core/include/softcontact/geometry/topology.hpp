// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>
#include <vector>

#include "softcontact/types.hpp"

namespace softcontact {

using Edges = Eigen::Matrix<int, 2, Eigen::Dynamic>;

/// What is connected to what in a triangle mesh. Nothing here changes when the vertices move.
struct SurfaceTopology {
    int vertex_count = 0;
    Triangles triangles;                ///< (3, m), counter-clockwise seen from outside
    Edges edges;                        ///< (2, e), lower vertex first, sorted
    Edges edge_faces;                   ///< (2, e), the two lowest incident triangles, -1 where there is none
    Triangles triangle_edges;           ///< (3, m), edge k joins the corners k and (k + 1) mod 3
    std::vector<int> edge_face_count;   ///< (e,), 1 on a boundary, 2 inside, more where not manifold
    std::vector<char> boundary_vertex;  ///< (n,), 1 where a boundary edge ends
    std::vector<int> part_of_vertex;    ///< (n,), which connected part of the mesh it belongs to
    std::vector<int> vertex_of_part;    ///< one vertex of each part that has triangles
    bool closed = false;                ///< every edge has two triangles that run through it oppositely

    /// Triangles around a vertex, ascending.
    [[nodiscard]] std::span<const int> faces_of_vertex(int vertex) const
    {
        return slice(m_vertex_faces, m_face_offsets, vertex);
    }
    /// Vertices that share an edge with a vertex, ascending.
    [[nodiscard]] std::span<const int> neighbors_of_vertex(int vertex) const
    {
        return slice(m_vertex_neighbors, m_neighbor_offsets, vertex);
    }
    /// The corner of a triangle that is not on an edge of it.
    [[nodiscard]] int opposite_corner(int triangle, int edge) const
    {
        return triangles.col(triangle).sum() - edges.col(edge).sum();
    }

    /// Raises std::invalid_argument for an empty mesh, an index outside [0, vertex_count), or a triangle that
    /// names a vertex twice.
    SurfaceTopology(int number_of_vertices, const Eigen::Ref<const Triangles>& corners);
    SurfaceTopology() = default;

private:
    [[nodiscard]] static std::span<const int> slice(const std::vector<int>& values,
                                                    const std::vector<int>& offsets, int item)
    {
        return {values.data() + offsets[item], static_cast<std::size_t>(offsets[item + 1] - offsets[item])};
    }

    void find_parts();

    std::vector<int> m_vertex_faces, m_face_offsets, m_vertex_neighbors, m_neighbor_offsets;
};

}  // namespace softcontact
