# SPDX-License-Identifier: LGPL-2.1-or-later
"""Vademecums that scenes need, built on first use and kept in the user's cache folder."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from softcontact import _core
from softcontact.mesh import bunny
from softcontact.mesh.level_set import fill_level_set
from softcontact.vademecum import models
from softcontact.vademecum.build_state import LogRow
from softcontact.vademecum.file import VERSION, VademecumFileError
from softcontact.vademecum.offline import BuildOptions
from softcontact.vademecum.point_load import PointLoad
from softcontact.vademecum.solid_mesh import SolidMesh
from softcontact.vademecum.vademecum import Vademecum, build
from softcontact.whole_file import claimed, refusal, remove_rests

__all__ = ["beam_file", "bunny_file", "cache_folder"]

PAPER_GRID = (42, 26, 61)
_LOOK_S = 0.5  # after so long, whether another process is done
_COARSE = (8, 1, 1)  # cells of the quick beam
_CELL, _LOADED = (
    0.012,
    16,
)  # of the quick bunny: edge of its cells [m], every which boundary node may be loaded


def cache_folder() -> Path:
    """Where built vademecums are kept: SOFTCONTACT_CACHE, or the system's folder for such things."""
    chosen = os.environ.get("SOFTCONTACT_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "softcontact"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "softcontact" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "softcontact"


def beam_file(
    *, quick: bool = False, grid: bool = False, tell: Callable[[str], None] = lambda text: None
) -> Path:
    """The paper's beam as a vademecum file, built where it is not there yet.

    Args:
        quick: 8 × 1 × 1 cells and 12 modes instead of 20 × 2 × 2 and 81: seconds instead of minutes, and far stiffer
            than the beam is, for such cells lock in bending. For trying things out.
        grid: with the distance field of 42 × 26 × 61 points at full load.
        tell: called with words on what takes time.
    Raises:
        OSError: the cache folder cannot be written.
    Source: González et al. 2015, Sec. 4.1.
    """
    model, options = models.beam(), BuildOptions()
    if quick:
        mesh = SolidMesh.block((0.4, 0.04, 0.04), _COARSE)
        model = models.Model(mesh, model.material, models.nodes_where(mesh, "x < 1e-9"), PointLoad(1e6))
        options = BuildOptions(modes=12, tolerance=1e-2, sizes=4)
    return _built("beam", quick, model, options, tell, PAPER_GRID if grid else None)


def bunny_file(*, quick: bool = False, tell: Callable[[str], None] = lambda text: None) -> Path:
    """The paper's bunny as a vademecum file, built where it is not there yet.

    Args:
        quick: of 12 mm cells, which take the tips of the ears off, with some ten loaded nodes and 6 modes: seconds
            instead of some minutes. For trying things out.
        tell: called with words on what takes time.
    Raises:
        OSError: the cache folder cannot be written.
    Source: González et al. 2015, Sec. 4.3.
    """
    model = _quick_bunny() if quick else models.bunny()
    return _built("bunny", quick, model, model.options, tell)


def _quick_bunny() -> models.Model:
    surface = bunny(models.BUNNY_HEIGHT, coarse=True)
    core = _core.Surface(surface.vertices, surface.triangles)
    low, high = surface.bounds
    read = fill_level_set(
        lambda points: core.signed_distance(points)[0], low - 0.5 * _CELL, high + 0.5 * _CELL, _CELL, "bunny"
    )
    mesh = SolidMesh(read.nodes, read.tetrahedra)
    clamped = np.flatnonzero(mesh.nodes[:, 2] < mesh.nodes[:, 2].min() + models.BUNNY_FOOT)
    free = np.setdiff1d(mesh.boundary[0], clamped)
    loaded = free[np.argsort(-mesh.nodes[free, 2], kind="stable")][::_LOADED]  # the highest one first
    whole = models.bunny()
    load = PointLoad(whole.load.magnitude, nodes=tuple(loaded.tolist()))
    options = BuildOptions(modes=6, tolerance=1e-2, sizes=3, stages=1, sample=6)
    return models.Model(mesh, whole.material, clamped, load, options)


def _built(
    name: str,
    quick: bool,
    model: models.Model,
    options: BuildOptions,
    tell: Callable[[str], None],
    grid: tuple[int, int, int] | None = None,
) -> Path:
    """The file in the cache folder; built where there is none, or none that is whole, and given the grid it lacks.

    Raises:
        OSError: it cannot be written.
    """
    key = [
        VERSION,
        model.mesh.hash,
        repr(model.material),
        repr(model.load),
        repr(options),
        model.clamped.tolist(),
    ]
    number = hashlib.sha256(json.dumps(key).encode()).hexdigest()[:10]
    path = cache_folder() / f"{name}{'-quick' if quick else ''}-{number}.h5"
    if _lacks(_kept(path), grid):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            remove_rests(path.parent)
            with _turn(path, tell):
                _make(
                    path,
                    f"{name}'s vademecum, once ({'seconds' if quick else 'minutes'})",
                    model,
                    options,
                    tell,
                    grid,
                )
        except OSError as error:
            raise OSError(f"{refusal(path, error)}; SOFTCONTACT_CACHE names the folder") from None
    return path


def _lacks(made: Vademecum | None, grid: tuple[int, int, int] | None) -> bool:
    return made is None or (
        grid is not None and (made.distance_field is None or made.distance_field.grid != grid)
    )


@contextlib.contextmanager
def _turn(path: Path, tell: Callable[[str], None]) -> Iterator[None]:
    """Wait for another process that builds the same file; it need not be built twice."""
    told = False
    with contextlib.ExitStack() as stack:
        while True:
            try:
                stack.enter_context(claimed(path))
                break
            except BlockingIOError:
                if not told:
                    tell(f"waiting for another process that builds {path}")
                told = True
                time.sleep(_LOOK_S)
        yield


def _make(
    path: Path,
    what: str,
    model: models.Model,
    options: BuildOptions,
    tell: Callable[[str], None],
    grid: tuple[int, int, int] | None,
) -> None:
    """Build the file, and tabulate its distances, as far as that was not done meanwhile."""
    made = _kept(path)
    if made is None:
        tell(f"building the {what}: {path}")
        made = build(
            model.mesh,
            model.material,
            model.load,
            clamped=model.clamped,
            options=options,
            progress=_percent(tell),
            checkpoint=path.with_name(path.name + ".partial"),
            out=path,
        )
    if grid is not None and _lacks(made, grid):
        tell(f"tabulating distances at {' × '.join(map(str, grid))} points, once")
        made.with_distance(grid).save(path)


def _kept(path: Path) -> Vademecum | None:
    """What lies there, if it is whole."""
    try:
        return Vademecum.load(path) if path.exists() else None
    except VademecumFileError:
        return None


def _percent(tell: Callable[[str], None]) -> Callable[[int, int, LogRow | None], None]:
    """Says how far the build is, each tenth of it once."""
    said = np.zeros(11, dtype=bool)

    def progress(done: int, total: int, row: LogRow | None) -> None:
        tenth = 10 * done // total
        if 0 < tenth < 10 and not said[tenth]:
            said[tenth] = True
            tell(f"{10 * tenth} % of the vademecum")

    return progress
