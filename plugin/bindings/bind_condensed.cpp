// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "bindings.hpp"
#include "softcontact/condensed/haptic_loop.hpp"

namespace softcontact::bindings {

namespace {

using RowMajorCloud = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

CondensedScheme scheme_named(const std::string& name)
{
    if (name == "block_gauss_seidel") {
        return CondensedScheme::block_gauss_seidel;
    }
    if (name == "local_uzawa") {
        return CondensedScheme::local_uzawa;
    }
    if (name == "global_uzawa") {
        return CondensedScheme::global_uzawa;
    }
    throw std::invalid_argument("method: '" + name +
                                "', expected block_gauss_seidel, local_uzawa or global_uzawa");
}

/// Rows [first, last) of a log column.
template <typename T>
py::array_t<T> rows(const std::vector<T>& column, Index first, Index last)
{
    return py::array_t<T>(last - first, column.data() + first);
}

py::dict log_rows(const HapticLoop& loop, Index first, Index count)
{
    const Index done = loop.done();
    const Index last = count < 0 ? done : std::min(done, first + count);
    if (first < 0 || first > last) {
        throw std::invalid_argument("first: " + std::to_string(first) + ", expected 0 to " +
                                    std::to_string(done));
    }
    const LoopLog& log = loop.log();
    count = last - first;
    py::dict out;
    out["lateness_s"] = rows(log.lateness_s, first, last);
    out["tick_s"] = rows(log.tick_s, first, last);
    out["error"] = rows(log.error, first, last);
    out["residual"] = rows(log.residual, first, last);
    out["penetration"] = rows(log.penetration, first, last);
    out["sweeps"] = rows(log.sweeps, first, last);
    out["touching"] = rows(log.touching, first, last);
    out["converged"] = rows(log.converged, first, last);
    out["position"] = RowMajorCloud(log.position.middleCols(first, count).transpose());
    out["force"] = RowMajorCloud(log.force.middleCols(first, count).transpose());
    out["felt"] = RowMajorCloud(log.felt.middleCols(first, count).transpose());
    out["forces"] = RowMajorCloud(log.forces.middleCols(first, count).transpose());
    return out;
}

}  // namespace

void bind_condensed(py::module_& module)
{
    py::class_<CondensedContact>(module, "CondensedContact")
        .def(py::init([](const RowMajorMatrix& compliance, const MatrixXd& drive, const VectorXd& offset,
                         const VectorXd& mu, const Matrix3d& frame, const std::string& method,
                         double tolerance, int max_sweeps, double budget_s, double rho, int blend_ticks) {
                 return std::make_unique<CondensedContact>(CondensedModel{compliance, drive, offset}, mu,
                                                           frame,
                                                           CondensedSettings{.scheme = scheme_named(method),
                                                                             .tolerance = tolerance,
                                                                             .max_sweeps = max_sweeps,
                                                                             .budget_s = budget_s,
                                                                             .rho = rho,
                                                                             .blend_ticks = blend_ticks});
             }),
             py::arg("compliance"), py::arg("drive"), py::arg("offset"), py::arg("mu"), py::arg("frame"),
             py::arg("method") = "block_gauss_seidel", py::arg("tolerance") = 1e-8,
             py::arg("max_sweeps") = 500, py::arg("budget_s") = 0.0, py::arg("rho") = 0.0,
             py::arg("blend_ticks") = 20)
        .def("publish", [](CondensedContact& self, const RowMajorMatrix& compliance, const MatrixXd& drive,
                           const VectorXd& offset) { self.publish({compliance, drive, offset}); })
        .def("tick",
             [](CondensedContact& self, const Vector3d& x) {
                 const CondensedTick tick = self.tick(x);
                 py::dict out;
                 out["force"] = tick.force;
                 out["error"] = tick.error;
                 out["residual"] = tick.residual;
                 out["penetration"] = tick.penetration;
                 out["sweeps"] = tick.sweeps;
                 out["touching"] = tick.touching;
                 out["converged"] = tick.converged;
                 return out;
             })
        .def_property_readonly("forces", [](const CondensedContact& self) { return VectorXd(self.forces()); })
        .def_property_readonly("relative",
                               [](const CondensedContact& self) { return VectorXd(self.relative()); });

    py::class_<HapticLoop>(module, "HapticLoop")
        .def(py::init([](CondensedContact& contact, const std::vector<double>& times,
                         const RowMajorCloud& path, double period, Index ticks, double mass, double damping,
                         double hand_stiffness, double hand_damping, double force_scale, double force_limit) {
                 if (path.cols() != 3) {
                     throw std::invalid_argument("path: expected shape (k, 3)");
                 }
                 return std::make_unique<HapticLoop>(
                     contact,
                     SimulatedDevice{mass, damping, hand_stiffness, hand_damping, force_scale, force_limit},
                     times, path.transpose(), period, ticks);
             }),
             py::arg("contact"), py::arg("times"), py::arg("path"), py::arg("period"), py::arg("ticks"),
             py::arg("mass"), py::arg("damping"), py::arg("hand_stiffness"), py::arg("hand_damping"),
             py::arg("force_scale"), py::arg("force_limit"), py::keep_alive<1, 2>())
        .def("tick", &HapticLoop::tick)
        .def("run", &HapticLoop::run, py::call_guard<py::gil_scoped_release>())
        .def("stop", &HapticLoop::stop)
        .def_property_readonly("done", &HapticLoop::done)
        .def_property_readonly("missed", &HapticLoop::missed)
        .def("log", &log_rows, py::arg("first") = 0, py::arg("count") = -1);
}

}  // namespace softcontact::bindings
