// SPDX-License-Identifier: LGPL-2.1-or-later
// A correction of several loads allocates nothing, and keeps its tangent from one question to the next.
#include <cstdio>
#include <softcontact/vademecum/corrected_field.hpp>

#include "beam_vademecum.hpp"
#include "counted_allocations.hpp"

namespace {

using namespace softcontact;

bool check(bool holds, const char* what)
{
    if (!holds) std::fprintf(stderr, "failed: %s\n", what);
    return holds;
}

/// One hexahedron of the beam a cell, with one quadrature point at its middle.
SolidCells beam_cells()
{
    SolidCells out;
    out.points = 1;
    out.law = {1e9, 1e9};
    for (Index i = 0; i + 1 < test::along; ++i) {
        for (Index j = 0; j + 1 < test::across; ++j) {
            for (Index k = 0; k + 1 < test::across; ++k) {
                for (int a = 0; a < 8; ++a) {
                    out.nodes.push_back(test::node_at(i + (a & 1), j + (a >> 1 & 1), k + (a >> 2)));
                    for (int c = 0; c < 3; ++c) out.gradients.push_back((a >> c & 1) != 0 ? 12.5 : -12.5);
                }
                out.weights.push_back(8e-6);
            }
        }
    }
    return out;
}

bool corrections()
{
    constexpr Index modes = 9;
    const SeparatedField field(test::beam_solution(modes));
    const SolidCells cells = beam_cells();
    MatrixXd gradients = MatrixXd::Zero(modes, 9 * cells.count());
    for (Index c = 0; c < cells.count(); ++c) {
        for (Index a = 0; a < 8; ++a) {
            const auto corner = static_cast<std::size_t>(8 * c + a);
            for (int i = 0; i < 3; ++i) {
                for (int j = 0; j < 3; ++j) {
                    gradients.col(9 * c + 3 * i + j) +=
                        field.solution().modes.col(3 * cells.nodes[corner] + i) *
                        cells.gradients[3 * corner + static_cast<std::size_t>(j)];
                }
            }
        }
    }
    LoadedField loaded(field, 3);
    std::vector<Index> nodes, points;
    for (Index c = 0; c < cells.count(); ++c) points.push_back(c);
    Points forces(3, test::beam_nodes);
    for (Index n = 0; n < test::beam_nodes; ++n) {
        nodes.push_back(n);
        forces.col(n) = -10.0 * Vector3d::UnitZ();
    }
    CorrectedField corrected(loaded,
                             ReducedSolid(gradients, VectorXd::Constant(cells.count(), 8e-6), 1e9, 1e9),
                             points, cells, forces, nodes, CorrectionSettings{60, 1e-6});
    const Index cases[3] = {test::node_at(20, 1, 2), test::node_at(10, 0, 2), test::node_at(15, 2, 0)};
    int converged = 0, tangents = 0;
    test::allocations = 0;
    for (int i = 0; i < 50; ++i) {
        const double sizes[3] = {0.01 + 0.0001 * i, 0.02, 0.01};
        const CorrectionStatus status = corrected.load(cases, sizes);
        converged += status.converged ? 1 : 0;
        tangents += status.tangents;
    }
    const long counted = test::allocations;
    std::printf("corrections: %d of 50 converged, %d tangents, allocations %ld\n", converged, tangents,
                counted);
    bool good = check(counted == 0, "no correction allocates");
    good = check(converged == 50, "corrections converge") && good;
    return check(tangents < 100, "tangents are kept") && good;
}

}  // namespace

int main()
{
    const bool counted = check(test::allocations > 0, "allocations are counted");
    return corrections() && counted ? 0 : 1;
}
