// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdexcept>

#include "bindings.hpp"
#include "softcontact/solver/contact_problem.hpp"

namespace softcontact::bindings {

namespace {

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

ContactMethod method_named(const std::string& name)
{
    if (name == "block_gauss_seidel") {
        return ContactMethod::block_gauss_seidel;
    }
    if (name == "nncg") {
        return ContactMethod::nncg;
    }
    if (name == "anderson") {
        return ContactMethod::anderson;
    }
    if (name == "local_uzawa") {
        return ContactMethod::local_uzawa;
    }
    if (name == "global_uzawa") {
        return ContactMethod::global_uzawa;
    }
    throw std::invalid_argument("method: unknown solver '" + name + "'");
}

Eigen::Map<const RowMajorMatrix> square(const Array& W)
{
    return {W.data(), W.shape(0), W.shape(1)};
}

Eigen::Map<const VectorXd> vector(const Array& values)
{
    return {values.data(), values.shape(0)};
}

Acceleration acceleration_named(const std::string& name)
{
    if (name == "none") {
        return Acceleration::none;
    }
    if (name == "conjugate") {
        return Acceleration::conjugate;
    }
    if (name == "anderson") {
        return Acceleration::anderson;
    }
    throw std::invalid_argument("acceleration: unknown '" + name + "'");
}

FrictionLaw law_named(const std::string& name)
{
    if (name == "contensou") {
        return FrictionLaw::contensou;
    }
    if (name == "contensou-decoupled") {
        return FrictionLaw::contensou_decoupled;
    }
    if (name == "coulomb") {
        return FrictionLaw::coulomb;
    }
    throw std::invalid_argument("law: unknown friction law '" + name + "'");
}

}  // namespace

void bind_solver(py::module_& module)
{
    module.def("natural_map_residual",
               [](const Array& W, const Array& q, const Array& mu, const Array& force) {
                   return natural_map_residual(square(W), vector(q), vector(mu), vector(force));
               });

    module.def("solve_contact_problem", [](const Array& W, const Array& q, const Array& mu,
                                           const Array& guess, const std::string& method,
                                           bool stop_on_uzawa_error, double tolerance, int max_iterations,
                                           double rho, bool rho_per_block, double inner_tolerance) {
        const ContactSolverOptions options{
            .method = method_named(method),
            .rule = stop_on_uzawa_error ? StoppingRule::uzawa_error : StoppingRule::natural_map,
            .tolerance = tolerance,
            .max_iterations = max_iterations,
            .rho = rho,
            .rho_per_block = rho_per_block,
            .inner_tolerance = inner_tolerance};
        ContactSolverResult result;
        {
            const py::gil_scoped_release release;
            result = solve_contact_problem(square(W), vector(q), vector(mu), vector(guess), options);
        }
        py::dict out;
        out["force"] = result.force;
        out["velocity"] = result.velocity;
        out["iterations"] = result.iterations;
        out["inner_iterations"] = result.inner_iterations;
        out["residual"] = result.residual;
        out["uzawa_error"] = result.uzawa_error;
        out["converged"] = result.converged;
        out["history"] = result.history;
        return out;
    });

    // Blocks as (rows, law, mu, shares, offsets) in order; rows 1 and 3 ignore the last two.
    module.def("solve_blocks", [](const Array& W, const Array& q, const py::list& descriptors,
                                  const Array& guess, double tolerance, int max_iterations,
                                  const std::string& acceleration) {
        std::vector<BlockDescriptor> blocks;
        std::vector<Array> keep;
        int offset = 0;
        for (const py::handle& item : descriptors) {
            const auto fields = item.cast<py::tuple>();
            BlockDescriptor block{.offset = offset,
                                  .rows = fields[0].cast<int>(),
                                  .law = law_named(fields[1].cast<std::string>()),
                                  .mu = fields[2].cast<double>()};
            if (block.rows == 4) {
                keep.push_back(fields[3].cast<Array>());
                keep.push_back(fields[4].cast<Array>());
                const Array& shares = keep[keep.size() - 2];
                block.patch =
                    make_friction_patch(shares.data(), keep.back().data(), static_cast<int>(shares.size()));
            }
            offset += block.rows;
            blocks.push_back(block);
        }
        VectorXd force = vector(guess);
        BlockGaussSeidel solver;
        const GaussSeidelResult result = solver.solve(square(W), vector(q), blocks,
                                                      {.velocity_tolerance = tolerance,
                                                       .max_iterations = max_iterations,
                                                       .acceleration = acceleration_named(acceleration)},
                                                      force);
        return py::make_tuple(force, result.iterations, result.residual, result.converged);
    });
}

}  // namespace softcontact::bindings
