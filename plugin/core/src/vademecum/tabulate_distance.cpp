// SPDX-License-Identifier: LGPL-2.1-or-later
#include "softcontact/vademecum/tabulate_distance.hpp"

#include <atomic>
#include <functional>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

#include "softcontact/geometry/closest_point.hpp"

namespace softcontact {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

Index count_states(const Surface& surface, BoundaryStates states)
{
    const Index width = 3 * surface.vertex_count();
    const auto size = static_cast<Index>(states.size());
    if (size % width != 0) throw std::invalid_argument("states: expected (states, nodes of the boundary, 3)");
    return size / width;
}

/// Calls work(surface, state) for all states, each thread with a surface of its own that is in that state.
template <typename Work>
void for_each_state(const Surface& surface, BoundaryStates states, int threads, const Work& work)
{
    if (threads < 1) throw std::invalid_argument("threads: expected 1 or more");
    const Index count = count_states(surface, states);
    const Index width = 3 * surface.vertex_count();
    std::vector<Surface> surfaces(static_cast<std::size_t>(threads), surface);
    std::atomic<Index> next = 0;
    const auto run = [&](Surface& own) {
        for (Index state = next++; state < count; state = next++) {
            own.update(Eigen::Map<const Points>(states.data() + state * width, 3, surface.vertex_count()));
            work(own, state);
        }
    };
    std::vector<std::thread> others;
    for (std::size_t k = 1; k < surfaces.size(); ++k) others.emplace_back(run, std::ref(surfaces[k]));
    run(surfaces.front());
    for (std::thread& other : others) other.join();
}

}  // namespace

void tabulate_distances(const Surface& surface, BoundaryStates states, const SpaceGrid& grid,
                        std::span<float> out, int threads)
{
    const Index count = count_states(surface, states);
    if (static_cast<Index>(out.size()) != count * grid.size()) {
        throw std::invalid_argument("out: expected a distance of each state and point");
    }
    for_each_state(surface, states, threads, [&](const Surface& placed, Index state) {
        float* value = out.data() + state * grid.size();
        NearTriangle near;
        for (Index i = 0; i < grid.counts[0]; ++i) {
            for (Index j = 0; j < grid.counts[1]; ++j) {
                for (Index k = 0; k < grid.counts[2]; ++k) {
                    const ClosestPoint closest =
                        closest_point_local(placed, grid.at(i, j, k), infinite, &near);
                    *value++ = static_cast<float>(closest.signed_distance);
                }
            }
        }
    });
}

}  // namespace softcontact
