# SPDX-License-Identifier: LGPL-2.1-or-later
"""What scenes share in which a tool on a haptic device touches soft tissue: paths of the device, tools."""

import warnings
from typing import Literal

import numpy as np

from softcontact.mesh import MeshError, anatomy, fill_surface, load_soup, load_tetrahedra, wrap_surface
from softcontact.mesh import TetrahedralMesh as MadeMesh
from softcontact.mesh.check import check_surface
from softcontact.scene.bodies import Material, TetrahedralBody
from softcontact.scene.errors import SceneError, SceneWarning
from softcontact.scene.measures import DeviceForceProbe, ProbeLimit
from softcontact.scene.shapes import Cylinder, Mesh, TetrahedralMesh

ORGAN_SIZES = (0.02, 0.5)  # m, largest side
DOWNWARD = (1.0, 0.0, 0.0, 0.0)  # half a turn about x: what points along z points down
Wrap = Literal["needed", "never", "always"]
RESOLUTION = 14  # lattice cells along an organ's largest side
FREE_FORCE = 0.02  # N, that a tool which touches nothing may still pull its device with


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


def scope_shape(radius: float, length: float) -> Mesh:
    """The rod of a hysteroscope, its tip at the origin, along z; see anatomy.scope.

    Args:
        radius, length: [m].
    """
    rod = anatomy.scope(radius, length)
    return Mesh(vertices=rod.vertices, triangles=rod.triangles)


def written(mesh: MadeMesh) -> TetrahedralMesh:
    """Tetrahedra written into the scene."""
    return TetrahedralMesh(nodes=mesh.nodes, tetrahedra=mesh.tetrahedra)


def organ(
    path: str | None, unit: str, resolution: int = RESOLUTION, wrap: Wrap = "needed", gap: float | None = None
) -> tuple[MadeMesh, tuple[str, ...]]:
    """Tetrahedra of an organ, its middle over the origin and its lowest point at z = 0.

    Args:
        path: a surface or tetrahedra in a file; None for the liver made in code.
        unit: length unit of the file.
        resolution: lattice cells along the largest side.
        wrap: whether a new surface is laid around the file's: where it is open or crosses itself, always or never.
        gap: widest opening that this bridges [m]; by default a cell.
    Returns:
        The tetrahedra, and what there is to say of how they were made; it is also given as a SceneWarning.
    Raises:
        SceneError: the file cannot be read, is no organ by its size, or cannot be filled; or it holds tetrahedra, which
            are taken as they are, and a lattice or a surface is asked for.
    """
    notes: tuple[str, ...] = ()
    try:
        if path is None:
            made = anatomy.liver(cell=anatomy.LIVER_LENGTH / resolution)
        else:
            made, notes = _from_file(path, unit, resolution, wrap, gap)
    except SceneError:
        raise
    except ValueError as error:
        raise SceneError(f"mesh: {error}") from None
    for note in notes:
        warnings.warn(note, SceneWarning, stacklevel=3)
    low, high = made.bounds
    middle = 0.5 * (low + high)
    return made.transformed(translation=np.array([-middle[0], -middle[1], -low[2]])), notes


def _from_file(
    path: str, unit: str, resolution: int, wrap: Wrap, gap: float | None
) -> tuple[MadeMesh, tuple[str, ...]]:
    try:
        made = load_tetrahedra(path, unit=unit, size_range=ORGAN_SIZES)
    except MeshError as error:
        if "a surface without tetrahedra" not in str(error):
            raise
    else:
        _check_untouched(path, {"resolution": resolution != RESOLUTION, "wrap": wrap == "always", "gap": gap})
        return made, ()
    surface = load_soup(path, unit=unit, size_range=ORGAN_SIZES)
    cell = float(surface.extent.max()) / resolution
    if wrap != "always":
        try:
            check_surface(surface.vertices, surface.triangles, surface.name)
            return fill_surface(surface, cell), ()
        except MeshError as error:
            if wrap == "never":
                raise MeshError(surface.name, error.defect, f"{error.remedy}; or give wrap=needed") from None
    made, report = wrap_surface(surface, cell, gap)
    return made, (f"{surface.name}: {'; '.join((*surface.report.notes, report.text()))}",)


def _check_untouched(path: str, asked: dict[str, object]) -> None:
    for name, value in asked.items():
        if value:
            raise SceneError(
                f"{name}: no effect on {path}, whose tetrahedra are taken as they are; leave it out"
            )


def highest(mesh: MadeMesh) -> tuple[float, float]:
    """Where its highest node lies, x and y [m]."""
    x, y, _ = mesh.nodes[np.argmax(mesh.nodes[:, 2])]
    return float(x), float(y)


