# SPDX-License-Identifier: LGPL-2.1-or-later
"""A stiff ball on a soft block with a fine middle: what Hertz, Cattaneo and Mindlin solved, in a scene.

Forces are the judge's own sums over the tetrahedra, not those of the contact code.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import judge
import numpy as np
import zoo_runs
from scipy.spatial.transform import Rotation
from zoo_scenes import scene

from softcontact.mesh import tetrahedral_box
from softcontact.scene import Keyframes, KinematicBody, Material, Sphere, TetrahedralBody, TetrahedralMesh

RADIUS, DEEP, WIDE = 0.02, 0.06, 0.06  # [m] of the ball, of the block, and half its width
YOUNG, POISSON, FRICTION = 1e5, 0.3, 0.5


def block(cells: int = 12) -> TetrahedralBody:
    """A soft block below z = 0, its cells finest under the origin; its bottom and sides are held."""
    mesh = tetrahedral_box((2.0, 2.0, 1.0), (cells, cells, cells // 2 + 1), 5)
    nodes = np.array(mesh.nodes)
    nodes -= 0.5 * (nodes.max(axis=0) + nodes.min(axis=0))
    grade = 2.5
    side = np.sinh(grade * nodes[:, :2]) / np.sinh(grade)
    depth = nodes[:, 2] - 0.5  # 0 to −1
    nodes = np.column_stack([WIDE * side, DEEP * np.sinh(grade * depth) / np.sinh(grade)])
    held = np.flatnonzero((nodes[:, 2] < -DEEP + 1e-9) | (np.abs(nodes[:, :2]).max(axis=1) > WIDE - 1e-9))
    material = Material(young=YOUNG, poisson=POISSON, rayleigh_mass=0.0, rayleigh_stiffness=0.01)
    shape = TetrahedralMesh(nodes=nodes.tolist(), tetrahedra=np.asarray(mesh.tetrahedra).tolist())
    return TetrahedralBody(
        name="block", shape=shape, material=material, friction=FRICTION, fixed_nodes=held.tolist()
    )


@dataclass
class Indentation:
    """A run in which a ball is pressed down, moved aside and turned, and what the block bore at its moments.

    Attributes:
        run: of the scene.
        down: depth of the ball's lowest point (n,) [m].
        aside: its way along x since it was pressed (n,) [m].
    """

    run: zoo_runs.Run
    tissue: judge.Tissue
    fixed: np.ndarray

    @property
    def down(self) -> np.ndarray:
        return RADIUS - self.run["ball"].poses[:, 2]

    @property
    def aside(self) -> np.ndarray:
        return self.run["ball"].poses[:, 0]

    @cached_property
    def loads(self) -> np.ndarray:
        """Load on each free node at each moment, from elastic forces alone (n, k, 3) [N]; the held ones have none."""
        loads = np.array([-self.tissue.forces(x) for x in self.run["block"].nodes])
        loads[:, self.fixed] = 0.0
        return loads

    @property
    def force(self) -> np.ndarray:
        """Load on the block (n, 3) [N]."""
        return self.loads.sum(axis=1)

    def torque(self) -> np.ndarray:
        """Torque on the block about the ball's axis (n,) [N m]."""
        arm = self.run["block"].nodes - self.run["ball"].poses[:, None, :3]
        return np.cross(arm, self.loads).sum(axis=1)[:, 2]

    def pressures(self, at: int) -> tuple[np.ndarray, np.ndarray]:
        """Distance from the axis [m] and pressure [Pa] at the loaded surface nodes, each over its share of area."""
        rest = self.run["block"].nodes[0]
        surface, numbers = judge.tetrahedral_mesh(self.run.scene.body("block").shape).surface()
        numbers, triangles = np.asarray(numbers), np.asarray(surface.triangles)
        corners = self.run["block"].nodes[at][numbers][triangles]
        areas = np.zeros(len(rest))
        share = (
            0.5
            * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
            / 3
        )
        np.add.at(areas, numbers[triangles], share[:, None])
        load = -self.loads[at][:, 2]
        found = np.flatnonzero((np.abs(rest[:, 2]) < 1e-12) & (load > 1e-3 * load.max()))
        place = self.run["block"].nodes[at][found] - self.run["ball"].poses[at, :3]
        return np.hypot(place[:, 0], place[:, 1]), load[found] / areas[found]


def press(
    depth: float,
    aside: float = 0.0,
    turn: float = 0.0,
    mode: str = "points",
    h: float = 0.02,
    friction=FRICTION,
    cells: int = 12,
) -> Indentation:
    """Press the ball in, then move it aside along x and turn it about z, slowly."""
    soft = block(cells).model_copy(update={"friction": friction, "aggregate": mode == "aggregate"})
    ball = KinematicBody(
        name="ball", shape=Sphere(radius=RADIUS, frequency=32), position=(0, 0, RADIUS), friction=friction
    )
    end = 0.6 if aside or turn else 0.3
    turns = [(0, 0, 0, 1.0)] * 2 + [tuple(Rotation.from_euler("z", turn).as_quat())]
    motion = Keyframes(
        body="ball",
        times=(0, 0.3, 0.6),
        positions=((0, 0, RADIUS), (0, 0, RADIUS - depth), (aside, 0, RADIUS - depth)),
        orientations=turns,
    )
    made = scene(
        [soft, ball],
        end + 0.05,
        h,
        mode,
        gravity=(0, 0, 0),
        motions=[motion],
        contact={"contact_offset": 0.0, "alarm_distance": 1e-3},
    )
    run = zoo_runs.run(made, limit=120.0)
    fixed = np.array(soft.fixed_nodes)
    return Indentation(run, judge.Tissue.of(soft), fixed)


def hertz_force(depth):
    """4/3 E* √R d^1.5 [N], Johnson 1985, Eq. (4.23)."""
    return 4 / 3 * YOUNG / (1 - POISSON**2) * np.sqrt(RADIUS) * np.asarray(depth) ** 1.5
