// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/geometry/convex_shape.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace softcontact {
namespace {

void check_length(const char* name, double value)
{
    if (value > 0.0 && std::isfinite(value)) return;
    throw std::invalid_argument(std::string(name) + ": " + std::to_string(value) +
                                " given, must be positive and finite, in metres");
}

}  // namespace

ConvexShape ConvexShape::sphere(double radius)
{
    check_length("radius", radius);
    ConvexShape shape(Kind::sphere);
    shape.m_radius = radius;
    shape.m_corners = Points::Zero(3, 1);
    shape.finish();
    return shape;
}

ConvexShape ConvexShape::capsule(double radius, double height)
{
    check_length("radius", radius);
    check_length("height", height);
    ConvexShape shape(Kind::capsule);
    shape.m_radius = radius;
    shape.m_corners = Points::Zero(3, 2);
    shape.m_corners(2, 0) = -0.5 * height;
    shape.m_corners(2, 1) = 0.5 * height;
    shape.m_edges.push_back({0, 1, -1, -1});
    shape.finish();
    return shape;
}

ConvexShape ConvexShape::cylinder(double radius, double height)
{
    check_length("radius", radius);
    check_length("height", height);
    ConvexShape shape(Kind::cylinder);
    shape.m_disc_radius = radius;
    shape.m_half_height = 0.5 * height;
    shape.finish();
    return shape;
}

ConvexShape ConvexShape::box(const Vector3d& size)
{
    for (int axis = 0; axis < 3; ++axis) check_length("size", size[axis]);
    ConvexShape shape(Kind::box);
    shape.m_corners.resize(3, 8);
    for (int corner = 0; corner < 8; ++corner) {  // bit k: the side along axis k
        for (int axis = 0; axis < 3; ++axis) {
            shape.m_corners(axis, corner) =
                ((corner >> axis) & 1) != 0 ? 0.5 * size[axis] : -0.5 * size[axis];
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        const int along = 1 << axis, u = 1 << ((axis + 1) % 3), v = 1 << ((axis + 2) % 3);
        shape.m_faces.push_back({-Vector3d::Unit(axis), {0, v, u + v, u}});
        shape.m_faces.push_back({Vector3d::Unit(axis), {along, along + u, along + u + v, along + v}});
    }
    for (int axis = 0; axis < 3; ++axis) {
        const int next = (axis + 1) % 3, last = (axis + 2) % 3;
        for (int side = 0; side < 4; ++side) {
            const int u = side & 1, v = side >> 1;
            const int start = (u << next) + (v << last);
            shape.m_edges.push_back({start, start + (1 << axis), 2 * next + u, 2 * last + v});
        }
    }
    shape.finish();
    return shape;
}

ConvexShape ConvexShape::point()
{
    ConvexShape shape(Kind::hull);
    shape.m_corners = Points::Zero(3, 1);
    return shape;
}

ConvexShape ConvexShape::segment()
{
    ConvexShape shape(Kind::hull);
    shape.m_corners = Points::Zero(3, 2);
    shape.m_edges.push_back({0, 1, -1, -1});
    return shape;
}

void ConvexShape::set_segment(const Vector3d& start, const Vector3d& end)
{
    m_corners.col(0) = start;
    m_corners.col(1) = end;
    finish();
}

ConvexShape ConvexShape::plane()
{
    return ConvexShape(Kind::plane);
}

void ConvexShape::finish()
{
    m_size = is_cylinder() ? 2.0 * std::hypot(m_disc_radius, m_half_height)
                           : (m_corners.rowwise().maxCoeff() - m_corners.rowwise().minCoeff()).norm();
    m_size += 2.0 * m_radius;
    m_reach = is_cylinder() ? 0.5 * m_size : m_corners.colwise().norm().maxCoeff() + m_radius;
}

Vector3d ConvexShape::core_support(const Vector3d& direction) const
{
    if (is_cylinder()) {
        const double across = std::hypot(direction.x(), direction.y());
        const double scale = across > 0.0 ? m_disc_radius / across : 0.0;
        return {scale * direction.x(), scale * direction.y(), std::copysign(m_half_height, direction.z())};
    }
    if (m_kind == Kind::box) {
        const auto top = m_corners.col(7);
        return {std::copysign(top.x(), direction.x()), std::copysign(top.y(), direction.y()),
                std::copysign(top.z(), direction.z())};
    }
    Index furthest = 0;
    double most = direction.dot(m_corners.col(0));
    for (Index i = 1; i < m_corners.cols(); ++i) {
        const double along = direction.dot(m_corners.col(i));
        if (along > most) {
            most = along;
            furthest = i;
        }
    }
    return m_corners.col(furthest);
}

Aabb ConvexShape::bounds(const Pose& pose) const
{
    Aabb box;
    if (is_plane()) {
        constexpr double endless = 1e9;  // finite, so that boxes have centres
        box = {Vector3d::Constant(-endless), Vector3d::Constant(endless)};
        for (int axis = 0; axis < 3; ++axis) {
            if (pose.rotation(axis, 2) == 1.0) box.upper[axis] = pose.translation[axis];
            if (pose.rotation(axis, 2) == -1.0) box.lower[axis] = pose.translation[axis];
        }
        return box;
    }
    for (int axis = 0; axis < 3; ++axis) {
        const Vector3d direction = pose.rotation.row(axis);
        box.upper[axis] = pose.translation[axis] + direction.dot(core_support(direction)) + m_radius;
        box.lower[axis] = pose.translation[axis] + direction.dot(core_support(-direction)) - m_radius;
    }
    return box;
}

}  // namespace softcontact
