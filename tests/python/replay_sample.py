# SPDX-License-Identifier: LGPL-2.1-or-later
"""A made-up recording for the tests of the replay: two soft fingers lift a ball off a table."""

import numpy as np

from softcontact.report.recording import Recording, SurfaceTrack

BALL_RADIUS = 0.03
PAD_AXES = np.array([0.011, 0.010, 0.016])


def sphere(n_rings: int, n_segments: int):
    """Unit sphere: vertices (k, 3), outward triangles (m, 3)."""
    polar = np.linspace(0.0, np.pi, n_rings + 1)[1:-1]
    around = 2 * np.pi * np.arange(n_segments) / n_segments
    rings = np.stack(
        [
            np.outer(np.sin(polar), np.cos(around)),
            np.outer(np.sin(polar), np.sin(around)),
            np.repeat(np.cos(polar)[:, None], n_segments, axis=1),
        ],
        axis=-1,
    ).reshape(-1, 3)
    vertices = np.vstack([[0, 0, 1], rings, [0, 0, -1]])
    triangles = []
    last = len(vertices) - 1
    for j in range(n_segments):
        k = (j + 1) % n_segments
        triangles.append((0, 1 + j, 1 + k))
        for ring in range(n_rings - 2):
            a, b = 1 + ring * n_segments + j, 1 + ring * n_segments + k
            triangles += [(a, a + n_segments, b + n_segments), (a, b + n_segments, b)]
        base = 1 + (n_rings - 2) * n_segments
        triangles.append((base + j, last, base + k))
    return vertices, np.array(triangles, np.int32)


def box(low, high):
    """Box with 8 shared corners, outward triangles."""
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return np.array(low) + corners * (np.array(high) - np.array(low)), np.array(triangles, np.int32)


def smoothstep(x):
    x = np.clip(x, 0.0, 1.0)
    return x * x * (3.0 - 2.0 * x)


def pad(unit, side, squeeze, ball):
    """Ellipsoid beside the ball, pressed flat against it: vertices, which ones touch, how deep they were."""
    vertices = unit * PAD_AXES
    vertices = vertices + ball + [side * (BALL_RADIUS + PAD_AXES[0] + 0.004 - 0.008 * squeeze), 0.0, 0.004]
    offset = vertices - ball
    distance = np.linalg.norm(offset, axis=1)
    inside = distance < BALL_RADIUS
    vertices[inside] = ball + offset[inside] * (BALL_RADIUS / distance[inside])[:, None]
    return vertices, inside, np.maximum(BALL_RADIUS - distance, 0.0)


def lifted_ball(n_frames: int = 24, *, rings: int = 20, segments: int = 28, skin: bool = False) -> Recording:
    """Two seconds: approach, squeeze, lift by 6 cm with a turn about the vertical."""
    unit, triangles = sphere(rings, segments)
    ball_vertices, ball_triangles = sphere(26, 40)
    times = np.linspace(0.0, 2.0, n_frames)
    frames = {-1: [], 1: []}
    poses, patches = [], []
    for time in times:
        squeeze, lift = smoothstep(time / 0.8), smoothstep((time - 0.9) / 1.0)
        ball = np.array([0.0, 0.0, BALL_RADIUS + 0.06 * lift])
        angle = 0.6 * lift
        poses.append([*ball, 0.0, 0.0, np.sin(angle / 2), np.cos(angle / 2)])
        here = []
        for side, name in ((-1, "thumb_distal"), (1, "index_distal")):
            vertices, inside, depth = pad(unit, side, squeeze, ball)
            frames[side].append(vertices)
            if inside.any():
                points, weight = vertices[inside], depth[inside] / depth[inside].sum()
                normal_force = 4.0 * squeeze
                force = np.array([side * normal_force, 0.0, -0.9 * lift])
                area = inside.sum() * 7e-6
                here.append(
                    {
                        "body": name,
                        "other": "ball",
                        "force": force,
                        "torque": np.array([side * 0.004 * lift, 0.0, 0.0]),
                        "centre": weight @ points,
                        "area": area,
                        "volume": 1e-9,
                        "pressure_mean": normal_force / area,
                        "pressure_max": 2 * normal_force / area,
                        "normal_force": normal_force,
                        "points": points,
                        "point_forces": weight[:, None] * force,
                    }
                )
        if lift < 0.02:
            here.append(
                {
                    "body": "ball",
                    "other": "table",
                    "force": [0.0, 0.0, 1.8 * (1 - 50 * lift)],
                    "centre": [0.0, 0.0, 0.0],
                }
            )
        patches.append(here)
    table_vertices, table_triangles = box([-0.16, -0.11, -0.02], [0.16, 0.11, 0.0])
    still = np.tile([0.0, 0, 0, 0, 0, 0, 1], (n_frames, 1))
    surfaces = [
        SurfaceTrack("table", "table", table_triangles, rest=table_vertices, poses=still),
        SurfaceTrack(
            "ball", "object", ball_triangles, rest=BALL_RADIUS * ball_vertices, poses=np.array(poses)
        ),
        SurfaceTrack("thumb_distal", "phalanx", triangles, frames=np.array(frames[-1])),
        SurfaceTrack("index_distal", "phalanx", triangles, frames=np.array(frames[1])),
    ]
    if skin:
        both = np.concatenate([frames[-1], frames[1]], axis=1)
        joined = np.vstack([triangles, triangles + len(unit)])
        surfaces.append(SurfaceTrack("hand", "skin", joined, frames=both))
    checks = [
        {"name": "lift_height", "value": 0.06, "limit": 0.05, "unit": "m", "passed": True},
        {"name": "slip", "value": 0.0002, "limit": 0.002, "unit": "m", "passed": True},
    ]
    summary = {
        "scene": "ball",
        "engine": "embedded",
        "steps": 200,
        "real_time_factor": 1.62,
        "checks": checks,
    }
    return Recording("Soft fingers lift a ball", times, surfaces, patches, summary)
