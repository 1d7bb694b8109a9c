// SPDX-License-Identifier: LGPL-2.1-or-later
// Asking a distance field allocates nothing, is trilinear in space, and has an answer to every question.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "counted_allocations.hpp"
#include "softcontact/vademecum/distance_field.hpp"

namespace {

using namespace softcontact;

const Vector3d origin(-1.2, -1.3, -1.1), spacing(0.1, 0.13, 0.07);
constexpr std::array<Index, 3> counts = {26, 22, 34};
const Vector3d far_corner = origin + spacing.cwiseProduct(Vector3d(25, 21, 33));

Vector3d center(Index state)
{
    return {0.1 * static_cast<double>(state), 0.0, -0.05};
}

/// Balls of radius 0.8 whose centre moves with the state.
std::vector<float> balls(Index states)
{
    std::vector<float> values;
    for (Index s = 0; s < states; ++s) {
        for (Index i = 0; i < counts[0]; ++i) {
            for (Index j = 0; j < counts[1]; ++j) {
                for (Index k = 0; k < counts[2]; ++k) {
                    const Vector3d at(static_cast<double>(i), static_cast<double>(j), static_cast<double>(k));
                    const Vector3d point = origin + spacing.cwiseProduct(at);
                    values.push_back(static_cast<float>((point - center(s)).norm() - 0.8));
                }
            }
        }
    }
    return values;
}

DistanceTable table_of(const std::vector<float>& values)
{
    return {origin, spacing, counts, values};
}

bool check(bool holds, const char* what)
{
    if (!holds) std::fprintf(stderr, "failed: %s\n", what);
    return holds;
}

bool refused(void (*spoil)(DistanceTable&))
{
    const std::vector<float> values = balls(1);
    DistanceTable table = table_of(values);
    spoil(table);
    try {
        const DistanceField field(table);
    } catch (const std::invalid_argument&) {
        return true;
    }
    return false;
}

Points random_points(Index count, double reach)
{
    std::mt19937 generator(7);
    std::uniform_real_distribution<double> place(-reach, reach);
    Points out(3, count);
    for (Index i = 0; i < count; ++i) {
        for (Index k = 0; k < 3; ++k) out(k, i) = place(generator);
    }
    return out;
}

bool contacts_agree(const DistanceField& field, const Points& shell, const DistanceState& state)
{
    std::vector<Index> numbers(4000);
    std::vector<double> depths(4000);
    std::vector<Vector3d> normals(4000);
    const Index count = field.contacts(shell, state, {numbers, depths, normals});
    Index expected = 0;
    bool good = count <= 4000;
    for (Index i = 0; good && i < shell.cols(); ++i) {
        Vector3d gradient;
        const double distance = field.distance(shell.col(i), state, &gradient);
        if (!(distance < 0.0)) continue;
        const auto at = static_cast<std::size_t>(expected++);
        good = expected <= count && numbers[at] == i && depths[at] == -distance &&
               (normals[at] - gradient.normalized()).norm() < 1e-14;
    }
    return good && expected == count && count > 100;
}

}  // namespace

