// SPDX-License-Identifier: LGPL-2.1-or-later
// How far the corners of a square patch may close, where some of them are pressed in.
#undef NDEBUG
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdlib>

#include "softcontact/contact/aggregate.hpp"

using namespace softcontact;

namespace {

constexpr double half = 0.05;

AggregatePatch square()
{
    AggregatePatch patch;
    patch.tilts = 2;
    patch.corners = {-half, -half, half, -half, half, half, -half, half};
    return patch;
}

/// Gaps of the corners of a plane: height in the middle, slopes along t and s.
PatchGap plane(double height, double along_t, double along_s)
{
    return {height, along_s, -along_t};  // levers are (s, -t)
}

std::array<double, 4> at_corners(const AggregatePatch& patch, const PatchGap& gap)
{
    std::array<double, 4> out{};
    for (std::size_t k = 0; k < 4; ++k) out[k] = patch.corner_gap(k, gap);
    return out;
}

/// No corner closes by more than its gap, none opens, and one that is pressed in stays.
void keeps_the_limits(const AggregatePatch& patch, const PatchGap& gap)
{
    const auto gaps = at_corners(patch, gap), closable = at_corners(patch, patch.closable_gap(gap));
    const double size = std::abs(*std::max_element(gaps.begin(), gaps.end())) + 1e-12;
    for (std::size_t k = 0; k < 4; ++k) {
        assert(closable[k] <= std::max(gaps[k], 0.0) + 1e-8 * size);
        assert(closable[k] >= -1e-8 * size);
    }
}

}  // namespace

int main()
{
    const AggregatePatch patch = square();
    // Apart, it may close as it is.
    const PatchGap apart = plane(2e-3, 0.01, -0.02);
    assert((patch.closable_gap(apart) - apart).norm() == 0.0);
    // On a side that round-off has pressed in, it tilts on about that side.
    for (const double round_off : {-1e-18, -1e-12, -1e-10}) {
        for (const double twist : {0.0, 1e-13, -1e-13}) {
            const PatchGap on_a_side = plane(1e-3 + round_off, 1e-3 / half, twist / half);
            const auto closable = at_corners(patch, patch.closable_gap(on_a_side));
            assert(std::abs(closable[1] - 2e-3) < 1e-6 && std::abs(closable[2] - 2e-3) < 1e-6);
            keeps_the_limits(patch, on_a_side);
        }
    }
    // On a corner, about that one.
    const PatchGap on_a_corner = plane(1e-3 - 1e-12, 0.5e-3 / half, 0.5e-3 / half);
    assert(std::abs(at_corners(patch, patch.closable_gap(on_a_corner))[2] - 2e-3) < 1e-6);
    keeps_the_limits(patch, on_a_corner);
    // With three corners pressed in, or all, not at all.
    assert(patch.closable_gap(plane(-1e-4, 1e-4 / half, 0.5e-4 / half)).norm() == 0.0);
    assert(patch.closable_gap(plane(-1e-6, 0.0, 0.0)).norm() == 0.0);
    std::srand(1);
    for (int k = 0; k < 10000; ++k) {
        const Vector3d random = Vector3d::Random();
        keeps_the_limits(patch, plane(1e-4 * random[0], 1e-3 * random[1], 1e-3 * random[2]));
    }
    return 0;
}
