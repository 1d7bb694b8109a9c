// SPDX-License-Identifier: LGPL-2.1-or-later
// A tick of a vademecum's body under a device allocates nothing while the shell comes, presses, drags and
// goes; how long it takes.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <softcontact/vademecum/vademecum_law.hpp>

#include "beam_vademecum.hpp"
#include "counted_allocations.hpp"

namespace {

using namespace softcontact;

bool check(bool holds, const char* what)
{
    if (!holds) std::fprintf(stderr, "failed: %s\n", what);
    return holds;
}

/// A plate of 10 × 10 points, 3 mm apart.
Points plate()
{
    Points out(3, 100);
    for (int i = 0; i < 100; ++i) out.col(i) = Vector3d(0.003 * (i / 10 - 4.5), 0.003 * (i % 10 - 4.5), 0.0);
    return out;
}

std::unique_ptr<VademecumLaw> make_law(const SeparatedField& field, const Points& shell)
{
    std::vector<Index> loaded;
    for (Index n = 0; n < test::beam_nodes; ++n) loaded.push_back(n);
    Points down(3, 1);
    down.col(0) = -Vector3d::UnitZ();
    LoadFamilies families(test::beam_points(), loaded, {}, down, 1e6);
    const YieldingBody body{field, test::beam_points(), test::beam_triangles(), std::move(families)};
    auto response = std::make_unique<ContactResponse>(body, PenaltySettings{1e7, 0.3, 0.0}, shell.cols(),
                                                      ResponseSettings{24, 6, 1e-4});
    return std::make_unique<VademecumLaw>(std::move(response), shell, VademecumScales{1.0, 1e-5, 1.0});
}

bool ticks()
{
    const SeparatedField field(test::beam_solution(81));
    const auto law = make_law(field, plate());
    double body[9] = {0, 0, 0, 0, 0, 0, 1, 100, 0.1};
    bool good = check(law->fits(7) && law->fits(9) && !law->fits(8) && !law->fits(6), "lengths that fit");
    std::vector<double> told(static_cast<std::size_t>(law->output_count())), times;
    times.reserve(3000);
    double most = 0.0, fewest = 1e9, sliding = 0.0, converged = 0.0;
    bool finite = true;
    test::allocations = 0;
    law->take(body, 9);
    DeviceState state;
    law->reset(state);
    for (int i = 0; i < 3000; ++i) {
        const double t = 1e-3 * i;
        state.position = Vector3d(0.3, 0.003 * std::sin(7.0 * t), 0.02 - 0.02 * std::sin(9.0 * t));
        state.orientation = Eigen::AngleAxisd(0.1 * std::sin(3.0 * t), Vector3d::UnitX());
        const auto start = std::chrono::steady_clock::now();
        const Vector6d wrench = law->wrench(state, 1e-3);
        times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        law->tell(told.data());
        finite = finite && wrench.allFinite();
        most = std::max(most, told[0]);
        fewest = std::min(fewest, told[0]);
        sliding = std::max(sliding, told[1]);
        converged += told[2];
    }
    const long counted = test::allocations;
    std::sort(times.begin(), times.end());
    std::printf("law: %.0f to %.0f points inside, %.1f %% converged, median %.0f us, 99%% %.0f us\n", fewest,
                most, converged / 30.0, 1e6 * times[1500], 1e6 * times[2970]);
    good = check(counted == 0, "no tick allocates") && good;
    good = check(finite, "forces are finite") && good;
    good = check(fewest == 0.0 && most > 10.0 && sliding > 0.0, "points come, slide and go") && good;
    return check(converged > 2850.0, "most ticks converge") && good;
}

/// Two bodies, the second upside down above the first, each with a shell of its nodes, come, press, drag and
/// part.
bool two_bodies()
{
    const SeparatedField field(test::beam_solution(20));
    std::vector<Index> loaded;
    MaterialPoints shell;
    shell.nodes.setZero(3, test::beam_nodes);
    shell.shares.setZero(3, test::beam_nodes);
    for (Index n = 0; n < test::beam_nodes; ++n) {
        loaded.push_back(n);
        shell.nodes.col(n).setConstant(static_cast<int>(n));
        shell.shares(0, n) = 1.0;
    }
    Points down(3, 1);
    down.col(0) = -Vector3d::UnitZ();
    const LoadFamilies families(test::beam_points(), loaded, {}, down, 1e6);
    const YieldingBody body{field, test::beam_points(), test::beam_triangles(), families, shell};
    ContactResponse response(body, body, PenaltySettings{1e7, 0.3, 0.0}, ResponseSettings{32, 12, 1e-4});
    Index most = 0;
    int converged = 0;
    bool opposite = true;
    test::allocations = 0;
    for (int i = 0; i < 200; ++i) {
        const double t = 0.01 * i;
        RigidPose second;
        second.position =
            Vector3d(0.103, 0.004 + 0.002 * std::sin(9.0 * t), 0.045 - 0.02 * std::sin(1.6 * t));
        second.orientation = Eigen::AngleAxisd(M_PI, Vector3d::UnitX());
        const ResponseStatus status = response.solve(second);
        most = std::max(most, status.contacts);
        converged += status.converged ? 1 : 0;
        opposite = opposite && response.wrench(second.position).vector().allFinite();
    }
    const long counted = test::allocations;
    std::printf("two bodies: up to %ld points inside, %d of 200 converged\n", static_cast<long>(most),
                converged);
    bool good = check(counted == 0, "no question about two bodies allocates");
    good = check(opposite, "wrenches are finite") && good;
    good = check(most > 4, "the bodies touch") && good;
    return check(converged > 180, "most questions converge") && good;
}

}  // namespace

int main()
{
    bool good = check(test::allocations > 0, "allocations are counted");
    good = two_bodies() && good;
    return ticks() && good ? 0 : 1;
}
