// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/contact/surface_clusters.hpp"

#include <limits>
#include <stdexcept>
#include <string>

namespace softcontact {

std::vector<int> cluster_vertices(const Points& vertices, const Points& normals, double size)
{
    if (!(size > 0.0)) {
        throw std::invalid_argument("size is " + std::to_string(size) + " m; it must be > 0");
    }
    if (normals.cols() != vertices.cols()) {
        throw std::invalid_argument("normals has " + std::to_string(normals.cols()) +
                                    " columns; it must have one a vertex (" +
                                    std::to_string(vertices.cols()) + ")");
    }
    const Index count = vertices.cols();
    constexpr double far = std::numeric_limits<double>::infinity();
    std::vector<int> cluster(static_cast<std::size_t>(count), 0);
    VectorXd distance = VectorXd::Constant(count, far);
    int clusters = 0;
    for (Index seed = 0; count > 0; ++clusters) {
        for (Index i = 0; i < count; ++i) {
            const bool facing = i == seed || normals.col(i).dot(normals.col(seed)) >= 0.0;
            const double apart = facing ? (vertices.col(i) - vertices.col(seed)).norm() : far;
            if (apart < distance[i]) {
                distance[i] = apart;
                cluster[static_cast<std::size_t>(i)] = clusters;
            }
        }
        if (!(distance.maxCoeff(&seed) > 0.5 * size)) {
            break;
        }
    }
    return cluster;
}

}  // namespace softcontact
