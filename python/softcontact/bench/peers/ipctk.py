# SPDX-License-Identifier: LGPL-2.1-or-later
"""ipctk: proximity of two deforming meshes, and the first contact in a step."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcontact import _core
from softcontact.bench.peers.record import OURS, Column, Peer, Row, Table, attempt, distribution
from softcontact.bench.vademecum_distance import brute_force
from softcontact.extras import how_to_install
from softcontact.mesh.primitives import sphere

FloatArray = NDArray[np.float64]

NAME = "ipctk"
RADIUS, FREQUENCY = 0.05, 10  # [m]; 1002 vertices, 2000 triangles
GAP, ALARM = 3e-4, 2e-3  # between the meshes; nearer than which pairs are looked for [m]
WAVE = 0.03  # of the radius
STEP = 0.004  # [m] that they come together in the step
FRAMES, QUICK_FRAMES = 60, 5


@dataclass(frozen=True)
class Pair:
    """Two deforming meshes of one topology.

    Attributes:
        triangles: (m, 3), of either.
        frames: vertices of both, (frames, 2, n, 3) [m].
        ends: of a step that begins at each frame, in which they meet, as `frames`.
    """

    triangles: NDArray[np.int32]
    frames: FloatArray
    ends: FloatArray


def peer() -> Peer:
    """What is installed."""
    return distribution(NAME, "ipctk", "ipctk", how_to_install("peers", "ipctk"))


def meshes(frames: int) -> Pair:
    """Two spheres with a travelling wave on each, GAP apart at their nearest in every frame."""
    mesh = sphere(RADIUS, FREQUENCY)
    unit = mesh.vertices / RADIUS
    placed, ends = [], []
    for number in range(frames):
        phase = 2.0 * np.pi * number / frames
        low, high = (
            mesh.vertices * (1.0 + WAVE * np.sin(7.0 * unit[:, [0]] + sign * 5.0 * unit[:, [1]] + phase))
            for sign in (1.0, -1.0)
        )
        high = high + np.array([0.004, -0.003, high_above(low, high, mesh.triangles)])
        placed.append([low, high])
        way = np.array([0.0, 0.0, 0.5 * STEP])
        ends.append([low + way, high * [0.98, 1.02, 1.0] - way])
    return Pair(np.ascontiguousarray(mesh.triangles, dtype=np.int32), np.array(placed), np.array(ends))


def high_above(low: FloatArray, high: FloatArray, triangles: NDArray[Any]) -> float:
    """How far up the second mesh goes so that its lowest contact on the first is GAP above it [m], along z."""
    far = np.array([0.004, -0.003, 4.0 * RADIUS])
    start, end = high + far, high + far - [0.0, 0.0, 4.0 * RADIUS]
    share = _core.first_contact(triangles, start, end, triangles, low, low)[0]
    return float(4.0 * RADIUS * (1.0 - share) + GAP)


def tables() -> tuple[Table, Table]:
    """Proximity and first contact, without rows."""
    size = f"two spheres of {10 * FREQUENCY**2 + 2} vertices and {20 * FREQUENCY**2} triangles, waves on both"
    proximity = Table(
        "proximity",
        f"Detection: {size}, {1e3 * GAP:g} mm apart, all pairs nearer than {1e3 * ALARM:g} mm",
        "meshes, frames, distance looked for, one thread, called from Python; every frame has new vertices. The error "
        "is that of the distance from a vertex of the first mesh to the second, against every triangle in turn.",
        "what is found. Ours: the contacts of the first mesh's vertices that face the second, and crossing sharp "
        "edges, with normals, gaps, areas. ipctk: all vertex-triangle and edge-edge pairs "
        "of both, classified, for a barrier.",
        (
            Column("frame_s", "frame ms", 1e3, 0.0),
            Column("pairs", "pairs found"),
            Column("error_m", "distance off at most nm", 1e9, 1e-12),
            Column("missed", "near vertices without a pair"),
        ),
    )
    first = Table(
        "first contact",
        f"First contact in a step: {size}, {1e3 * STEP:g} mm and 2 % of stretch in a step",
        "meshes, straight paths, one thread, called from Python, broad phase included. The gap left is the distance of "
        "the meshes at the share found, by ipctk.",
        "what a share is for. Ours: the instant of contact, with its point and normal. ipctk: a step that is safe, "
        "short of contact by its conservative rescaling (0.9 at AdditiveCCD's default, 0.8 at TightInclusionCCD's).",
        (
            Column("step_s", "step ms", 1e3, 0.0),
            Column("gap_m", "gap left µm, mean", 1e6, 1e-12),
            Column("crossed", "steps that end crossed"),
        ),
    )
    return proximity, first


def compare(quick: bool) -> list[Table]:
    """Both tables on both sides."""
    import ipctk

    ipctk.set_num_threads(1)
    pair = meshes(QUICK_FRAMES if quick else FRAMES)
    proximity, first = tables()
    attempt(proximity, OURS, "", lambda: [our_proximity(pair)])
    for name in ("LBVH", "SweepAndPrune"):
        attempt(proximity, NAME, name, lambda name=name: [their_proximity(pair, name)])
    mesh = _collision_mesh(pair)
    attempt(first, OURS, "", lambda: [our_first_contact(pair, mesh)])
    solvers = {
        "AdditiveCCD, rescaling 0.9": ipctk.AdditiveCCD(),
        "AdditiveCCD, rescaling 0.99": ipctk.AdditiveCCD(conservative_rescaling=0.99),
        "TightInclusionCCD, tolerance 1e-4": ipctk.TightInclusionCCD(tolerance=1e-4),
    }
    for name, method in solvers.items():
        attempt(first, NAME, name, lambda one=(name, method): [their_first_contact(pair, mesh, *one)])
    return [proximity, first]


def our_proximity(pair: Pair) -> Row:
    """Surfaces that move frame by frame."""
    low, high = (_core.Surface(side, pair.triangles) for side in pair.frames[0])
    times, errors, missed, pairs = [], [], 0, []
    for number, (a, b) in enumerate(pair.frames):
        began = time.thread_time()
        low.update(a)
        high.update(b)
        found = _core.detect_contacts(low, high, alarm_distance=ALARM)
        times.append(time.thread_time() - began)
        pairs.append(len(found["gap"]))
        if number in _judged(pair):
            of_vertex = (found["kind"] == 0) & (found["gap"] > 0.0)
            vertices = found["vertices_a"][of_vertex, 0]
            ways = np.linalg.norm(found["p"] - found["q"], axis=1)[of_vertex]
            error, without = _against_all(
                pair, number, dict(zip(vertices.tolist(), ways.tolist(), strict=True))
            )
            errors.append(error)
            missed += without
    return Row(OURS, "", _proximity(times, errors, missed, pairs))


def their_proximity(pair: Pair, broad_phase: str) -> Row:
    """Candidates and the set of collisions, as a simulation builds them in every iteration."""
    import ipctk

    mesh = _collision_mesh(pair)
    method = getattr(ipctk, broad_phase)()
    times, errors, missed, pairs = [], [], 0, []
    for number, frame in enumerate(pair.frames):
        vertices = np.asfortranarray(np.concatenate(frame))
        began = time.thread_time()
        found = ipctk.NormalCollisions()
        found.build(mesh, vertices, ALARM, broad_phase=method)
        times.append(time.thread_time() - began)
        pairs.append(len(found))
        if number in _judged(pair):
            error, without = _against_all(pair, number, _nearest(mesh, vertices, len(frame[0])))
            errors.append(error)
            missed += without
    return Row(NAME, broad_phase, _proximity(times, errors, missed, pairs))


def _nearest(mesh: Any, vertices: FloatArray, count: int) -> dict[int, float]:
    """Least distance over ipctk's vertex-triangle candidates of each of the first `count` vertices."""
    import ipctk

    candidates = ipctk.Candidates()
    candidates.build(mesh, vertices, 0.5 * ALARM)
    least: dict[int, float] = {}
    for one in candidates.fv_candidates:
        if one.vertex_id >= count:
            continue
        corners = vertices[mesh.faces[one.face_id]]
        away = float(np.sqrt(ipctk.point_triangle_distance(vertices[one.vertex_id], *corners)))
        least[one.vertex_id] = min(away, least.get(one.vertex_id, np.inf))
    return {vertex: away for vertex, away in least.items() if away < ALARM}


