// SPDX-License-Identifier: LGPL-2.1-or-later
// Asking a separated field allocates nothing, and answers wrong questions with what is defined.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>

#include "counted_allocations.hpp"
#include "softcontact/vademecum/separated_field.hpp"

namespace {

using namespace softcontact;

constexpr Index nodes = 189, modes = 81, cases = 161, terms = 8, patch = 18;

SeparatedSolution beam_like()
{
    SeparatedSolution solution;
    solution.terms = terms;
    solution.modes = MatrixXd::Random(modes, 3 * nodes);
    solution.amplitudes = MatrixXd::Random(modes, terms * cases);
    for (Index s = 0; s <= cases; ++s) solution.dent_starts.push_back(patch * s);
    for (Index s = 0; s < cases; ++s) {
        for (Index k = 0; k < patch; ++k) solution.dent_nodes.push_back(s + k);
    }
    solution.dents = MatrixXd::Random(3, terms * patch * cases);
    return solution;
}

bool check(bool holds, const char* what)
{
    if (!holds) std::fprintf(stderr, "failed: %s\n", what);
    return holds;
}

/// u of a node by the formula, for one load inside [0, 1].
Vector3d by_formula(const SeparatedSolution& solution, Index node, Index load_case, double size)
{
    Vector3d moved = Vector3d::Zero();
    for (Index j = 0; j < terms; ++j) {
        const double weight = size * std::cos(static_cast<double>(j) * std::acos(2.0 * size - 1.0));
        for (Index k = 0; k < modes; ++k) {
            for (int c = 0; c < 3; ++c) {
                moved[c] +=
                    weight * solution.amplitudes(k, terms * load_case + j) * solution.modes(k, 3 * node + c);
            }
        }
        if (node >= load_case && node < load_case + patch) {
            moved += weight * solution.dents.col(terms * (patch * load_case + node - load_case) + j);
        }
    }
    return moved;
}

bool refused(void (*spoil)(SeparatedSolution&))
{
    SeparatedSolution solution = beam_like();
    spoil(solution);
    try {
        const SeparatedField field(std::move(solution));
    } catch (const std::invalid_argument&) {
        return true;
    }
    return false;
}

}  // namespace

int main()
{
    const SeparatedField field(beam_like());
    LoadedField loaded(field, 4);
    Points all(3, nodes), some(3, 3);
    const std::array<Index, 3> chosen = {5, 17, 188};
    bool good = check(test::allocations > 0, "allocations are counted");

    test::allocations = 0;
    const int rounds = 2000;
    std::array<double, rounds> times_s{};
    for (int k = 0; k < rounds; ++k) {
        const auto before = std::chrono::steady_clock::now();
        loaded.clear();
        loaded.add(k % cases, 0.001 * (k % 1000));
        loaded.displacements(all);
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - before;
        times_s[static_cast<std::size_t>(k)] = taken.count();
        loaded.add((7 * k) % cases, 1.5);
        loaded.displacements(chosen, some);
    }
    good &= check(test::allocations == 0, "no allocation in 2000 questions");
    std::sort(times_s.begin(), times_s.end());
    std::printf("all nodes: median %.2f us, 99.9th percentile %.1f us\n", 1e6 * times_s[rounds / 2],
                1e6 * times_s[rounds - 1 - rounds / 1000]);

    loaded.clear();
    good &= check(loaded.add(12, 0.37), "a load is taken");
    loaded.displacements(all);
    loaded.displacements(chosen, some);
    for (const Index node : {0, 12, 29, 30, 188}) {
        const Vector3d expected = by_formula(field.solution(), node, 12, 0.37);
        good &=
            check((all.col(node) - expected).norm() < 1e-12 * expected.norm(), "all nodes by the formula");
        good &= check((loaded.displacement(node) - expected).norm() < 1e-12 * expected.norm(), "one node");
    }
    good &= check((some.col(1) - all.col(17)).norm() < 1e-12, "chosen nodes");
    good &= check(loaded.add(20, 0.9), "a second load is taken");
    const Vector3d both =
        by_formula(field.solution(), 25, 12, 0.37) + by_formula(field.solution(), 25, 20, 0.9);
    good &= check((loaded.displacement(25) - both).norm() < 1e-12 * both.norm(), "loads are superposed");

    const double nan = std::numeric_limits<double>::quiet_NaN();
    good &= check(!loaded.add(cases, 0.5) && !loaded.add(-1, 0.5) && !loaded.add(3, nan), "wrong loads");
    good &= check(loaded.load_count() == 2, "what is refused is not added");
    good &= check(loaded.add(0, 0.1) && loaded.add(1, 0.1) && !loaded.add(2, 0.1), "room for four");
    good &= check(loaded.displacement(nodes).hasNaN() && loaded.displacement(-1).hasNaN(), "no such node");

    good &= check(refused([](SeparatedSolution& s) { s.modes(3, 4) = std::nan(""); }), "NaN");
    good &= check(refused([](SeparatedSolution& s) { s.dent_nodes[20] = nodes; }), "node of a dent");
    good &=
        check(refused([](SeparatedSolution& s) { std::swap(s.dent_nodes[20], s.dent_nodes[21]); }), "order");
    good &= check(refused([](SeparatedSolution& s) { s.dent_starts.back() += 1; }), "starts");
    good &=
        check(refused([](SeparatedSolution& s) { s.amplitudes.conservativeResize(modes, terms); }), "cases");
    good &= check(refused([](SeparatedSolution& s) { s.terms = 0; }), "terms");
    return good ? 0 : 1;
}
