# SPDX-License-Identifier: LGPL-2.1-or-later
"""Distances to the deformed boundary: detection times, errors against brute force, and the separated form."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcontact import _core
from softcontact.bench import vademecum_online
from softcontact.mesh import tetrahedral_bunny
from softcontact.vademecum import (
    BoundaryDistance,
    DistanceField,
    SolidMesh,
    Vademecum,
    separate_distance,
)

__all__ = ["brute_force", "judge", "markdown", "measure", "times"]

FloatArray = NDArray[np.float64]

# González et al. 2015, Sec. 4: beam, two bunnies with 427 points in contact.
PAPER = {"beam_s": 622.3e-6, "bunny_s": 1.28e-3}
# What is asked of us: detection times, error as a share of a cell's diagonal, ratio of sizes.
AIMS = {"beam_s": 20e-6, "bunny_s": 100e-6, "error": 0.05, "ratio": 10.0}
BUNNY_GRID = (48, 40, 48)
BUNNY_POINTS = 3733
BUNNY_CONTACTS = (0, 36, 427)


def measure(made: Vademecum, quick: bool) -> dict[str, Any]:
    """All figures of a beam's vademecum with a distance field of one value a state and grid point."""
    field = made.distance_field
    assert isinstance(field, DistanceField)
    started = time.process_time()
    separated = separate_distance(field)
    separation = time.process_time() - started
    small = dataclasses.replace(made, distance_field=separated)
    shells = _shells(made)
    bunny, online = _bunny(30 if quick else 1000, 300 if quick else 3000)
    return {
        "diagonal_m": float(np.linalg.norm(field.spacing)),
        "detection": _detection(made, small, shells, 300 if quick else 3000),
        "errors": _errors(made, small, 2 if quick else 8, 1000 if quick else 12500),
        "separated": {
            "bytes": separated.nbytes,
            "ratio": field.nbytes / separated.nbytes,
            "bound": separated.bound / float(np.linalg.norm(field.spacing)),
            "cpu_s": separation,
        },
        "bunny": bunny,
        "online": {
            "beam": vademecum_online.measure_beam(made, shells[0], 300 if quick else 3000),
            "bunny": online,
        },
    }


def judge(figures: dict[str, Any], quick: bool) -> bool:
    """Whether exact distances are as exact and the separated form is as small as asked; few positions share little."""
    exact = figures["errors"]["exact"]
    small = figures["separated"]
    return (
        exact["wrong_signs"] == 0
        and exact["max"] <= AIMS["error"]
        and small["bound"] <= AIMS["error"]
        and (quick or small["ratio"] >= AIMS["ratio"])
    )


def brute_force(points: FloatArray, triangles: FloatArray) -> FloatArray:
    """Signed distances (k,) [m] of points (k, 3) to a closed surface of triangles (m, 3, 3), each with each.

    Inside is where the solid angles of all triangles add up to a full one.
    Source: van Oosterom & Strackee 1983 for the solid angle.
    """
    least = np.full(len(points), np.inf)
    turns = np.zeros(len(points))
    for a, b, c in triangles:
        normal = np.cross(b - a, c - a)
        beside = np.full(len(points), False)
        for start, end in ((a, b), (b, c), (c, a)):
            edge, way = end - start, points - start
            beside |= np.cross(edge, way) @ normal < 0.0
            along = np.clip(way @ edge / (edge @ edge), 0.0, 1.0)
            least = np.minimum(least, np.linalg.norm(way - along[:, None] * edge, axis=1))
        height = np.abs((points - a) @ normal) / np.linalg.norm(normal)
        least = np.where(beside, least, np.minimum(least, height))
        u, v, w = a - points, b - points, c - points
        lu, lv, lw = (np.linalg.norm(x, axis=1) for x in (u, v, w))
        uv, vw, wu = (np.einsum("ij,ij->i", *pair) for pair in ((u, v), (v, w), (w, u)))
        volume = np.einsum("ij,ij->i", u, np.cross(v, w))
        turns += np.arctan2(volume, lu * lv * lw + uv * lw + vw * lu + wu * lv)
    return np.where(turns > np.pi, -least, least)


