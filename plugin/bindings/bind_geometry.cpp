// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "bindings.hpp"
#include "softcontact/contact/detection.hpp"
#include "softcontact/geometry/broad_phase.hpp"
#include "softcontact/geometry/closest_point.hpp"
#include "softcontact/geometry/first_contact.hpp"
#include "softcontact/geometry/mass_properties.hpp"
#include "softcontact/geometry/overlap.hpp"

namespace softcontact::bindings {
namespace {

// forcecast also truncates floats to indices, so corners() looks at the dtype before it converts.
using RowArray = py::array_t<double, py::array::c_style | py::array::forcecast>;
using IndexArray = py::array_t<int, py::array::c_style | py::array::forcecast>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string shape_of(const py::array& array)
{
    return py::str(array.attr("shape"));
}

/// (n, 3) rows seen as 3 x n columns, without a copy.
Eigen::Map<const Points> columns(const RowArray& rows, const char* name)
{
    if (rows.ndim() != 2 || rows.shape(1) != 3) {
        throw std::invalid_argument(std::string(name) + ": shape " + shape_of(rows) + ", must be (n, 3)");
    }
    Eigen::Map<const Points> points(rows.data(), 3, rows.shape(0));
    if (!points.allFinite()) throw std::invalid_argument(std::string(name) + ": holds NaN or infinity");
    return points;
}

Triangles corners(const py::array& array)
{
    const char kind = array.dtype().kind();
    if ((kind != 'i' && kind != 'u') || array.ndim() != 2 || array.shape(1) != 3) {
        throw std::invalid_argument("triangles: shape " + shape_of(array) + " of dtype " +
                                    std::string(py::str(array.dtype())) + ", must be integers (m, 3)");
    }
    const IndexArray rows(array);
    return Eigen::Map<const Triangles>(rows.data(), 3, rows.shape(0));
}

RowArray rows(const Eigen::Ref<const Points>& points)
{
    RowArray out({points.cols(), Index{3}});
    Eigen::Map<Points>(out.mutable_data(), 3, points.cols()) = points;
    return out;
}

template <typename Normal>
RowArray normals(int count, const Normal& normal_of)
{
    RowArray out({static_cast<Index>(count), Index{3}});
    Eigen::Map<Points> points(out.mutable_data(), 3, count);
    for (int i = 0; i < count; ++i) points.col(i) = normal_of(i);
    return out;
}

py::object first_contact_of(const py::array& triangles_a, const RowArray& start_a, const RowArray& end_a,
                            const py::array& triangles_b, const RowArray& start_b, const RowArray& end_b)
{
    const Triangles a = corners(triangles_a), b = corners(triangles_b);
    const Points from_a = columns(start_a, "start_a"), to_a = columns(end_a, "end_a");
    const Points from_b = columns(start_b, "start_b"), to_b = columns(end_b, "end_b");
    if (from_a.cols() != to_a.cols() || from_b.cols() != to_b.cols()) {
        throw std::invalid_argument("end: as many vertices as in start are needed");
    }
    for (const auto& [triangles, points] : {std::pair(&a, &from_a), std::pair(&b, &from_b)}) {
        if (triangles->size() > 0 && (triangles->minCoeff() < 0 || triangles->maxCoeff() >= points->cols())) {
            throw std::invalid_argument("triangles: index of a vertex that is not there");
        }
    }
    const auto found = first_contact({a, from_a, to_a}, {b, from_b, to_b});
    if (!found) {
        return py::none();
    }
    return py::make_tuple(found->share, found->point, found->normal);
}

Surface make_surface(const RowArray& vertices, const py::array& triangles)
{
    return Surface(columns(vertices, "vertices"), corners(triangles));
}

void set_pose(Surface& surface, const Vector3d& position, const Eigen::Vector4d& orientation)
{
    const double norm = orientation.norm();
    if (!(norm > 0.0) || !std::isfinite(norm) || !position.allFinite()) {
        throw std::invalid_argument(
            "orientation: must be a quaternion (x, y, z, w) that is not zero, and "
            "position finite");
    }
    const Quaterniond quaternion(Eigen::Vector4d(orientation / norm));
    surface.set_pose({quaternion.toRotationMatrix(), position});
}

py::tuple signed_distance(const Surface& surface, const RowArray& points, double max_distance)
{
    if (!(max_distance >= 0.0)) throw std::invalid_argument("max_distance: must be >= 0, in metres");
    const Eigen::Map<const Points> queries = columns(points, "points");
    VectorXd distances = VectorXd::Constant(queries.cols(), nan);
    Points nearest = Points::Constant(3, queries.cols(), nan);
    Points normals = nearest;
    Eigen::VectorXi triangles = Eigen::VectorXi::Constant(queries.cols(), -1);
    for (Index i = 0; i < queries.cols(); ++i) {
        const ClosestPoint closest = closest_point(surface, queries.col(i), max_distance);
        if (!closest.found()) continue;
        distances[i] = closest.signed_distance;
        nearest.col(i) = closest.point;
        normals.col(i) = closest.normal;
        triangles[i] = closest.triangle;
    }
    return py::make_tuple(distances, rows(nearest), rows(normals), triangles);
}

py::dict detect(const Surface& a, const Surface& b, double alarm_distance, double contact_offset,
                double max_penetration, bool edge_edge, double edge_tolerance)
{
    const DetectionOptions options{alarm_distance, contact_offset, max_penetration, edge_edge,
                                   edge_tolerance};
    options.validate();
    // Kept from call to call, as a simulation does: nothing may leak from one pair into the next.
    static DetectionWorkspace workspace;
    std::vector<ContactPoint> contacts;
    detect_contacts(a, b, options, workspace, contacts);

    const Index count = static_cast<Index>(contacts.size());
    Points p(3, count), q(3, count), normals(3, count), weights_a(3, count), weights_b(3, count);
    Triangles vertices_a(3, count), vertices_b(3, count);
    VectorXd gaps(count), areas(count);
    py::array_t<std::uint64_t> keys(count);
    py::array_t<int> kinds(count);
    for (Index i = 0; i < count; ++i) {
        const ContactPoint& contact = contacts[i];
        p.col(i) = contact.p;
        q.col(i) = contact.q;
        normals.col(i) = contact.normal;
        weights_a.col(i) = contact.a.weights;
        weights_b.col(i) = contact.b.weights;
        vertices_a.col(i) = Eigen::Map<const Eigen::Vector3i>(contact.a.vertices.data());
        vertices_b.col(i) = Eigen::Map<const Eigen::Vector3i>(contact.b.vertices.data());
        gaps[i] = contact.gap;
        areas[i] = contact.area;
        keys.mutable_at(i) = contact.key;
        kinds.mutable_at(i) = static_cast<int>(contact_kind(contact.key));
    }
    py::dict out;
    out["p"] = rows(p);
    out["q"] = rows(q);
    out["normal"] = rows(normals);
    out["gap"] = gaps;
    out["area"] = areas;
    out["key"] = keys;
    out["kind"] = kinds;
    out["vertices_a"] = Eigen::MatrixXi(vertices_a.transpose());
    out["weights_a"] = rows(weights_a);
    out["vertices_b"] = Eigen::MatrixXi(vertices_b.transpose());
    out["weights_b"] = rows(weights_b);
    return out;
}

py::tuple triangle_kernel(const Vector3d& query, const Vector3d& a, const Vector3d& b, const Vector3d& c)
{
    const TrianglePoint nearest = closest_point_on_triangle(query, a, b, c);
    const char* const names[] = {"vertex", "edge", "face"};
    return py::make_tuple(std::sqrt(nearest.squared_distance), nearest.point, nearest.barycentric,
                          names[static_cast<int>(nearest.feature)], nearest.index);
}

py::tuple segment_kernel(const Vector3d& a0, const Vector3d& a1, const Vector3d& b0, const Vector3d& b1)
{
    const SegmentPair pair = closest_points_of_segments(a0, a1, b0, b1);
    return py::make_tuple(std::sqrt(pair.squared_distance), pair.s, pair.t, pair.first, pair.second);
}

std::vector<BroadPhase::Pair> box_pairs(const RowArray& lower, const RowArray& upper, double margin,
                                        const std::vector<BroadPhase::Pair>& excluded)
{
    const Eigen::Map<const Points> lowers = columns(lower, "lower");
    const Eigen::Map<const Points> uppers = columns(upper, "upper");
    if (lowers.cols() != uppers.cols()) throw std::invalid_argument("upper: must have as many rows as lower");
    std::vector<Aabb> boxes;
    for (Index i = 0; i < lowers.cols(); ++i) boxes.push_back({lowers.col(i), uppers.col(i)});
    BroadPhase broad_phase;
    for (const auto& [i, j] : excluded) broad_phase.exclude(i, j);
    std::vector<BroadPhase::Pair> pairs;
    broad_phase.find_pairs(boxes, margin, pairs);
    return pairs;
}

}  // namespace

void bind_geometry(py::module_& module)
{
    py::class_<Surface>(module, "Surface",
                        "Triangle surface (n, 3) vertices [m], (m, 3) counter-clockwise triangles; moves by "
                        "update(vertices) and set_pose(position, quaternion xyzw).")
        .def(py::init(&make_surface), py::arg("vertices"), py::arg("triangles"))
        .def(
            "update",
            [](Surface& surface, const RowArray& vertices) { surface.update(columns(vertices, "vertices")); },
            py::arg("vertices"))
        .def("set_folds", &Surface::set_folds, py::arg("folds"))
        .def("set_pose", &set_pose, py::arg("position"), py::arg("orientation"))
        .def("signed_distance", &signed_distance, py::arg("points"),
             py::arg("max_distance") = std::numeric_limits<double>::infinity(),
             "Distance (k,) [m], nearest points (k, 3), outward normals (k, 3), triangles (k,); NaN and -1 "
             "beyond max_distance.")
        .def("world_vertices",
             [](const Surface& surface) {
                 Points world(3, surface.vertex_count());
                 for (int i = 0; i < surface.vertex_count(); ++i) world.col(i) = surface.world_vertex(i);
                 return rows(world);
             })
        .def("world_box",
             [](const Surface& surface) {
                 return py::make_tuple(surface.world_box().lower, surface.world_box().upper);
             })
        .def_property_readonly("is_closed", &Surface::is_closed)
        .def_property_readonly("edge_count", &Surface::edge_count)
        .def_property_readonly("sharp_edges", [](const Surface& surface) { return surface.sharp_edges(); })
        .def_property_readonly(
            "edges",
            [](const Surface& surface) { return Eigen::MatrixXi(surface.topology().edges.transpose()); })
        .def_property_readonly("face_normals",
                               [](const Surface& surface) { return rows(surface.face_normals()); })
        .def_property_readonly("vertex_normals",
                               [](const Surface& surface) {
                                   return normals(surface.vertex_count(),
                                                  [&](int i) { return surface.vertex_normal(i); });
                               })
        .def_property_readonly("edge_normals",
                               [](const Surface& surface) {
                                   return normals(surface.edge_count(),
                                                  [&](int i) { return surface.edge_normal(i); });
                               })
        .def_property_readonly("vertex_areas",
                               [](const Surface& surface) { return VectorXd(surface.vertex_areas()); });

    module.def(
        "overlap_depth", [](const Surface& a, const Surface& b) { return OverlapSearch().depth(a, b); },
        py::arg("a"), py::arg("b"), "How deep two closed surfaces are inside each other [m].");
    const DetectionOptions defaults;
    module.def("detect_contacts", &detect, py::arg("a"), py::arg("b"),
               py::arg("alarm_distance") = defaults.alarm_distance,
               py::arg("contact_offset") = defaults.contact_offset,
               py::arg("max_penetration") = defaults.max_penetration,
               py::arg("edge_edge") = defaults.edge_edge, py::arg("edge_tolerance") = defaults.edge_tolerance,
               "Contacts of two surfaces as a dict of arrays, one row a contact, ascending in key.");
    module.def(
        "mass_properties",
        [](const RowArray& vertices, const py::array& triangles) {
            const MassProperties solid = mass_properties(columns(vertices, "vertices"), corners(triangles));
            return py::make_tuple(solid.volume, solid.com, solid.inertia);
        },
        py::arg("vertices"), py::arg("triangles"),
        "Volume [m^3], centre of mass [m], inertia about it at unit density [m^5] of a closed mesh.");
    module.def("closest_point_on_triangle", &triangle_kernel, py::arg("query"), py::arg("a"), py::arg("b"),
               py::arg("c"), "(distance, point, barycentric, feature, index)");
    module.def("closest_points_of_segments", &segment_kernel, py::arg("a0"), py::arg("a1"), py::arg("b0"),
               py::arg("b1"), "(distance, s, t, first, second)");
    module.def("find_box_pairs", &box_pairs, py::arg("lower"), py::arg("upper"), py::arg("margin") = 0.0,
               py::arg("excluded") = std::vector<BroadPhase::Pair>{},
               "Pairs i < j of boxes nearer than margin along every axis.");
    module.def("first_contact", &first_contact_of, py::arg("triangles_a"), py::arg("start_a"),
               py::arg("end_a"), py::arg("triangles_b"), py::arg("start_b"), py::arg("end_b"));
}

}  // namespace softcontact::bindings
