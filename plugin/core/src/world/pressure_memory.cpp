// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <softcontact/world/pressure_memory.hpp>
#include <tuple>
#include <utility>

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

bool level_penetrations(std::span<const ContactPoint> points, const ContactSurface& a,
                        const ContactSurface& b, double contact_offset, const PairMemory& memory,
                        std::vector<double>& depths)
{
    const auto start_gap = [&](const ContactPoint& point) {
        return point.normal.dot(a.start_position(point.a) - b.start_position(point.b)) - contact_offset;
    };
    double load = 0.0;
    double sinking = 0.0;
    for (const auto& point : points) {
        const double share = point.area * remembered(memory, point.key);
        load += share;
        sinking += share > 0.0 ? share * (start_gap(point) - point.gap) : 0.0;
    }
    if (!(load > 0.0)) {
        return false;
    }
    sinking /= load;
    const auto depth = [&](const ContactPoint& point) { return std::max(0.0, sinking - start_gap(point)); };
    if (std::none_of(points.begin(), points.end(), [&](const auto& point) { return depth(point) > 0.0; })) {
        return false;
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
        depths[i] = depth(points[i]);
    }
    return true;
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

void weigh_patch(std::span<const ContactPoint> points, PressureRule rule, double share, bool tissue_alone,
                 const PairMemory& memory, std::vector<double>& depths, std::vector<ContactPoint>& weighted,
                 AggregatePatch& patch)
{
    const bool uniform = rule == PressureRule::uniform;
    weighted.assign(points.begin(), points.end());
    if (!uniform) {
        blend_pressure(points, memory, share, depths);
        for (std::size_t i = 0; i < points.size(); ++i) {
            if (depths[i] > 0.0 || points[i].gap < 0.0 || tissue_alone) {
                weighted[i].gap = -depths[i];
            }
        }
    }
    patch.compute(weighted, uniform ? PressureWeights::uniform : PressureWeights::nonuniform, memory.tangent);
    patch.volume = 0.0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        patch.volume += patch.weights[i] * points[i].area * std::max(0.0, -points[i].gap);
    }
}

void remember_pressures(std::span<const ContactPoint> points, const AggregatePatch& patch,
                        double normal_force, PairMemory& memory)
{
    memory.keys.clear();
    memory.pressures.clear();
    if (!(normal_force > 0.0)) {
        return;
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (points[i].area > 0.0) {
            memory.keys.push_back(points[i].key);
            memory.pressures.push_back(patch.shares[i] / points[i].area);
        }
    }
    if (std::is_sorted(memory.keys.begin(), memory.keys.end())) {
        return;
    }
    std::vector<std::pair<std::uint64_t, double>> order;
    for (std::size_t i = 0; i < memory.keys.size(); ++i) {
        order.emplace_back(memory.keys[i], memory.pressures[i]);
    }
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < order.size(); ++i) {
        std::tie(memory.keys[i], memory.pressures[i]) = order[i];
    }
}

}  // namespace softcontact
