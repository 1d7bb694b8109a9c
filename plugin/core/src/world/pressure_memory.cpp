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

bool free_penetrations(std::span<const ContactPoint> points, const ContactSurface& a, const ContactSurface& b,
                       double contact_offset, std::vector<double>& depths)
{
    depths.clear();
    bool pressed = false;
    if (a.field != nullptr || b.field != nullptr) {
        for (const auto& point : points) {
            const double gap =
                point.normal.dot(a.tissue_position(point.a) - b.tissue_position(point.b)) - contact_offset;
            depths.push_back(std::max(0.0, -gap));
            pressed = pressed || gap < 0.0;
        }
    }
    if (!pressed) {
        depths.clear();
        for (const auto& point : points) {
            depths.push_back(std::max(0.0, -point.gap));
        }
    }
    return pressed;
}

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
