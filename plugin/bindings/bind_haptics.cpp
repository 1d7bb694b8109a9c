// SPDX-License-Identifier: LGPL-2.1-or-later
#include <chrono>
#include <softcontact/haptics/haptic_tool.hpp>
#include <softcontact/world/contact_condensation.hpp>
#include <softcontact/world/tool_system.hpp>

#include "tool_arguments.hpp"

namespace softcontact::bindings {

namespace {

using namespace py::literals;

void bind_coupling(py::module_& module)
{
    py::class_<VirtualCoupling>(module, "VirtualCoupling")
        .def(py::init([](double stiffness, double damping, double angular_stiffness, double angular_damping,
                         double max_force, double max_torque, const Vector3d& position,
                         const Eigen::Vector4d& orientation) {
                 return VirtualCoupling(
                     {stiffness, damping, angular_stiffness, angular_damping, max_force, max_torque},
                     {position, quaternion(orientation)});
             }),
             "stiffness"_a, "damping"_a, "angular_stiffness"_a, "angular_damping"_a, "max_force"_a,
             "max_torque"_a, "handle_position"_a, "handle_orientation"_a)
        .def_static("dragging",
                    [](double mass, double inertia, double stiffness, double angular_stiffness) {
                        const auto g = VirtualCoupling::dragging(mass, inertia, stiffness, angular_stiffness);
                        return py::make_tuple(g.damping, g.angular_damping);
                    })
        .def("evaluate",
             [](const VirtualCoupling& self, const Row13& device, const Row13& tool, const Vector3d& centre) {
                 const CouplingLoad load =
                     self.evaluate(pose_of(device), twist_of(device), pose_of(tool), centre, twist_of(tool));
                 return py::dict("tool"_a = load.tool.vector(), "device"_a = load.device.vector(),
                                 "stiffness"_a = load.stiffness, "damping"_a = load.damping);
             })
        .def("system_matrices",
             [](const VirtualCoupling& self, const Row13& device, const Row13& tool, const Vector3d& centre) {
                 Matrix6d stiffness, damping;
                 self.system_matrices(pose_of(device), pose_of(tool), centre, stiffness, damping);
                 return py::make_tuple(stiffness, damping);
             });
}

py::dict trace(HapticTool& tool, const RowsX& devices, LinearContactModel* model)
{
    if (devices.cols() != 13) {
        throw std::invalid_argument("devices: expected (k, 13): position, orientation, twist");
    }
    const Index count = devices.rows();
    RowsX device(count, 6), contact(count, 6), pose(count, 7);
    VectorXd time(count);
    Eigen::VectorXi touching(count), changes(count);
    std::vector<bool> ok(static_cast<std::size_t>(count));
    double least_normal = 0.0;
    for (Index i = 0; i < count; ++i) {
        const Row13 at = devices.row(i).transpose();
        const RigidPose place = pose_of(at);
        const Twist motion = twist_of(at);
        const auto start = std::chrono::steady_clock::now();
        const HapticTick tick = tool.tick(place, motion, model);
        time[i] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        device.row(i) = tick.device.vector().transpose();
        contact.row(i) = tick.contact.vector().transpose();
        pose.row(i) << tool.dynamics().pose().position.transpose(),
            tool.dynamics().pose().orientation.coeffs().transpose();
        touching[i] = tick.touching;
        changes[i] = tick.changes;
        ok[static_cast<std::size_t>(i)] = tick.ok;
        if (model != nullptr) {
            const auto forces = model->rows.forces();
            for (Index row = 0; row < forces.size(); row += 3) {
                least_normal = std::min(least_normal, forces[row]);
            }
        }
    }
    return py::dict("device"_a = device, "contact"_a = contact, "pose"_a = pose, "tick_s"_a = time,
                    "touching"_a = touching, "changes"_a = changes, "ok"_a = ok,
                    "least_normal"_a = least_normal);
}

py::list model_contacts(const LinearContactModel& model)
{
    static const char* const names[] = {"open", "stick", "slide"};
    py::list out;
    for (int c = 0; c < model.contacts(); ++c) {
        out.append(py::dict("state"_a = names[static_cast<int>(model.rows.state(c))],
                            "slip"_a = model.rows.slip(c), "friction"_a = model.rows.friction(c),
                            "force"_a = Vector3d(model.rows.forces().segment<3>(3 * c)),
                            "displacement"_a = Vector3d(model.rows.displacements().segment<3>(3 * c)),
                            "rows"_a = RowsX(Eigen::Map<const Eigen::Matrix<double, 3, 6, Eigen::RowMajor>>(
                                model.rows.rows() + 18 * c))));
    }
    return out;
}

void bind_model(py::module_& module)
{
    py::class_<LinearContactModel>(module, "LinearContactModel")
        .def(py::init<int>(), "capacity"_a)
        .def("copy", [](const LinearContactModel& self) { return LinearContactModel(self); })
        .def("wrench", [](const LinearContactModel& self, const Vector3d& force,
                          const Vector3d& torque) { return self.wrench(force, torque).vector(); })
        .def("solve", [](LinearContactModel& self, const Vector6d& free,
                         int max_changes) { return self.solve(free, max_changes).vector(); })
        .def("solve_fixed",
             [](LinearContactModel& self, const Vector6d& free) {
                 self.rows.solve_fixed(free);
                 return self.rows.wrench();
             })
        .def("contact_list", &model_contacts)
        .def_property(
            "offset", [](const LinearContactModel& self) { return self.offset; },
            [](LinearContactModel& self, const Vector6d& value) { self.offset = value; })
        .def_property(
            "gain", [](const LinearContactModel& self) { return self.gain; },
            [](LinearContactModel& self, const Matrix6d& value) { self.gain = value; })
        .def_property_readonly("free_force", [](const LinearContactModel& self) { return self.free_force; })
        .def_property_readonly("contact", [](const LinearContactModel& self) { return self.contact; })
        .def_property_readonly("system", [](const LinearContactModel& self) { return self.system; })
        .def_property_readonly("centre", [](const LinearContactModel& self) { return self.centre; })
        .def_property_readonly("reference",
                               [](const LinearContactModel& self) {
                                   return py::make_tuple(self.reference.position,
                                                         self.reference.orientation.coeffs());
                               })
        .def_readonly("sequence", &LinearContactModel::sequence)
        .def_readonly("time", &LinearContactModel::time)
        .def_readonly("published", &LinearContactModel::published)
        .def_readonly("step", &LinearContactModel::step)
        .def_readonly("fast_step", &LinearContactModel::fast_step)
        .def_property_readonly("contacts", &LinearContactModel::contacts)
        .def_property_readonly("touching",
                               [](const LinearContactModel& self) { return self.rows.touching(); })
        .def_property_readonly("finite", &LinearContactModel::finite);

    py::class_<ContactTableau>(module, "ContactTableau")
        .def(py::init([](const MatrixXd& compliance, const MatrixXd& rows, const VectorXd& offsets,
                         const VectorXd& friction) {
            const Index count = 3 * friction.size();
            if (compliance.rows() != count || compliance.cols() != count || rows.rows() != count ||
                rows.cols() != 6 || offsets.size() != count) {
                throw std::invalid_argument("compliance (3n, 3n), rows (3n, 6), offsets (3n), friction (n)");
            }
            ContactTableau table(static_cast<int>(friction.size()));
            table.begin(static_cast<int>(friction.size()));
            table.set_compliance(compliance);
            table.set_rows(rows, offsets, friction);
            return table;
        }))
        .def("solve",
             [](ContactTableau& self, const Vector6d& d, int max_changes) {
                 const int changes = self.solve(d, max_changes);
                 return py::make_tuple(VectorXd(self.forces()), VectorXd(self.displacements()), changes);
             })
        .def("wrench", &ContactTableau::wrench)
        .def("states", [](const ContactTableau& self) {
            std::vector<int> out;
            for (int c = 0; c < self.contacts(); ++c) {
                out.push_back(static_cast<int>(self.state(c)));
            }
            return out;
        });
}

void bind_tools(py::module_& module)
{
    py::class_<ToolDynamics>(module, "ToolDynamics")
        .def(py::init([](double mass, const Vector3d& centre, const Matrix3d& inertia) {
                 return ToolDynamics(ToolProperties{mass, centre, inertia});
             }),
             "mass"_a, "centre"_a, "inertia"_a)
        .def("reset", [](ToolDynamics& self, const Row13& at) { self.reset(pose_of(at), twist_of(at)); })
        .def("step",
             [](ToolDynamics& self, const VirtualCoupling& coupling, const Row13& device,
                const Vector6d& other, const Vector6d& contact, double step) {
                 if (!self.prepare(coupling, pose_of(device), twist_of(device), Wrench::from(other), step)) {
                     throw std::invalid_argument("the tool's system matrix could not be factored");
                 }
                 self.finish(self.free_velocity() + self.velocity_change(contact));
             })
        .def("system_matrix",
             [](const ToolDynamics& self, const VirtualCoupling& coupling, const Row13& device, double step) {
                 return self.system_matrix(coupling, pose_of(device), self.pose(), step);
             })
        .def_property_readonly("free_force", &ToolDynamics::free_force)
        .def_property_readonly("pose",
                               [](const ToolDynamics& self) {
                                   return py::make_tuple(self.pose().position,
                                                         self.pose().orientation.coeffs());
                               })
        .def_property_readonly("motion", [](const ToolDynamics& self) { return self.motion().vector(); })
        .def_property_readonly("kinetic_energy", &ToolDynamics::kinetic_energy);

    py::class_<HapticTool>(module, "HapticTool")
        .def(py::init([](double mass, const Vector3d& centre, const Matrix3d& inertia,
                         const VirtualCoupling& coupling, double step, double blend, int capacity) {
                 return HapticTool(ToolProperties{mass, centre, inertia}, coupling, step, blend, capacity);
             }),
             "mass"_a, "centre"_a, "inertia"_a, "coupling"_a, "step"_a, "blend"_a = 0.0, "capacity"_a = 32)
        .def("reset", [](HapticTool& self, const Row13& at) { self.reset(pose_of(at)); })
        .def("reset_to_device",
             [](HapticTool& self, const Row13& device) { self.reset_to_device(pose_of(device)); })
        .def("set_force", &HapticTool::set_force)
        .def("trace", &trace, "devices"_a, "model"_a.none(true))
        .def_property_readonly("pose",
                               [](const HapticTool& self) {
                                   return py::make_tuple(self.dynamics().pose().position,
                                                         self.dynamics().pose().orientation.coeffs());
                               })
        .def_property_readonly("kinetic_energy",
                               [](const HapticTool& self) { return self.dynamics().kinetic_energy(); });
}

void bind_world_tools(py::module_& module)
{
    auto world = py::reinterpret_borrow<py::class_<World>>(module.attr("World"));
    world
        .def(
            "add_tool",
            [](World& self, const std::string& name, const Rows3& vertices, const IntRows3& triangles,
               double mass, const Vector3d& centre, const Matrix3d& inertia, const VirtualCoupling& coupling,
               const Vector3d& position, const Eigen::Vector4d& orientation, double friction) {
                return self.add_tool(name, make_surface(vertices, triangles),
                                     ToolProperties{mass, centre, inertia}, coupling,
                                     {position, quaternion(orientation)}, friction);
            },
            "name"_a, "vertices"_a, "triangles"_a, "mass"_a, "centre"_a, "inertia"_a, "coupling"_a,
            "position"_a = Vector3d(Vector3d::Zero()), "orientation"_a = Eigen::Vector4d(0, 0, 0, 1),
            "friction"_a = 0.5)
        .def("set_device",
             [](World& self, int body, const Row13& at) { self.set_device(body, pose_of(at), twist_of(at)); })
        .def("set_coupling", &World::set_coupling, "body"_a, "coupling"_a)
        .def("tool_rows",
             [](const World& self, int body) -> RowsX {
                 static_cast<void>(self.tool(body));
                 MatrixXd reach(6, self.contact_rows().row_count());
                 self.contact_rows().generalized_forces(self.system_index(body), reach);
                 return reach.transpose();
             })
        .def("tool_state", [](const World& self, int body) {
            const ToolSystem& tool = self.tool(body);
            const CouplingLoad load = tool.coupling_load();
            return py::dict("position"_a = tool.dynamics().pose().position,
                            "orientation"_a = tool.dynamics().pose().orientation.coeffs(),
                            "motion"_a = tool.dynamics().motion().vector(), "coupling"_a = load.tool.vector(),
                            "device"_a = load.device.vector(), "free_force"_a = tool.dynamics().free_force());
        });
    py::class_<ContactCondensation>(module, "ContactCondensation")
        .def(py::init<const World&, int, double>(), "world"_a, "tool"_a, "fast_step"_a)
        .def("build", &ContactCondensation::build, "world"_a, "published"_a, "out"_a)
        .def_property_readonly("left_out", &ContactCondensation::left_out);
}

}  // namespace

void bind_haptics(py::module_& module)
{
    bind_coupling(module);
    bind_model(module);
    bind_tools(module);
    bind_world_tools(module);
}

}  // namespace softcontact::bindings
