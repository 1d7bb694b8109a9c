// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bindings.hpp"
#include "softcontact/vademecum/penalty_contact.hpp"

namespace softcontact::bindings {

namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
using RowsRef = Eigen::Ref<const Rows>;
using TriangleRows = Eigen::Matrix<int, Eigen::Dynamic, 3, Eigen::RowMajor>;

/// The columns of a C-ordered (n, 3) array, without a copy.
Eigen::Map<const Points> columns(const RowsRef& rows)
{
    return {rows.data(), 3, rows.rows()};
}

DeformedBoundary make_boundary(const RowsRef& nodes, const TriangleRows& triangles, const LoadedField& field)
{
    return {Points(columns(nodes)), Triangles(triangles.transpose()), field};
}

template <typename Get>
py::array_t<double> vectors(std::span<const PenaltyPoint> contacts, Get get)
{
    py::array_t<double> out({static_cast<py::ssize_t>(contacts.size()), py::ssize_t{3}});
    for (std::size_t i = 0; i < contacts.size(); ++i) {
        Eigen::Map<Vector3d>(out.mutable_data() + 3 * i) = get(contacts[i]);
    }
    return out;
}

template <typename T, typename Get>
py::array_t<T> numbers(std::span<const PenaltyPoint> contacts, Get get)
{
    py::array_t<T> out(static_cast<py::ssize_t>(contacts.size()));
    for (std::size_t i = 0; i < contacts.size(); ++i)
        out.mutable_data()[i] = static_cast<T>(get(contacts[i]));
    return out;
}

py::dict told(std::span<const PenaltyPoint> contacts)
{
    py::dict out;
    out["numbers"] = numbers<std::int64_t>(contacts, [](const PenaltyPoint& c) { return c.number; });
    out["triangles"] =
        numbers<std::int64_t>(contacts, [](const PenaltyPoint& c) { return c.place.triangle; });
    out["shares"] = vectors(contacts, [](const PenaltyPoint& c) { return c.place.shares; });
    out["points"] = vectors(contacts, [](const PenaltyPoint& c) { return c.point; });
    out["depths"] = numbers<double>(contacts, [](const PenaltyPoint& c) { return c.depth; });
    out["normals"] = vectors(contacts, [](const PenaltyPoint& c) { return c.normal; });
    out["slips"] = vectors(contacts, [](const PenaltyPoint& c) { return c.slip; });
    out["forces"] = vectors(contacts, [](const PenaltyPoint& c) { return c.force; });
    out["slides"] = numbers<bool>(contacts, [](const PenaltyPoint& c) { return c.slides; });
    return out;
}

py::tuple closest(DeformedBoundary& boundary, const RowsRef& points, int from)
{
    boundary.refresh();
    py::array_t<double> distances(points.rows());
    Rows places(points.rows(), 3), normals(points.rows(), 3);
    for (Index i = 0; i < points.rows(); ++i) {
        const BoundaryPoint found = boundary.closest(points.row(i).transpose(), from);
        distances.mutable_at(i) = found.distance;
        places.row(i) = found.point.transpose();
        normals.row(i) = found.normal.transpose();
    }
    return py::make_tuple(distances, places, normals);
}

}  // namespace

void bind_vademecum_contact(py::module_& module)
{
    py::class_<DeformedBoundary>(module, "DeformedBoundary")
        .def(py::init(&make_boundary), py::arg("nodes"), py::arg("triangles"), py::arg("field"),
             py::keep_alive<1, 4>())
        .def("closest", &closest, py::arg("points"), py::arg("start") = -1);
    py::class_<PenaltyContact>(module, "PenaltyContact")
        .def(py::init([](const RowsRef& nodes, const TriangleRows& triangles, const LoadedField& field,
                         double stiffness, double friction, double tangential_stiffness, Index points) {
                 return std::make_unique<PenaltyContact>(
                     make_boundary(nodes, triangles, field),
                     PenaltySettings{stiffness, friction, tangential_stiffness}, points);
             }),
             py::arg("nodes"), py::arg("triangles"), py::arg("field"), py::arg("stiffness"),
             py::arg("friction"), py::arg("tangential_stiffness"), py::arg("points"), py::keep_alive<1, 4>())
        .def(
            "evaluate",
            [](PenaltyContact& self, const RowsRef& points) { return self.evaluate(columns(points)); },
            py::arg("points"))
        .def("commit", &PenaltyContact::commit)
        .def("release", &PenaltyContact::release)
        .def("contacts", [](const PenaltyContact& self) { return told(self.contacts()); })
        .def(
            "wrench",
            [](const PenaltyContact& self, const Vector3d& centre) { return self.wrench(centre).vector(); },
            py::arg("centre"))
        .def("nodal_forces", [](PenaltyContact& self) {
            Points out = Points::Zero(3, self.boundary().field().field().node_count());
            self.add_nodal_forces(out);
            return Rows(out.transpose());
        });
}

}  // namespace softcontact::bindings