def times(ask: Callable[[int], Any], count: int) -> dict[str, float]:
    """Least, median and 99.9th percentile [s] of `count` calls ask(0), ask(1), …"""
    samples: FloatArray = np.empty(count)
    for k in range(count):
        started = time.perf_counter()
        ask(k)
        samples[k] = time.perf_counter() - started
    return {
        "least": float(samples.min()),
        "median": float(np.median(samples)),
        "p99.9": float(np.quantile(samples, 0.999)),
    }


def _shells(made: Vademecum) -> list[FloatArray]:
    """A rigid block of the beam's own shape across the free end under each load: its boundary nodes."""
    block = SolidMesh.block((0.4, 0.04, 0.04), (20, 2, 2))
    shell = block.nodes[block.boundary[0]] @ np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    last = made.mesh.nodes[-1]
    tops = [last + made.solution.displacement(made.case(n), 1.0)[-1] for n in made.cases.nodes.tolist()]
    return [shell + (top - [0.02, 0.22, 0.03]) for top in tops]


def _detection(made: Vademecum, small: Vademecum, shells: list[FloatArray], count: int) -> dict[str, Any]:
    """Contacts of the block of each load, called from Python."""
    nodes = made.cases.nodes.tolist()
    touching = [len(made.contacts(s, n)[0]) for s, n in zip(shells, nodes, strict=True)]
    exact = BoundaryDistance(made, capacity=1)

    def at(ask: Callable[[FloatArray, int], Any]) -> dict[str, float]:
        return times(lambda k: ask(shells[k % len(nodes)], nodes[k % len(nodes)]), count)

    exact.load([nodes[0]])
    exact.contacts(shells[0])
    return {
        "points": len(shells[0]),
        "touching_mean": float(np.mean(touching)),
        "trilinear": at(lambda s, n: made.contacts(s, n, method="trilinear")),
        "separated": at(lambda s, n: small.contacts(s, n, method="trilinear")),
        "exact": times(lambda k: exact.contacts(shells[0]), count),
        "exact with the displacement": at(lambda s, n: made.contacts(s, n)),
    }


