// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/geometry/mass_properties.hpp"

#include <stdexcept>
#include <string>

#include "softcontact/geometry/topology.hpp"

namespace softcontact {

MassProperties mass_properties(const Eigen::Ref<const Points>& vertices,
                               const Eigen::Ref<const Triangles>& triangles)
{
    if (!vertices.allFinite()) {
        throw std::invalid_argument("vertices: a coordinate is not finite; every one must be in metres");
    }
    if (!SurfaceTopology(static_cast<int>(vertices.cols()), triangles).closed) {
        throw std::invalid_argument(
            "triangles: the mesh is not closed and consistently oriented; fill its holes, merge double "
            "vertices and turn flipped triangles first");
    }
    const Vector3d origin = vertices.rowwise().mean();
    double volume = 0.0;
    Vector3d moment = Vector3d::Zero();
    Matrix3d covariance = Matrix3d::Zero();
    for (Index t = 0; t < triangles.cols(); ++t) {
        const Vector3d a = vertices.col(triangles(0, t)) - origin;
        const Vector3d b = vertices.col(triangles(1, t)) - origin;
        const Vector3d c = vertices.col(triangles(2, t)) - origin;
        const double determinant = a.dot(b.cross(c));
        const Vector3d sum = a + b + c;
        volume += determinant / 6.0;
        moment += determinant / 24.0 * sum;
        covariance += determinant / 120.0 *
                      (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose());
    }
    if (!(volume > 0.0)) {
        throw std::invalid_argument("triangles: they enclose the volume " + std::to_string(volume) +
                                    " m³; turn them counter-clockwise seen from outside");
    }
    const Vector3d offset = moment / volume;
    covariance -= volume * offset * offset.transpose();
    return {volume, origin + offset, covariance.trace() * Matrix3d::Identity() - covariance};
}

}  // namespace softcontact
