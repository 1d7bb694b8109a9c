// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bindings.hpp"
#include "softcontact/vademecum/corrected_field.hpp"

namespace softcontact::bindings {

namespace {

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;

std::vector<double> values(const Array& array)
{
    return {array.data(), array.data() + array.size()};
}

/// `gradients` (points, 9, modes), `cells` (c, corners), `cell_gradients` (c, q, corners, 3), `cell_weights`
/// (c, q).
std::unique_ptr<CorrectedField> make_corrected(
    LoadedField& field, const std::vector<Index>& points, const Array& gradients, const VectorXd& weights,
    const py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>& cells,
    const Array& cell_gradients, const Array& cell_weights, double lame, double shear, const Rows& directions,
    const std::vector<Index>& nodes, int max_iterations, double tolerance)
{
    if (gradients.ndim() != 3 || gradients.shape(1) != 9 || cells.ndim() != 2 || cell_weights.ndim() != 2) {
        throw std::invalid_argument(
            "gradients, cells, cell_weights: expected (points, 9, modes), (cells, corners), (cells, points)");
    }
    ReducedSolid solid(
        Eigen::Map<const MatrixXd>(gradients.data(), gradients.shape(2), 9 * gradients.shape(0)), weights,
        lame, shear);
    SolidCells given;
    given.corners = cells.shape(1);
    given.points = cell_weights.shape(1);
    given.nodes.assign(cells.data(), cells.data() + cells.size());
    given.gradients = values(cell_gradients);
    given.weights = values(cell_weights);
    given.law = {lame, shear};
    return std::make_unique<CorrectedField>(field, std::move(solid), points, std::move(given),
                                            Points(directions.transpose()), nodes,
                                            CorrectionSettings{max_iterations, tolerance});
}

}  // namespace

void bind_vademecum_correction(py::module_& module)
{
    py::class_<CorrectedField>(module, "CorrectedField")
        .def(py::init(&make_corrected), py::arg("field"), py::arg("points"), py::arg("gradients"),
             py::arg("weights"), py::arg("cells"), py::arg("cell_gradients"), py::arg("cell_weights"),
             py::arg("lame"), py::arg("shear"), py::arg("directions"), py::arg("nodes"),
             py::arg("max_iterations"), py::arg("tolerance"), py::keep_alive<1, 2>())
        .def(
            "load",
            [](CorrectedField& self, const std::vector<Index>& cases, const std::vector<double>& sizes) {
                const CorrectionStatus status = self.load(cases, sizes);
                return py::make_tuple(status.converged, status.iterations, status.tangents, status.residual);
            },
            py::arg("cases"), py::arg("sizes"));
}

}  // namespace softcontact::bindings
