// SPDX-License-Identifier: LGPL-2.1-or-later
// Loads as coordinates of a solid, and distances carried to other states: nothing allocates, tangents are the
// slopes of the displacements, wrong loads are refused.
#include <cmath>
#include <cstdio>
#include <limits>
#include <softcontact/vademecum/carried_distance.hpp>
#include <softcontact/vademecum/load_coordinates.hpp>
#include <stdexcept>

#include "beam_vademecum.hpp"
#include "counted_allocations.hpp"

namespace {

using namespace softcontact;

bool check(bool holds, const char* what)
{
    if (!holds) std::fprintf(stderr, "failed: %s\n", what);
    return holds;
}

std::vector<Index> line()
{
    std::vector<Index> cases;  // a load case a node
    for (Index i = 4; i < test::along; i += 2) cases.push_back(test::node_at(i, 1, 2));
    return cases;
}

bool refused(const SeparatedField& field, std::vector<Index> loads)
{
    try {
        const LoadCoordinates made(field, std::move(loads), true);
    } catch (const std::invalid_argument&) {
        return true;
    }
    return false;
}

/// The beam, stiffening with the load.
SeparatedSolution stiffening()
{
    SeparatedSolution out = test::beam_solution(81);
    for (Index n = 0; n < test::beam_nodes; ++n) {
        out.amplitudes.col(out.terms * n + 1) = -0.3 * out.amplitudes.col(out.terms * n);
        out.dents.col(out.terms * n + 2) = 0.2 * out.dents.col(out.terms * n);
    }
    return out;
}

VectorXd moved(const LoadCoordinates& loads)
{
    Points out(3, test::beam_nodes);
    loads.loaded().displacements(out);
    return out.reshaped();
}

}  // namespace

int main()
{
    const SeparatedField field(stiffening());
    bool good = check(test::allocations > 0, "allocations are counted");
    for (const bool together : {false, true}) {
        LoadCoordinates loads(field, line(), together);
        VectorXd q(loads.count());
        for (Index i = 0; i < q.size(); ++i) q[i] = 0.05 * std::cos(double(i));
        const long before = test::allocations;
        bool taken = true;
        for (int i = 0; i < 100; ++i) {
            q *= 1.01;
            taken = taken && loads.set(q);
        }
        good &= check(test::allocations == before, "taking sizes allocates");
        good &= check(taken, "sizes are taken");
        const MatrixXd tangent = loads.tangent();
        const double h = 1e-6, scale = tangent.norm();
        for (Index i = 0; i < q.size(); ++i) {
            VectorXd up = q, down = q;
            up[i] += h;
            down[i] -= h;
            loads.set(up);
            VectorXd slope = moved(loads);
            loads.set(down);
            slope -= moved(loads);
            good &=
                check((slope / (2 * h) - tangent.col(i)).norm() < 1e-7 * scale, "the tangent is the slope");
        }
        loads.set(q);
        const VectorXd last = moved(loads);
        VectorXd wrong = q;
        wrong[1] = std::numeric_limits<double>::quiet_NaN();
        good &= check(!loads.set(wrong), "sizes that are not finite are not taken");
        good &= check(moved(loads) == last, "those before stay");
    }
    auto loads = line();
    loads.push_back(loads.front());
    good &= check(refused(field, loads), "a load twice is refused");
    good &= check(refused(field, {}), "no load is refused");
    loads = line();
    loads.front() = field.case_count();
    good &= check(refused(field, loads), "a case that there is not is refused");

    // A table of one size, far from the beam's state: the plane of a face moves and turns, its depth stays.
    DistanceTable table;
    table.origin = Vector3d(-0.1, -0.1, -1.0);
    table.spacing = Vector3d(0.05, 0.05, 0.05);
    table.counts = {14, 5, 41};
    const std::vector<float> values(static_cast<std::size_t>(field.case_count() * 14 * 5 * 41), -0.25F);
    table.values = values;
    const DistanceField distances(table);
    CarriedDistance carried(distances, field, test::beam_points(), {1.0});
    LoadedField loaded(field, 1);
    loaded.add(100, 0.2);
    DeformedBoundary boundary(test::beam_points(), test::beam_triangles(), loaded);
    const Vector3d above =
        boundary.position(static_cast<int>(test::node_at(15, 1, 2))) + Vector3d(0, 0, 1e-3);
    const long before = test::allocations;
    const bool took = carried.take(100, 0.2) && !carried.take(-1, 0.2) && !carried.take(0, std::nan(""));
    BoundaryPoint found = boundary.closest(above);
    carried.measure(boundary, above, found);
    good &= check(test::allocations == before, "measuring allocates");
    good &= check(took, "states are taken and refused");
    good &= check(std::abs(found.distance + 0.25) < 1e-7, "the table is asked");
    return good ? 0 : 1;
}
