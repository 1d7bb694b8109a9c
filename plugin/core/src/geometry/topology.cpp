// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/geometry/topology.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace softcontact {
namespace {

struct HalfEdge {
    int lower, upper, face, corner;
    bool ascending;

    [[nodiscard]] bool same_edge(const HalfEdge& other) const
    {
        return lower == other.lower && upper == other.upper;
    }
    [[nodiscard]] bool operator<(const HalfEdge& other) const
    {
        if (lower != other.lower) return lower < other.lower;
        if (upper != other.upper) return upper < other.upper;
        return face != other.face ? face < other.face : corner < other.corner;
    }
};

void check_triangles(int vertex_count, const Triangles& triangles)
{
    if (triangles.cols() == 0) {
        throw std::invalid_argument("triangles: none given; a surface needs at least one triangle");
    }
    for (Index t = 0; t < triangles.cols(); ++t) {
        const auto corners = triangles.col(t);
        if (corners.minCoeff() < 0 || corners.maxCoeff() >= vertex_count) {
            throw std::invalid_argument(
                "triangles: triangle " + std::to_string(t) + " names vertex " +
                std::to_string(corners.minCoeff() < 0 ? corners.minCoeff() : corners.maxCoeff()) +
                ", but there are " + std::to_string(vertex_count) + " vertices; indices start at 0");
        }
        if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0]) {
            throw std::invalid_argument("triangles: triangle " + std::to_string(t) +
                                        " names a vertex twice; remove it");
        }
    }
}

std::vector<HalfEdge> sorted_half_edges(const Triangles& triangles)
{
    std::vector<HalfEdge> half_edges;
    half_edges.reserve(3 * triangles.cols());
    for (int t = 0; t < triangles.cols(); ++t) {
        for (int k = 0; k < 3; ++k) {
            const int from = triangles(k, t);
            const int to = triangles((k + 1) % 3, t);
            half_edges.push_back({std::min(from, to), std::max(from, to), t, k, from < to});
        }
    }
    std::sort(half_edges.begin(), half_edges.end());
    return half_edges;
}

/// Pairs (key, value), grouped by ascending key and value.
void group(std::vector<std::pair<int, int>>& pairs, int key_count, std::vector<int>& offsets,
           std::vector<int>& values)
{
    std::sort(pairs.begin(), pairs.end());
    offsets.assign(key_count + 1, 0);
    values.clear();
    for (const auto& [key, value] : pairs) {
        ++offsets[key + 1];
        values.push_back(value);
    }
    for (int key = 0; key < key_count; ++key) offsets[key + 1] += offsets[key];
}

}  // namespace

SurfaceTopology::SurfaceTopology(int number_of_vertices, const Eigen::Ref<const Triangles>& corners)
    : vertex_count(number_of_vertices), triangles(corners), triangle_edges(3, corners.cols())
{
    check_triangles(vertex_count, triangles);
    const std::vector<HalfEdge> half_edges = sorted_half_edges(triangles);

    std::vector<std::pair<int, int>> ends, incident_faces, neighbors;
    std::vector<std::pair<int, int>> first_faces;
    closed = true;
    for (std::size_t begin = 0, end = 0; begin < half_edges.size(); begin = end) {
        int ascending = 0;
        for (end = begin; end < half_edges.size() && half_edges[end].same_edge(half_edges[begin]); ++end) {
            triangle_edges(half_edges[end].corner, half_edges[end].face) = static_cast<int>(ends.size());
            ascending += half_edges[end].ascending ? 1 : 0;
        }
        const HalfEdge& edge = half_edges[begin];
        const int count = static_cast<int>(end - begin);
        closed = closed && count == 2 && ascending == 1;
        ends.emplace_back(edge.lower, edge.upper);
        first_faces.emplace_back(edge.face, count > 1 ? half_edges[begin + 1].face : -1);
        edge_face_count.push_back(count);
        neighbors.emplace_back(edge.lower, edge.upper);
        neighbors.emplace_back(edge.upper, edge.lower);
    }
    edges.resize(2, static_cast<Index>(ends.size()));
    edge_faces.resize(2, edges.cols());
    boundary_vertex.assign(vertex_count, 0);
    for (int e = 0; e < edges.cols(); ++e) {
        edges.col(e) << ends[e].first, ends[e].second;
        edge_faces.col(e) << first_faces[e].first, first_faces[e].second;
        if (edge_face_count[e] == 1) boundary_vertex[ends[e].first] = boundary_vertex[ends[e].second] = 1;
    }
    for (int t = 0; t < triangles.cols(); ++t) {
        for (int k = 0; k < 3; ++k) incident_faces.emplace_back(triangles(k, t), t);
    }
    group(incident_faces, vertex_count, m_face_offsets, m_vertex_faces);
    group(neighbors, vertex_count, m_neighbor_offsets, m_vertex_neighbors);
    find_parts();
}

void SurfaceTopology::find_parts()
{
    constexpr int none = -1;
    part_of_vertex.assign(vertex_count, none);
    std::vector<int> open;
    for (int start = 0; start < vertex_count; ++start) {
        if (part_of_vertex[start] != none || faces_of_vertex(start).empty()) continue;
        const int part = static_cast<int>(vertex_of_part.size());
        vertex_of_part.push_back(start);
        part_of_vertex[start] = part;
        for (open.assign(1, start); !open.empty();) {
            const int vertex = open.back();
            open.pop_back();
            for (const int next : neighbors_of_vertex(vertex)) {
                if (part_of_vertex[next] != none) continue;
                part_of_vertex[next] = part;
                open.push_back(next);
            }
        }
    }
}

}  // namespace softcontact
