// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/contact/vertex_share.hpp"

#include <algorithm>
#include <utility>

namespace softcontact {

void share_vertex_areas(std::span<ContactPoint> points, std::span<const double> vertex_areas,
                        std::vector<double>& touch, SurfacePoint ContactPoint::* side)
{
    for (const ContactPoint& contact : points) {
        for (int k = 0; k < 3; ++k) {
            touch[static_cast<std::size_t>((contact.*side).vertices[static_cast<std::size_t>(k)])] +=
                (contact.*side).weights[k];
        }
    }
    for (ContactPoint& contact : points) {
        for (int k = 0; k < 3; ++k) {
            const auto vertex =
                static_cast<std::size_t>((contact.*side).vertices[static_cast<std::size_t>(k)]);
            contact.area += vertex_areas[vertex] * (contact.*side).weights[k] / std::max(1.0, touch[vertex]);
        }
    }
    for (const ContactPoint& contact : points) {
        for (const int vertex : (contact.*side).vertices) {
            touch[static_cast<std::size_t>(vertex)] = 0.0;
        }
    }
}

void find_repeated_vertices(std::span<const ContactPoint> points, std::vector<char>& repeated,
                            double same_face_cosine)
{
    repeated.assign(points.size(), 0);
    std::vector<std::pair<int, std::size_t>> at_vertex;  // sorted: the contacts of a vertex side by side
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (const int vertex = points[i].a.vertex(); vertex >= 0) {
            at_vertex.emplace_back(vertex, i);
        }
    }
    std::sort(at_vertex.begin(), at_vertex.end());
    const auto repeats = [&](std::size_t i, std::size_t j) {
        const bool nearer = points[j].gap < points[i].gap || (points[j].gap == points[i].gap && j < i);
        return j != i && nearer && points[i].normal.dot(points[j].normal) > same_face_cosine;
    };
    for (auto first = at_vertex.begin(); first != at_vertex.end();) {
        const auto last = std::find_if(first, at_vertex.end(),
                                       [&](const auto& entry) { return entry.first != first->first; });
        for (auto one = first; one != last; ++one) {
            const bool told = std::any_of(
                first, last, [&](const auto& other) { return repeats(one->second, other.second); });
            repeated[one->second] = told ? 1 : 0;
        }
        first = last;
    }
}

}  // namespace softcontact