def _judged(pair: Pair) -> range:
    return range(0, len(pair.frames), max(1, len(pair.frames) // 3))


def _against_all(pair: Pair, number: int, found: dict[int, float]) -> tuple[float, int]:
    """Largest error of distances by vertex, and how many near vertices are not among them."""
    low, high = pair.frames[number]
    corners = high[pair.triangles]
    points = np.flatnonzero(low[:, 2] > corners[..., 2].min() - ALARM)
    near = corners[corners[..., 2].min(axis=1) < low[:, 2].max() + ALARM]
    exact = np.abs(brute_force(low[points], near))
    error, missed = 0.0, 0
    for vertex, distance in zip(points.tolist(), exact.tolist(), strict=True):
        if distance < 0.999 * ALARM:
            missed += vertex not in found
            error = max(error, abs(found.get(vertex, distance) - distance))
    return error, missed


def _proximity(
    times: list[float], errors: list[float], missed: int, pairs: list[int]
) -> dict[str, float | None]:
    return {
        "frame_s": float(np.median(times)),
        "pairs": float(np.mean(pairs)),
        "error_m": max(errors),
        "missed": float(missed),
    }


def our_first_contact(pair: Pair, mesh: Any) -> Row:
    """The share of each step at which the meshes meet."""
    low, high = pair.triangles, pair.triangles

    def share(start: FloatArray, end: FloatArray) -> float:
        found = _core.first_contact(low, start[0], end[0], high, start[1], end[1])
        return 1.0 if found is None else float(found[0])

    return Row(OURS, "", _first_contact(pair, mesh, share))


def their_first_contact(pair: Pair, mesh: Any, setting: str, method: Any) -> Row:
    """The safe share of each step."""
    import ipctk

    def share(start: FloatArray, end: FloatArray) -> float:
        places = (np.asfortranarray(np.concatenate(side)) for side in (start, end))
        return float(ipctk.compute_collision_free_stepsize(mesh, *places, narrow_phase_ccd=method))

    return Row(NAME, setting, _first_contact(pair, mesh, share))


def _first_contact(pair: Pair, mesh: Any, share: Any) -> dict[str, float | None]:
    import ipctk

    times, gaps, crossed = [], [], 0
    for start, end in zip(pair.frames, pair.ends, strict=True):
        began = time.thread_time()
        found = share(start, end)
        times.append(time.thread_time() - began)
        # A contact is where the meshes touch: just before it they do not cross.
        before = np.asfortranarray(np.concatenate(start + (1.0 - 1e-9) * found * (end - start)))
        crossed += int(ipctk.has_intersections(mesh, before))
        near = ipctk.NormalCollisions()
        near.build(mesh, before, 2.0 * GAP)
        gaps.append(float(np.sqrt(near.compute_minimum_distance(mesh, before))))
    return {"step_s": float(np.median(times)), "gap_m": float(np.mean(gaps)), "crossed": float(crossed)}


def _collision_mesh(pair: Pair) -> Any:
    """Both meshes as ipctk's one, pairs of the same mesh left out."""
    import ipctk

    low, high = pair.frames[0]
    faces = np.concatenate([pair.triangles, pair.triangles + len(low)]).astype(np.int32)
    mesh = ipctk.CollisionMesh(np.asfortranarray(np.concatenate([low, high])), ipctk.edges(faces), faces)
    sides = np.repeat(np.arange(2, dtype=np.int32), [len(low), len(high)])
    mesh.can_collide = ipctk.make_vertex_patches_filter(sides)
    return mesh
