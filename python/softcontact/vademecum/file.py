# SPDX-License-Identifier: LGPL-2.1-or-later
"""The vademecum's file: HDF5, versioned, with a checksum of its contents and the mesh's own hash.

    user block       512 bytes: "softcontact-vademecum VERSION", a new line, "sha256 " and the checksum of all that
                     follows the user block, a new line, zeros
    /                attributes: units (SI), options (JSON)
    /mesh            nodes [m], cells; attributes: kind, hash
    /solid           clamped; attributes: young_modulus [Pa], poisson_ratio
    /load            nodes, directions; attribute: magnitude [N]
    /solution        modes, amplitudes, dent_starts, dent_nodes, dents, spectrum: see SeparatedSolution
    /log             size, modes, residual, energy_error: one row an enrichment
    /certificate     as Certificate, where there is one
    /distance        as DistanceField, or SeparatedDistanceField, where there is one

Any HDF5 reader opens it; equal vademecums make equal files.
"""

from __future__ import annotations

import dataclasses
import io
import json
from pathlib import Path
from typing import Any, cast

import numpy as np

from softcontact.bodies.material import Material
from softcontact.vademecum.build_state import LogRow
from softcontact.vademecum.certificate import Certificate
from softcontact.vademecum.distance import DistanceField, GridDistance
from softcontact.vademecum.offline import BuildOptions
from softcontact.vademecum.point_load import LoadCases
from softcontact.vademecum.sealed import Seal, SealError
from softcontact.vademecum.separated import SeparatedSolution
from softcontact.vademecum.separated_distance import SeparatedDistanceField, check_bound
from softcontact.vademecum.solid import Solid
from softcontact.vademecum.solid_mesh import SolidMesh
from softcontact.vademecum.vademecum import Vademecum
from softcontact.whole_file import HDF5_FAULTS

__all__ = ["FORMAT", "VERSION", "VademecumFileError", "read", "write"]

FORMAT = "softcontact-vademecum"
VERSION = 1

_SEAL = Seal(FORMAT, VERSION, "vademecum", "build it again")


class VademecumFileError(ValueError):
    """A file that is no whole vademecum, or not the wanted one; the message says why."""


def write(vademecum: Vademecum, path: Path) -> None:
    """Write a vademecum, whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    _SEAL.write(path, lambda file: _fill(file, vademecum))


def _fill(file: Any, vademecum: Vademecum) -> None:
    solid, cases = vademecum.cases.solid, vademecum.cases
    file.attrs["units"] = "SI"
    file.attrs["options"] = json.dumps(dataclasses.asdict(vademecum.options), sort_keys=True)
    file["mesh/nodes"], file["mesh/cells"] = solid.mesh.nodes, solid.mesh.cells
    file["mesh"].attrs["kind"], file["mesh"].attrs["hash"] = solid.mesh.kind, solid.mesh.hash
    file["solid/clamped"] = solid.clamped
    for name in ("young_modulus", "poisson_ratio"):
        file["solid"].attrs[name] = getattr(solid.material, name)
    file["load/nodes"], file["load/directions"] = cases.nodes, cases.directions
    file["load"].attrs["magnitude"] = cases.magnitude
    _put(file, "solution", vademecum.solution)
    file["log"] = np.array([dataclasses.astuple(r) for r in vademecum.log], dtype=float).reshape(-1, 4)
    if vademecum.certificate is not None:
        _put(file, "certificate", vademecum.certificate)
    if vademecum.distance_field is not None:
        _put(file, "distance", vademecum.distance_field)


def read(path: Path, mesh: SolidMesh | None = None) -> Vademecum:
    """Read a vademecum.

    Args:
        mesh: the mesh it must be for; None takes that of the file.
    Raises:
        VademecumFileError: no such file, not whole, of another version, or for another mesh.
    """
    import h5py

    if not path.is_file():
        raise VademecumFileError(f"{str(path)!r}: no such file")
    try:
        with h5py.File(io.BytesIO(_SEAL.read(path)), "r") as file:
            found = _vademecum(file)
    except SealError as error:
        raise VademecumFileError(str(error)) from None
    except HDF5_FAULTS as error:
        raise VademecumFileError(
            f"{str(path)!r} is damaged or no vademecum ({error}); build it again"
        ) from None
    if mesh is not None and mesh.hash != found.mesh.hash:
        raise VademecumFileError(
            f"{str(path)!r} is for another mesh: {len(found.mesh.nodes)} nodes, hash {found.mesh.hash[:12]}…, "
            f"not {len(mesh.nodes)} nodes, hash {mesh.hash[:12]}…; build one for this mesh"
        )
    return found


def _vademecum(file: Any) -> Vademecum:
    mesh = SolidMesh(file["mesh/nodes"][()], file["mesh/cells"][()])
    if mesh.hash != file["mesh"].attrs["hash"]:
        raise ValueError("the hash of its mesh does not fit")
    material = Material(*(float(file["solid"].attrs[n]) for n in ("young_modulus", "poisson_ratio")))
    solid = Solid(mesh, material, file["solid/clamped"][()])
    load = file["load"]
    cases = LoadCases(solid, load["nodes"][()], load["directions"][()], float(load.attrs["magnitude"]))
    log = [LogRow(row[0], int(row[1]), row[2], row[3]) for row in file["log"][()].tolist()]
    certificate = _get(file["certificate"], Certificate) if "certificate" in file else None
    solution = _get(file["solution"], SeparatedSolution)
    options = BuildOptions(**json.loads(file.attrs["options"]))
    return Vademecum(cases, solution, options, log, certificate, _distance(file, cases, solution))


def _distance(file: Any, cases: LoadCases, solution: SeparatedSolution) -> GridDistance | None:
    if "distance" not in file:
        return None
    if "values" in file["distance"]:
        return cast(DistanceField, _get(file["distance"], DistanceField))
    separated = cast(SeparatedDistanceField, _get(file["distance"], SeparatedDistanceField))
    check_bound(separated, cases, solution)
    return separated


def _put(file: Any, group: str, record: Any) -> None:
    for field in dataclasses.fields(record):
        file[f"{group}/{field.name}"] = getattr(record, field.name)


def _get(group: Any, kind: type) -> Any:
    return kind(**{field.name: group[field.name][()] for field in dataclasses.fields(kind)})
