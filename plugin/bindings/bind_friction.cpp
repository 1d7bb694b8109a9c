// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bindings.hpp"
#include "softcontact/friction/limit_projection.hpp"
#include "softcontact/friction/moment_block.hpp"
#include "softcontact/friction/patch_block.hpp"
#include "softcontact/friction/slip_gauge.hpp"

namespace softcontact::bindings {

namespace {

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

FrictionPatch patch_of(const Array& shares, const Array& offsets)
{
    return make_friction_patch(shares.data(), offsets.data(), static_cast<int>(shares.size()));
}

const char* name_of(ContactState state)
{
    switch (state) {
        case ContactState::separate:
            return "separate";
        case ContactState::stick:
            return "stick";
        case ContactState::slip:
            return "slip";
    }
    return "";
}

}  // namespace

void bind_friction(py::module_& module)
{
    module.def("project_to_cone", &project_to_cone);
    module.def("project_all_to_cone", [](const Array& force, const Array& mu) {
        Array out({force.shape(0), force.shape(1)});
        const auto in = force.unchecked<2>();
        const auto friction = mu.unchecked<1>();
        auto projected = out.mutable_unchecked<2>();
        for (py::ssize_t i = 0; i < force.shape(0); ++i) {
            const Vector3d r = project_to_cone({in(i, 0), in(i, 1), in(i, 2)}, friction(i));
            for (int k = 0; k < 3; ++k) {
                projected(i, k) = r[k];
            }
        }
        return out;
    });
    module.def("solve_coulomb_block", [](const Matrix3d& W, const Vector3d& q, double mu) {
        const CoulombSolution solution = solve_coulomb_block(W, q, mu);
        return py::make_tuple(solution.force, name_of(solution.state), solution.converged);
    });
    module.def("contensou_potential",
               [](const Vector3d& velocity, const Array& shares, const Array& offsets, double bound) {
                   return contensou_potential(patch_of(shares, offsets), bound, velocity);
               });
    module.def(
        "contensou_limit",
        [](const Vector3d& direction, const Array& shares, const Array& offsets, double bound) -> Vector3d {
            return contensou_limit(patch_of(shares, offsets), bound, direction);
        });
    module.def("contensou_gauge",
               [](const Vector3d& load, const Array& shares, const Array& offsets, double bound) {
                   return contensou_gauge(patch_of(shares, offsets), bound, load);
               });
    module.def("points_slip_gauge", [](const Array& points, const Array& normals, const Array& friction,
                                       const Array& bounds) {
        std::vector<PointFriction> contacts;
        for (py::ssize_t i = 0; i < bounds.size(); ++i) {
            const auto vector = [&](const Array& array) {
                return Vector3d(Eigen::Map<const Vector3d>(array.data() + 3 * i));
            };
            contacts.push_back({vector(points), vector(normals), vector(friction), bounds.data()[i]});
        }
        return slip_gauge(contacts);
    });
    module.def("contensou_holds",
               [](const Vector3d& load, const Array& shares, const Array& offsets, double bound) {
                   return contensou_holds(patch_of(shares, offsets), bound, load);
               });
    module.def("solve_contensou", [](const Matrix3d& W, const Vector3d& free_velocity, const Array& shares,
                                     const Array& offsets, double bound) {
        const ContensouSolution solution =
            solve_contensou(W, free_velocity, patch_of(shares, offsets), bound, nullptr);
        return py::make_tuple(solution.load, solution.velocity, name_of(solution.state), solution.converged,
                              solution.iterations);
    });
    module.def("decoupled_bounds", [](const Vector3d& velocity, const Array& shares, const Array& offsets) {
        const DecoupledBounds bounds = decoupled_bounds(patch_of(shares, offsets), velocity);
        return py::make_tuple(bounds.tangential, bounds.torsional);
    });
    module.def("solve_contensou_block", [](const Matrix4d& W, const Vector4d& q, const Array& shares,
                                           const Array& offsets, double mu, const Vector4d& guess) {
        const PatchSolution solution = solve_contensou_block(W, q, patch_of(shares, offsets), mu, guess);
        return py::make_tuple(solution.force, name_of(solution.state), solution.converged);
    });
    module.def("project_to_limit_surface", [](const Vector3d& load, const Array& shares, const Array& offsets,
                                              double bound) {
        const FrictionPatch patch = patch_of(shares, offsets);
        const LimitProjection found = project_to_limit_surface(patch, bound, load);
        return py::make_tuple(found.load, found.by_load, found.by_bound, found.inside, patch.length);
    });
    module.def("project_to_moment_cone", [](const Array& corners, const VectorXd& load,
                                            const Vector2d& axis) {
        const MomentHull hull = make_moment_hull(corners.data(), static_cast<int>(corners.size() / 2), axis);
        const MomentProjection projection = project_to_moment_cone(hull, load);
        return py::make_tuple(VectorXd(projection.load), MatrixXd(projection.slope), hull.length);
    });
    module.def("solve_moment_block", [](const MatrixXd& W, const VectorXd& q, const Array& shares,
                                        const Array& offsets, double mu, const Array& corners,
                                        const Vector2d& axis, const VectorXd& guess) {
        BlockDescriptor block{.rows = static_cast<int>(q.size()), .mu = mu};
        block.tilts = block.rows - 4;
        block.patch = patch_of(shares, offsets);
        block.hull = make_moment_hull(corners.data(), static_cast<int>(corners.size() / 2), axis);
        const BlockSolution solution = solve_moment_block(W, q, block, {1.0, 0.0}, guess);
        return py::make_tuple(VectorXd(solution.force), name_of(solution.state), solution.converged);
    });
}

}  // namespace softcontact::bindings
