// SPDX-License-Identifier: LGPL-2.1-or-later
// A field on a beam of 189 nodes for tests: smooth modes, one of which bends it, and a load case a node.
#pragma once

#include <cmath>
#include <softcontact/vademecum/separated_field.hpp>

namespace test {

using namespace softcontact;

constexpr Index along = 21, across = 3, beam_nodes = along * across * across;

inline Index node_at(Index i, Index j, Index k)
{
    return (i * across + j) * across + k;
}

/// Nodes (3, 189) of a beam 400 × 40 × 40 mm along x.
inline Points beam_points()
{
    Points out(3, beam_nodes);
    for (Index i = 0; i < along; ++i) {
        for (Index j = 0; j < across; ++j) {
            for (Index k = 0; k < across; ++k) {
                out.col(node_at(i, j, k)) = 0.02 * Vector3d(double(i), double(j - 1), double(k - 1));
            }
        }
    }
    return out;
}

/// Its boundary, counter-clockwise from outside.
inline Triangles beam_triangles()
{
    std::vector<Eigen::Vector3i> found;
    const auto quad = [&](Index a, Index b, Index c, Index d) {
        found.emplace_back(int(a), int(b), int(c));
        found.emplace_back(int(a), int(c), int(d));
    };
    for (Index i = 0; i + 1 < along; ++i) {
        for (Index m = 0; m + 1 < across; ++m) {
            quad(node_at(i, m, 2), node_at(i + 1, m, 2), node_at(i + 1, m + 1, 2), node_at(i, m + 1, 2));
            quad(node_at(i, m, 0), node_at(i, m + 1, 0), node_at(i + 1, m + 1, 0), node_at(i + 1, m, 0));
            quad(node_at(i, 0, m), node_at(i + 1, 0, m), node_at(i + 1, 0, m + 1), node_at(i, 0, m + 1));
            quad(node_at(i, 2, m), node_at(i, 2, m + 1), node_at(i + 1, 2, m + 1), node_at(i + 1, 2, m));
        }
    }
    for (Index j = 0; j + 1 < across; ++j) {
        for (Index k = 0; k + 1 < across; ++k) {
            const Index end = along - 1;
            quad(node_at(0, j, k), node_at(0, j, k + 1), node_at(0, j + 1, k + 1), node_at(0, j + 1, k));
            quad(node_at(end, j, k), node_at(end, j + 1, k), node_at(end, j + 1, k + 1),
                 node_at(end, j, k + 1));
        }
    }
    Triangles out(3, static_cast<Index>(found.size()));
    for (std::size_t t = 0; t < found.size(); ++t) out.col(static_cast<Index>(t)) = found[t];
    return out;
}

/// `modes` shapes along the beam, the first of which is the deflection of a cantilever; each case is a
/// downward load of up to 1 at a node, the beam linear with a tip's compliance of 0.2 m.
inline SeparatedSolution beam_solution(Index modes)
{
    const Points points = beam_points();
    SeparatedSolution out;
    out.terms = 8;
    out.modes.setZero(modes, 3 * beam_nodes);
    out.amplitudes.setZero(modes, out.terms * beam_nodes);
    out.dent_starts.push_back(0);
    for (Index n = 0; n < beam_nodes; ++n) {
        const double x = points(0, n) / 0.4;
        out.modes(0, 3 * n + 2) = -x * x * (3.0 - x) / 2.0;
        for (Index m = 1; m < modes; ++m) out.modes(m, 3 * n + m % 3) = std::sin(double(m) * x) * x;
        out.amplitudes(0, out.terms * n) = 0.2 * x * x * (3.0 - x) / 2.0;
        for (Index m = 1; m < modes; ++m) out.amplitudes(m, out.terms * n) = 1e-5 * x / double(m);
        out.dent_nodes.push_back(n);
        out.dent_starts.push_back(n + 1);
    }
    out.dents.setZero(3, out.terms * beam_nodes);
    for (Index n = 0; n < beam_nodes; ++n) out.dents(2, out.terms * n) = -1e-4 * std::min(1.0, points(0, n));
    return out;
}

}  // namespace test
