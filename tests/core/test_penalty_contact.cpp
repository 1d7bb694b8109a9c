// SPDX-License-Identifier: LGPL-2.1-or-later
// Contact of a pointshell with a vademecum's body allocates nothing while the body bends and points come,
// stick, slide and go; how long it takes.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <softcontact/vademecum/penalty_contact.hpp>

#include "beam_vademecum.hpp"
#include "counted_allocations.hpp"

namespace {

using namespace softcontact;

bool check(bool holds, const char* what)
{
    if (!holds) std::fprintf(stderr, "failed: %s\n", what);
    return holds;
}

/// The faces of a block 60 × 60 × 30 mm, points 5 mm apart, centred.
Points block_shell()
{
    std::vector<Vector3d> found;
    for (int i = -6; i <= 6; ++i) {
        for (int j = -6; j <= 6; ++j) {
            for (int k = -3; k <= 3; ++k) {
                if (std::abs(i) == 6 || std::abs(j) == 6 || std::abs(k) == 3) {
                    found.emplace_back(0.005 * i, 0.005 * j, 0.005 * k);
                }
            }
        }
    }
    Points out(3, static_cast<Index>(found.size()));
    for (std::size_t i = 0; i < found.size(); ++i) out.col(static_cast<Index>(i)) = found[i];
    return out;
}

}  // namespace

int main()
{
    bool good = check(test::allocations > 0, "allocations are counted");
    const SeparatedField field(test::beam_solution(81));
    LoadedField loaded(field, 4);
    const Points shell = block_shell();
    PenaltyContact contact(DeformedBoundary(test::beam_points(), test::beam_triangles(), loaded),
                           PenaltySettings{1e5, 0.3, 0.0}, shell.cols());
    Points moved = shell;
    std::vector<double> times;
    times.reserve(2000);
    Index most = 0, fewest = shell.cols();
    bool stuck = false, slid = false, finite = true;
    test::allocations = 0;
    for (int step = 0; step < 2000; ++step) {
        const double t = 1e-3 * step;
        loaded.clear();
        loaded.add(test::node_at(20, 1, 2), 0.5 + 0.3 * std::sin(9.0 * t));
        const Vector3d at(0.2 + 0.05 * std::sin(5.0 * t), 0.0, 0.010 + 0.03 * std::sin(23.0 * t));
        moved = shell.colwise() + at;
        if (step % 100 == 50) moved(1, 7) = std::numeric_limits<double>::quiet_NaN();
        const auto start = std::chrono::steady_clock::now();
        const Index count = contact.evaluate(moved);
        const Wrench wrench = contact.wrench(at);
        contact.commit();
        times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        most = std::max(most, count);
        fewest = std::min(fewest, count);
        finite = finite && wrench.vector().allFinite();
        for (const PenaltyPoint& point : contact.contacts()) (point.slides ? slid : stuck) = true;
    }
    const long counted = test::allocations;
    std::sort(times.begin(), times.end());
    std::printf("%ld points, %ld to %ld in contact: median %.1f us, 99.9%% %.1f us, allocations %ld\n",
                static_cast<long>(shell.cols()), static_cast<long>(fewest), static_cast<long>(most),
                1e6 * times[1000], 1e6 * times[1998], counted);
    good = check(counted == 0, "no question allocates") && good;
    good = check(fewest == 0 && most > 50 && stuck && slid, "points come, stick, slide and go") && good;
    good = check(finite, "forces are finite, also with a point that is no number") && good;
    return good ? 0 : 1;
}