def underside(mesh: MadeMesh) -> tuple[int, ...]:
    """Nodes of the surface that face down, more than sideways: where an organ lies in a bed that fits it."""
    surface, node_of = mesh.surface()
    normal = np.zeros_like(surface.vertices)
    weighted = surface.triangle_normals * surface.triangle_areas[:, None]
    for corner in range(3):
        np.add.at(normal, surface.triangles[:, corner], weighted)
    down = -normal[:, 2] > 0.7 * np.linalg.norm(normal, axis=1)
    return tuple(int(k) for k in np.sort(node_of[down]))


def summit(mesh: MadeMesh, x: float, y: float, radius: float) -> float:
    """Height of the highest node within a radius of (x, y) [m].

    Raises:
        SceneError: there is none.
    """
    near = np.hypot(mesh.nodes[:, 0] - x, mesh.nodes[:, 1] - y) <= radius
    if not near.any():
        raise SceneError(
            f"mesh: nothing of {mesh.name} lies under the tool at x = {x:g} m, y = {y:g} m; give another organ"
        )
    return float(mesh.nodes[near, 2].max())


class PivotPath(ProbePath):
    """Keyframes of a rod along z whose tip moves while its axis goes through a pivot behind the tip.

    Args:
        start: first position of the tip [m].
        pivot: point that the axis goes through [m].
        speed: of the tip [m/s] > 0.
    """

    _STEP = (
        0.001  # m between keyframes: between two, the axis passes the pivot by less than a hundredth of that
    )

    def __init__(
        self, start: tuple[float, float, float], pivot: tuple[float, float, float], speed: float
    ) -> None:
        super().__init__(start, speed)
        self._pivot = np.array(pivot)

    @property
    def orientations(self) -> list[tuple[float, ...]]:
        """Quaternions (k, 4), (x, y, z, w): the least turn that takes z to the direction from the pivot to the tip."""
        return [self._turn(np.array(position)) for position in self.positions]

    def to(self, position: tuple[float, ...], *, pace: float = 1.0) -> None:
        """Go to a position [m], at `pace` times the speed."""
        start = np.array(self.positions[-1])
        count = max(1, int(np.ceil(np.linalg.norm(position - start) / self._STEP)))
        for share in np.arange(1, count + 1) / count:
            super().to(tuple(start + share * (position - start)), pace=pace)

    def _turn(self, tip: np.ndarray) -> tuple[float, ...]:
        axis = (tip - self._pivot) / np.linalg.norm(tip - self._pivot)
        half = np.array([-axis[1], axis[0], 0.0, 1.0 + axis[2]])  # z × axis, 1 + z · axis
        return tuple(float(q) for q in half / np.linalg.norm(half))


def nearest_surface_vertex(mesh: MadeMesh, point: tuple[float, float, float]) -> int:
    """Number of the vertex of the body's surface that lies nearest to a point [m]."""
    surface, _ = mesh.surface()
    return int(np.argmin(np.linalg.norm(surface.vertices - np.array(point), axis=1)))


def organ_tissue(name: str, mesh: MadeMesh, young: float, **fixed: object) -> TetrahedralBody:
    """An organ of wet tissue that stiffens as it is pressed.

    Args:
        name: of the body.
        mesh: its tetrahedra.
        young: Young's modulus [Pa].
        fixed: what holds it: fixed_region or fixed_nodes.
    """
    material = Material(young=young, poisson=0.4, density=1050.0, stiffening=8.0)
    return TetrahedralBody(name=name, shape=written(mesh), material=material, role="organ", **fixed)


def force_probes(tool: str) -> list[DeviceForceProbe]:
    """Force of a tool's device upwards and along x."""
    return [
        DeviceForceProbe(name="force up", body=tool, axis="z"),
        DeviceForceProbe(name="force along", body=tool, axis="x"),
    ]


def pressed_then_free(pressed: float, free: float, least: float) -> list[ProbeLimit]:
    """Checks that the device feels the tissue, and nothing once the tool is lifted; see force_probes.

    Args:
        pressed: end of the time that it is held down [s]; the last 0.1 s count.
        free: when it has come to rest above the tissue [s].
        least: force while it is held down [N].
    """
    return [
        ProbeLimit(
            name="pressed", probe="force up", start=pressed - 0.1, end=pressed, reduce="min", minimum=least
        ),
        ProbeLimit(name="free again", probe="force up", start=free, reduce="largest", maximum=FREE_FORCE),
    ]