int main()
{
    const std::vector<float> values = balls(3);
    const DistanceField field(table_of(values));
    const Points shell = random_points(3733, 1.05);
    bool good = check(test::allocations > 0, "allocations are counted");
    std::vector<Index> numbers(3733);
    std::vector<double> depths(3733);
    std::vector<Vector3d> normals(3733);
    const ContactRoom room{numbers, depths, normals};

    const int rounds = 1000;
    std::vector<double> times_s;
    times_s.reserve(rounds);
    test::allocations = 0;
    Index found = 0;
    for (int k = 0; k < rounds; ++k) {
        const auto before = std::chrono::steady_clock::now();
        found = field.contacts(shell, {k % 3, 0, 0.0}, room);
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - before;
        times_s.push_back(taken.count());
        Vector3d gradient;
        depths[0] += field.distance(shell.col(k), {0, 1, 0.3}, &gradient);
    }
    good &= check(test::allocations == 0, "no allocation in 1000 questions");
    std::sort(times_s.begin(), times_s.end());
    std::printf("3733 points, %ld in contact: median %.1f us, 99.9th percentile %.1f us\n",
                static_cast<long>(found), 1e6 * times_s[rounds / 2], 1e6 * times_s[rounds - 1]);

    good &= check(contacts_agree(field, shell, {2, 0, 0.0}), "contacts are where the distance is negative");
    good &= check(contacts_agree(field, shell, {0, 1, 0.4}), "the same between two tables");
    const Index all = field.contacts(shell, {0, 0, 0.0}, room);
    numbers[1] = -1;
    good &= check(
        field.contacts(shell, {0, 0, 0.0}, {{numbers.data(), 1}, depths, normals}) == all && numbers[1] == -1,
        "too little room: all are counted, what fits is written");

    // a node, and the middle of a cell
    const Vector3d node = origin + spacing.cwiseProduct(Vector3d(3, 4, 5));
    const auto value = [&](Index i, Index j, Index k) {
        return static_cast<double>(values[static_cast<std::size_t>((i * counts[1] + j) * counts[2] + k)]);
    };
    good &= check(std::abs(field.distance(node, {}) - value(3, 4, 5)) < 1e-12, "exact at the grid's points");
    double mean = 0.0, rise = 0.0;
    for (Index c = 0; c < 8; ++c) {
        const double at = value(3 + (c & 1), 4 + ((c >> 1) & 1), 5 + (c >> 2));
        mean += at / 8.0;
        rise += ((c & 1) != 0 ? at : -at) / 4.0;
    }
    Vector3d gradient;
    const double middle = field.distance(node + 0.5 * spacing, {}, &gradient);
    good &= check(std::abs(middle - mean) < 1e-12, "the mean in the middle of a cell");
    good &= check(std::abs(gradient.x() - rise / spacing.x()) < 1e-12, "its gradient there");
    const Vector3d inner = node + spacing.cwiseProduct(Vector3d(0.2, 0.7, 0.4));
    for (const DistanceState state : {DistanceState{1, 0, 0.0}, DistanceState{0, 2, 0.3}}) {
        static_cast<void>(field.distance(inner, state, &gradient));
        for (Index k = 0; k < 3; ++k) {  // linear along each axis
            const Vector3d step = 0.1 * spacing[k] * Vector3d::Unit(k);
            const double slope = (field.distance(inner + step, state) - field.distance(inner - step, state)) /
                                 (0.2 * spacing[k]);
            good &= check(std::abs(gradient[k] - slope) < 1e-12, "the gradient is the slope");
        }
    }
    const double blended = field.distance(node, {0, 1, 0.25});
    good &= check(std::abs(blended - 0.75 * field.distance(node, {0, 0, 0.0}) -
                           0.25 * field.distance(node, {1, 0, 0.0})) < 1e-12,
                  "two tables blended");

    // on the surface, outside the grid, and what is no question
    for (Index i = 0; i < 3733; ++i) {
        const Vector3d on = 0.8 * shell.col(i).normalized() + center(0);
        good &= check(std::abs(field.distance(on, {})) < 0.005, "nothing on the surface");
    }
    const Vector3d edge(origin.x(), 0.31, 0.2), beyond = edge - Vector3d(0.7, 0.0, 0.0);
    good &= check(std::abs(field.distance(beyond, {}, &gradient) - field.distance(edge, {}) - 0.7) < 1e-12,
                  "beyond the grid the way to it is added");
    good &= check(gradient.x() == -1.0 && gradient.y() > 0.0, "and the gradient leads back");
    const double corner = field.distance(far_corner + Vector3d(3.0, 4.0, 12.0), {}, &gradient);
    good &= check(std::abs(corner - field.distance(far_corner, {}) - 13.0) < 1e-9 &&
                      (gradient - Vector3d(3.0, 4.0, 12.0) / 13.0).norm() < 1e-12,
                  "beyond a corner");
    good &= check(
        std::abs(field.distance(far_corner, {}) - static_cast<double>(values[values.size() / 3 - 1])) < 1e-12,
        "the last point of the grid");
    const double nan = std::numeric_limits<double>::quiet_NaN(),
                 inf = std::numeric_limits<double>::infinity();
    good &= check(std::isnan(field.distance({nan, 0.0, 0.0}, {}, &gradient)) && gradient.hasNaN(), "NaN");
    good &= check(std::isnan(field.distance({0.0, inf, 0.0}, {})), "an infinite point");
    for (const DistanceState wrong :
         {DistanceState{3, 0, 0.0}, {-1, 0, 0.0}, {0, 3, 0.5}, {0, 1, -0.1}, {0, 1, 1.1}, {0, 1, nan}}) {
        good &= check(std::isnan(field.distance(node, wrong)) && field.contacts(shell, wrong, room) == 0,
                      "no such state");
    }
    Points strange(3, 4);
    strange << 0.0, nan, inf, -inf, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0;
    good &=
        check(field.contacts(strange, {}, room) == 1 && numbers[0] == 0, "what is not finite is not inside");

    // a body that reaches the grid's border is met beyond it too
    const std::vector<float> inside(values.size() / 3, -0.5F);
    const DistanceField full(table_of(inside));
    Points around(3, 3);
    around << origin.x() - 0.4, origin.x() - 0.6, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, far_corner.z();
    good &=
        check(full.contacts(around, {}, room) == 2 && numbers[1] == 2 && std::abs(depths[0] - 0.1) < 1e-12,
              "contacts beyond the grid");

    good &= check(refused([](DistanceTable& t) { t.counts[1] = 1; }), "counts");
    good &= check(refused([](DistanceTable& t) { t.spacing.y() = 0.0; }), "spacing");
    good &= check(refused([](DistanceTable& t) { t.origin.z() = std::nan(""); }), "origin");
    good &= check(refused([](DistanceTable& t) { t.values = t.values.subspan(1); }), "values");
    static const std::vector<float> broken(26 * 22 * 34, std::nanf(""));
    good &= check(refused([](DistanceTable& t) { t.values = broken; }), "NaN in the table");
    return good ? 0 : 1;
}
