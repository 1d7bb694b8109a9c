// SPDX-License-Identifier: LGPL-2.1-or-later
// The nearest place of a deformed boundary is that of all triangles, by the same bits whatever was asked
// before, and finding it allocates nothing.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <softcontact/geometry/closest_point.hpp>
#include <softcontact/vademecum/boundary_distance.hpp>

#include "beam_vademecum.hpp"
#include "counted_allocations.hpp"

namespace {

using namespace softcontact;

bool check(bool holds, const char* what)
{
    if (!holds) std::fprintf(stderr, "failed: %s\n", what);
    return holds;
}

bool same_bits(const BoundaryPoint& a, const BoundaryPoint& b)
{
    return a.place.triangle == b.place.triangle && a.place.shares == b.place.shares && a.point == b.point &&
           a.normal == b.normal && std::memcmp(&a.distance, &b.distance, sizeof(double)) == 0;
}

/// Squared distance to the nearest of all triangles.
double of_all(const Points& nodes, const Triangles& triangles, const Vector3d& point)
{
    double least = std::numeric_limits<double>::infinity();
    for (Index t = 0; t < triangles.cols(); ++t) {
        const auto found = closest_point_on_triangle(point, nodes.col(triangles(0, t)),
                                                     nodes.col(triangles(1, t)), nodes.col(triangles(2, t)));
        least = std::min(least, found.squared_distance);
    }
    return least;
}

class Random {
public:
    double operator()(double low, double high)
    {
        return std::uniform_real_distribution<double>(low, high)(m_generator);
    }
    Vector3d point() { return {(*this)(-0.05, 0.45), (*this)(-0.06, 0.06), (*this)(-0.35, 0.1)}; }

private:
    std::mt19937 m_generator{7};
};

/// A shell drifts about and sometimes jumps while loads grow, wander and jump.
bool walk(const SeparatedField& field, const Points& rest, const Triangles& triangles)
{
    Random random;
    LoadedField loaded(field, 3);
    DeformedBoundary boundary(rest, triangles, loaded);
    Points shell(3, 40), now(3, rest.cols());
    std::vector<NearMemory> memories(static_cast<std::size_t>(shell.cols()));
    for (Index i = 0; i < shell.cols(); ++i) shell.col(i) = random.point();
    double size = 0.3, drift = 1e-3, worst = 0.0;
    Index load_case = 20;
    bool good = true;
    for (int step = 0; step < 300 && good; ++step) {
        if (step % 3 == 0) size = std::clamp(size + random(-0.01, 0.01), -0.2, 1.0);
        if (step % 40 == 39)
            load_case = static_cast<Index>(random(0.0, 0.99) * static_cast<double>(field.case_count()));
        if (step % 50 == 0) drift = std::pow(10.0, random(-6.0, -1.5));
        if (step % 60 == 59) shell.col(step % 40) = random.point();
        for (Index i = 0; i < shell.size(); ++i) shell.data()[i] += random(-drift, drift);
        const long before = test::allocations;
        loaded.clear();
        loaded.add(load_case, size);
        if (step % 20 < 5) loaded.add(3, 0.2);
        boundary.refresh();
        std::vector<BoundaryPoint> found;
        const long after = test::allocations;
        found.reserve(static_cast<std::size_t>(shell.cols()));
        const long reserved = test::allocations;
        for (Index i = 0; i < shell.cols(); ++i) {
            found.push_back(boundary.closest(shell.col(i), memories[static_cast<std::size_t>(i)]));
        }
        good &= check(after == before && test::allocations == reserved, "no question allocates");
        DeformedBoundary fresh(rest, triangles, loaded);
        for (int node = 0; node < static_cast<int>(rest.cols()); ++node) now.col(node) = fresh.position(node);
        for (Index i = shell.cols() - 1; i >= 0; --i) {
            const BoundaryPoint& one = found[static_cast<std::size_t>(i)];
            const BoundaryPoint other = fresh.closest(shell.col(i));
            good = good && check(same_bits(one, other), "bits do not depend on what was asked before");
            worst = std::max(
                worst, std::abs(std::abs(one.distance) - std::sqrt(of_all(now, triangles, shell.col(i)))));
        }
    }
    std::printf("distances differ from those of all triangles by %.2g m\n", worst);
    return check(worst < 1e-15, "the nearest of all triangles") && good;
}

/// What contacts remember of a shell changes nothing.
bool remembered(const SeparatedField& field, const Points& rest, const Triangles& triangles)
{
    Random random;
    LoadedField loaded(field, 1);
    BoundaryDistance remembers(rest, triangles, loaded), forgets(rest, triangles, loaded);
    Points shell(3, 400);
    for (Index i = 0; i < shell.cols(); ++i) {
        shell.col(i) = Vector3d(random(0.0, 0.4), random(-0.03, 0.03), random(-0.04, 0.03));
    }
    remembers.remember(300);  // some are not
    std::vector<Index> numbers(400), others(400);
    std::vector<double> depths(400), other_depths(400);
    std::vector<Vector3d> normals(400), other_normals(400);
    Index most = 0;
    bool good = true;
    test::allocations = 0;
    for (int step = 0; step < 200; ++step) {
        loaded.clear();
        loaded.add(step < 150 ? 60 : step, 0.05 + 0.05 * std::sin(0.02 * step));
        shell.colwise() += Vector3d(1e-4, 0.0, 3e-4 * std::sin(0.05 * step));
        remembers.follow();
        forgets.follow();
        const Index count = remembers.contacts(shell, {numbers, depths, normals});
        const Index expected = forgets.contacts(shell, {others, other_depths, other_normals});
        good &= check(count == expected, "as many contacts");
        for (std::size_t i = 0; i < static_cast<std::size_t>(std::min(count, expected)); ++i) {
            good &= numbers[i] == others[i] && depths[i] == other_depths[i] && normals[i] == other_normals[i];
        }
        most = std::max(most, count);
    }
    good &= check(test::allocations == 0, "no allocation");
    good &= check(!remembers.set(rest) && !remembers.follow({0, 0, 0.0}), "nodes of a field are not set");
    return check(good, "the same contacts") && check(most > 50, "there are contacts");
}

}  // namespace

int main()
{
    bool good = check(test::allocations > 0, "allocations are counted");
    const SeparatedField field(test::beam_solution(81));
    good &= walk(field, test::beam_points(), test::beam_triangles());
    good &= remembered(field, test::beam_points(), test::beam_triangles());
    LoadedField loaded(field, 1);
    DeformedBoundary boundary(test::beam_points(), test::beam_triangles(), loaded);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    good &= check(!boundary.closest({nan, 0.0, 0.0}).place.found(), "NaN is near nothing");
    good &= check(boundary.refresh() == 0.0, "what did not change did not move");
    return good ? 0 : 1;
}
