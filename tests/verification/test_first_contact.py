# SPDX-License-Identifier: LGPL-2.1-or-later
"""Continuous collision detection: the first contact within a step, and a fast tool that meets a thin sheet."""

import math

import numpy as np
import pytest
from haptic_bodies import HANDLE, RADIUS, add_tool, device_at, make_world
from softcontact._core import first_contact

from softcontact.haptics import RigidState
from softcontact.mesh.primitives import box, sphere


def segments_distance(p, q) -> float:
    """Distance of two segments (2, 3), by brute force on the ends and the common normal."""
    u, v, w = p[1] - p[0], q[1] - q[0], p[0] - q[0]
    a, b, c, d, e = u @ u, u @ v, v @ v, u @ w, v @ w
    best = math.inf
    candidates = [(s, (b * s + e) / c) for s in (0.0, 1.0)] + [((b * t - d) / a, t) for t in (0.0, 1.0)]
    if a * c - b * b > 1e-14 * a * c:
        candidates.append(((b * e - c * d) / (a * c - b * b), (a * e - b * d) / (a * c - b * b)))
    for s, t in candidates:
        s, t = np.clip(s, 0.0, 1.0), np.clip(t, 0.0, 1.0)
        best = min(best, np.linalg.norm(p[0] + s * u - q[0] - t * v))
    return best


def crosses(triangle, segment) -> bool:
    """Whether a segment (2, 3) goes through a triangle (3, 3)."""
    normal = np.cross(triangle[1] - triangle[0], triangle[2] - triangle[0])
    heights = (segment - triangle[0]) @ normal
    if heights[0] * heights[1] > 0.0:
        return False
    point = segment[0] + heights[0] / (heights[0] - heights[1]) * (segment[1] - segment[0])
    return all(
        normal @ np.cross(triangle[(k + 1) % 3] - triangle[k], point - triangle[k]) >= 0.0 for k in range(3)
    )


def intersect(p, q) -> bool:
    edges = [(0, 1), (1, 2), (2, 0)]
    return any(crosses(p, q[list(e)]) or crosses(q, p[list(e)]) for e in edges)


def test_two_triangles_meet_when_sampling_says_so():
    """Random triangles on straight paths: no intersection before the first contact, one right after it."""
    generator = np.random.default_rng(8)
    corners = np.array([[0, 1, 2]])
    met = 0
    for _ in range(300):
        a0, b0 = generator.normal(size=(3, 3)), generator.normal(size=(3, 3)) + np.array([0.0, 0.0, 4.0])
        a1, b1 = (
            a0 + generator.normal(size=(3, 3)),
            b0 + generator.normal(size=(3, 3)) - np.array([0.0, 0.0, 4.0]),
        )
        if intersect(a0, b0):
            continue
        # either side may be the front of a lone triangle: what counts is the first of both orders
        shares = [
            found[0]
            for flip_a in (corners, corners[:, ::-1])
            for flip_b in (corners, corners[:, ::-1])
            if (found := first_contact(flip_a, a0, a1, flip_b, b0, b1)) is not None
        ]
        sampled = [t for t in np.linspace(0.0, 1.0, 400) if intersect(a0 + t * (a1 - a0), b0 + t * (b1 - b0))]
        if not shares:
            assert not sampled
            continue
        met += 1
        first = min(shares)
        if sampled:
            assert first <= sampled[0] + 1e-12
            assert first >= sampled[0] - 1.0 / 399 - 1e-12 or not _apart(a0, a1, b0, b1, first)
    assert met > 100


def _apart(a0, a1, b0, b1, share) -> bool:
    """Whether the triangles are apart at this share of the step."""
    p, q = a0 + share * (a1 - a0), b0 + share * (b1 - b0)
    edges = [(0, 1), (1, 2), (2, 0)]
    edge = min(segments_distance(p[list(e)], q[list(f)]) for e in edges for f in edges)
    heights = []
    for triangle, points in ((p, q), (q, p)):
        normal = np.cross(triangle[1] - triangle[0], triangle[2] - triangle[0])
        heights += list(np.abs((points - triangle[0]) @ normal) / np.linalg.norm(normal))
    return min(edge, *heights) > 1e-6


