// SPDX-License-Identifier: LGPL-2.1-or-later
// The convex solid inside a closed surface.
#include <cmath>
#include <map>
#include <set>

#include "softcontact/geometry/convex_shape.hpp"
#include "softcontact/geometry/surface.hpp"

namespace softcontact {
namespace {

/// How far vertices may lie off a plane or behind it, in sizes: round-off of files in single precision.
constexpr double flat_ratio = 1e-7;

using Regions = std::vector<int>;  ///< of each triangle, −1 where it has none

/// Number of the faces: triangles that hang together in one plane.
class FaceFinder {
public:
    explicit FaceFinder(const Surface& surface)
        : m_surface(surface), m_tolerance(flat_ratio * surface.reference_size())
    {
        m_region.assign(static_cast<std::size_t>(surface.triangle_count()), -1);
    }

    /// False where the surface is not convex.
    bool find()
    {
        for (int seed = largest(); seed >= 0; seed = largest()) {
            constexpr std::size_t most_faces = 2 * ConvexShape::most_corners - 4;
            if (!grow(seed) || m_normals.size() > most_faces) return false;
        }
        return true;
    }
    [[nodiscard]] const Regions& regions() const { return m_region; }
    [[nodiscard]] const std::vector<Vector3d>& normals() const { return m_normals; }

private:
    [[nodiscard]] int largest() const
    {
        int found = -1;
        for (int i = 0; i < m_surface.triangle_count(); ++i) {
            if (m_region[static_cast<std::size_t>(i)] < 0 &&
                (found < 0 || m_surface.triangle_areas()[i] > m_surface.triangle_areas()[found])) {
                found = i;
            }
        }
        return found;
    }

    bool grow(int seed)
    {
        const Vector3d normal = m_surface.face_normals().col(seed);
        const Points& vertices = m_surface.local_vertices();
        const double level = normal.dot(vertices.col(m_surface.triangles()(0, seed)));
        if (!(normal.squaredNorm() > 0.5) ||
            (normal.transpose() * vertices).maxCoeff() > level + m_tolerance) {
            return false;
        }
        const SurfaceTopology& topology = m_surface.topology();
        const int number = static_cast<int>(m_normals.size());
        m_normals.push_back(normal);
        std::vector<int> front{seed};
        m_region[static_cast<std::size_t>(seed)] = number;
        while (!front.empty()) {
            const int triangle = front.back();
            front.pop_back();
            for (int k = 0; k < 3; ++k) {
                const int edge = topology.triangle_edges(k, triangle);
                const int first = topology.edge_faces(0, edge);
                const int next = first == triangle ? topology.edge_faces(1, edge) : first;
                if (next < 0 || m_region[static_cast<std::size_t>(next)] >= 0) continue;
                bool flat = true;
                for (int c = 0; c < 3; ++c) {
                    const Vector3d corner = vertices.col(m_surface.triangles()(c, next));
                    flat = flat && normal.dot(corner) >= level - m_tolerance;
                }
                if (!flat) continue;
                m_region[static_cast<std::size_t>(next)] = number;
                front.push_back(next);
            }
        }
        return true;
    }

    const Surface& m_surface;
    double m_tolerance;
    Regions m_region;
    std::vector<Vector3d> m_normals;
};

}  // namespace

std::optional<ConvexShape> ConvexShape::hull(const Surface& surface)
{
    if (!surface.is_closed()) return std::nullopt;
    FaceFinder finder(surface);
    if (!finder.find()) return std::nullopt;
    const Triangles& triangles = surface.triangles();
    const auto region = [&](int triangle) { return finder.regions()[static_cast<std::size_t>(triangle)]; };
    // A corner is where three faces or more meet; others lie inside an edge or a face.
    std::vector<std::set<int>> faces_of(static_cast<std::size_t>(surface.vertex_count()));
    for (int i = 0; i < surface.triangle_count(); ++i) {
        for (int k = 0; k < 3; ++k) faces_of[static_cast<std::size_t>(triangles(k, i))].insert(region(i));
    }
    std::vector<int> number(faces_of.size(), -1);
    int count = 0;
    for (std::size_t i = 0; i < faces_of.size(); ++i) {
        if (faces_of[i].size() > 2) number[i] = count++;
    }
    if (count < 4 || count > most_corners) return std::nullopt;
    ConvexShape shape(Kind::hull);
    shape.m_corners.resize(3, count);
    for (std::size_t i = 0; i < number.size(); ++i) {
        if (number[i] >= 0)
            shape.m_corners.col(number[i]) = surface.local_vertices().col(static_cast<Index>(i));
    }
    // The rim of each face, from edge to edge.
    const SurfaceTopology& topology = surface.topology();
    std::vector<std::map<int, int>> next(finder.normals().size());
    for (int i = 0; i < surface.triangle_count(); ++i) {
        for (int k = 0; k < 3; ++k) {
            const int edge = topology.triangle_edges(k, i);
            const int other = topology.edge_faces(0, edge) == i ? topology.edge_faces(1, edge)
                                                                : topology.edge_faces(0, edge);
            if (region(other) == region(i)) continue;
            auto& rim = next[static_cast<std::size_t>(region(i))];
            if (!rim.emplace(triangles(k, i), triangles((k + 1) % 3, i)).second) return std::nullopt;
        }
    }
    std::map<std::pair<int, int>, int> edge_of;
    for (std::size_t f = 0; f < next.size(); ++f) {
        Face face{finder.normals()[f], {}};
        if (next[f].empty()) return std::nullopt;
        const int start = next[f].begin()->first;
        std::size_t steps = 0;
        for (int vertex = start; steps == 0 || vertex != start; ++steps) {
            const auto step = next[f].find(vertex);
            if (step == next[f].end() || steps > next[f].size()) return std::nullopt;
            if (number[static_cast<std::size_t>(vertex)] >= 0) {
                face.corners.push_back(number[static_cast<std::size_t>(vertex)]);
            }
            vertex = step->second;
        }
        if (steps != next[f].size() || face.corners.size() < 3) return std::nullopt;
        for (std::size_t k = 0; k < face.corners.size(); ++k) {
            const int a = face.corners[k], b = face.corners[(k + 1) % face.corners.size()];
            const auto back = edge_of.find({b, a});
            if (back == edge_of.end()) {
                edge_of[{a, b}] = static_cast<int>(shape.m_edges.size());
                shape.m_edges.push_back({a, b, static_cast<int>(f), -1});
            } else {
                shape.m_edges[static_cast<std::size_t>(back->second)].right = static_cast<int>(f);
            }
        }
        shape.m_faces.push_back(std::move(face));
    }
    for (const Edge& edge : shape.m_edges) {
        if (edge.right < 0) return std::nullopt;
    }
    shape.finish();
    return shape;
}

}  // namespace softcontact
