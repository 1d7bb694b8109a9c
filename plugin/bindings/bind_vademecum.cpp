// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bind_vademecum.hpp"

#include "softcontact/vademecum/separated_field.hpp"

namespace softcontact::bindings {

namespace {

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;
using RowMajorCloud = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;

void require_shape(const Array& array, const char* name, const char* expected)
{
    if (array.ndim() != 3) {
        throw std::invalid_argument(std::string(name) + ": " + std::to_string(array.ndim()) +
                                    " axes, expected " + expected);
    }
}

std::unique_ptr<SeparatedField> make_field(const Array& modes, const Array& amplitudes,
                                           const std::vector<Index>& dent_starts,
                                           const std::vector<Index>& dent_nodes, const Array& dents,
                                           const std::vector<Index>& opposites)
{
    require_shape(modes, "modes", "(modes, nodes, 3)");
    require_shape(amplitudes, "amplitudes", "(cases, terms, modes)");
    require_shape(dents, "dents", "(entries, terms, 3)");
    if (modes.shape(2) != 3 || dents.shape(2) != 3 || dents.shape(1) != amplitudes.shape(1)) {
        throw std::invalid_argument(
            "modes, dents: expected (modes, nodes, 3) and (entries, terms, 3), with the terms of amplitudes");
    }
    using ByMode = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
    SeparatedSolution solution;
    solution.terms = amplitudes.shape(1);
    solution.modes = ByMode(modes.data(), modes.shape(0), 3 * modes.shape(1));
    solution.amplitudes = Eigen::Map<const MatrixXd>(amplitudes.data(), amplitudes.shape(2),
                                                     amplitudes.shape(0) * amplitudes.shape(1));
    solution.dent_starts = dent_starts;
    solution.dent_nodes = dent_nodes;
    solution.dents = Eigen::Map<const MatrixXd>(dents.data(), 3, dents.shape(0) * dents.shape(1));
    solution.opposites = opposites;
    return std::make_unique<SeparatedField>(std::move(solution));
}

RowMajorCloud of_nodes(const LoadedField& field, const std::vector<Index>& nodes)
{
    Points out(3, static_cast<Index>(nodes.size()));
    field.displacements(nodes, out);
    return out.transpose();
}

}  // namespace

void bind_vademecum(py::module_& module)
{
    bind_vademecum_distance(module);
    py::class_<SeparatedField>(module, "SeparatedField")
        .def(py::init(&make_field), py::arg("modes"), py::arg("amplitudes"), py::arg("dent_starts"),
             py::arg("dent_nodes"), py::arg("dents"), py::arg("opposites"))
        .def_property_readonly("node_count", &SeparatedField::node_count)
        .def_property_readonly("mode_count", &SeparatedField::mode_count)
        .def_property_readonly("case_count", &SeparatedField::case_count);
    py::class_<LoadedField>(module, "LoadedField")
        .def(py::init<const SeparatedField&, Index>(), py::arg("field"), py::arg("capacity"),
             py::keep_alive<1, 2>())
        .def("clear", &LoadedField::clear)
        .def("add", &LoadedField::add, py::arg("load_case"), py::arg("size"), py::arg("share") = 1.0)
        .def(
            "predict",
            [](LoadedField& field, const std::vector<Index>& cases, const std::vector<double>& sizes,
               bool together) {
                field.predict(cases, sizes, together ? Predictor::deflection : Predictor::superposition);
            },
            py::arg("cases"), py::arg("sizes"), py::arg("together") = true)
        .def_property_readonly("load_count", &LoadedField::load_count)
        .def_property_readonly("amplitudes",
                               [](const LoadedField& field) { return VectorXd(field.amplitudes()); })
        .def("displacements_of", &of_nodes, py::arg("nodes"))
        .def(
            "displacements",
            [](const LoadedField& field, py::array_t<double, py::array::c_style> out, Index nodes) {
                if (out.ndim() != 2 || out.shape(0) != nodes || out.shape(1) != 3 || !out.writeable()) {
                    throw std::invalid_argument("out: expected a writable array (nodes, 3)");
                }
                field.displacements(Eigen::Map<Points>(out.mutable_data(), 3, nodes));
            },
            py::arg("out").noconvert(), py::arg("nodes"));
}

}  // namespace softcontact::bindings
