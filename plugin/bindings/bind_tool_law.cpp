// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bindings.hpp"
#include "softcontact/haptics/tool_law.hpp"

namespace softcontact::bindings {

void bind_tool_law(py::module_& module)
{
    py::class_<ToolLaw, ForceLaw>(module, "ToolLaw")
        .def(py::init<const HapticTool&, int>(), py::arg("tool"), py::arg("capacity"))
        .def("set_coupling", &ToolLaw::set_coupling, py::arg("coupling"));
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
