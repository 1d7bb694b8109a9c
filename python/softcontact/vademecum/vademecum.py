# SPDX-License-Identifier: LGPL-2.1-or-later
"""The vademecum itself: what it was built for, its separated solution, its certificate, its file."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import warnings
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact.bodies.material import Material
from softcontact.parallel import Workers
from softcontact.vademecum.boundary_distance import BoundaryDistance
from softcontact.vademecum.build_state import BuildState, LogRow
from softcontact.vademecum.certificate import Certificate, certify
from softcontact.vademecum.directions import family_sizes
from softcontact.vademecum.distance import Between, GridDistance, tabulate_distance
from softcontact.vademecum.offline import BuildOptions, OfflineBuild
from softcontact.vademecum.point_load import LoadCases, PointLoad
from softcontact.vademecum.separated import SeparatedSolution, separate
from softcontact.vademecum.separated_distance import separate_distance
from softcontact.vademecum.solid import Solid
from softcontact.vademecum.solid_mesh import SolidMesh
from softcontact.vademecum.volume import truncated, volumes

__all__ = ["Vademecum", "VademecumWarning", "build"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

DistanceMethod = Literal["exact", "trilinear", "nearest", "blend"]


class VademecumWarning(UserWarning):
    """A question outside what the vademecum was built or certified for."""


@dataclasses.dataclass(frozen=True)
class Vademecum:
    """A precomputed solution of a solid under a point load.

    Attributes:
        cases: solid and loads.
        solution: the displacements, separated.
        options: how it was built.
        log: residual and energy error as modes came.
        certificate: errors against full-order solutions; None before `certified`.
        distance_field: distances to the deformed boundary; None before `with_distance`.
    """

    cases: LoadCases
    solution: SeparatedSolution
    options: BuildOptions
    log: list[LogRow]
    certificate: Certificate | None = None
    distance_field: GridDistance | None = None

    @property
    def mesh(self) -> SolidMesh:
        """The mesh that it was built on."""
        return self.cases.solid.mesh

    def case(self, node: int, family: int = 0) -> int:
        """Number of the load case of a node and a family of directions.

        Raises:
            ValueError: a node that is clamped, inside or no node; or no such family.
        """
        nodes = self.cases.nodes
        if not 0 <= family < len(self.cases.directions):
            raise ValueError(f"family: {family}, expected 0 to {len(self.cases.directions) - 1}")
        if isinstance(node, float | np.floating) and not float(node).is_integer():
            raise ValueError(f"node: {node}, expected the number of a node")
        place = int(np.searchsorted(nodes, node))
        if place == len(nodes) or nodes[place] != node:
            if not 0 <= node < len(self.mesh.nodes):
                why = f"no node of the mesh, which has 0 … {len(self.mesh.nodes) - 1}"
            elif node in self.cases.solid.clamped:
                why = "clamped"
            else:
                why = "not among the nodes that may be loaded (free boundary nodes)"
            raise ValueError(f"node: {node} is {why}")
        return family * len(nodes) + place

    def displacement(self, node: int, scale: float = 1.0, family: int = 0) -> FloatArray:
        """Displacements (n, 3) [m] of all nodes under a load at a node.

        Args:
            node: a loaded node.
            scale: share of the largest force. Outside [0, 1] the answer goes on along its tangent, with a warning.
            family: which direction.
        Raises:
            ValueError: see `case`; or a scale that is not finite.
        """
        case = self.case(node, family)
        if not np.isfinite(scale):
            raise ValueError(f"scale: {scale}, expected a finite share of the largest force")
        low, high = 0.0, 1.0
        if self.certificate is not None and scale != 0.0:
            low, high = float(self.certificate.sizes[0]), float(self.certificate.sizes[-1])
        if not low <= scale <= high:
            word = "built" if self.certificate is None else "certified"
            warnings.warn(
                f"scale {scale:g} is outside the {word} range {low:g} … {high:g} of the load",
                VademecumWarning,
                stacklevel=2,
            )
        return self.solution.displacement(case, float(scale))

    def displacement_under(self, node: int, force: ArrayLike) -> FloatArray:
        """Displacements (n, 3) [m] of all nodes under a force (3,) [N] of any direction at a node.

        Superposed from the families that make it up: exact along one of them and for small loads, a predictor for
        large ones, as several loads are.

        Raises:
            ValueError: see `case`; a force that is not finite, or that the families' directions do not span.
        """
        self.case(node)
        out = np.zeros_like(self.mesh.nodes)
        for family, size in family_sizes(self.cases.directions, force, self.cases.magnitude):
            out += self.solution.displacement(self.case(node, family), size)
        return out

    def truncated(self, modes: int) -> SeparatedSolution:
        """The solution with fewer modes; one of them keeps the volume of every case.

        Raises:
            ValueError: more modes than there are, or none.
        """
        return truncated(self.solution, self.cases.solid, modes)

    def certified(
        self, *, tell: Callable[[int, int], None] = lambda done, total: None, **chosen: ArrayLike
    ) -> Vademecum:
        """The same with a certificate; see softcontact.vademecum.certify for the keywords."""
        return dataclasses.replace(self, certificate=certify(self.cases, self.solution, tell=tell, **chosen))

    def with_distance(
        self,
        counts: tuple[int, int, int],
        *,
        sizes: ArrayLike = (1.0,),
        compress: float | None = None,
        **options: Any,
    ) -> Vademecum:
        """The same with a distance field; see softcontact.vademecum.tabulate_distance.

        Args:
            compress: keep it in separated form, with errors of at most this share of a cell's diagonal, in (0, 1);
                see softcontact.vademecum.separate_distance. None means one value a state and grid point.
        Raises:
            ValueError: a value out of range.
        """
        if compress is not None and not 0.0 < compress < 1.0:
            raise ValueError(f"compress: {compress}, expected a share of a cell's diagonal in (0, 1)")
        field = tabulate_distance(self.cases, self.solution, counts=counts, sizes=sizes, **options)
        kept = field if compress is None else separate_distance(field, tolerance=compress)
        return dataclasses.replace(self, distance_field=kept)

    def distance(
        self,
        points: ArrayLike,
        node: int,
        scale: float = 1.0,
        family: int = 0,
        *,
        method: DistanceMethod = "exact",
    ) -> FloatArray:
        """Signed distances (k,) [m] of points (k, 3) [m] to the boundary deformed by a load, negative inside.

        Args:
            method: "exact", to the nearest triangle, at any scale; or from the distance field, see
                DistanceField.distance: "trilinear" at tabulated scales alone, "nearest" at the nearest one of them,
                "blend" between the two around, see DistanceField.state.
        Raises:
            ValueError: a node that cannot be loaded, a scale that is not finite, points of another shape; with
                another method also no distance field, or with "trilinear" a scale that is not tabulated.
        """
        if self._is_exact(method):
            self._exact.load([node], scale, family)
            return self._exact.distance(points)
        return self._field().distance(points, self.case(node, family), scale, _between(method))

    def contacts(
        self,
        pointshell: ArrayLike,
        node: int,
        scale: float = 1.0,
        family: int = 0,
        *,
        method: DistanceMethod = "exact",
    ) -> tuple[IntArray, FloatArray, FloatArray]:
        """Points inside the solid deformed by a load.

        Args:
            pointshell: points of the other body (k, 3) [m].
            method: as for `distance`.
        Returns:
            Their numbers (c,), depths (c,) [m] > 0, and unit normals (c, 3) out of the solid.
        Raises:
            ValueError: as for `distance`.
        """
        if self._is_exact(method):
            self._exact.load([node], scale, family)
            return self._exact.contacts(pointshell)
        return self._field().contacts(pointshell, self.case(node, family), scale, _between(method))

    @cached_property
    def _exact(self) -> BoundaryDistance:
        return BoundaryDistance(self, capacity=1)

    @staticmethod
    def _is_exact(method: str) -> bool:
        if method not in get_args(DistanceMethod):
            raise ValueError(f"method: {method!r}, expected one of {', '.join(get_args(DistanceMethod))}")
        return method == "exact"

    def _field(self) -> GridDistance:
        if self.distance_field is None:
            raise ValueError("distance: this vademecum has no distance field; make one by with_distance")
        return self.distance_field

    def save(self, path: Path | str) -> None:
        """Write the file, whole or not at all.

        Raises:
            OSError: it cannot be written.
        """
        from softcontact.vademecum.file import write

        write(self, Path(path))

    @classmethod
    def load(cls, path: Path | str, mesh: SolidMesh | None = None) -> Vademecum:
        """Read a file.

        Args:
            mesh: the mesh it must be for; None takes that of the file.
        Raises:
            VademecumFileError: no such file, not whole, of another version, or for another mesh.
        """
        from softcontact.vademecum.file import read

        return read(Path(path), mesh)


def _between(method: DistanceMethod) -> Between:
    return method if method == "nearest" or method == "blend" else "refuse"


def build(
    mesh: SolidMesh,
    material: Material,
    load: PointLoad,
    *,
    clamped: ArrayLike,
    options: BuildOptions | None = None,
    progress: Callable[[int, int, LogRow | None], None] | None = None,
    checkpoint: Path | str | None = None,
    out: Path | str | None = None,
    workers: Workers | None = None,
) -> Vademecum:
    """Build a vademecum without full-order solutions.

    Args:
        mesh: tetrahedra or hexahedra.
        material: St Venant-Kirchhoff, without stiffening.
        load: which forces at which nodes.
        clamped: nodes that do not move.
        options: how finely; None means BuildOptions().
        progress: called with the pieces done, all pieces, and the last row of the log.
        checkpoint: a file that holds what is done after each piece. Where it is there already, the build goes on
            from it, to the same result to the last bit; it is removed in the end.
        out: a file that the result is written to before the checkpoint is removed.
        workers: who computes; None means this process. The result is the same to the last bit.
    Raises:
        ValueError: wrong input, or a checkpoint of another build.
        BuildError: a case finds no equilibrium.
        WorkersLost: a worker process was killed.
        OSError: checkpoint or result cannot be written; what was done up to the last checkpoint is kept there.
    """
    options = options or BuildOptions()
    solid = Solid(mesh, material, clamped)
    cases = load.cases(solid)
    work = OfflineBuild(cases, options, workers or Workers())
    key = _key(cases, options)
    place = None if checkpoint is None else Path(checkpoint)
    state = BuildState.load(place, key) if place is not None and place.exists() else work.start()
    done = state.done

    def tell(row: LogRow | None) -> None:
        if progress is not None:
            progress(done, work.pieces, row)

    tell(None)
    while state.done < work.pieces:
        state = work.advance(state, tell)
        done = state.done
        if place is not None:
            state.save(place, key)
        tell(None)
    whole = separate(work, state)
    wanted = volumes(whole, solid) + np.array(state.missing_volumes).T
    few = truncated(whole, solid, min(options.modes, whole.count), wanted)
    result = Vademecum(cases, few, options, state.log)
    if out is not None:
        result.save(out)
    if place is not None:
        place.unlink(missing_ok=True)
    return result


def _key(cases: LoadCases, options: BuildOptions) -> str:
    """Tells builds apart whose results differ."""
    solid = cases.solid
    parts = {
        "mesh": solid.mesh.hash,
        "material": [solid.material.young_modulus, solid.material.poisson_ratio],
        "clamped": solid.clamped.tolist(),
        "nodes": cases.nodes.tolist(),
        "directions": cases.directions.tolist(),
        "magnitude": cases.magnitude,
        "options": dataclasses.asdict(options),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
