// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bindings.hpp"
#include "softcontact/haptics/double_coupling_law.hpp"
#include "softcontact/haptics/tool_law.hpp"

namespace softcontact::bindings {

void bind_tool_law(py::module_& module)
{
    py::class_<ToolLaw, ForceLaw>(module, "ToolLaw")
        .def(py::init<const HapticTool&, int>(), py::arg("tool"), py::arg("capacity"))
        .def("set_coupling", &ToolLaw::set_coupling, py::arg("coupling"));
    py::class_<DoubleCouplingLaw, ForceLaw>(module, "DoubleCouplingLaw")
        .def(py::init([](double mass, const Vector3d& centre, const Matrix3d& inertia,
                         const VirtualCoupling& first, const VirtualCoupling& second, double step) {
                 return DoubleCouplingLaw(ToolProperties{mass, centre, inertia}, first, second, step);
             }),
             py::arg("mass"), py::arg("centre"), py::arg("inertia"), py::arg("first"), py::arg("second"),
             py::arg("step"))
        .def("set_force", &DoubleCouplingLaw::set_force);
    module.def("pack_contact_model", [](const LinearContactModel& model) {
        py::array_t<double> out(model.packed_size());
        model.pack(out.mutable_data());
        return out;
    });
    module.def("unpack_contact_model", [](const py::array_t<double>& numbers, int capacity) {
        LinearContactModel out(capacity);
        if (!out.unpack(numbers.data(), numbers.size())) {
            throw std::invalid_argument("numbers: no packed contact model, or one with more contacts than " +
                                        std::to_string(capacity));
        }
        return out;
    });
}

}  // namespace softcontact::bindings
