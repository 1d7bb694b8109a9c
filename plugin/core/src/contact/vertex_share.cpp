// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/contact/vertex_share.hpp"

#include <algorithm>

namespace softcontact {

namespace {

constexpr double whole_vertex = 1.0 - 1e-6;

/// The vertex of A that a contact lies on, or -1.
int vertex_of(const ContactPoint& point)
{
    Index heaviest = 0;
    return point.a.weights.maxCoeff(&heaviest) >= whole_vertex
               ? point.a.vertices[static_cast<std::size_t>(heaviest)]
               : -1;
}

}  // namespace

void share_vertex_areas(std::span<ContactPoint> points, std::span<const double> vertex_areas,
                        std::vector<double>& touch)
{
    for (const ContactPoint& contact : points) {
        for (int k = 0; k < 3; ++k) {
            touch[static_cast<std::size_t>(contact.a.vertices[static_cast<std::size_t>(k)])] +=
                contact.a.weights[k];
        }
    }
    for (ContactPoint& contact : points) {
        for (int k = 0; k < 3; ++k) {
            const auto vertex = static_cast<std::size_t>(contact.a.vertices[static_cast<std::size_t>(k)]);
            contact.area += vertex_areas[vertex] * contact.a.weights[k] / std::max(1.0, touch[vertex]);
        }
    }
    for (const ContactPoint& contact : points) {
        for (const int vertex : contact.a.vertices) {
            touch[static_cast<std::size_t>(vertex)] = 0.0;
        }
    }
}

void find_repeated_vertices(std::span<const ContactPoint> points, std::vector<char>& repeated,
                            double same_face_cosine)
{
    repeated.assign(points.size(), 0);
    for (std::size_t i = 0; i < points.size(); ++i) {
        const int vertex = vertex_of(points[i]);
        for (std::size_t j = 0; vertex >= 0 && j < points.size() && repeated[i] == 0; ++j) {
            const bool nearer = points[j].gap < points[i].gap || (points[j].gap == points[i].gap && j < i);
            repeated[i] = j != i && nearer && vertex_of(points[j]) == vertex &&
                                  points[i].normal.dot(points[j].normal) > same_face_cosine
                              ? 1
                              : 0;
        }
    }
}

}  // namespace softcontact
