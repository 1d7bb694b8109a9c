# SPDX-License-Identifier: LGPL-2.1-or-later
"""St Venant-Kirchhoff solids against independent finite elements, finite differences and closed forms."""

import json
from pathlib import Path

import numpy as np
import pytest

from softcontact.bodies import Material
from softcontact.vademecum import EquilibriumError, FullOrderSolver, Solid, SolidMesh

REFERENCE = json.loads((Path(__file__).parent / "data" / "beam_svk.json").read_text())
STEEL = Material(209e9, 0.3)
LOADED = {"A_end_face_centre": (0.4, 0.0, 0.0), "C_midspan_top": (0.2, 0.0, 0.02)}
PROBES = {
    "nl_end_centre": (0.4, 0.0, 0.0),
    "nl_end_bottom_mid": (0.4, 0.0, -0.02),
    "nl_end_top_mid": (0.4, 0.0, 0.02),
    "nl_mid_centre": (0.2, 0.0, 0.0),
}


def node_at(mesh, place):
    return int(np.argmin(np.linalg.norm(mesh.nodes - place, axis=1)))


def beam(mesh):
    return Solid(mesh, STEEL, np.flatnonzero(mesh.nodes[:, 0] < 1e-9))


def hexahedra():
    return SolidMesh.block((0.4, 0.04, 0.04), (20, 2, 2))


def tetrahedra():
    skfem = pytest.importorskip("skfem")
    side = np.linspace(-0.02, 0.02, 3)
    mesh = skfem.MeshTet.init_tensor(np.linspace(0.0, 0.4, 21), side, side)
    return SolidMesh(mesh.p.T, mesh.t.T)


@pytest.mark.parametrize("case", LOADED)
@pytest.mark.parametrize("name, make", [("hex8_20x2x2", hexahedra), ("tet4_20x2x2", tetrahedra)])
def test_the_bent_beam_is_that_of_independent_finite_elements(name, make, case):
    solid = beam(make())
    load = np.zeros_like(solid.mesh.nodes)
    load[node_at(solid.mesh, LOADED[case]), 2] = -1e6
    found = 1e3 * solid.expand(FullOrderSolver(solid).solve(solid.restrict(load)))
    for probe, place in {"nl_at_load": LOADED[case], **PROBES}.items():
        node = node_at(solid.mesh, place)
        np.testing.assert_allclose(
            found[node], REFERENCE[name][case][probe], rtol=0.0, atol=1e-6, err_msg=probe
        )


@pytest.mark.parametrize("make", [hexahedra, tetrahedra])
def test_force_and_tangent_are_derivatives_of_the_energy(make):
    solid = beam(make())
    random = np.random.default_rng(1)
    values, direction = 1e-3 * random.standard_normal((2, solid.size))
    step = 1e-4
    near = np.array([values + step * direction, values - step * direction])
    slope = np.diff(solid.energy(near)[::-1])[0] / (2 * step)
    assert slope == pytest.approx(solid.force(values[None])[0] @ direction, rel=1e-4)
    change = (solid.force(near)[0] - solid.force(near)[1]) / (2 * step)
    # the force is cubic: what is left of the difference is its third derivative, exactly step² times a constant
    half = np.array([values + step / 2 * direction, values - step / 2 * direction])
    finer = (solid.force(half)[0] - solid.force(half)[1]) / step
    tangent = solid.tangent(values)
    np.testing.assert_allclose(
        tangent @ direction, (4 * finer - change) / 3, rtol=0.0, atol=1e-7 * abs(change).max()
    )
    assert abs(tangent - tangent.T).max() < 1e-12 * abs(tangent).max()


@pytest.mark.parametrize("make", [hexahedra, tetrahedra])
def test_rigid_motion_costs_no_energy_and_a_stretch_its_closed_form(make):
    mesh = make()
    solid = Solid(mesh, STEEL, np.arange(3))
    everything = np.zeros((1, len(mesh.nodes), 3))
    turn = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])
    solid.clamped = np.array([], dtype=int)  # all move
    solid.free = np.arange(mesh.nodes.size)
    everything[0] = mesh.nodes @ turn.T + [0.1, 0.2, 0.3] - mesh.nodes
    assert solid.energy(solid.restrict(everything))[0] < 1e-12 * STEEL.young_modulus * mesh.volume()
    stretch = 1.3
    everything[0] = mesh.nodes * [stretch - 1.0, 0.0, 0.0]
    strain = 0.5 * (stretch**2 - 1.0)
    density = 0.5 * (STEEL.lame_lambda + 2.0 * STEEL.shear_modulus) * strain**2
    assert solid.energy(solid.restrict(everything))[0] == pytest.approx(
        density * 0.4 * 0.04 * 0.04, rel=1e-12
    )
    assert mesh.volume(everything[0]) == pytest.approx(stretch * 0.4 * 0.04 * 0.04, rel=1e-12)


def test_equilibria_along_a_load_are_those_of_each_size_alone():
    solid = beam(SolidMesh.block((0.4, 0.04, 0.04), (8, 1, 1)))
    load = np.zeros_like(solid.mesh.nodes)
    load[node_at(solid.mesh, (0.4, 0.02, 0.02)), 2] = -1e6
    load = solid.restrict(load)
    solver = FullOrderSolver(solid)
    path = solver.path(load, [0.3, 1.0])
    for size, values in zip((0.3, 1.0), path.values, strict=True):
        np.testing.assert_allclose(values, solver.solve(size * load), rtol=0.0, atol=1e-10)
        np.testing.assert_allclose(solid.force(values[None])[0], size * load, rtol=0.0, atol=1e-3)


def test_a_load_that_the_solver_cannot_follow_is_told():
    solid = beam(SolidMesh.block((0.4, 0.04, 0.04), (8, 1, 1)))
    load = np.zeros_like(solid.mesh.nodes)
    load[node_at(solid.mesh, (0.4, 0.02, 0.02)), 2] = -1e6
    hurried = FullOrderSolver(solid, max_iterations=2, smallest_increment=0.1)
    with pytest.raises(EquilibriumError, match=r"no equilibrium beyond 0\.0000 of the load"):
        hurried.solve(solid.restrict(load))


def test_wrong_meshes_and_solids_are_refused():
    block = SolidMesh.block((1.0, 1.0, 1.0), (1, 1, 1))
    with pytest.raises(ValueError, match="cell 0 is flat or inside out"):
        SolidMesh(block.nodes, block.cells[:, [4, 5, 6, 7, 0, 1, 2, 3]])
    with pytest.raises(ValueError, match="not in 0 … 7"):
        SolidMesh(block.nodes, block.cells + 1)
    with pytest.raises(ValueError, match="in no cell"):
        SolidMesh(np.vstack([block.nodes, [[2.0, 0.0, 0.0]]]), block.cells)
    with pytest.raises(ValueError, match="clamp three or more"):
        Solid(block, STEEL, [0, 1])
    with pytest.raises(ValueError, match="stiffening"):
        Solid(block, Material(1e5, 0.3, stiffening=2.0), [0, 1, 2])
    moved = block.nodes.copy()
    moved[0, 0] += 1e-12
    assert SolidMesh(moved, block.cells).hash != block.hash
    assert SolidMesh(block.nodes, block.cells).hash == block.hash