def _errors(made: Vademecum, small: Vademecum, states: int, count: int) -> dict[str, Any]:
    """Against brute force: half the points anywhere in the grid, half near the beam."""
    field = made.distance_field
    assert field is not None
    rng, diagonal = np.random.default_rng(0), float(np.linalg.norm(field.spacing))
    high = field.origin + field.spacing * (np.array(field.grid) - 1)
    found: dict[str, list[FloatArray]] = {"trilinear": [], "separated": [], "exact": []}
    expected = []
    for node in made.cases.nodes[:: -(-len(made.cases.nodes) // states)].tolist():
        moved = made.mesh.nodes + made.solution.displacement(made.case(node), 1.0)
        low, up = moved.min(axis=0) - diagonal, moved.max(axis=0) + diagonal
        points = rng.uniform([field.origin, low], [high, up], (count // 2, 2, 3)).reshape(-1, 3)
        expected.append(brute_force(points, moved[made.mesh.boundary[1]]))
        found["trilinear"].append(made.distance(points, node, method="trilinear"))
        found["separated"].append(small.distance(points, node, method="trilinear"))
        found["exact"].append(made.distance(points, node))
    right = np.concatenate(expected)
    out: dict[str, Any] = {"points": len(right)}
    for name, parts in found.items():
        wrong = np.abs(np.concatenate(parts) - right) / diagonal
        signs = np.sign(np.concatenate(parts)) != np.sign(right)
        out[name] = {
            "max": float(wrong.max()),
            "p99": float(np.quantile(wrong, 0.99)),
            "wrong_signs": int(signs.sum()),
        }
    return out


def _bunny(count: int, ticks: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Two bunnies beside each other, the one with distances, the other a pointshell, by number of contacts."""
    body = tetrahedral_bunny()
    mesh = SolidMesh(body.nodes, body.tetrahedra)
    nodes, triangles = mesh.boundary_surface
    rest = mesh.nodes[nodes]
    low, high = rest.min(axis=0), rest.max(axis=0)
    spacing = (high - low) / (np.array(BUNNY_GRID) - 5)
    origin, state = low - 2.0 * spacing, _core.DistanceState(0)
    surface = _core.Surface(rest, triangles)
    values = _core.tabulate_distances(surface, rest[None], origin, spacing, list(BUNNY_GRID), 1)
    field = _core.DistanceField(values, origin, spacing)
    exact = _core.BoundaryDistance(rest, triangles, field)
    exact.set(rest, state)
    exact.remember(BUNNY_POINTS)
    middles = rest[triangles].mean(axis=1)
    shell = np.concatenate([middles, rest[: BUNNY_POINTS - len(middles)]])
    shell = (shell - rest.mean(axis=0)) * np.array([-1.0, -1.0, 1.0]) + rest.mean(axis=0)
    rows, offsets = [], []
    for wanted in BUNNY_CONTACTS:
        near, far = 0.0, 1.2 * (high - low)[0]
        for _ in range(50):
            middle = 0.5 * (near + far)
            more = len(exact.contacts(shell + np.array([middle, 0.0, 0.0]))[0]) > wanted
            near, far = (middle, far) if more else (near, middle)
        placed = shell + np.array([far, 0.0, 0.0])
        offsets.append(far)
        turns = 2.0 * np.pi * np.arange(64) / 64
        way = [placed + np.array([0.0, 2e-4 * np.sin(turn), 0.0]) for turn in turns]  # up to 20 mm/s
        rows.append(
            {
                "points": len(shell),
                "contacts": len(exact.contacts(placed)[0]),
                "trilinear": times(lambda k, p=placed: field.contacts(p, state), count),  # type: ignore[misc]
                "exact": times(lambda k, w=way: exact.contacts(w[k % 64]), count),  # type: ignore[misc]
            }
        )
    return rows, vademecum_online.measure_bunny(mesh, shell, offsets, ticks)


def markdown(figures: dict[str, Any]) -> str:
    """The figures as Markdown."""
    detection, errors, separated = figures["detection"], figures["errors"], figures["separated"]
    lines = [
        "| detection, called from Python | paper | aim | least | median | 99.9 % |",
        "|---|---|---|---|---|---|",
    ]
    for name in ("trilinear", "separated", "exact", "exact with the displacement"):
        lines.append(
            f"| beam, {detection['points']} points, {name} | {_us(PAPER['beam_s'])} | {_us(AIMS['beam_s'])} "
            f"| {_row(detection[name])} |"
        )
    for row in figures["bunny"]:
        for name in ("trilinear", "exact"):
            lines.append(
                f"| bunny, {row['points']} points, {row['contacts']} in contact, {name} | {_us(PAPER['bunny_s'])} "
                f"| {_us(AIMS['bunny_s'])} | {_row(row[name])} |"
            )
    lines += [
        "",
        "| exact contacts in the core, a tick with its load | aim | median | 99.9 % | 99.9 % by the clock "
        "| with forces | 99.9 % |",
        "|---|---|---|---|---|---|---|",
        *vademecum_online.markdown("beam", figures["online"]["beam"], AIMS["beam_s"]),
        *vademecum_online.markdown("bunny", figures["online"]["bunny"], AIMS["bunny_s"]),
        "",
        "Times are those that the thread had, so that others at work count by the clock alone. The shell moves by 20 "
        "mm/s, or jumps by 2 mm.",
        "",
        f"| {errors['points']} points against brute force, shares of a cell's diagonal | largest error | 99 % "
        "| wrong signs |",
        "|---|---|---|---|",
    ]
    for name in ("trilinear", "separated", "exact"):
        error = errors[name]
        lines.append(f"| {name} | {error['max']:.2g} | {error['p99']:.2g} | {error['wrong_signs']} |")
    lines += [
        "",
        f"Separated distances: {separated['bytes'] / 1e6:.2f} MB, {separated['ratio']:.1f} times less, within "
        f"{separated['bound']:.3f} of a cell's diagonal, {separated['cpu_s']:.1f} s of one core.",
    ]
    return "\n".join(lines)


def _us(seconds: float) -> str:
    return f"{1e6 * seconds:.0f} µs"


def _row(figures: dict[str, float]) -> str:
    return " | ".join(f"{1e6 * figures[name]:.1f} µs" for name in ("least", "median", "p99.9"))
