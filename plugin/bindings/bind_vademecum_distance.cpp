// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bind_vademecum.hpp"
#include "softcontact/vademecum/boundary_distance.hpp"
#include "softcontact/vademecum/distance_field.hpp"
#include "softcontact/vademecum/tabulate_distance.hpp"

namespace softcontact::bindings {

namespace {

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Distances = py::array_t<float, py::array::c_style>;  // never converted: the core keeps the address
template <typename Number>
using Factors = py::array_t<Number, py::array::c_style>;  // the same
using RowMajorCloud = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
template <typename Number>
std::span<const Number> span_of(const Factors<Number>& array)
{
    return {array.data(), static_cast<std::size_t>(array.size())};
}

std::unique_ptr<DistanceField> make_distances(const Distances& values, const Vector3d& origin,
                                              const Vector3d& spacing)
{
    if (values.ndim() != 4) throw std::invalid_argument("values: expected (states, nx, ny, nz)");
    DistanceTable table;
    table.origin = origin;
    table.spacing = spacing;
    for (std::size_t k = 0; k < 3; ++k) table.counts[k] = values.shape(static_cast<int>(k) + 1);
    table.values = {values.data(), static_cast<std::size_t>(values.size())};
    return std::make_unique<DistanceField>(table);
}

std::unique_ptr<DistanceField> make_separated(const Vector3d& origin, const Vector3d& spacing,
                                              const std::array<Index, 3>& counts, Index block,
                                              const Factors<std::uint32_t>& starts,
                                              const Factors<std::int8_t>& places,
                                              const Factors<std::int8_t>& states,
                                              const Factors<float>& scales, double bound)
{
    return std::make_unique<DistanceField>(SeparatedTable{origin, spacing, counts, block, span_of(starts),
                                                          span_of(places), span_of(states), span_of(scales),
                                                          bound});
}

Eigen::Map<const Points> cloud(const Array& points)
{
    if (points.ndim() != 2 || points.shape(1) != 3) {
        throw std::invalid_argument("points: expected (k, 3) [m]");
    }
    return {points.data(), 3, points.shape(0)};
}

VectorXd distances(const DistanceField& field, const Array& points, const DistanceState& state)
{
    const auto queries = cloud(points);
    VectorXd out(queries.cols());
    for (Index i = 0; i < queries.cols(); ++i) out[i] = field.distance(queries.col(i), state);
    return out;
}

RowMajorCloud gradients(const DistanceField& field, const Array& points, const DistanceState& state)
{
    const auto queries = cloud(points);
    RowMajorCloud out(queries.cols(), 3);
    for (Index i = 0; i < queries.cols(); ++i) {
        Vector3d gradient;
        static_cast<void>(field.distance(queries.col(i), state, &gradient));
        out.row(i) = gradient;
    }
    return out;
}

/// Numbers, depths and normals that ask(points, room) finds.
template <typename Ask>
py::tuple contacts_of(const Array& points, const Ask& ask)
{
    const auto queries = cloud(points);
    const auto room = static_cast<std::size_t>(queries.cols());
    std::vector<Index> numbers(room);
    std::vector<double> depths(room);
    std::vector<Vector3d> normals(room);
    const Index count = ask(queries, ContactRoom{numbers, depths, normals});
    py::array_t<double> directions({count, Index{3}});
    for (Index i = 0; i < count; ++i) {
        std::copy_n(normals[static_cast<std::size_t>(i)].data(), 3, directions.mutable_data(i, 0));
    }
    return py::make_tuple(py::array_t<Index>(count, numbers.data()),
                          py::array_t<double>(count, depths.data()), directions);
}

SpaceGrid grid_of(const Vector3d& origin, const Vector3d& spacing, const std::array<Index, 3>& counts)
{
    if (*std::min_element(counts.begin(), counts.end()) < 1) {
        throw std::invalid_argument("counts: expected 1 or more an axis");
    }
    return {origin, spacing, counts};
}

std::unique_ptr<BoundaryDistance> make_distance(const Array& nodes,
                                                const Eigen::Matrix<int, Eigen::Dynamic, 3>& boundary,
                                                const DistanceField* field)
{
    return std::make_unique<BoundaryDistance>(cloud(nodes), boundary.transpose(), field);
}

py::tuple boundary_distances(BoundaryDistance& boundary, const Array& points)
{
    const auto queries = cloud(points);
    VectorXd out(queries.cols());
    RowMajorCloud slopes(queries.cols(), 3);
    for (Index i = 0; i < queries.cols(); ++i) {
        Vector3d gradient;
        out[i] = boundary.distance(queries.col(i), &gradient);
        slopes.row(i) = gradient;
    }
    return py::make_tuple(out, slopes);
}

py::array_t<float> tabulated(const Surface& surface, const Array& states, const Vector3d& origin,
                             const Vector3d& spacing, const std::array<Index, 3>& counts, int threads)
{
    const SpaceGrid grid = grid_of(origin, spacing, counts);
    py::array_t<float> out({states.shape(0), counts[0], counts[1], counts[2]});
    const std::span<float> values(out.mutable_data(), static_cast<std::size_t>(out.size()));
    const BoundaryStates nodes(states.data(), static_cast<std::size_t>(states.size()));
    const py::gil_scoped_release others_run;
    tabulate_distances(surface, nodes, grid, values, threads);
    return out;
}

}  // namespace

void bind_vademecum_distance(py::module_& module)
{
    py::class_<DistanceState>(module, "DistanceState")
        .def(py::init(
                 [](Index table, Index other, double share) { return DistanceState{table, other, share}; }),
             py::arg("table"), py::arg("other") = 0, py::arg("share") = 0.0)
        .def_readonly("table", &DistanceState::table)
        .def_readonly("other", &DistanceState::other)
        .def_readonly("share", &DistanceState::share);
    py::class_<DistanceField>(module, "DistanceField")
        .def(py::init(&make_distances), py::arg("values").noconvert(), py::arg("origin"), py::arg("spacing"),
             py::keep_alive<1, 2>())
        .def(py::init(&make_separated), py::arg("origin"), py::arg("spacing"), py::arg("counts"),
             py::arg("block"), py::arg("starts").noconvert(), py::arg("places").noconvert(),
             py::arg("states").noconvert(), py::arg("scales").noconvert(), py::arg("bound"),
             py::keep_alive<1, 6>(), py::keep_alive<1, 7>(), py::keep_alive<1, 8>(), py::keep_alive<1, 9>())
        .def_property_readonly("state_count", &DistanceField::state_count)
        .def("distance", &distances, py::arg("points"), py::arg("state"))
        .def("gradient", &gradients, py::arg("points"), py::arg("state"))
        .def(
            "contacts",
            [](const DistanceField& field, const Array& points, const DistanceState& state) {
                return contacts_of(points, [&](const auto& queries, const ContactRoom& room) {
                    return field.contacts(queries, state, room);
                });
            },
            py::arg("points"), py::arg("state"));
    py::class_<BoundaryDistance>(module, "BoundaryDistance")
        .def(py::init(&make_distance), py::arg("nodes"), py::arg("boundary"), py::arg("field") = py::none(),
             py::keep_alive<1, 4>())
        .def(py::init([](const Array& nodes, const Eigen::Matrix<int, Eigen::Dynamic, 3>& boundary,
                         const LoadedField& loaded, const DistanceField* field) {
                 return std::make_unique<BoundaryDistance>(cloud(nodes), boundary.transpose(), loaded, field);
             }),
             py::arg("nodes"), py::arg("boundary"), py::arg("loaded"), py::arg("field") = py::none(),
             py::keep_alive<1, 4>(), py::keep_alive<1, 5>())
        .def("remember", &BoundaryDistance::remember, py::arg("points"))
        .def("follow", [](BoundaryDistance& boundary) { boundary.follow(); })
        .def(
            "follow",
            [](BoundaryDistance& boundary, const DistanceState& state, double apart) {
                return boundary.follow(state, apart);
            },
            py::arg("state"), py::arg("apart") = 0.0)
        .def(
            "set", [](BoundaryDistance& boundary, const Array& nodes) { return boundary.set(cloud(nodes)); },
            py::arg("nodes"))
        .def(
            "set",
            [](BoundaryDistance& boundary, const Array& nodes, const DistanceState& state, double apart) {
                return boundary.set(cloud(nodes), state, apart);
            },
            py::arg("nodes"), py::arg("state"), py::arg("apart") = 0.0)
        .def("distance", &boundary_distances, py::arg("points"),
             "Signed distances (k,) [m] and their gradients (k, 3).")
        .def(
            "contacts",
            [](BoundaryDistance& boundary, const Array& points) {
                return contacts_of(points, [&](const auto& queries, const ContactRoom& room) {
                    return boundary.contacts(queries, room);
                });
            },
            py::arg("points"));
    module.def("tabulate_distances", &tabulated, py::arg("surface"), py::arg("states"), py::arg("origin"),
               py::arg("spacing"), py::arg("counts"), py::arg("threads"));
}

}  // namespace softcontact::bindings
