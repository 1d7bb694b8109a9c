// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/contact/AggregateVolumeConstraint.h>
#include <sofa/component/collision/geometry/LineCollisionModel.h>
#include <sofa/component/collision/geometry/PointCollisionModel.h>
#include <sofa/component/collision/geometry/SphereCollisionModel.h>
#include <sofa/component/collision/geometry/TriangleCollisionModel.h>

namespace softcontact::plugin {

template <class Model>
constexpr bool is_point_model = false;
template <class DataTypes>
constexpr bool is_point_model<sofa::component::collision::geometry::PointCollisionModel<DataTypes>> = true;

/// Site at a vertex: points and spheres.
SOFA_SOFTCONTACT_API ContactSite vertex_site(int vertex);
/// Site on a segment or triangle, from the point's barycentric coordinates.
SOFA_SOFTCONTACT_API ContactSite segment_site(int element, std::array<int, 2> vertices,
                                              std::array<sofa::type::Vec3, 2> corners,
                                              const sofa::type::Vec3& point);
SOFA_SOFTCONTACT_API ContactSite triangle_site(int element, std::array<int, 3> vertices,
                                               std::array<sofa::type::Vec3, 3> corners,
                                               const sofa::type::Vec3& point);

template <class DataTypes>
ContactSite contact_site(const sofa::component::collision::geometry::TPoint<DataTypes>& element,
                         const sofa::type::Vec3& /*point*/)
{
    return vertex_site(static_cast<int>(element.getIndex()));
}

template <class DataTypes>
ContactSite contact_site(const sofa::component::collision::geometry::TSphere<DataTypes>& element,
                         const sofa::type::Vec3& /*point*/)
{
    return vertex_site(static_cast<int>(element.getIndex()));
}

template <class DataTypes>
ContactSite contact_site(const sofa::component::collision::geometry::TLine<DataTypes>& element,
                         const sofa::type::Vec3& point)
{
    return segment_site(static_cast<int>(element.getIndex()),
                        {static_cast<int>(element.i1()), static_cast<int>(element.i2())},
                        {element.p1(), element.p2()}, point);
}

template <class DataTypes>
ContactSite contact_site(const sofa::component::collision::geometry::TTriangle<DataTypes>& element,
                         const sofa::type::Vec3& point)
{
    return triangle_site(static_cast<int>(element.getIndex()),
                         {static_cast<int>(element.p1Index()), static_cast<int>(element.p2Index()),
                          static_cast<int>(element.p3Index())},
                         {element.p1(), element.p2(), element.p3()}, point);
}

}  // namespace softcontact::plugin
