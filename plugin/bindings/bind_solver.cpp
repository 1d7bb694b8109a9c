// SPDX-License-Identifier: LGPL-2.1-or-later
#include <chrono>
#include <stdexcept>

#include "bindings.hpp"
#include "softcontact/solver/block_newton.hpp"
#include "softcontact/solver/body_operator.hpp"
#include "softcontact/solver/contact_problem.hpp"
#include "softcontact/solver/pivoted_root.hpp"

namespace softcontact::bindings {

namespace {

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

constexpr std::pair<const char*, ContactMethod> methods[] = {
    {"auto", ContactMethod::automatic},
    {"block_gauss_seidel", ContactMethod::block_gauss_seidel},
    {"nncg", ContactMethod::nncg},
    {"anderson", ContactMethod::anderson},
    {"local_uzawa", ContactMethod::local_uzawa},
    {"global_uzawa", ContactMethod::global_uzawa},
    {"newton", ContactMethod::newton},
    {"projection", ContactMethod::projection},
};
constexpr std::pair<const char*, StoppingRule> rules[] = {
    {"residual", StoppingRule::natural_map},
    {"uzawa_error", StoppingRule::uzawa_error},
    {"eps1", StoppingRule::epsilon_1},
    {"eps3", StoppingRule::epsilon_3},
};
constexpr std::pair<const char*, UzawaVelocity> velocities[] = {
    {"fresh", UzawaVelocity::fresh},
    {"stored", UzawaVelocity::stored},
    {"jacobi", UzawaVelocity::jacobi},
};
constexpr std::pair<const char*, StopReason> reasons[] = {
    {"converged", StopReason::converged},
    {"max_iterations", StopReason::max_iterations},
    {"time_budget", StopReason::time_budget},
    {"not_finite", StopReason::not_finite},
};

template <typename Value, std::size_t count>
Value named(const char* argument, const std::string& name,
            const std::pair<const char*, Value> (&table)[count])
{
    for (const auto& [text, value] : table) {
        if (name == text) {
            return value;
        }
    }
    throw std::invalid_argument(std::string(argument) + ": unknown '" + name + "'");
}

template <typename Value, std::size_t count>
const char* name_of(Value wanted, const std::pair<const char*, Value> (&table)[count])
{
    for (const auto& [text, value] : table) {
        if (value == wanted) {
            return text;
        }
    }
    return "";
}

/// W as a function of the caller's: r -> W r.
class CalledOperator : public DelassusOperator {
public:
    explicit CalledOperator(py::object function) : m_function(std::move(function)) {}
    void apply(const VectorXd& r, VectorXd& out) const override
    {
        const py::gil_scoped_acquire hold;
        const auto product = Array::ensure(m_function(r));
        if (!product || product.size() != r.size()) {
            throw std::invalid_argument("W: its product with a force has the wrong shape");
        }
        out = Eigen::Map<const VectorXd>(product.data(), r.size());
    }

private:
    py::object m_function;
};

/// Ctrl-C and what else Python's signal handlers raise.
void raise_signals()
{
    const py::gil_scoped_acquire hold;
    if (PyErr_CheckSignals() != 0) {
        throw py::error_already_set();
    }
}

ContactSolverOptions polled(ContactSolverOptions options)
{
    options.poll = raise_signals;
    return options;
}

/// Seconds of the solver itself, without what goes to Python and back.
template <typename Solver>
py::dict timed(const Solver& solver)
{
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const ContactSolverResult result = solver();
    const std::chrono::duration<double> taken = Clock::now() - start;
    py::dict out;
    out["wall_time_s"] = taken.count();
    out["force"] = result.force;
    out["velocity"] = result.velocity;
    out["iterations"] = result.iterations;
    out["inner_iterations"] = result.inner_iterations;
    out["residual"] = result.residual;
    out["scaled_residual"] = result.scaled_residual;
    out["uzawa_error"] = result.uzawa_error;
    out["converged"] = result.converged();
    out["reason"] = name_of(result.reason, reasons);
    out["method"] = name_of(result.method, methods);
    out["history"] = result.history;
    return out;
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

/// Blocks as (rows, law, mu, shares, offsets) in order; rows 1 and 3 ignore the last two. A sixth field,
/// where there is one, is a dict of what only some blocks have: tilts, corners and axis of a block that bears
/// moments; lower, upper and length of a row with bounds.
struct DescribedBlocks {
    explicit DescribedBlocks(const py::list& descriptors)
    {
        int offset = 0;
        for (const py::handle& item : descriptors) {
            const auto fields = item.cast<py::tuple>();
            BlockDescriptor block{.offset = offset,
                                  .rows = fields[0].cast<int>(),
                                  .law = law_named(fields[1].cast<std::string>()),
                                  .mu = fields[2].cast<double>()};
            if (fields.size() > 5) {
                describe(fields[5].cast<py::dict>(), block);
            }
            if (block.has_torsion()) {
                keep.push_back(fields[3].cast<Array>());
                keep.push_back(fields[4].cast<Array>());
                const Array& shares = keep[keep.size() - 2];
                block.patch =
                    make_friction_patch(shares.data(), keep.back().data(), static_cast<int>(shares.size()));
            }
            offset += block.rows;
            blocks.push_back(block);
        }
    }

    void describe(const py::dict& more, BlockDescriptor& block)
    {
        const auto number = [&](const char* name, double& value) {
            if (more.contains(name)) {
                value = more[name].cast<double>();
            }
        };
        number("lower", block.lower);
        number("upper", block.upper);
        number("length", block.length);
        if (more.contains("corners")) {
            block.tilts = more.contains("tilts") ? more["tilts"].cast<int>() : 2;
            keep.push_back(more["corners"].cast<Array>());
            const Array& corners = keep.back();
            const Vector2d axis =
                more.contains("axis") ? more["axis"].cast<Vector2d>() : Vector2d(Vector2d::UnitX());
            block.hull = make_moment_hull(corners.data(), static_cast<int>(corners.size() / 2), axis);
        }
    }

    std::vector<BlockDescriptor> blocks;
    std::vector<Array> keep;  // what the patches and hulls view
};

/// W as that of one body, whose motions are as many as its rank.
BodyOperator body_operator(const RowMajorRef& W, const std::vector<BlockDescriptor>& blocks)
{
    constexpr double round_off = 1e-14;
    PivotedRoot root;
    root.compute(W.rows(), round_off, [&W](Index i, Index j) { return W(i, j); });
    BodyOperator out;
    out.clear(static_cast<int>(W.rows()));
    const int body = out.add_body(static_cast<int>(root.pivots().size()));
    for (const BlockDescriptor& block : blocks) {
        out.begin_block(block.offset);
        out.add_rows(body, MatrixXd(root.factor().middleRows(block.offset, block.rows)));
    }
    out.prepare();
    return out;
}

}  // namespace

void bind_solver(py::module_& module)
{
    py::class_<ContactSolverOptions>(module, "ContactSolverOptions")
        .def(py::init([](const std::string& method, const std::string& stop, double tolerance,
                         int max_iterations, double time_budget, double rho, bool rho_per_block,
                         const std::string& velocity, double epsilon_2, bool inner_from_zero) {
            return ContactSolverOptions{.method = named("method", method, methods),
                                        .rule = named("stop", stop, rules),
                                        .tolerance = tolerance,
                                        .max_iterations = max_iterations,
                                        .time_budget_s = time_budget,
                                        .rho = rho,
                                        .rho_per_block = rho_per_block,
                                        .velocity = named("velocity", velocity, velocities),
                                        .epsilon_2 = epsilon_2,
                                        .inner_from_zero = inner_from_zero};
        }));

    py::class_<ContactProblem>(module, "ContactSystem")
        .def_static("from_rows",
                    [](const py::array_t<int, py::array::c_style | py::array::forcecast>& start,
                       const py::array_t<int, py::array::c_style | py::array::forcecast>& column,
                       const Array& value, const Array& q, const Array& mu) {
                        const auto size = [](const auto& array) {
                            return static_cast<std::size_t>(array.size());
                        };
                        return ContactProblem{ContactMatrix(std::span(start.data(), size(start)),
                                                            std::span(column.data(), size(column)),
                                                            std::span(value.data(), size(value))),
                                              vector(q), vector(mu)};
                    })
        .def_static("from_dense",
                    [](const Array& W, const Array& q, const Array& mu) {
                        return ContactProblem{ContactMatrix(square(W)), vector(q), vector(mu)};
                    })
        .def("multiply",
             [](const ContactProblem& problem, const Array& force) {
                 VectorXd out;
                 problem.W.multiply(vector(force), out);
                 return out;
             })
        .def("scaled_residual",
             [](const ContactProblem& problem, const Array& force, const Array& velocity) {
                 const VectorXd r = vector(force);
                 return scaled_residual(problem.mu, block_compliances(problem.W),
                                        load_of(problem.W, problem.q, r), r, vector(velocity));
             })
        .def("largest_diagonal",
             [](const ContactProblem& problem) {
                 double largest = 0.0;
                 for (Index i = 0; i < problem.W.contacts(); ++i) {
                     largest = std::max(largest, problem.W.diagonal(i).diagonal().maxCoeff());
                 }
                 return largest;
             })
        .def("solve",
             [](const ContactProblem& problem, const Array& guess, const ContactSolverOptions& options) {
                 const VectorXd start = vector(guess);
                 return timed([&] {
                     const py::gil_scoped_release release;
                     return solve_contact_problem(problem, start, polled(options));
                 });
             });

    module.def("solve_contact_operator", [](const py::object& product, const Array& q, const Array& mu,
                                            const Array& guess, const ContactSolverOptions& options) {
        const CalledOperator W(product);
        const VectorXd free = vector(q), friction = vector(mu), start = vector(guess);
        return timed([&] {
            const py::gil_scoped_release release;
            return solve_contact_problem(W, free, friction, start, polled(options));
        });
    });

    module.def("operator_scaled_residual", [](const py::object& product, const Array& q, const Array& mu,
                                              const Array& force, const Array& velocity) {
        const VectorXd compliance = operator_compliances(CalledOperator(product), mu.shape(0));
        const VectorXd r = vector(force);
        const double load = r.size() > 0 ? compliance[0] * r.norm() + vector(q).norm() : 0.0;
        return scaled_residual(vector(mu), compliance, load, r, vector(velocity));
    });

    module.def("natural_map_residual",
               [](const Array& q, const Array& mu, const Array& force, const Array& velocity) {
                   return natural_map_residual(vector(q), vector(mu), vector(force), vector(velocity));
               });

    module.def(
        "solve_blocks", [](const Array& W, const Array& q, const py::list& descriptors, const Array& guess,
                           double tolerance, int max_iterations, const std::string& acceleration) {
            const DescribedBlocks described(descriptors);
            VectorXd force = vector(guess);
            BlockGaussSeidel solver;
            const GaussSeidelResult result = solver.solve(square(W), vector(q), described.blocks,
                                                          {.velocity_tolerance = tolerance,
                                                           .max_iterations = max_iterations,
                                                           .acceleration = acceleration_named(acceleration)},
                                                          force);
            return py::make_tuple(force, result.iterations, result.residual, result.converged);
        });

    module.def("solve_blocks_newton", [](const Array& W, const Array& q, const py::list& descriptors,
                                         const Array& guess, double tolerance, int max_steps) {
        const DescribedBlocks described(descriptors);
        VectorXd force = vector(guess);
        BodyOperator one_body = body_operator(square(W), described.blocks);
        BlockNewton solver;
        const GaussSeidelResult result =
            solver.solve(one_body, vector(q), described.blocks,
                         {.velocity_tolerance = tolerance, .max_steps = max_steps}, force);
        return py::make_tuple(force, result.iterations, result.residual, result.converged);
    });
}

}  // namespace softcontact::bindings