def test_a_ball_meets_a_plate_at_the_exact_share():
    mesh, plate = sphere(RADIUS, 8), box((0.2, 0.2, 0.001))
    start = mesh.vertices + np.array([0.01, 0.005, 0.05])
    for speed in (0.05, 0.2, 5.0):
        end = start - np.array([0.0, 0.0, speed])
        gap = start[:, 2].min() - 0.0005
        found = first_contact(mesh.triangles, start, end, plate.triangles, plate.vertices, plate.vertices)
        assert found is not None
        assert found[0] == pytest.approx(gap / speed, abs=1e-12)
        np.testing.assert_allclose(found[2], [0.0, 0.0, 1.0], atol=1e-9)
    away = start + np.array([0.0, 0.0, 0.1])
    assert first_contact(mesh.triangles, start, away, plate.triangles, plate.vertices, plate.vertices) is None


def test_crossing_edges_meet_with_their_common_normal():
    """Two rods, one across the other: only their edges meet."""
    rod = box((0.2, 0.01, 0.01))
    turned = np.array([[1, 0, 0], [0, math.sqrt(0.5), -math.sqrt(0.5)], [0, math.sqrt(0.5), math.sqrt(0.5)]])
    lower = rod.vertices @ turned.T  # an edge on top
    upper = lower[:, [1, 0, 2]] * [1, -1, 1] + np.array([0.0, 0.0, 0.1])
    end = upper - np.array([0.0, 0.0, 0.2])
    found = first_contact(rod.triangles, upper, end, rod.triangles, lower, lower)
    assert found is not None
    assert found[0] == pytest.approx((0.1 - 2 * 0.005 * math.sqrt(2)) / 0.2, abs=1e-12)
    np.testing.assert_allclose(found[2], [0.0, 0.0, 1.0], atol=1e-9)
    np.testing.assert_allclose(found[1][:2], 0.0, atol=1e-9)


def sheet(world, thickness: float) -> None:
    mesh = box((0.2, 0.2, thickness), (8, 8, 1))
    world.add_kinematic_body("sheet", mesh.vertices, mesh.triangles, friction=0.0)


def test_a_fast_tool_does_not_go_through_a_thin_sheet():
    """60 cm in a step of 40 ms, through 1 mm: at its free position the ball is long past the sheet."""
    world = make_world(0.04)
    sheet(world, 0.001)
    tool = add_tool(world, position=(0.003, 0.002, 0.3), friction=0.0)
    lowest = 1.0
    for i in range(40):
        tool.set_device(device_at(0.003, 0.002, 0.3 if i < 2 else -0.3))
        assert world.step(), world.status()
        lowest = min(lowest, tool.state.position[2])
    assert lowest > RADIUS * 0.95
    assert tool.state.position[2] == pytest.approx(RADIUS + 0.001, abs=5e-4)
    assert tool.model().contact_wrench[2] == pytest.approx(800.0 * (0.3 + RADIUS + 0.001), rel=0.01)


def test_a_turning_tool_does_not_sweep_through_a_thin_sheet():
    world = make_world(0.02)
    sheet(world, 0.001)
    tool = add_tool(world, position=(0.003, 0.002, 0.05), friction=0.0)
    for i in range(40):
        half = 0.5 * min(1.0, i / 20)
        pose = RigidState(
            np.array([0.003, 0.002, 0.05 - 0.2 * min(1.0, i / 10)]) + HANDLE,
            [math.sin(half), 0, 0, math.cos(half)],
        )
        tool.set_device(pose)
        assert world.step(), world.status()
        assert tool.state.position[2] > 0.0
