// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/haptics/recorded_device.hpp"

#include <algorithm>
#include <stdexcept>

namespace softcontact {

namespace {

std::vector<RecordedDevice::Reading> readings_of(const HapticTrace& trace)
{
    std::vector<RecordedDevice::Reading> out;
    out.reserve(static_cast<std::size_t>(trace.ticks()));
    for (Index i = 0; i < trace.ticks(); ++i) {
        out.push_back({trace.row(i).device, trace.row(i).fault});
    }
    return out;
}

}  // namespace

RecordedDevice::RecordedDevice(std::vector<Reading> readings, DeviceCapabilities capabilities)
    : m_readings(std::move(readings)), m_capabilities(std::move(capabilities))
{
    if (m_readings.empty()) {
        throw std::invalid_argument("trace: holds no ticks; record a session first");
    }
}

RecordedDevice::RecordedDevice(const HapticTrace& trace, DeviceCapabilities capabilities)
    : RecordedDevice(readings_of(trace), std::move(capabilities))
{
}

void RecordedDevice::read(DeviceState& state) noexcept
{
    if (!at_end()) {
        const Reading& reading = m_readings[m_next++];
        state = reading.state;
        m_fault = reading.fault;
    }
}

std::unique_ptr<HapticTrace> replay(const HapticTrace& trace, ForceLaw& law,
                                    const HapticThreadSettings& settings,
                                    const DeviceCapabilities& capabilities)
{
    RecordedDevice device(trace, capabilities);
    ManualTickClock clock;
    Index numbers = 1;
    for (Index i = 0; i < trace.publications(); ++i) {
        numbers += trace.publication(i).count;
    }
    auto out =
        std::make_unique<HapticTrace>(trace.ticks(), std::max<Index>(1, trace.publications()), numbers);
    HapticThread thread(device, law, settings, clock, out.get());
    std::int64_t published = -1;
    for (Index i = 0; i < trace.ticks(); ++i) {
        const TraceRow& row = trace.row(i);
        if (row.publication != published) {
            published = row.publication;
            const HapticTrace::Entry& data = trace.publication(published);
            clock.set(data.stamp);
            thread.publish(trace.numbers(published), data.data_period);
            if (data.withdrawn) {
                thread.withdraw();
            }
        }
        if (row.reset) {
            thread.reset();
        }
        clock.set(row.time);
        thread.tick();
    }
    return out;
}

}  // namespace softcontact
