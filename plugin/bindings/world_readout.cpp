// SPDX-License-Identifier: LGPL-2.1-or-later
#include "world_readout.hpp"

#include <softcontact/world/patch_load.hpp>
#include <softcontact/world/point_problem.hpp>

namespace softcontact::bindings {

py::list patches(const World& world)
{
    py::list list;
    for (const auto& report : world.patches()) {
        py::dict patch;
        patch["body"] = world.surface(report.surface_a).name;
        patch["other"] = world.surface(report.surface_b).name;
        patch["number"] = report.number;
        patch["aggregated"] = report.aggregated;
        patch["force"] = report.force;
        patch["torque"] = report.torque;
        patch["centre"] = report.centre;
        patch["normal"] = report.normal;
        patch["normal_force"] = report.normal_force;
        patch["area"] = report.area;
        patch["volume"] = report.volume;
        patch["pressure_mean"] = report.pressure_mean;
        patch["pressure_max"] = report.pressure_max;
        const double gauge = world.slip_gauge(report);
        const bool slips = report.aggregated ? report.sliding : gauge > 1.0 - slip_margin;
        patch["state"] = slips ? "slip" : "stick";
        patch["slip_gauge"] = gauge;
        patch["contacts"] = report.point_count;
        Rows3 points(report.point_count, 3);
        Rows3 forces(report.point_count, 3);
        VectorXd areas(report.point_count);
        for (int i = 0; i < report.point_count; ++i) {
            const auto& point = world.patch_points()[report.first_point + static_cast<std::size_t>(i)];
            points.row(i) = point.position.transpose();
            forces.row(i) = point.force.transpose();
            areas[i] = point.area;
        }
        patch["points"] = points;
        patch["point_forces"] = forces;
        patch["point_areas"] = areas;
        list.append(patch);
    }
    return list;
}

py::dict statistics(const World& world)
{
    const StepStatistics& s = world.statistics();
    using namespace py::literals;
    return py::dict("contacts"_a = s.contacts, "rows"_a = s.rows, "patches"_a = s.patches,
                    "iterations"_a = s.iterations, "residual"_a = s.residual, "converged"_a = s.converged,
                    "position_residual"_a = s.position_residual, "penetration_max"_a = s.penetration_max,
                    "overlap_points"_a = s.overlap_points, "overlap_patches"_a = s.overlap_patches,
                    "parts"_a = s.parts, "judge_ms"_a = s.judge_ms, "step_ms"_a = s.step_ms,
                    "free_ms"_a = s.free_ms, "detection_ms"_a = s.detection_ms, "solve_ms"_a = s.solve_ms,
                    "position_ms"_a = s.position_ms, "compliance_ms"_a = s.compliance_ms);
}

py::object velocity_problem(const World& world)
{
    using namespace py::literals;
    const auto problem = world.velocity_problem();
    if (!problem) {
        return py::none();
    }
    PointProblem points;  // the contacts alone, with the joints' constraints at work
    points.keep_contacts(*problem);
    VectorXd mu(static_cast<Index>(points.blocks.size()));
    for (Index i = 0; i < mu.size(); ++i) {
        mu[i] = points.blocks[static_cast<std::size_t>(i)].mu;
    }
    return py::dict("W"_a = points.delassus, "q"_a = points.right_hand_side, "mu"_a = mu,
                    "force"_a = points.multipliers);
}

Rows3 surface_vertices(const World& world, int surface)
{
    const Surface& geometry = world.surface(surface).geometry;
    Rows3 vertices(geometry.vertex_count(), 3);
    for (int i = 0; i < geometry.vertex_count(); ++i) {
        vertices.row(i) = geometry.world_vertex(i).transpose();
    }
    return vertices;
}

py::dict vertex_loads(World& world, int surface)
{
    using namespace py::literals;
    const Surface& geometry = world.refreshed_surface(surface).geometry;
    Points forces(3, geometry.vertex_count());
    VectorXd normal_forces(geometry.vertex_count());
    world.vertex_forces(surface, forces, normal_forces);
    const VectorXd& areas = geometry.vertex_areas();
    const VectorXd inverse = (areas.array() > 0.0).select(areas.cwiseInverse(), 0.0);
    return py::dict("areas"_a = areas, "forces"_a = Rows3(forces.transpose()),
                    "pressures"_a = VectorXd(normal_forces.cwiseProduct(inverse)),
                    "tractions"_a = Rows3((forces * inverse.asDiagonal()).transpose()));
}

py::tuple pose_tuple(const Pose& pose)
{
    return py::make_tuple(pose.translation, Quaterniond(pose.rotation).coeffs());
}

}  // namespace softcontact::bindings
