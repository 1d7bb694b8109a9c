// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "softcontact/geometry/aabb_tree.hpp"
#include "softcontact/geometry/topology.hpp"
#include "softcontact/types.hpp"

namespace softcontact {

/// A triangle surface that moves: rigidly by its pose, or by new vertex positions, or both (a phalanx deforms
/// in the frame of its link). All geometry is kept in the local frame and queries go there, so a rigid
/// surface never updates its tree.
///
/// Normals point outwards for counter-clockwise triangles. Triangles of no area have a zero normal and count
/// for nothing; they never produce NaN. Outside/inside on closed surfaces follows the angle-weighted
/// pseudo-normals of Bærentzen & Aanæs (2005); an open surface uses the same rule, which then means "on the
/// side its normals point to" and has no meaning beyond its rim.
class Surface {
public:
    /// Convex edges whose triangles' normals enclose more than 37° count as sharp, and so do boundary edges.
    static constexpr double sharp_cosine_limit = 0.8;

    /// Builds topology, tree and normals on the reference shape.
    ///
    /// vertices: (3, n) [m], finite; triangles: (3, m) vertex indices.
    /// Raises std::invalid_argument naming the array, the entry and what to do.
    Surface(const Eigen::Ref<const Points>& vertices, const Eigen::Ref<const Triangles>& triangles);

    /// New local vertices (3, n) [m]: refits the tree, recomputes normals and areas. Does not allocate.
    /// Raises std::invalid_argument if the number of vertices differs.
    void update(const Eigen::Ref<const Points>& vertices);
    /// New local vertices and box alone, for a surface that may not be near any other; until refresh() its
    /// tree, normals, areas and sharp edges are the old ones. Raises as update().
    void move(const Eigen::Ref<const Points>& vertices);
    /// Brings up to date what move() left behind; nothing where it is.
    void refresh();
    void set_pose(const Pose& pose) { m_pose = pose; }
    /// Tissue: an edge is a ridge in one step, flat or hollow in the next, and its contacts are not to come
    /// and go with that.
    void set_folds(bool folds) { m_folds = folds; }
    [[nodiscard]] bool folds() const { return m_folds; }

    [[nodiscard]] int vertex_count() const { return m_topology.vertex_count; }
    [[nodiscard]] int triangle_count() const { return static_cast<int>(m_topology.triangles.cols()); }
    [[nodiscard]] int edge_count() const { return static_cast<int>(m_topology.edges.cols()); }
    [[nodiscard]] bool is_closed() const { return m_topology.closed; }
    [[nodiscard]] const SurfaceTopology& topology() const { return m_topology; }
    [[nodiscard]] const Triangles& triangles() const { return m_topology.triangles; }
    [[nodiscard]] const Points& reference_vertices() const { return m_reference_vertices; }
    [[nodiscard]] const Points& local_vertices() const { return m_vertices; }
    [[nodiscard]] const Pose& pose() const { return m_pose; }
    [[nodiscard]] Vector3d world_vertex(int vertex) const { return m_pose * m_vertices.col(vertex); }

    /// Unit normals of the triangles (3, m) in the local frame, zero where undefined.
    [[nodiscard]] const Points& face_normals() const { return m_face_normals; }
    /// Unit normal of a vertex or of an edge in the local frame, zero where undefined. Few of them are ever
    /// asked for while a surface deforms, so that they are made when they are.
    [[nodiscard]] Vector3d vertex_normal(int vertex) const;
    [[nodiscard]] Vector3d edge_normal(int edge) const;
    /// Areas [m²]: of triangles (m,), and of vertices (n,) as a third of each incident triangle.
    [[nodiscard]] const VectorXd& triangle_areas() const { return m_triangle_areas; }
    [[nodiscard]] const VectorXd& vertex_areas() const { return m_vertex_areas; }
    /// Indices of the sharp edges, ascending.
    [[nodiscard]] const std::vector<int>& sharp_edges() const { return m_sharp_edges; }
    /// Ascending in how far an edge stands out. `none`: of more than two triangles; `hollow`: flat to
    /// round-off as well; `sharp` as above.
    enum class EdgeKind : char { none, hollow, smooth, sharp };
    [[nodiscard]] EdgeKind edge_kind(int edge) const { return m_edge_kinds[edge]; }
    [[nodiscard]] bool is_sharp(int edge) const { return m_edge_kinds[edge] == EdgeKind::sharp; }
    /// Largest curvature across a convex edge that is not sharp [1/m]: its angle over the mean width of its
    /// triangles. Of one that folds, the largest so far.
    [[nodiscard]] double smooth_curvature() const { return m_smooth_curvature; }

    [[nodiscard]] const AabbTree& tree() const { return m_tree; }
    [[nodiscard]] const Aabb& local_box() const { return m_box; }
    /// Sum of the furthest that any vertex went in each move, in the local frame [m].
    [[nodiscard]] double deformed_path() const { return m_deformed_path; }
    /// Box around the surface in the world: around the moved local box, so not always the tightest.
    [[nodiscard]] Aabb world_box() const { return local_box().transformed(m_pose); }
    /// Diagonal of the reference shape [m], the scale of round-off in its coordinates.
    [[nodiscard]] double reference_size() const { return m_reference_size; }

private:
    [[nodiscard]] Aabb triangle_box(int triangle) const;
    void update_normals();
    void update_edges();

    SurfaceTopology m_topology;
    Points m_reference_vertices;
    Points m_vertices;
    Pose m_pose;
    Points m_face_normals;
    VectorXd m_triangle_areas, m_vertex_areas;
    std::vector<int> m_sharp_edges;
    std::vector<EdgeKind> m_edge_kinds;
    double m_smooth_curvature = 0.0;
    AabbTree m_tree;
    Aabb m_box;                          ///< of the triangles
    std::vector<int> m_corner_vertices;  ///< those of some triangle
    double m_reference_size = 0.0;
    double m_deformed_path = 0.0;
    bool m_fresh = true;
    bool m_folds = false;
};

}  // namespace softcontact
