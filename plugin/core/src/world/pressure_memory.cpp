// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include <softcontact/world/pressure_memory.hpp>

namespace softcontact {

namespace {

double remembered(const PairMemory& memory, std::uint64_t key)
{
    const auto found = std::lower_bound(memory.keys.begin(), memory.keys.end(), key);
    if (found == memory.keys.end() || *found != key) {
        return 0.0;
    }
    return memory.pressures[static_cast<std::size_t>(found - memory.keys.begin())];
}

}  // namespace

void blend_pressure(std::span<const ContactPoint> points, const PairMemory& memory, double share,
                    std::vector<double>& depths)
{
    double volume = 0.0;
    double known = 0.0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        volume += points[i].area * depths[i];
        known += points[i].area * remembered(memory, points[i].key);
    }
    if (!(volume > 0.0) || !(known > 0.0)) {
        return;
    }
    // A trace of an old pressure is not worth a contact point.
    constexpr double negligible = 1e-3;
    double deepest = 0.0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        depths[i] = share * depths[i] + (1.0 - share) * (volume / known) * remembered(memory, points[i].key);
        deepest = std::max(deepest, depths[i]);
    }
    for (double& depth : depths) {
        if (depth < negligible * deepest) {
            depth = 0.0;
        }
    }
}

}  // namespace softcontact
