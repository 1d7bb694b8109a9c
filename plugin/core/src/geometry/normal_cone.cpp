// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/geometry/normal_cone.hpp"

#include <algorithm>

namespace softcontact {

bool in_vertex_cone(const Surface& surface, int vertex, const Vector3d& direction, double sine_tolerance)
{
    const Points& vertices = surface.local_vertices();
    for (const int neighbor : surface.topology().neighbors_of_vertex(vertex)) {
        const Vector3d edge = vertices.col(neighbor) - vertices.col(vertex);
        if (edge.dot(direction) > sine_tolerance * edge.norm()) return false;
    }
    return true;
}

bool in_edge_cone(const Surface& surface, int edge, const Vector3d& direction, double sine_tolerance)
{
    const SurfaceTopology& topology = surface.topology();
    const Points& vertices = surface.local_vertices();
    const Vector3d start = vertices.col(topology.edges(0, edge));
    const Vector3d along = (vertices.col(topology.edges(1, edge)) - start).normalized();
    const bool folds = surface.folds() && topology.edge_face_count[edge] == 2;
    for (int side = 0; side < topology.edge_face_count[edge]; ++side) {
        const int opposite = topology.opposite_corner(topology.edge_faces(side, edge), edge);
        const Vector3d inward = vertices.col(opposite) - start;
        const double width = along.cross(inward).norm();
        double reach = sine_tolerance * width;
        if (folds) {
            reach +=
                std::max(0.0, inward.dot(surface.face_normals().col(topology.edge_faces(1 - side, edge))));
        }
        if (inward.dot(direction) > reach) return false;
    }
    return true;
}

}  // namespace softcontact
