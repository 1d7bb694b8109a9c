// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/contact/shape_side.hpp"

#include <cmath>
#include <numbers>

namespace softcontact {
namespace {

/// A cylinder shows a cap where its axis is nearer to the direction than this, else its mantle. Either side
/// has the point of the rim that lies furthest out.
constexpr double cap_cosine = 0.7071067811865476;
/// Sine of a tilt below which the lowest point of a rim is hardly lower than those beside it, by 2e-8 of its
/// radius: points stay with the body.
constexpr double level_sine = 1e-6;

}  // namespace

ShapeSide::ShapeSide(const PlacedShape& placed, const Vector3d& towards)
{
    const ConvexShape& shape = *placed.shape;
    if (shape.is_plane()) {
        endless = true;
        points[static_cast<std::size_t>(count++)] = placed.pose.translation;
        normal = placed.axis();
        return;
    }
    if (shape.is_cylinder()) {
        const Vector3d axis = placed.axis();
        const double along = axis.dot(towards);
        const Vector3d across = towards - along * axis;
        const double sine = across.norm();
        if (std::abs(along) > cap_cosine) {
            cap = true;
            number = along > 0.0 ? 1 : 2;
            normal = std::copysign(1.0, along) * axis;
            const Vector3d u =
                sine > level_sine ? Vector3d(across / sine) : Vector3d(placed.pose.rotation.col(0));
            const Vector3d v = normal.cross(u);
            const Vector3d middle = placed.pose.translation + shape.half_height() * normal;
            for (int k = 0; k < rim_points; ++k) {
                const double angle = 2.0 * std::numbers::pi * k / rim_points;
                points[static_cast<std::size_t>(count++)] =
                    middle + shape.disc_radius() * (std::cos(angle) * u + std::sin(angle) * v);
            }
            return;
        }
        arm = (shape.disc_radius() / sine) * across;
        for (const double end : {-1.0, 1.0}) {
            points[static_cast<std::size_t>(count++)] =
                placed.pose.translation + arm + end * shape.half_height() * axis;
        }
        return;
    }
    if (shape.faces().empty()) {
        for (Index k = 0; k < shape.corners().cols(); ++k) {
            points[static_cast<std::size_t>(count++)] = placed.corner(static_cast<int>(k));
        }
        return;
    }
    const Vector3d local = placed.pose.rotation.transpose() * towards;
    double best = -2.0;
    for (std::size_t f = 0; f < shape.faces().size(); ++f) {
        const double cosine = local.dot(shape.faces()[f].normal);
        if (cosine > best) {
            best = cosine;
            number = static_cast<int>(f);
        }
    }
    const ConvexShape::Face& face = shape.faces()[static_cast<std::size_t>(number)];
    normal = placed.pose.rotation * face.normal;
    for (const int corner : face.corners) points[static_cast<std::size_t>(count++)] = placed.corner(corner);
}

SurfacePoint ShapeSide::surface_point(const PlacedShape& placed, const Vector3d& on_core) const
{
    SurfacePoint point;
    point.on_shape = true;
    point.of_shape.place = placed.pose.inverse_times(on_core - arm);
    point.of_shape.radius = placed.shape->radius();
    if (!arm.isZero(0.0)) {
        point.of_shape.axis = Vector3d::UnitZ();
        point.of_shape.radius = placed.shape->disc_radius();
    }
    return point;
}

}  // namespace softcontact
