# SPDX-License-Identifier: LGPL-2.1-or-later
"""A recording as one self-contained page that any browser opens from disk, and a reader of such pages.

The page's own parts lie in replay_page/; nothing is loaded from a network.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .packing import ArrayPacker, ArrayReader, dequantise, quantise
from .page import html_path, write_page
from .pressure import vertex_pressures
from .recording import Recording, SurfaceTrack

__all__ = ["read_replay", "write_replay"]

FORMAT = "softcontact-replay-1"
SCRIPTS = (
    "decode.js",
    "mesh.js",
    "math.js",
    "camera.js",
    "body_camera.js",
    "shaders.js",
    "occlusion.js",
    "renderer.js",
    "scene.js",
    "panels.js",
    "controls.js",
    "player.js",
    "start.js",
)
PATCH_COLUMNS = (
    *(
        "centre_x",
        "centre_y",
        "centre_z",
        "force_x",
        "force_y",
        "force_z",
        "torque_x",
        "torque_y",
        "torque_z",
    ),
    *("normal_force", "area", "pressure_mean", "pressure_max", "slip_gauge", "number"),
)
STILL_ROLES = ("table", "ground", "floor", "wall")
VIEW_ELEVATION = 18.0  # degrees above the horizontal
VIEW_TURN = 28.0  # degrees off the exact side view, so that depth shows


def write_replay(recording: Recording, path: str | Path) -> Path:
    """Write a recording as a page that plays in any browser with WebGL2, without network.

    Deforming positions are stored with 16 bits per coordinate over the surface's bounding box over all
    frames, so they are exact to its extent/131070 (0.004 mm for half a metre); poses and patch values in
    float32.

    Args:
        recording: the run; it was checked when it was made.
        path: the .html file to write; its folder must exist.
    Returns:
        The path written.
    Raises:
        ValueError: `path` does not end in .html or .htm.
    """
    path = html_path(path)
    packer = ArrayPacker()
    packer.add("times", recording.times.astype(np.float32))
    pressures = vertex_pressures(recording)
    surfaces = [
        _pack_surface(packer, i, surface, pressures.get(surface.name))
        for i, surface in enumerate(recording.surfaces)
    ]
    names = _pack_patches(packer, recording)
    low, high = _action_box(recording)
    header = {
        "format": FORMAT,
        "title": recording.title,
        "frame_count": recording.n_frames,
        "surfaces": surfaces,
        "patch_names": names,
        "patch_columns": list(PATCH_COLUMNS),
        "pressure_scale": _pressure_scale(pressures),
        "action_box": [low.tolist(), high.tolist()],
        "camera": _camera(recording),
        "cameras": [dict(camera) for camera in recording.cameras],
        "cuts": [dict(cut) for cut in recording.cuts],
        "summary": dict(recording.summary),
    }
    header["arrays"] = packer.header
    write_page(
        path,
        template="replay_page/page.html",
        styles=["replay_page/style.css"],
        scripts=[f"replay_page/{name}" for name in SCRIPTS],
        title=recording.title,
        header=header,
        data=packer.text(),
    )
    return path


def read_replay(path: str | Path) -> dict[str, Any]:
    """Read the data embedded in a replay page back.

    Returns:
        The page's header with `times` (n,), `patches` (per frame a list of dicts: body, other, the columns)
        and `surfaces`: dicts with name, role, triangles, vertices (n, k, 3) in the world [m] and, where the
        page shows it, pressure (n, k) [Pa].
    Raises:
        ValueError: the file is not a replay page, or of another format version.
    """
    page = Path(path).read_text(encoding="utf-8")
    found = [re.search(rf'<script id="{i}"[^>]*>(.*?)</script>', page, re.S) for i in ("header", "data")]
    if None in found:
        raise ValueError(f"path: {str(path)!r} is not a replay page (no embedded header or data)")
    header = json.loads(found[0].group(1))
    if header.get("format") != FORMAT:
        raise ValueError(f"path: {str(path)!r} has format {header.get('format')!r}, expected {FORMAT!r}")
    arrays = ArrayReader(header["arrays"], found[1].group(1).strip())
    header["times"] = arrays["times"]
    for i, surface in enumerate(header["surfaces"]):
        surface["triangles"] = arrays[f"s{i}.triangles"].astype(np.int32)
        if surface["rigid"]:
            track = SurfaceTrack(
                surface["name"],
                surface["role"],
                surface["triangles"],
                rest=arrays[f"s{i}.rest"],
                poses=arrays[f"s{i}.poses"],
            )
            surface["vertices"] = np.stack([track.vertices(f) for f in range(track.n_frames)])
        else:
            surface["vertices"] = dequantise(arrays[f"s{i}.frames"], *map(np.array, surface["box"]))
        if f"s{i}.pressure" in arrays:
            surface["pressure"] = dequantise(arrays[f"s{i}.pressure"], 0.0, surface["pressure_max"])
    starts, pairs, values = arrays["patches.start"], arrays["patches.pair"], arrays["patches.values"]
    names = header["patch_names"]
    header["patches"] = [
        [
            {"body": names[pairs[i, 0]], "other": names[pairs[i, 1]]}
            | dict(zip(header["patch_columns"], values[i].tolist(), strict=True))
            for i in range(first, last)
        ]
        for first, last in itertools.pairwise(starts)
    ]
    return header


def _pack_surface(packer: ArrayPacker, index: int, track: SurfaceTrack, pressure: NDArray | None) -> dict:
    entry: dict[str, Any] = {
        "name": track.name,
        "role": track.role,
        "color": track.color,
        "rigid": track.rigid,
    }
    small = track.n_vertices <= 65536
    packer.add(f"s{index}.triangles", track.triangles.astype(np.uint16 if small else np.uint32), delta=True)
    if track.rigid:
        packer.add(f"s{index}.rest", track.rest)
        packer.add(f"s{index}.poses", track.poses.astype(np.float32))
    else:
        low = track.frames.min(axis=(0, 1)).astype(np.float64)
        high = track.frames.max(axis=(0, 1)).astype(np.float64)
        entry["box"] = [low.tolist(), high.tolist()]
        packer.add(f"s{index}.frames", quantise(track.frames.astype(np.float64), low, high), delta=True)
    if pressure is not None:
        entry["pressure_max"] = float(pressure.max())
        packer.add(f"s{index}.pressure", quantise(pressure, 0.0, entry["pressure_max"]), delta=True)
    return entry


def _pack_patches(packer: ArrayPacker, recording: Recording) -> list[str]:
    names: dict[str, int] = {}
    pairs, rows = [], []
    for patch in (patch for patches in recording.patches for patch in patches):
        pairs.append([names.setdefault(patch[key], len(names)) for key in ("body", "other")])
        force, torque = patch["force"], patch.get("torque", (math.nan,) * 3)
        normal_force = patch.get("normal_force", math.nan)
        rest = [patch.get(key, math.nan) for key in ("area", "pressure_mean", "pressure_max", "slip_gauge")]
        rows.append([*patch["centre"], *force, *torque, normal_force, *rest, patch.get("number", 0)])
    counts = [len(patches) for patches in recording.patches]
    packer.add("patches.start", np.concatenate([[0], np.cumsum(counts)]).astype(np.int32))
    packer.add("patches.pair", np.array(pairs, np.int32).reshape(-1, 2))
    packer.add("patches.values", np.array(rows, np.float32).reshape(-1, len(PATCH_COLUMNS)))
    return list(names)


def _pressure_scale(pressures: dict[str, NDArray]) -> float:
    """Top of the colour scale [Pa]: a round number above the peaks of nearly all frames; 0 if none."""
    if not pressures:
        return 0.0
    peaks = np.max([pressure.max(axis=1) for pressure in pressures.values()], axis=0)
    top = float(np.percentile(peaks[peaks > 0.0], 95))
    decade = 10.0 ** math.floor(math.log10(top))
    return next(
        step * decade
        for step in (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
        if step * decade >= top * 0.999
    )


def _moving(recording: Recording) -> list[SurfaceTrack]:
    """The surfaces the view is about: all but tables, or all if there is nothing else."""
    return [s for s in recording.surfaces if s.role not in STILL_ROLES] or list(recording.surfaces)


def _action_box(recording: Recording) -> tuple[NDArray, NDArray]:
    """Corners of the box that holds everything but the table at all times [m]."""
    step = max(1, recording.n_frames // 60)
    frames = sorted({*range(0, recording.n_frames, step), recording.n_frames - 1})
    clouds = [surface.vertices(frame) for surface in _moving(recording) for frame in frames]
    return np.min([c.min(axis=0) for c in clouds], axis=0), np.max([c.max(axis=0) for c in clouds], axis=0)


def _camera(recording: Recording) -> dict[str, Any]:
    """First view: the recording's own, else one across the main line of force.

    Seen along the squeeze one finger hides the other; of the two sides across it, the one away from the hand
    shows the object.
    """
    moments = np.zeros((2, 2))
    for patch in (
        p
        for patches in recording.patches
        for p in patches
        if not set(_roles(recording, p)) & set(STILL_ROLES)
    ):
        moments += np.outer(patch["force"][:2], patch["force"][:2])
    azimuth = -60.0
    if moments.any():
        squeeze = np.linalg.eigh(moments)[1][:, -1]
        side = np.array([-squeeze[1], squeeze[0]])
        middle = recording.n_frames // 2
        means = {"object": [], "": []}
        for surface in _moving(recording):
            means["object" if surface.role == "object" else ""].append(
                surface.vertices(middle).mean(axis=0)[:2]
            )
        if all(means.values()):
            away = np.mean(means["object"], axis=0) - np.mean(means[""], axis=0)
            side = side if side @ away >= 0.0 else -side
        azimuth = math.degrees(math.atan2(side[1], side[0])) + VIEW_TURN
    for cut in recording.cuts[:1]:
        if math.hypot(*cut["normal"][:2]) > 0.0:  # look at the section
            azimuth = math.degrees(math.atan2(cut["normal"][1], cut["normal"][0])) + 0.5 * VIEW_TURN
    view = {"azimuth": azimuth, "elevation": VIEW_ELEVATION, "distance": None, "target": None}
    return view | dict(recording.camera or {})


def _roles(recording: Recording, patch: dict) -> tuple[str, ...]:
    return tuple(s.role for s in recording.surfaces if s.name in (patch["body"], patch["other"]))
