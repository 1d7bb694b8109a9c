// SPDX-License-Identifier: LGPL-2.1-or-later
// Contacts with a moving boundary allocate nothing, and are those of the distances whatever sorts points out.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "counted_allocations.hpp"
#include "softcontact/vademecum/boundary_distance.hpp"
#include "softcontact/vademecum/tabulate_distance.hpp"

namespace {

using namespace softcontact;

bool check(bool holds, const char* what)
{
    if (!holds) std::fprintf(stderr, "failed: %s\n", what);
    return holds;
}

/// A box of two triangles a side, twisted about its long axis.
Points twisted_box(double twist)
{
    Points out(3, 8);
    for (Index i = 0; i < 8; ++i) {
        const Vector3d corner((i & 1) != 0 ? 1.0 : -1.0, (i & 2) != 0 ? 0.4 : -0.4,
                              (i & 4) != 0 ? 0.3 : -0.3);
        out.col(i) = Eigen::AngleAxisd(twist * corner.x(), Vector3d::UnitX()) * corner;
    }
    return out;
}

Triangles box_triangles()
{
    Triangles out(3, 12);
    out << 0, 0, 1, 1, 3, 3, 0, 0, 0, 0, 4, 4,  //
        4, 6, 3, 7, 2, 6, 1, 5, 2, 3, 5, 7,     //
        6, 2, 7, 5, 6, 7, 5, 4, 3, 1, 7, 6;
    return out;
}

}  // namespace

int main()
{
    const Triangles triangles = box_triangles();
    const Points rest = twisted_box(0.0), turned = twisted_box(0.3);
    Points states(3, 16);
    states << rest, turned;
    const SpaceGrid grid{{-1.3, -0.8, -0.8}, {0.2, 0.1, 0.1}, {14, 17, 17}};
    std::vector<float> values(static_cast<std::size_t>(2 * grid.size())), again = values;
    const Surface surface(rest, triangles);
    const BoundaryStates nodes(states.data(), static_cast<std::size_t>(states.size()));
    tabulate_distances(surface, nodes, grid, values, 1);
    tabulate_distances(surface, nodes, grid, again, 2);
    bool good = check(values == again, "as many threads as one likes");
    good &= check(std::abs(values[static_cast<std::size_t>((6 * 17 + 8) * 17 + 8)] + 0.3F) < 1e-6F,
                  "the middle of the box is 0.3 deep");

    const DistanceField field({grid.origin, grid.spacing, grid.counts, values});
    BoundaryDistance sorted(rest, triangles, &field), plain(rest, triangles);
    std::mt19937 generator(3);
    std::uniform_real_distribution<double> place(-1.4, 1.4);
    Points shell(3, 3000);
    for (Index i = 0; i < shell.size(); ++i) shell.data()[i] = (i % 3 == 0 ? 1.0 : 0.5) * place(generator);
    for (Index i = 0; i < 1000; ++i) {  // close to the second state's boundary
        const auto corners = triangles.col(i % 12);
        const double u = std::abs(place(generator)) / 2.8, v = std::abs(place(generator)) / 2.8;
        const Vector3d a = turned.col(corners[0]), b = turned.col(corners[1]), c = turned.col(corners[2]);
        shell.col(i) = (1.0 + 0.01 * place(generator)) * (a + u * (b - a) + v * (c - a));
    }
    std::vector<Index> numbers(3000), others(3000);
    std::vector<double> depths(3000);
    std::vector<Vector3d> normals(3000);

    for (int k = 0; k <= 40; ++k) {
        const double twist = 0.01 * k;  // the second state is at 0.3
        const Points now = twisted_box(twist);
        const Points& tabulated = k < 15 ? rest : turned;
        const double apart = (now - tabulated).colwise().norm().maxCoeff();
        test::allocations = 0;
        good &= check(sorted.set(now, {k < 15 ? 0 : 1, 0, 0.0}, apart) && plain.set(now), "nodes are taken");
        const Index count = sorted.contacts(shell, {numbers, depths, normals});
        const Index expected = plain.contacts(shell, {others, depths, normals});
        Index inside = 0;
        for (Index i = 0; i < shell.cols(); ++i) inside += plain.distance(shell.col(i)) < 0.0 ? 1 : 0;
        good &= check(test::allocations == 0, "no allocation");
        good &= check(count == expected && count == inside && count > 300 &&
                          std::equal(numbers.begin(), numbers.begin() + count, others.begin()),
                      "no contact is sorted out");
    }

    const double nan = std::numeric_limits<double>::quiet_NaN();
    Vector3d gradient;
    good &= check(std::isnan(plain.distance({nan, 0.0, 0.0}, &gradient)) && gradient.hasNaN(), "NaN");
    Points strange(3, 3);
    strange << nan, 0.0, std::numeric_limits<double>::infinity(), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0;
    good &= check(sorted.contacts(strange, {numbers, depths, normals}) == 1 && numbers[0] == 1,
                  "only the middle");
    Points broken = rest;
    broken(1, 4) = nan;
    good &= check(plain.set(rest) && !plain.set(broken) && !plain.set(rest.leftCols(7)), "nodes are refused");
    good &= check(!plain.set(rest, {}) && !sorted.set(rest, {2, 0, 0.0}) && !sorted.set(rest, {}, nan) &&
                      !sorted.set(rest, {}, -1.0),
                  "no field, no such state, no length");
    good &= check(std::abs(plain.distance({0.0, 0.0, 0.5}, &gradient) - 0.2) < 1e-15 &&
                      (gradient - Vector3d::UnitZ()).norm() < 1e-15,
                  "what is refused changes nothing");
    good &= check(std::abs(plain.distance({1.3, 0.8, 0.3}) - 0.5) < 1e-15, "before an edge");
    bool refused = false;
    try {
        const BoundaryDistance open(rest, triangles.leftCols(11));
    } catch (const std::invalid_argument&) {
        refused = true;
    }
    good &= check(refused, "a boundary with a rim");
    return good ? 0 : 1;
}
