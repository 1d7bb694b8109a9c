// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bind_vademecum.hpp"
#include "softcontact/vademecum/vademecum_law.hpp"

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

py::tuple closest(DeformedBoundary& boundary, const RowsRef& points)
{
    boundary.refresh();
    py::array_t<double> distances(points.rows());
    Rows places(points.rows(), 3), normals(points.rows(), 3);
    for (Index i = 0; i < points.rows(); ++i) {
        const BoundaryPoint found = boundary.closest(points.row(i).transpose());
        distances.mutable_at(i) = found.distance;
        places.row(i) = found.point.transpose();
        normals.row(i) = found.normal.transpose();
    }
    return py::make_tuple(distances, places, normals);
}

void hold(ContactResponse& response, const std::vector<Index>& cases, const std::vector<double>& sizes,
          Index body)
{
    if (!response.hold(cases, sizes, body)) {
        throw std::invalid_argument("loads: expected at most " + std::to_string(ContactResponse::most_held) +
                                    " cases that there are, with finite sizes");
    }
}

/// A body by the names that softcontact.vademecum.response gives.
YieldingBody make_body(const SeparatedField& field, const py::dict& given)
{
    const auto get = [&given]<typename T>(const char* name, T) { return given[name].cast<T>(); };
    const Points nodes = columns(given["nodes"].cast<Rows>());
    LoadFamilies families(nodes, get("loaded", std::vector<Index>{}), get("clamped", std::vector<Index>{}),
                          columns(given["directions"].cast<Rows>()), get("magnitude", 0.0));
    YieldingBody body{field, nodes, given["triangles"].cast<TriangleRows>().transpose(), std::move(families)};
    if (given.contains("shell_corners")) {
        body.shell = {given["shell_corners"].cast<TriangleRows>().transpose(),
                      columns(given["shell_shares"].cast<Rows>())};
    }
    return body;
}

/// Options of a response by name, as softcontact.vademecum.response gives them; `bodies` are one or two.
std::unique_ptr<ContactResponse> make_response(const std::vector<const SeparatedField*>& fields,
                                               const std::vector<py::dict>& bodies, const py::dict& given)
{
    const auto get = [&given]<typename T>(const char* name, T) { return given[name].cast<T>(); };
    const PenaltySettings penalty{get("stiffness", 0.0), get("friction", 0.0),
                                  get("tangential_stiffness", 0.0)};
    const ResponseSettings settings{get("capacity", Index{}), get("max_iterations", 0),
                                    get("tolerance", 0.0)};
    if (bodies.empty() || bodies.size() > 2 || fields.size() != bodies.size()) {
        throw std::invalid_argument("bodies: expected one or two, and their fields");
    }
    const YieldingBody first = make_body(*fields[0], bodies[0]);
    if (bodies.size() == 1) {
        return std::make_unique<ContactResponse>(first, penalty, get("points", Index{}), settings);
    }
    return std::make_unique<ContactResponse>(first, make_body(*fields[1], bodies[1]), penalty, settings);
}

py::tuple told(const ResponseStatus& status)
{
    return py::make_tuple(status.converged, status.iterations, status.residual, status.contacts, status.loads,
                          status.detections, status.detection);
}

const ContactBody& body_of(const ContactResponse& response, Index number)
{
    if (number < 0 || number >= response.body_count()) throw std::invalid_argument("body: there is no such");
    return response.body(number);
}

void bind_law(py::module_& module)
{
    py::class_<VademecumLaw, ForceLaw>(module, "VademecumLaw")
        .def(py::init([](const std::vector<const SeparatedField*>& fields,
                         const std::vector<py::dict>& bodies, const py::dict& given, const RowsRef& shell,
                         double length, double force, double damping) {
                 return std::make_unique<VademecumLaw>(make_response(fields, bodies, given),
                                                       Points(columns(shell)),
                                                       VademecumScales{length, force, damping});
             }),
             py::arg("fields"), py::arg("bodies"), py::arg("response"), py::arg("shell"), py::arg("length"),
             py::arg("force"), py::arg("damping"), py::keep_alive<1, 2>());
}

void bind_response(py::module_& module)
{
    py::class_<ContactResponse>(module, "ContactResponse")
        .def(py::init(&make_response), py::arg("fields"), py::arg("bodies"), py::arg("given"),
             py::keep_alive<1, 2>())
        .def("hold", &hold, py::arg("cases"), py::arg("sizes"), py::arg("body"))
        .def(
            "solve",
            [](ContactResponse& self, const RowsRef& points) { return told(self.solve(columns(points))); },
            py::arg("points"))
        .def(
            "solve_pose",
            [](ContactResponse& self, const Vector3d& position, const Eigen::Vector4d& orientation) {
                return told(self.solve(RigidPose{position, Quaterniond(orientation).normalized()}));
            },
            py::arg("position"), py::arg("orientation"))
        .def("release", &ContactResponse::release)
        .def(
            "contacts",
            [](const ContactResponse& self, Index shell) {
                if (shell < 0 || shell >= self.shell_count()) {
                    throw std::invalid_argument("shell: there is no such");
                }
                return told(self.contact(shell).contacts());
            },
            py::arg("shell"))
        .def(
            "wrench",
            [](const ContactResponse& self, const Vector3d& centre) { return self.wrench(centre).vector(); },
            py::arg("centre"))
        .def(
            "loads",
            [](const ContactResponse& self, Index number) {
                const ContactBody& body = body_of(self, number);
                py::list out;
                for (Index i = 0; i < body.load_count(); ++i) {
                    const auto load = body.load(i);
                    if (load.size != 0.0) out.append(py::make_tuple(load.load_case, load.size));
                }
                return out;
            },
            py::arg("body"))
        .def(
            "displacements",
            [](const ContactResponse& self, Index number) {
                const LoadedField& loaded = body_of(self, number).loaded();
                Points out(3, loaded.field().node_count());
                loaded.displacements(out);
                return Rows(out.transpose());
            },
            py::arg("body"));
}

}  // namespace

void bind_vademecum_contact(py::module_& module)
{
    py::class_<DeformedBoundary>(module, "DeformedBoundary")
        .def(py::init(&make_boundary), py::arg("nodes"), py::arg("triangles"), py::arg("field"),
             py::keep_alive<1, 4>())
        .def("closest", &closest, py::arg("points"));
    bind_response(module);
    bind_law(module);
    bind_vademecum_timing(module);
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
