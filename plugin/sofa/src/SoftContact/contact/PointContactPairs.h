// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <sofa/component/collision/geometry/LineCollisionModel.h>
#include <sofa/component/collision/geometry/PointCollisionModel.h>
#include <sofa/component/collision/geometry/SphereCollisionModel.h>
#include <sofa/component/collision/geometry/TriangleCollisionModel.h>
#include <sofa/core/collision/Contact.h>

#include <sofa/component/collision/response/mapper/BarycentricContactMapper.inl>
#include <sofa/component/collision/response/mapper/RigidContactMapper.inl>
#include <string>

namespace softcontact::plugin {

/// Registers a contact response for the pairs of collision models that SOFA's own FrictionContactConstraint
/// knows, in the order in which SOFA's intersection methods name them. One static object a response.
template <template <class, class> class Response>
class PointContactPairs {
    using Point = sofa::component::collision::geometry::PointCollisionModel<sofa::defaulttype::Vec3Types>;
    using Line = sofa::component::collision::geometry::LineCollisionModel<sofa::defaulttype::Vec3Types>;
    using Triangle =
        sofa::component::collision::geometry::TriangleCollisionModel<sofa::defaulttype::Vec3Types>;
    using Sphere = sofa::component::collision::geometry::SphereCollisionModel<sofa::defaulttype::Vec3Types>;
    using RigidSphere =
        sofa::component::collision::geometry::SphereCollisionModel<sofa::defaulttype::Rigid3Types>;

    template <class Model1, class Model2>
    struct Pair : sofa::helper::Creator<sofa::core::collision::Contact::Factory, Response<Model1, Model2>> {
        using Base = sofa::helper::Creator<sofa::core::collision::Contact::Factory, Response<Model1, Model2>>;
        explicit Pair(const std::string& response) : Base(response, true) {}
    };

    std::string m_response;

public:
    explicit PointContactPairs(std::string response) : m_response(std::move(response)) {}
    PointContactPairs(const PointContactPairs&) = delete;  // the factory knows the members by address
    PointContactPairs& operator=(const PointContactPairs&) = delete;

private:
    Pair<Point, Point> m_point_point{m_response};
    Pair<Line, Sphere> m_line_sphere{m_response};
    Pair<Line, Point> m_line_point{m_response};
    Pair<Line, Line> m_line_line{m_response};
    Pair<Triangle, Sphere> m_triangle_sphere{m_response};
    Pair<Triangle, Point> m_triangle_point{m_response};
    Pair<Triangle, Line> m_triangle_line{m_response};
    Pair<Triangle, Triangle> m_triangle_triangle{m_response};
    Pair<Sphere, Sphere> m_sphere_sphere{m_response};
    Pair<Sphere, Point> m_sphere_point{m_response};
    Pair<RigidSphere, RigidSphere> m_rigid_sphere_rigid_sphere{m_response};
    Pair<Sphere, RigidSphere> m_sphere_rigid_sphere{m_response};
    Pair<Line, RigidSphere> m_line_rigid_sphere{m_response};
    Pair<Triangle, RigidSphere> m_triangle_rigid_sphere{m_response};
    Pair<RigidSphere, Point> m_rigid_sphere_point{m_response};
};

}  // namespace softcontact::plugin
