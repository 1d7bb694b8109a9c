// SPDX-License-Identifier: LGPL-2.1-or-later
#include <optional>
#include <stdexcept>
#include <string>

#include "bindings.hpp"
#include "softcontact/bodies/tetrahedral.hpp"
#include "world_arguments.hpp"

namespace softcontact::bindings {

namespace {

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;
using IntArray = py::array_t<int, py::array::c_style | py::array::forcecast>;
using Eigen::Map;

void check_shape(const py::array& array, const char* name, Index rows, Index columns)
{
    const bool right = array.ndim() == 2 && (rows < 0 || array.shape(0) == rows) && array.shape(1) == columns;
    if (!right) {
        throw std::invalid_argument(std::string(name) + " must have shape (" +
                                    (rows < 0 ? "n" : std::to_string(rows)) + ", " + std::to_string(columns) +
                                    "), not " + std::string(py::str(array.attr("shape"))));
    }
}

// (n, 3) in C order is (3, n) in Eigen's column order.
Map<const Points> points_of(const Array& array, const char* name, Index rows = -1)
{
    check_shape(array, name, rows, 3);
    return {array.data(), 3, array.shape(0)};
}

Map<const VectorXd> flat_of(const Array& array, const char* name, Index rows)
{
    check_shape(array, name, rows, 3);
    return {array.data(), 3 * rows};
}

Array rows_of(const double* data, Index rows)
{
    return Array({rows, Index{3}}, data);
}

Tetrahedra tetrahedra_of(const IntArray& array)
{
    check_shape(array, "tetrahedra", -1, 4);
    return Map<const Tetrahedra>(array.data(), 4, array.shape(0));
}

CorotationalModel make_model(const Array& nodes, const IntArray& tetrahedra, const VectorXd& young,
                             const VectorXd& poisson, const VectorXd& density, const VectorXd& stiffening,
                             const VectorXd& stiffening_limit)
{
    if (young.size() != poisson.size() || young.size() != density.size()) {
        throw std::invalid_argument("young_modulus, poisson_ratio and density must have the same length");
    }
    const bool linear = stiffening.size() == 0 && stiffening_limit.size() == 0;
    if (!linear && (stiffening.size() != young.size() || stiffening_limit.size() != young.size())) {
        throw std::invalid_argument(
            "stiffening and stiffening_limit must have the length of young_modulus; or leave both out");
    }
    std::vector<Material> materials;
    for (Index k = 0; k < young.size(); ++k) {
        materials.push_back({young[k], poisson[k], density[k]});
        if (linear) continue;
        materials.back().stiffening = stiffening[k];
        materials.back().stiffening_limit = stiffening_limit[k];
    }
    return {points_of(nodes, "nodes"), tetrahedra_of(tetrahedra), materials};
}

Array force_at(const CorotationalModel& model, const Array& x)
{
    Points force = Points::Zero(3, model.node_count());
    model.add_force(points_of(x, "x", model.node_count()), force);
    return rows_of(force.data(), model.node_count());
}

const char* name_of(TetrahedralDynamics::Status status)
{
    switch (status) {
        case TetrahedralDynamics::Status::ok:
            return "ok";
        case TetrahedralDynamics::Status::not_finite:
            return "not finite";
        case TetrahedralDynamics::Status::not_positive:
            return "not positive";
    }
    return "unknown";
}

void bind_tissue(py::module_& module)
{
    py::class_<CorotationalModel>(module, "CorotationalModel")
        .def(py::init(&make_model), py::arg("nodes"), py::arg("tetrahedra"), py::arg("young_modulus"),
             py::arg("poisson_ratio"), py::arg("density"), py::arg("stiffening") = VectorXd(),
             py::arg("stiffening_limit") = VectorXd())
        .def_property_readonly("node_count", &CorotationalModel::node_count)
        .def_property_readonly("element_count", &CorotationalModel::element_count)
        .def_property_readonly("rest_volume", &CorotationalModel::rest_volume)
        .def_property_readonly("lumped_mass", &CorotationalModel::lumped_mass)
        .def_property_readonly("inverted_count", &CorotationalModel::inverted_count)
        .def_property_readonly("rotation_drift",
                               [](const CorotationalModel& self) { return self.rotation_drift(); })
        .def("update", [](CorotationalModel& self,
                          const Array& x) { return self.update(points_of(x, "x", self.node_count())); })
        .def("energy", [](const CorotationalModel& self,
                          const Array& x) { return self.energy(points_of(x, "x", self.node_count())); })
        .def("force", &force_at, "Force −∂E/∂x (n, 3) [N] with the rotations of the last update().")
        .def("multiply",
             [](const CorotationalModel& self, const Array& v) {
                 VectorXd out(3 * self.node_count());
                 self.multiply(flat_of(v, "v", self.node_count()), out);
                 return rows_of(out.data(), self.node_count());
             })
        .def("rotations",
             [](const CorotationalModel& self) {
                 std::vector<Matrix3d> all;
                 for (Index e = 0; e < self.element_count(); ++e) all.push_back(self.rotation(e));
                 return all;
             })
        .def("stresses",
             [](const CorotationalModel& self, const Array& x) {
                 std::vector<Matrix3d> all;
                 const auto points = points_of(x, "x", self.node_count());
                 for (Index e = 0; e < self.element_count(); ++e) all.push_back(self.stress(points, e));
                 return all;
             })
        .def("assemble",
             [](CorotationalModel& self, double scale, const VectorXd& diagonal) {
                 if (diagonal.size() != 3 * self.node_count()) {
                     throw std::invalid_argument("diagonal must have 3 entries a node");
                 }
                 Eigen::SparseMatrix<double> out = self.pattern();
                 self.assemble(out, scale, diagonal);
                 return out;
             })
        .def("tangent", [](const CorotationalModel& self, const Array& x) {
            Eigen::SparseMatrix<double> out = self.pattern();
            self.assemble_tangent(points_of(x, "x", self.node_count()), out);
            return out;
        });
}

void bind_factor(py::module_& module)
{
    py::class_<SymmetricFactor>(module, "SymmetricFactor")
        .def(py::init<>())
        .def("analyse", &SymmetricFactor::analyse, py::arg("lower"))
        .def("factorize",
             [](SymmetricFactor& self, const Eigen::SparseMatrix<double>& lower) {
                 return self.factorize(lower) == SymmetricFactor::Status::ok;
             })
        .def_property_readonly("factor_blocks", &SymmetricFactor::factor_blocks)
        .def("solve", [](const SymmetricFactor& self, MatrixXd rhs) {
            if (self.status() != SymmetricFactor::Status::ok || rhs.rows() != self.size()) {
                throw std::invalid_argument("rhs has " + std::to_string(rhs.rows()) +
                                            " rows for a matrix of " + std::to_string(self.size()) +
                                            ", or factorize() has not succeeded");
            }
            self.solve_in_place(rhs);
            return rhs;
        });
}

bool begin_step(TetrahedralDynamics& self, double h, const Vector3d& gravity, const Array& force)
{
    if (!(h > 0.0)) throw std::invalid_argument("h = " + std::to_string(h) + " s: give a step above 0");
    return self.begin_step(h, gravity, flat_of(force, "external_force", self.node_count()));
}

TetrahedralDynamics make_dynamics(const CorotationalModel& model, double rayleigh_mass,
                                  double rayleigh_stiffness, double tolerance, std::vector<int> fixed,
                                  std::vector<int> anchored, VectorXd anchor_stiffness, bool linear,
                                  const std::string& integrator)
{
    return {model,
            {rayleigh_mass, rayleigh_stiffness, tolerance, linear, std::move(fixed), std::move(anchored),
             std::move(anchor_stiffness), parse_integrator(integrator)}};
}

void bind_dynamics(py::module_& module)
{
    using Dynamics = TetrahedralDynamics;
    py::class_<Dynamics>(module, "TetrahedralDynamics")
        .def(py::init(&make_dynamics), py::arg("model"), py::kw_only(), py::arg("rayleigh_mass") = 0.0,
             py::arg("rayleigh_stiffness") = 0.0, py::arg("refactor_rotation_tolerance") = 0.0,
             py::arg("fixed_nodes") = std::vector<int>{}, py::arg("anchored_nodes") = std::vector<int>{},
             py::arg("anchor_stiffness") = VectorXd(), py::arg("linear") = false,
             py::arg("integrator") = "implicit-euler")
        .def_property_readonly(
            "positions",
            [](const Dynamics& self) { return rows_of(self.positions().data(), self.node_count()); })
        .def_property_readonly(
            "velocity",
            [](const Dynamics& self) { return rows_of(self.velocity().data(), self.node_count()); })
        .def_property_readonly(
            "free_positions",
            [](const Dynamics& self) { return rows_of(self.free_positions().data(), self.node_count()); })
        .def_property_readonly(
            "free_velocity",
            [](const Dynamics& self) { return rows_of(self.free_velocity().data(), self.node_count()); })
        .def_property_readonly("status", [](const Dynamics& self) { return name_of(self.status()); })
        .def_property_readonly("inverted_count", &Dynamics::inverted_count)
        .def_property_readonly("factorization_count", &Dynamics::factorization_count)
        .def_property_readonly("kinetic_energy", &Dynamics::kinetic_energy)
        .def_property_readonly("elastic_energy", &Dynamics::elastic_energy)
        .def_property_readonly("momentum", &Dynamics::momentum)
        .def_property_readonly("angular_momentum", &Dynamics::angular_momentum)
        .def_property_readonly("center_of_mass", &Dynamics::center_of_mass)
        .def("set_state",
             [](Dynamics& self, const Array& x, const Array& v) {
                 self.set_state(points_of(x, "x", self.node_count()), flat_of(v, "v", self.node_count()));
             })
        .def("set_anchor",
             [](Dynamics& self, std::size_t anchor, const Vector3d& position) {
                 if (anchor >= self.options().anchored_nodes.size()) {
                     throw std::invalid_argument("anchor " + std::to_string(anchor) + " does not exist");
                 }
                 self.set_anchor(static_cast<Index>(anchor), position);
             })
        .def("begin_step", &begin_step, py::arg("h"), py::arg("gravity"), py::arg("external_force"))
        .def("solve",
             [](const Dynamics& self, MatrixXd rhs) {
                 if (rhs.rows() != self.dof_count() || self.factorization_count() == 0) {
                     throw std::invalid_argument("rhs must have 3 rows a node, after a begin_step()");
                 }
                 self.solve(rhs);
                 return rhs;
             })
        .def(
            "finish",
            [](Dynamics& self, const Array& change, std::optional<bool> touched) {
                const auto flat = flat_of(change, "velocity_change", self.node_count());
                return self.finish(flat, touched.value_or(!flat.isZero(0.0)));
            },
            py::arg("velocity_change"), py::arg("touched") = py::none())
        .def("apply_position_correction", [](Dynamics& self, const Array& correction) {
            self.apply_position_correction(flat_of(correction, "correction", self.node_count()));
        });
}

}  // namespace

void bind_tetrahedral(py::module_& module)
{
    bind_tissue(module);
    bind_factor(module);
    bind_dynamics(module);
}

}  // namespace softcontact::bindings
