# SPDX-License-Identifier: LGPL-2.1-or-later
"""What scenes share in which a tool on a haptic device touches soft tissue: paths of the device, tools."""

import numpy as np

from softcontact.mesh import anatomy
from softcontact.scene.shapes import Cylinder, Mesh, TetrahedralMesh

UPRIGHT_FORCE = 0.02  # N, that a tool which touches nothing may still pull its device with


class ProbePath:
    """Keyframes of a device that moves along straight lines at one speed.

    Args:
        start: first position [m].
        speed: [m/s] > 0.
    Attributes:
        times: (k,) [s].
        positions: (k, 3) [m].
    """

    def __init__(self, start: tuple[float, float, float], speed: float) -> None:
        self.times: list[float] = [0.0]
        self.positions: list[tuple[float, ...]] = [tuple(start)]
        self._speed = speed

    @property
    def start(self) -> tuple[float, ...]:
        """First position [m]."""
        return self.positions[0]

    @property
    def time(self) -> float:
        """End of what there is so far [s]."""
        return self.times[-1]

    def wait(self, duration: float) -> None:
        """Stay for a time [s] > 0."""
        self._add(duration, self.positions[-1])

    def move(self, x: float = 0.0, y: float = 0.0, z: float = 0.0, *, pace: float = 1.0) -> None:
        """Go on by (x, y, z) [m], at `pace` times the speed."""
        self.to(tuple(np.add(self.positions[-1], (x, y, z))), pace=pace)

    def to(self, position: tuple[float, ...], *, pace: float = 1.0) -> None:
        """Go to a position [m], at `pace` times the speed."""
        way = float(np.linalg.norm(np.subtract(position, self.positions[-1])))
        self._add(way / (pace * self._speed), position)

    def _add(self, duration: float, position: tuple[float, ...]) -> None:
        self.times.append(self.times[-1] + duration)
        self.positions.append(tuple(float(x) for x in position))


def lying_cylinder(radius: float, length: float) -> tuple[Cylinder, tuple[float, float, float, float]]:
    """A tool of 160 triangles (anatomy.haptic_cylinder) and the orientation in which it lies along y.

    Args:
        radius, length: [m].
    """
    return Cylinder(radius=radius, height=length, segments=16, layers=4, rings=1), (
        float(np.sqrt(0.5)),
        0.0,
        0.0,
        float(np.sqrt(0.5)),
    )


def scope_shape(radius: float) -> Mesh:
    """The rod of a hysteroscope, its tip at the origin, along z; see anatomy.scope.

    Args:
        radius: [m].
    """
    rod = anatomy.scope(radius)
    return Mesh(vertices=rod.vertices, triangles=rod.triangles)


def written(mesh: object) -> TetrahedralMesh:
    """A softcontact.mesh.TetrahedralMesh written into the scene."""
    return TetrahedralMesh(nodes=mesh.nodes, tetrahedra=mesh.tetrahedra)  # type: ignore[attr-defined]
