// SPDX-License-Identifier: LGPL-2.1-or-later
#include <span>

#include "haptic_arguments.hpp"
#include "softcontact/haptics/virtual_wall.hpp"

namespace softcontact::bindings {

namespace {

struct SafetyField {
    const char* name;
    double SafetySettings::* field;
};
constexpr SafetyField safety_fields[] = {
    {"max_force", &SafetySettings::max_force},
    {"max_torque", &SafetySettings::max_torque},
    {"max_force_rate", &SafetySettings::max_force_rate},
    {"max_torque_rate", &SafetySettings::max_torque_rate},
    {"fade_in", &SafetySettings::fade_in},
    {"fade_out", &SafetySettings::fade_out},
    {"watchdog", &SafetySettings::watchdog},
    {"pose_fade", &SafetySettings::pose_fade},
    {"pose_timeout", &SafetySettings::pose_timeout},
    {"max_speed", &SafetySettings::max_speed},
    {"max_angular_speed", &SafetySettings::max_angular_speed},
    {"settle_time", &SafetySettings::settle_time},
    {"energy_reserve", &SafetySettings::energy_reserve},
};

py::dict told(const SafetySettings& safety)
{
    py::dict out;
    for (const SafetyField& field : safety_fields) {
        out[field.name] = safety.*field.field;
    }
    return out;
}

const char* name_of(HapticState state)
{
    switch (state) {
        case HapticState::waiting:
            return "waiting";
        case HapticState::free:
            return "free";
        case HapticState::touching:
            return "touching";
        case HapticState::stalled:
            return "stalled";
        case HapticState::pose_lost:
            return "pose_lost";
        case HapticState::law_failed:
            return "law_failed";
        case HapticState::error:
            break;
    }
    return "error";
}

py::dict told(const HapticReadout& read)
{
    py::dict out;
    out["tick"] = read.tick;
    out["time"] = 1e-9 * static_cast<double>(read.time);
    out["state"] = name_of(read.state);
    out["position"] = read.device.position;
    out["orientation"] = Eigen::Vector4d(read.device.orientation.coeffs());
    out["linear_velocity"] = read.device.linear_velocity;
    out["angular_velocity"] = read.device.angular_velocity;
    out["buttons"] = read.device.buttons;
    out["wanted"] = read.wanted;
    out["wrench"] = read.wrench;
    out["gain"] = read.gain;
    out["energy"] = read.energy;
    out["data_age"] = read.data_age;
    out["pose_age"] = read.pose_age;
    out["publication"] = read.publication;
    out["fault"] = read.fault;
    out["law"] = read.law;
    return out;
}

py::dict told(const TimeHistogram& times)
{
    py::dict out;
    out["count"] = times.count();
    out["mean"] = 1e-9 * times.mean();
    for (const auto& [name, share] :
         {std::pair{"p0_1", 0.001}, {"p50", 0.5}, {"p99", 0.99}, {"p99_9", 0.999}}) {
        out[name] = 1e-9 * static_cast<double>(times.percentile(share));
    }
    out["max"] = 1e-9 * static_cast<double>(times.max());
    return out;
}

py::array_t<std::uint32_t> counts(const TimeHistogram& times)
{
    py::array_t<std::uint32_t> out(TimeHistogram::bins);
    for (int i = 0; i < TimeHistogram::bins; ++i) {
        out.mutable_at(i) = times.bin(i);
    }
    return out;
}

/// One array of a column of the trace.
template <typename T, typename Get>
py::array_t<T> column(Index count, Get get)
{
    py::array_t<T> out(count);
    for (Index i = 0; i < count; ++i) {
        out.mutable_at(i) = static_cast<T>(get(i));
    }
    return out;
}

template <typename Get>
Cloud cloud(Index count, Index width, Get get)
{
    Cloud out(count, width);
    for (Index i = 0; i < count; ++i) {
        out.row(i) = get(i).transpose();
    }
    return out;
}

py::dict columns(const HapticTrace& trace)
{
    const Index n = trace.ticks(), m = trace.publications();
    const auto row = [&trace](Index i) -> const TraceRow& { return trace.row(i); };
    py::dict out;
    out["time"] = column<std::int64_t>(n, [&](Index i) { return row(i).time; });
    out["position"] = cloud(n, 3, [&](Index i) { return row(i).device.position; });
    out["orientation"] = cloud(n, 4, [&](Index i) { return row(i).device.orientation.coeffs(); });
    out["linear_velocity"] = cloud(n, 3, [&](Index i) { return row(i).device.linear_velocity; });
    out["angular_velocity"] = cloud(n, 3, [&](Index i) { return row(i).device.angular_velocity; });
    out["buttons"] = column<std::uint32_t>(n, [&](Index i) { return row(i).device.buttons; });
    out["sequence"] = column<std::uint64_t>(n, [&](Index i) { return row(i).device.sequence; });
    out["wanted"] = cloud(n, 6, [&](Index i) { return row(i).wanted; });
    out["wrench"] = cloud(n, 6, [&](Index i) { return row(i).wrench; });
    out["gain"] = column<double>(n, [&](Index i) { return row(i).gain; });
    out["publication"] = column<std::int64_t>(n, [&](Index i) { return row(i).publication; });
    out["fault"] = column<std::uint32_t>(n, [&](Index i) { return row(i).fault; });
    out["state"] = column<std::uint8_t>(n, [&](Index i) { return row(i).state; });
    out["reset"] = column<std::uint8_t>(n, [&](Index i) { return row(i).reset; });
    out["publication_stamp"] = column<std::int64_t>(m, [&](Index i) { return trace.publication(i).stamp; });
    out["publication_period"] = column<double>(m, [&](Index i) { return trace.publication(i).data_period; });
    out["publication_withdrawn"] =
        column<std::uint8_t>(m, [&](Index i) { return trace.publication(i).withdrawn; });
    out["publication_count"] = column<std::int64_t>(m, [&](Index i) { return trace.publication(i).count; });
    py::list numbers;
    for (Index i = 0; i < m; ++i) {
        const std::span<const double> row_numbers = trace.numbers(i);
        numbers.append(py::array_t<double>(static_cast<py::ssize_t>(row_numbers.size()), row_numbers.data()));
    }
    out["numbers"] = m > 0 ? py::module_::import("numpy").attr("concatenate")(numbers).cast<py::object>()
                           : py::object(py::array_t<double>(0));
    return out;
}

std::unique_ptr<HapticTrace> trace_from(const py::dict& given)
{
    const auto whole = [&given](const char* name) { return given[name].cast<py::array_t<std::int64_t>>(); };
    const auto real = [&given](const char* name) { return given[name].cast<Cloud>(); };
    const auto time = whole("time"), buttons = whole("buttons"), sequence = whole("sequence"),
               publication = whole("publication"), fault = whole("fault"), state = whole("state"),
               reset = whole("reset"), stamp = whole("publication_stamp"),
               withdrawn = whole("publication_withdrawn"), count = whole("publication_count");
    const auto position = real("position"), orientation = real("orientation"),
               linear = real("linear_velocity"), angular = real("angular_velocity"), wanted = real("wanted"),
               wrench = real("wrench");
    const auto gain = given["gain"].cast<py::array_t<double>>(),
               period = given["publication_period"].cast<py::array_t<double>>(),
               numbers = given["numbers"].cast<py::array_t<double>>();
    auto out =
        std::make_unique<HapticTrace>(std::max<Index>(1, time.size()), std::max<Index>(1, stamp.size()),
                                      std::max<Index>(1, numbers.size()));
    Index first = 0;
    for (Index i = 0; i < stamp.size(); ++i) {
        const Index size = count.at(i);
        if (size < 0 || first + size > numbers.size()) {
            throw std::invalid_argument("numbers: shorter than the publications tell");
        }
        Publication next;
        next.parameters = Eigen::Map<const VectorXd>(numbers.data() + first, size);
        next.count = size;
        next.stamp = stamp.at(i);
        next.data_period = period.at(i);
        next.withdrawn = withdrawn.at(i) != 0;
        out->add(next);
        first += size;
    }
    for (Index i = 0; i < time.size(); ++i) {
        if (publication.at(i) < -1 || publication.at(i) >= stamp.size() || state.at(i) < 0 ||
            state.at(i) > static_cast<int>(HapticState::error)) {
            throw std::invalid_argument("publication, state: tick " + std::to_string(i) +
                                        " holds a number that is none of the session's");
        }
        TraceRow row;
        row.time = time.at(i);
        row.device = {position.row(i).transpose(),
                      quaternion_from(orientation.row(i).transpose()),
                      linear.row(i).transpose(),
                      angular.row(i).transpose(),
                      static_cast<std::uint32_t>(buttons.at(i)),
                      static_cast<std::uint64_t>(sequence.at(i))};
        row.wanted = wanted.row(i).transpose();
        row.wrench = wrench.row(i).transpose();
        row.gain = gain.at(i);
        row.publication = publication.at(i);
        row.fault = static_cast<std::uint32_t>(fault.at(i));
        row.state = static_cast<HapticState>(state.at(i));
        row.reset = reset.at(i) != 0;
        out->add(row);
    }
    return out;
}

void bind_thread(py::module_& module)
{
    py::class_<HapticThread>(module, "HapticThread")
        .def(py::init([](HapticDevice& device, ForceLaw& law, const py::dict& settings, TickClock& clock,
                         HapticTrace* trace) {
                 return std::make_unique<HapticThread>(device, law, thread_settings_from(settings), clock,
                                                       trace);
             }),
             py::arg("device"), py::arg("law"), py::arg("settings"), py::arg("clock"),
             py::arg("trace") = nullptr, py::keep_alive<1, 2>(), py::keep_alive<1, 3>(),
             py::keep_alive<1, 5>(), py::keep_alive<1, 6>())
        .def("start", &HapticThread::start, py::call_guard<py::gil_scoped_release>())
        .def("stop", &HapticThread::stop, py::call_guard<py::gil_scoped_release>())
        .def("tick", &HapticThread::tick)
        .def(
            "publish",
            [](HapticThread& self,
               const py::array_t<double, py::array::c_style | py::array::forcecast>& numbers,
               double data_period) {
                self.publish({numbers.data(), static_cast<std::size_t>(numbers.size())}, data_period);
            },
            py::arg("parameters"), py::arg("data_period"))
        .def("withdraw", &HapticThread::withdraw)
        .def("reset", &HapticThread::reset)
        .def("readout", [](HapticThread& self) { return told(self.readout()); })
        .def("times",
             [](const HapticThread& self) {
                 py::dict out;
                 out["lateness"] = told(self.times().lateness);
                 out["interval"] = told(self.times().interval);
                 out["work"] = told(self.times().work);
                 out["overruns"] = self.times().overruns.load();
                 return out;
             })
        .def("tally",
             [](const HapticThread& self) {
                 const HapticTally& tally = self.tally();
                 py::dict out, ticks;
                 for (int i = 0; i < HapticTally::states; ++i) {
                     const auto state = static_cast<HapticState>(i);
                     ticks[name_of(state)] = tally.ticks(state);
                 }
                 out["ticks"] = ticks;
                 out["watchdog_missed"] = tally.missed();
                 out["not_finite"] = tally.not_finite();
                 out["force_max"] = tally.force();
                 out["torque_max"] = tally.torque();
                 return out;
             })
        .def(
            "histogram",
            [](const HapticThread& self, const std::string& name) {
                if (name != "lateness" && name != "interval" && name != "work") {
                    throw std::invalid_argument("name: '" + name + "', expected lateness, interval or work");
                }
                return counts(name == "work"       ? self.times().work
                              : name == "interval" ? self.times().interval
                                                   : self.times().lateness);
            },
            py::arg("name"))
        .def_property_readonly("ticks", &HapticThread::ticks)
        .def_property_readonly("period", &HapticThread::period)
        .def_property_readonly("running", &HapticThread::running)
        .def_property_readonly("scheduling", &HapticThread::scheduling)
        .def("watchdog_end", &HapticThread::watchdog_end, py::arg("period"))
        .def_property_readonly("limits", [](const HapticThread& self) { return told(self.limits()); });
}

}  // namespace

HapticThreadSettings thread_settings_from(const py::dict& given)
{
    HapticThreadSettings out;
    out.rate_hz = given["rate_hz"].cast<double>();
    out.real_time = given["real_time"].cast<bool>();
    out.priority = given["priority"].cast<int>();
    const auto safety = given["safety"].cast<py::dict>();
    for (const SafetyField& field : safety_fields) {
        out.safety.*field.field = safety[field.name].cast<double>();
    }
    out.validate();
    return out;
}

void bind_haptic_thread(py::module_& module)
{
    module.attr("haptic_safety_defaults") = told(SafetySettings{});
    py::list states;
    for (int i = 0; i <= static_cast<int>(HapticState::error); ++i) {
        states.append(name_of(static_cast<HapticState>(i)));
    }
    module.attr("haptic_states") = py::tuple(states);

    py::class_<TickClock>(module, "TickClock").def_property_readonly("now", [](const TickClock& self) {
        return 1e-9 * static_cast<double>(self.now());
    });
    py::class_<SystemTickClock, TickClock>(module, "SystemTickClock").def(py::init<>());
    py::class_<ManualTickClock, TickClock>(module, "ManualTickClock")
        .def(py::init<>())
        .def("advance", &ManualTickClock::advance, py::arg("nanoseconds"));

    py::class_<ForceLaw>(module, "ForceLaw")
        .def_property_readonly("parameter_count", &ForceLaw::parameter_count)
        .def_property_readonly("output_count", &ForceLaw::output_count);
    py::class_<VirtualWall, ForceLaw>(module, "VirtualWall")
        .def(py::init<bool>(), py::arg("bilateral") = false);

    py::class_<HapticTrace>(module, "HapticTrace")
        .def(py::init<Index, Index, Index>(), py::arg("ticks"), py::arg("publications"), py::arg("numbers"))
        .def_static("from_columns", &trace_from, py::arg("columns"))
        .def("columns", &columns)
        .def_property_readonly("ticks", &HapticTrace::ticks)
        .def_property_readonly("full", &HapticTrace::full);
    bind_thread(module);
}

}  // namespace softcontact::bindings
