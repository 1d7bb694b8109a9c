// SPDX-License-Identifier: LGPL-2.1-or-later
// Separated distances are the sums they stand for, as values and in a field, and asking for them allocates
// nothing.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <vector>

#include "counted_allocations.hpp"
#include "softcontact/vademecum/distance_field.hpp"

namespace {

using namespace softcontact;

bool check(bool holds, const char* what)
{
    if (!holds) std::fprintf(stderr, "failed: %s\n", what);
    return holds;
}

/// Seven by six by five points in blocks of three or less along each edge, some blocks without a term.
struct Example {
    std::vector<std::uint32_t> starts = {0};
    std::vector<std::int8_t> places, states;
    std::vector<float> scales;
    std::vector<float> values;  ///< what they sum up to: state, x, y, z
};

constexpr Index nx = 7, ny = 6, nz = 5, block = 3, state_count = 4;

Example example()
{
    std::mt19937 generator(5);
    std::uniform_int_distribution<int> byte(-127, 127);
    Example out;
    out.values.assign(state_count * nx * ny * nz, 0.0F);
    std::vector<std::vector<int>> amplitudes(state_count);
    Index number = 0;
    for (Index i = 0; i < nx; i += block) {
        for (Index j = 0; j < ny; j += block) {
            for (Index k = 0; k < nz; k += block) {
                const Index terms = number++ % 4;
                const std::size_t first = out.scales.size();
                for (Index t = 0; t < terms; ++t) {
                    out.scales.push_back(1e-4F * static_cast<float>(t + 1));
                    for (auto& row : amplitudes) row.push_back(byte(generator));
                }
                out.starts.push_back(static_cast<std::uint32_t>(out.scales.size()));
                for (Index x = i; x < std::min(i + block, nx); ++x) {
                    for (Index y = j; y < std::min(j + block, ny); ++y) {
                        for (Index z = k; z < std::min(k + block, nz); ++z) {
                            for (std::size_t t = first; t < out.scales.size(); ++t) {
                                const int place = byte(generator);
                                out.places.push_back(static_cast<std::int8_t>(place));
                                for (Index s = 0; s < state_count; ++s) {
                                    const int product = place * amplitudes[static_cast<std::size_t>(s)][t];
                                    out.values[static_cast<std::size_t>(((s * nx + x) * ny + y) * nz + z)] +=
                                        out.scales[t] * static_cast<float>(product);
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    for (const auto& row : amplitudes) {
        for (const int value : row) out.states.push_back(static_cast<std::int8_t>(value));
    }
    return out;
}

SeparatedTable table_of(const Example& made)
{
    return {{-1.0, 0.0, 1.0}, {0.5, 0.4, 0.3}, {nx, ny, nz}, block, made.starts,
            made.places,      made.states,     made.scales,  0.01};
}

bool refused(void (*spoil)(SeparatedTable&))
{
    const Example made = example();
    SeparatedTable table = table_of(made);
    spoil(table);
    try {
        const DistanceField field(table);
    } catch (const std::invalid_argument&) {
        return true;
    }
    return false;
}

}  // namespace

int main()
{
    const Example made = example();
    const SeparatedDistances separated(table_of(made));
    bool good = check(separated.state_count() == state_count, "states");
    std::vector<float> all(nx * ny * nz);
    for (Index s = 0; s < state_count; ++s) {
        separated.expand(s, all);
        for (std::size_t p = 0; p < all.size(); ++p) {
            good &=
                check(std::abs(all[p] - made.values[static_cast<std::size_t>(s) * all.size() + p]) < 1e-5F,
                      "the sums");
        }
    }

    const DistanceField field(table_of(made));
    const DistanceField dense({{-1.0, 0.0, 1.0}, {0.5, 0.4, 0.3}, {nx, ny, nz}, made.values});
    std::mt19937 generator(6);
    std::uniform_real_distribution<double> place(-1.5, 3.0);
    Points shell(3, 2000);
    for (Index i = 0; i < shell.size(); ++i) shell.data()[i] = place(generator);
    std::vector<Index> numbers(2000);
    std::vector<double> depths(2000);
    std::vector<Vector3d> normals(2000);
    test::allocations = 0;
    for (const DistanceState state : {DistanceState{0, 0, 0.0}, {3, 0, 0.0}, {1, 2, 0.4}}) {
        Index inside = 0;
        for (Index i = 0; i < shell.cols(); ++i) {
            const Vector3d point = shell.col(i);
            Vector3d slope, expected;
            const double distance = field.distance(point, state, &slope);
            good &= check(std::abs(distance - dense.distance(point, state, &expected)) < 1e-5 &&
                              (slope - expected).norm() < 1e-4,
                          "the same field");
            const DistanceField::Bound bound = field.bound(point, state);
            good &= check(std::abs(bound.error - dense.bound(point, state).error - 0.01) < 1e-5,
                          "the bound counts");
            inside += distance < 0.0 ? 1 : 0;
        }
        good &= check(field.contacts(shell, state, {numbers, depths, normals}) == inside && inside > 100,
                      "contacts are where the distance is negative");
    }
    good &= check(test::allocations == 0, "no allocation");

    good &= check(refused([](SeparatedTable& t) { t.block = 0; }), "block");
    good &= check(refused([](SeparatedTable& t) { t.counts[2] = 1; }), "counts");
    good &= check(refused([](SeparatedTable& t) { t.starts = t.starts.subspan(1); }), "starts");
    good &= check(refused([](SeparatedTable& t) { t.places = t.places.subspan(1); }), "places");
    good &= check(refused([](SeparatedTable& t) { t.states = t.states.subspan(1); }), "states");
    good &= check(refused([](SeparatedTable& t) { t.scales = t.scales.subspan(1); }), "scales");
    good &= check(refused([](SeparatedTable& t) { t.bound = std::nan(""); }), "bound");
    good &= check(refused([](SeparatedTable& t) { t.spacing.x() = -1.0; }), "spacing");
    return good ? 0 : 1;
}
