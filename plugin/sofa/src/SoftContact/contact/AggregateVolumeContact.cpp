// SPDX-License-Identifier: LGPL-2.1-or-later
// Registers the response AggregateVolume for the pairs of collision models that SOFA's own
// FrictionContactConstraint knows, in the order in which SOFA's intersection methods name them.
#include <sofa/component/collision/geometry/LineCollisionModel.h>
#include <sofa/component/collision/geometry/PointCollisionModel.h>
#include <sofa/component/collision/geometry/SphereCollisionModel.h>
#include <sofa/component/collision/geometry/TriangleCollisionModel.h>

#include <SoftContact/contact/AggregateVolumeContact.inl>
#include <sofa/component/collision/response/mapper/BarycentricContactMapper.inl>
#include <sofa/component/collision/response/mapper/RigidContactMapper.inl>

namespace softcontact::plugin {

namespace {

namespace geometry = sofa::component::collision::geometry;

using Point = geometry::PointCollisionModel<sofa::defaulttype::Vec3Types>;
using Line = geometry::LineCollisionModel<sofa::defaulttype::Vec3Types>;
using Triangle = geometry::TriangleCollisionModel<sofa::defaulttype::Vec3Types>;
using Sphere = geometry::SphereCollisionModel<sofa::defaulttype::Vec3Types>;
using RigidSphere = geometry::SphereCollisionModel<sofa::defaulttype::Rigid3Types>;

template <class Model1, class Model2>
using Creator =
    sofa::helper::Creator<sofa::core::collision::Contact::Factory, AggregateVolumeContact<Model1, Model2>>;

constexpr const char* response = "AggregateVolume";

const Creator<Point, Point> point_point(response, true);
const Creator<Line, Sphere> line_sphere(response, true);
const Creator<Line, Point> line_point(response, true);
const Creator<Line, Line> line_line(response, true);
const Creator<Triangle, Sphere> triangle_sphere(response, true);
const Creator<Triangle, Point> triangle_point(response, true);
const Creator<Triangle, Line> triangle_line(response, true);
const Creator<Triangle, Triangle> triangle_triangle(response, true);
const Creator<Sphere, Sphere> sphere_sphere(response, true);
const Creator<Sphere, Point> sphere_point(response, true);
const Creator<RigidSphere, RigidSphere> rigid_sphere_rigid_sphere(response, true);
const Creator<Sphere, RigidSphere> sphere_rigid_sphere(response, true);
const Creator<Line, RigidSphere> line_rigid_sphere(response, true);
const Creator<Triangle, RigidSphere> triangle_rigid_sphere(response, true);
const Creator<RigidSphere, Point> rigid_sphere_point(response, true);

}  // namespace

}  // namespace softcontact::plugin
