# SPDX-License-Identifier: LGPL-2.1-or-later
"""Vademecums of a coarse Stanford bunny against full finite elements: loads of any direction, and whose modes count."""

import dataclasses

import numpy as np
import pytest

pytest.importorskip("h5py", reason="h5py is missing")

from softcontact.parallel import Workers
from softcontact.vademecum import FullOrderSolver, PointLoad, Solid, build
from softcontact.vademecum.offline import OfflineBuild
from softcontact.vademecum.stock import _quick_bunny


@pytest.fixture(scope="module")
def model():
    return _quick_bunny()


def inward_normals(mesh):
    """Unit, into the solid, at the boundary's nodes (n, 3), weighed by the area of the triangles around."""
    nodes, triangles = mesh.nodes, mesh.boundary[1]
    a, b, c = (nodes[triangles[:, k]] for k in range(3))
    out = np.zeros_like(nodes)
    for k in range(3):
        np.add.at(out, triangles[:, k], -np.cross(b - a, c - a))
    return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-30)


def test_forces_along_the_surface_normal_are_answered_by_three_families(model):
    """A vertical family alone misses most of what a force into a flank does."""
    some = model.load.nodes[:4]
    load = PointLoad(model.load.magnitude, ((0.0, 0.0, -1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), some)
    options = dataclasses.replace(model.options, modes=12, sample=None)
    made = build(model.mesh, model.material, load, clamped=model.clamped, options=options)
    solid, normals = made.cases.solid, inward_normals(model.mesh)
    solver = FullOrderSolver(solid)
    upright = []
    for node in some:
        for share in (0.1, 1.0):
            forces = np.zeros_like(normals)
            forces[node] = share * load.magnitude * normals[node]
            full = solid.expand(solver.solve(solid.restrict(forces)))
            largest = np.linalg.norm(full, axis=1).max()
            found = made.displacement_under(node, forces[node])
            assert np.linalg.norm(found - full, axis=1).max() < 0.02 * largest
            vertical = made.displacement_under(node, forces[node] * [0.0, 0.0, 1.0])
            upright.append(np.linalg.norm(vertical - full, axis=1).max() / largest)
    assert max(upright) > 0.5


def test_modes_are_found_from_the_cases_that_give_way_most_too(model):
    """Middles of groups of near places leave the tips of ears out, where the bunny is bent farthest."""
    cases = PointLoad(model.load.magnitude).cases(Solid(model.mesh, model.material, model.clamped))
    build_ = OfflineBuild(cases, dataclasses.replace(model.options, sample=20), Workers())
    solid = cases.solid
    moved = np.linalg.solve(solid.tangent(np.zeros(solid.size)).toarray(), cases.forces().T).T
    compliance = np.sum(moved * cases.forces(), axis=1)
    assert 20 < len(build_.sample) < 45
    assert set(np.argsort(-compliance)[:2]) <= set(build_.sample.tolist())
    spread = cases.solid.mesh.nodes[cases.nodes[build_.sample]]
    assert (np.ptp(spread, axis=0) > 0.7 * np.ptp(cases.solid.mesh.nodes, axis=0)).all()
    everyone = OfflineBuild(cases, dataclasses.replace(model.options, sample=None), Workers())
    np.testing.assert_array_equal(everyone.sample, np.arange(cases.count))
