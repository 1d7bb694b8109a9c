# SPDX-License-Identifier: LGPL-2.1-or-later
"""A scene without outside files: meshes and recordings read from disk, surfaces filled with tetrahedra."""

from collections.abc import Mapping
from typing import Any

from softcontact.scene.errors import SceneError
from softcontact.scene.fields import ORIGIN, UPRIGHT
from softcontact.scene.model import Scene
from softcontact.scene.shapes import FilledSurface, Mesh, MeshFile, TetrahedralFile, TetrahedralMesh
from softcontact.scene.surfaces import filled, read_surface, read_tetrahedra
from softcontact.tracking.files import find_track
from softcontact.tracking.track import Track


def resolve(scene: Scene) -> Scene:
    """The same scene with every mesh and recording written into it, so that it runs anywhere and gives the same bits.

    Raises:
        SceneError: a mesh or recording cannot be read, or a mesh not filled; names the body and the reason.
    """
    bodies = []
    for index, body in enumerate(scene.bodies):
        where = f"bodies[{index}] ({body.name})"
        changes: dict[str, Any] = {}
        if hasattr(body, "shape"):
            changes["shape"] = _shape(body.shape, f"{where}.shape")
        if hasattr(body, "links"):
            changes["links"] = tuple(
                link.model_copy(
                    update={"shape": _shape(link.shape, f"{where}.links[{number}] ({link.name}).shape")}
                )
                for number, link in enumerate(body.links)
            )
        changed = any(value is not getattr(body, field) for field, value in changes.items())
        bodies.append(body.model_copy(update=changes) if changed else body)
    motions = tuple(
        _motion(motion, f"motions[{k}] ({motion.body})") for k, motion in enumerate(scene.motions)
    )
    return scene.model_copy(update={"bodies": tuple(bodies), "motions": motions})


def _motion(motion: Any, where: str) -> Any:
    """A motion along a recording, with the recording written into it, calibrated and smoothed."""
    if motion.kind != "track" or motion.source is None or motion.live:
        return motion
    try:
        track = Track.load(find_track(motion.source), motion.calibration).smoothed(motion.smoothing)
    except ValueError as error:
        raise SceneError(f"{where}.source: {error}") from None
    return motion.model_copy(update=_samples(track) | {"start": motion.start})


def with_recordings(scene: Scene, tracks: Mapping[str, Track], steps: int | None = None) -> Scene:
    """The scene with live streams replaced by what they gave: a run of it ends in the same state.

    Args:
        scene: the scene that was run.
        tracks: targets by hand, one row a step.
        steps: number of steps that were done, where the run ended early.
    """
    motions = []
    for motion in scene.motions:
        if motion.kind == "track" and motion.live:
            track = tracks[motion.body]
            changes: dict[str, Any] = {
                "frame": "world",
                "position": ORIGIN,
                "orientation": UPRIGHT,
                "feedback": None,
            }
            motion = motion.model_copy(update=changes | _samples(track))
        motions.append(motion)
    changes = {"motions": tuple(motions)} | ({} if steps is None else {"steps": max(1, steps)})
    return scene.model_copy(update=changes)


def _samples(track: Track) -> dict[str, Any]:
    """A track's rows as fields of a motion, in place of its source."""
    values = tuple(map(tuple, track.values.tolist()))
    rows = {"times": tuple(track.times.tolist()), "values": values}
    return {"source": None, "calibration": None, "smoothing": "none", "start": 0.0} | rows


def _shape(shape: Any, where: str) -> Any:
    try:
        match shape:
            case MeshFile():
                mesh = read_surface(shape)
                return Mesh(vertices=mesh.vertices, triangles=mesh.triangles)
            case TetrahedralFile():
                mesh = read_tetrahedra(shape)
                return TetrahedralMesh(nodes=mesh.nodes, tetrahedra=mesh.tetrahedra)
            case FilledSurface():
                mesh = filled(shape)
                return TetrahedralMesh(nodes=mesh.nodes, tetrahedra=mesh.tetrahedra)
    except SceneError:
        raise
    except (ValueError, OSError, ImportError) as error:
        raise SceneError(f"{where}: {error}") from None
    return shape
