// SPDX-License-Identifier: LGPL-2.1-or-later
#include <string>

#include "bindings.hpp"
#include "haptic_arguments.hpp"
#include "softcontact/haptics/anchored_device.hpp"
#include "softcontact/haptics/openhaptics_device.hpp"
#include "softcontact/haptics/recorded_device.hpp"
#include "softcontact/haptics/simulated_device.hpp"

namespace softcontact::bindings {

namespace {

py::dict told(const DeviceCapabilities& device)
{
    py::dict out;
    out["model"] = device.model;
    out["max_force"] = device.max_force;
    out["max_continuous_force"] = device.max_continuous_force;
    out["max_torque"] = device.max_torque;
    out["max_stiffness"] = device.max_stiffness;
    out["workspace_lower"] = device.workspace_lower;
    out["workspace_upper"] = device.workspace_upper;
    out["position_resolution"] = device.position_resolution;
    out["position_axes"] = device.position_axes;
    out["rotation_axes"] = device.rotation_axes;
    out["force_axes"] = device.force_axes;
    out["torque_axes"] = device.torque_axes;
    return out;
}

DeviceCapabilities capabilities_from(const py::dict& given)
{
    DeviceCapabilities out;
    out.model = given["model"].cast<std::string>();
    out.max_force = given["max_force"].cast<double>();
    out.max_continuous_force = given["max_continuous_force"].cast<double>();
    out.max_torque = given["max_torque"].cast<double>();
    out.max_stiffness = given["max_stiffness"].cast<double>();
    out.workspace_lower = given["workspace_lower"].cast<Vector3d>();
    out.workspace_upper = given["workspace_upper"].cast<Vector3d>();
    out.position_resolution = given["position_resolution"].cast<double>();
    out.position_axes = given["position_axes"].cast<int>();
    out.rotation_axes = given["rotation_axes"].cast<int>();
    out.force_axes = given["force_axes"].cast<int>();
    out.torque_axes = given["torque_axes"].cast<int>();
    return out;
}

/// A function of a library that is loaded already, by its address.
template <typename Call>
void set_call(Call& call, const py::dict& addresses, const char* name)
{
    call = reinterpret_cast<Call>(addresses[name].cast<std::uintptr_t>());
}

HandAxis axis_from(const py::dict& given)
{
    return {given["mass"].cast<double>(), given["damping"].cast<double>(), given["hand_mass"].cast<double>(),
            given["hand_damping"].cast<double>(), given["hand_stiffness"].cast<double>()};
}

HandScript script_from(std::vector<double> times, const Cloud& positions, const Cloud& orientations)
{
    if (positions.cols() != 3 || orientations.cols() != 4) {
        throw std::invalid_argument("script: expected positions (k, 3) and orientations (k, 4)");
    }
    HandScript out{std::move(times), positions.transpose(), {}};
    for (Index i = 0; i < orientations.rows(); ++i) {
        out.orientations.push_back(quaternion_from(orientations.row(i).transpose()));
    }
    return out;
}

}  // namespace

void bind_haptic_devices(py::module_& module)
{
    py::class_<HapticDevice>(module, "HapticDevice")
        .def_property_readonly("capabilities",
                               [](const HapticDevice& self) { return told(self.capabilities()); })
        .def_property_readonly("fault", &HapticDevice::fault);

    py::class_<SimulatedHapticDevice, HapticDevice>(module, "SimulatedHapticDevice")
        .def(py::init([](const std::vector<double>& times, const Cloud& positions, const Cloud& orientations,
                         const py::dict& translation, const py::dict& rotation, double period,
                         double position_step, double rotation_step, double velocity_cutoff, double max_force,
                         double max_torque) {
                 return std::make_unique<SimulatedHapticDevice>(
                     SimulatedDeviceSettings{.translation = axis_from(translation),
                                             .rotation = axis_from(rotation),
                                             .period = period,
                                             .position_step = position_step,
                                             .rotation_step = rotation_step,
                                             .velocity_cutoff = velocity_cutoff,
                                             .max_force = max_force,
                                             .max_torque = max_torque},
                     script_from(times, positions, orientations));
             }),
             py::arg("times"), py::arg("positions"), py::arg("orientations"), py::arg("translation"),
             py::arg("rotation"), py::arg("period"), py::arg("position_step"), py::arg("rotation_step"),
             py::arg("velocity_cutoff"), py::arg("max_force"), py::arg("max_torque"))
        .def("plug", &SimulatedHapticDevice::plug, py::arg("plugged"))
        .def(
            "steer",
            [](SimulatedHapticDevice& self, const Vector3d& position, const Eigen::Vector4d& orientation,
               double duration) { self.steer({position, quaternion_from(orientation)}, duration); },
            py::arg("position"), py::arg("orientation"), py::arg("duration"))
        .def("set_velocity", &SimulatedHapticDevice::set_velocity, py::arg("velocity"))
        .def_property_readonly("position",
                               [](const SimulatedHapticDevice& self) { return Vector3d(self.position()); })
        .def_property_readonly("velocity",
                               [](const SimulatedHapticDevice& self) { return Vector3d(self.velocity()); })
        .def_property_readonly("orientation", [](const SimulatedHapticDevice& self) {
            return Eigen::Vector4d(self.orientation().coeffs());
        });

    py::class_<RecordedDevice, HapticDevice>(module, "RecordedDevice")
        .def(py::init([](const HapticTrace& trace, const py::dict& capabilities) {
                 return std::make_unique<RecordedDevice>(trace, capabilities_from(capabilities));
             }),
             py::arg("trace"), py::arg("capabilities"))
        .def_property_readonly("at_end", &RecordedDevice::at_end);

    py::class_<AnchoredDevice, HapticDevice>(module, "AnchoredDevice", py::dynamic_attr())
        .def(py::init([](HapticDevice& device, const Vector3d& position, const Eigen::Vector4d& orientation) {
                 return std::make_unique<AnchoredDevice>(device,
                                                         RigidPose{position, quaternion_from(orientation)});
             }),
             py::arg("device"), py::arg("position"), py::arg("orientation"), py::keep_alive<1, 2>())
        .def("anchor", &AnchoredDevice::anchor);

    py::class_<OpenHapticsDevice, HapticDevice>(module, "OpenHapticsDevice")
        .def(py::init([](const py::dict& addresses, std::uint32_t handle, const py::dict& capabilities) {
                 OpenHapticsCalls calls;
                 set_call(calls.make_current_device, addresses, "hdMakeCurrentDevice");
                 set_call(calls.begin_frame, addresses, "hdBeginFrame");
                 set_call(calls.end_frame, addresses, "hdEndFrame");
                 set_call(calls.get_doubles, addresses, "hdGetDoublev");
                 set_call(calls.get_integers, addresses, "hdGetIntegerv");
                 set_call(calls.set_doubles, addresses, "hdSetDoublev");
                 set_call(calls.get_error, addresses, "hdGetError");
                 return std::make_unique<OpenHapticsDevice>(calls, handle, capabilities_from(capabilities));
             }),
             py::arg("addresses"), py::arg("handle"), py::arg("capabilities"))
        .def_property_readonly_static(
            "callback",
            [](const py::object&) { return reinterpret_cast<std::uintptr_t>(&OpenHapticsDevice::serve); })
        .def_property_readonly(
            "argument", [](OpenHapticsDevice& self) { return reinterpret_cast<std::uintptr_t>(&self); })
        .def("close", &OpenHapticsDevice::close)
        .def_property_readonly("frames", &OpenHapticsDevice::frames);

    module.def(
        "replay_trace",
        [](const HapticTrace& trace, ForceLaw& law, const py::dict& settings, const py::dict& capabilities) {
            const HapticThreadSettings taken = thread_settings_from(settings);
            const DeviceCapabilities device = capabilities_from(capabilities);
            const py::gil_scoped_release unlocked;
            return replay(trace, law, taken, device);
        },
        py::arg("trace"), py::arg("law"), py::arg("settings"), py::arg("capabilities"));
}

}  // namespace softcontact::bindings
