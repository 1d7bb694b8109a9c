# SPDX-License-Identifier: LGPL-2.1-or-later
"""Capstan: a soft belt over half a drum whose rim turns is drawn on one side, e^{μ π} as taut there as on the other.

Friction acts half a thickness below the middle of the belt: μ π R / (R + t/2). Tensions are the judge's own, from the
stretch at the held ends.
"""

import judge
import numpy as np
import pytest
import zoo_runs
from zoo_scenes import scene

from softcontact.mesh import tetrahedral_box
from softcontact.scene import (
    Cylinder,
    Keyframes,
    KinematicBody,
    Material,
    SurfaceVelocity,
    TetrahedralBody,
    TetrahedralMesh,
)

RADIUS, THICK, WIDTH, LEGS = 0.05, 0.002, 0.01, 0.06  # [m]


def belt(around: int, along: int) -> tuple[TetrahedralBody, np.ndarray]:
    """A belt over the upper half of a drum about y, its ends held; and the number of each node's cross section."""
    cells = 2 * along + around
    mesh = tetrahedral_box((1.0, 1.0, 1.0), (cells, 1, 1), 5)
    nodes = np.array(mesh.nodes)
    nodes -= nodes.min(axis=0)
    s = np.rint(nodes[:, 0] * cells)  # number of the cross section
    middle = RADIUS + THICK / 2
    angle = np.pi * np.clip((s - along) / around, 0, 1)  # 0 at +x, π at −x
    leg = LEGS * (np.clip(along - s, 0, None) + np.clip(s - along - around, 0, None)) / along
    r = middle + (nodes[:, 2] - 0.5) * THICK
    x = np.column_stack([r * np.cos(angle), (nodes[:, 1] - 0.5) * WIDTH, r * np.sin(angle) - leg])
    fixed = np.flatnonzero((s == 0) | (s == cells))
    material = Material(young=2e5, poisson=0.3, rayleigh_mass=0.0, rayleigh_stiffness=0.02)
    shape = TetrahedralMesh(nodes=x.tolist(), tetrahedra=np.asarray(mesh.tetrahedra).tolist())
    return TetrahedralBody(name="belt", shape=shape, material=material, fixed_nodes=fixed.tolist()), s


@pytest.mark.parametrize("mode", ["aggregate", pytest.param("points", marks=pytest.mark.slow)])
@pytest.mark.parametrize("mu", [0.2, 0.4])
def test_tensions(mu, mode):
    around, along = 36, 8
    soft, sections = belt(around, along)
    soft = soft.model_copy(update={"friction": mu})
    turn = (np.sqrt(0.5), 0, 0, np.sqrt(0.5))  # the drum's axis along −y
    drum = KinematicBody(
        name="drum",
        shape=Cylinder(radius=RADIUS, height=0.03, segments=128, layers=1),
        position=(0, 0, -1e-4),
        orientation=turn,
        friction=mu,
    )
    lift = Keyframes(body="drum", times=(0, 0.3), positions=((0, 0, -1e-4), (0, 0, 0.004)))
    rim = SurfaceVelocity(body="drum", angular=(0, 0, 4.0))
    made = scene(
        [drum, soft],
        0.7,
        0.01,
        mode,
        gravity=(0, 0, 0),
        motions=[lift],
        surface_velocities=[rim],
        contact={"aggregation": "adaptive", "contact_offset": 0.0, "alarm_distance": 1e-3},
    )
    run = zoo_runs.run(made, every=20, limit=200.0)
    assert run.exit_code == 0, run.message
    tissue, x = judge.Tissue.of(soft), run["belt"].nodes[-1]
    assert np.abs(run["belt"].node_velocities[-1]).max() < 1e-3
    forces = tissue.forces(x)
    tensions = [np.linalg.norm(forces[sections == s].sum(axis=0)) for s in (0, 2 * along + around)]
    assert min(tensions) > 1e-3
    assert max(tensions) / min(tensions) == pytest.approx(
        np.exp(mu * np.pi * RADIUS / (RADIUS + THICK / 2)), rel=0.05
    )
