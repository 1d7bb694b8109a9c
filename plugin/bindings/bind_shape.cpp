// SPDX-License-Identifier: LGPL-2.1-or-later
#include <softcontact/contact/convex_contact.hpp>
#include <softcontact/geometry/shape_separation.hpp>

#include "world_arguments.hpp"

namespace softcontact::bindings {
namespace {

using namespace py::literals;

Pose pose_of(const Vector3d& position, const Eigen::Vector4d& orientation)
{
    return {quaternion(orientation).toRotationMatrix(), position};
}

py::tuple separation_of(const ConvexShape& a, const Vector3d& position_a,
                        const Eigen::Vector4d& orientation_a, const ConvexShape& b,
                        const Vector3d& position_b, const Eigen::Vector4d& orientation_b)
{
    const ShapeSeparation found =
        separation({&a, pose_of(position_a, orientation_a)}, {&b, pose_of(position_b, orientation_b)});
    return py::make_tuple(found.gap, found.normal);
}

py::dict contacts_of(const ConvexShape& a, const Vector3d& position_a, const Eigen::Vector4d& orientation_a,
                     const ConvexShape& b, const Vector3d& position_b, const Eigen::Vector4d& orientation_b,
                     double alarm_distance)
{
    std::vector<ContactPoint> found;
    contact_points({&a, pose_of(position_a, orientation_a)}, {&b, pose_of(position_b, orientation_b)},
                   alarm_distance, found);
    const auto count = static_cast<Index>(found.size());
    Rows3 on_a(count, 3), on_b(count, 3), normals(count, 3);
    VectorXd gaps(count), areas(count);
    for (Index i = 0; i < count; ++i) {
        const ContactPoint& point = found[static_cast<std::size_t>(i)];
        on_a.row(i) = point.p.transpose();
        on_b.row(i) = point.q.transpose();
        normals.row(i) = point.normal.transpose();
        gaps[i] = point.gap;
        areas[i] = point.area;
    }
    return py::dict("on_a"_a = on_a, "on_b"_a = on_b, "normals"_a = normals, "gaps"_a = gaps,
                    "areas"_a = areas);
}

}  // namespace

void bind_shape(py::module_& module)
{
    py::class_<ConvexShape>(
        module, "ConvexShape",
        "A convex solid as it is, for the contact of rigid bodies: lengths in metres, centred at "
        "the body's origin, axes along z.")
        .def_static("sphere", &ConvexShape::sphere, "radius"_a)
        .def_static("capsule", &ConvexShape::capsule, "radius"_a, "height"_a)
        .def_static("cylinder", &ConvexShape::cylinder, "radius"_a, "height"_a)
        .def_static("box", &ConvexShape::box, "size"_a)
        .def_static("plane", &ConvexShape::plane, "The half-space below z = 0.")
        .def_static(
            "hull",
            [](const Rows3& vertices, const IntRows3& triangles) {
                return ConvexShape::hull(make_surface(vertices, triangles));
            },
            "vertices"_a, "triangles"_a,
            "Of a closed convex surface; None of others and of those of many corners.")
        .def_property_readonly("corners",
                               [](const ConvexShape& shape) { return Rows3(shape.corners().transpose()); });
    module.def("shape_separation", &separation_of, "a"_a, "position_a"_a, "orientation_a"_a, "b"_a,
               "position_b"_a, "orientation_b"_a,
               "Gap [m], negative where they overlap, and unit normal (3,) from b to a.");
    module.def("shape_contacts", &contacts_of, "a"_a, "position_a"_a, "orientation_a"_a, "b"_a,
               "position_b"_a, "orientation_b"_a, "alarm_distance"_a,
               "Points (n, 3) on both, normals from b to a, gaps and areas of two placed shapes.");
}

}  // namespace softcontact::bindings
