# SPDX-License-Identifier: LGPL-2.1-or-later
"""Round shapes are met as they are: by soft bodies and by rigid meshes, however coarsely they are drawn."""

from __future__ import annotations

import numpy as np
import pytest
import zoo_runs
from scipy.spatial.transform import Rotation
from softcontact._core import Surface
from zoo_scenes import scene, soft_box

from softcontact.engines.embedded import EmbeddedEngine
from softcontact.mesh import revolved
from softcontact.scene import Capsule, Cylinder, KinematicBody, Mesh, Region, RigidBody, Sphere

LYING = (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))  # the axis along y
RADIUS = 0.03
COARSE = {
    "cylinder": (Cylinder(radius=RADIUS, height=0.1, segments=3), Cylinder(radius=RADIUS, height=0.1)),
    "capsule": (Capsule(radius=RADIUS, height=0.06, segments=3), Capsule(radius=RADIUS, height=0.06)),
    "sphere": (Sphere(radius=RADIUS, frequency=1), Sphere(radius=RADIUS)),
}


@pytest.mark.parametrize("kind", list(COARSE))
def test_tissue_lies_on_the_shape_and_not_on_its_picture(kind):
    """A block sinks in as far as its own mesh lets it, millimetres more where a triangle or an icosahedron bore it."""
    heights = []
    for shape in COARSE[kind]:
        block = soft_box("b", (0.06, 0.06, 0.02), 1e5, (6, 6, 2), position=(0, 0, RADIUS + 0.0105))
        round_ = KinematicBody(name="round", shape=shape, orientation=LYING)
        run = zoo_runs.run(scene([round_, block], 0.5, 0.005, "points"), every=10)
        assert run.exit_code == 0, run.message
        assert run.worst_overlap()[0] < 0.01
        heights.append(run["b"].centre[-1, 2])
    assert abs(heights[0] - heights[1]) < 0.5e-3


def disc(radius: float, height: float) -> Mesh:
    """A disc of so many corners that it stays a mesh."""
    made = revolved([(radius, -height / 2), (radius, height / 2)], segments=40)
    return Mesh(vertices=np.array(made.vertices).tolist(), triangles=np.array(made.triangles).tolist())


@pytest.mark.parametrize("segments", [3, 6, 32])
def test_a_mesh_lies_on_a_roller(segments):
    """A disc on the crest of a cylinder stays level: both ends of their common line bear it, however it tilts."""
    roller = KinematicBody(
        name="roller", shape=Cylinder(radius=RADIUS, height=0.1, segments=segments), orientation=LYING
    )
    body = RigidBody(name="b", shape=disc(0.03, 0.02), mass=0.07, position=(0, 0, 0.0405))
    run = zoo_runs.run(scene([roller, body], 0.6, 0.005, "points"), every=5)
    assert run.exit_code == 0, run.message
    assert run["b"].centre[-1, 2] == pytest.approx(0.04, abs=2e-5)
    assert np.abs(run["b"].tilt()).max() < 1e-3
    assert run.worst_overlap()[0] < 1e-3


@pytest.mark.parametrize("aside", [0.0, 0.024])
def test_a_roller_stands_on_a_mesh(aside):
    """A cylinder wider than the disc under it, or over its edge by less than half, stands."""
    base = KinematicBody(name="base", shape=disc(0.025, 0.02), position=(0, 0, -0.01))
    body = RigidBody(
        name="b",
        shape=Cylinder(radius=0.04, height=0.05),
        mass=0.3,
        position=(aside, 0, 0.0255),
        friction=0.5,
    )
    run = zoo_runs.run(scene([base, body], 1.0, 0.005, "points"), every=5)
    assert run.exit_code == 0, run.message
    assert run["b"].centre[-1, 2] == pytest.approx(0.025, abs=2e-5)
    assert np.abs(run["b"].tilt()).max() < 1e-3


def test_a_capsule_lies_along_a_mesh():
    """Longer than the disc under it: the rim bears it on either side."""
    base = KinematicBody(name="base", shape=disc(0.025, 0.02), position=(0, 0, -0.01))
    body = RigidBody(
        name="b",
        shape=Capsule(radius=0.01, height=0.08),
        mass=0.1,
        position=(0, 0, 0.0105),
        orientation=LYING,
    )
    run = zoo_runs.run(scene([base, body], 0.6, 0.005, "points"), every=5)
    assert run.exit_code == 0, run.message
    assert run["b"].centre[-1, 2] == pytest.approx(0.01, abs=2e-5)
    assert np.abs(run["b"].tilt()).max() < 1e-3


SHORT = {
    "cylinder": Cylinder(radius=RADIUS, height=0.02, segments=3),
    "capsule": Capsule(radius=RADIUS, height=0.01, segments=3),
    "sphere": Sphere(radius=RADIUS, frequency=1),
}


HALF = {"cylinder": 0.01, "capsule": 0.005, "sphere": 0.0}  # lengths [m]


def mantle(half: float, pose: np.ndarray) -> np.ndarray:
    """Points around a shape of half a length [m] along z (n, 3) [m]."""
    rotation = Rotation.from_quat(pose[3:])
    heights, angles = np.linspace(-half, half, 41), np.radians(np.linspace(0, 360, 1441))
    rim = RADIUS * np.column_stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)])
    points = (rim[None] + heights[:, None, None] * np.array([0, 0, 1.0])).reshape(-1, 3)
    return rotation.apply(points) + pose[:3]


@pytest.mark.parametrize("kind", list(SHORT))
def test_the_faces_of_tissue_bear(kind):
    """Between the vertices of coarse tissue no shape sinks in by what is cut off it: whole surfaces, looked at."""
    block = soft_box("b", (0.08, 0.08, 0.03), 1e6, (2, 2, 1), position=(0, 0, -0.015))
    held = block.model_copy(update={"fixed_region": Region(low=(-1, -1, -1), high=(1, 1, -0.0149))})
    body = RigidBody(
        name="round",
        shape=SHORT[kind],
        mass=0.5,
        position=(0.02, 0.018, RADIUS + 0.0004),
        orientation=tuple(
            (Rotation.from_quat(LYING) * Rotation.from_euler("z", 11.25, degrees=True)).as_quat()
        ),
        friction=0.8,
    )
    engine = EmbeddedEngine(scene([held, body], 0.3, 0.005, "points"))
    for _ in range(60):
        engine.step()
    surface = next(s for s in engine.surfaces if s.body == "b")
    tissue = Surface(engine.vertices(surface.name), surface.triangles)
    distance = tissue.signed_distance(mantle(HALF[kind], engine.pose("round")))[0]
    assert abs(distance.min()) < 5e-6
    assert engine.statistics()["penetration_max"] < 2e-6


@pytest.mark.parametrize("tilt", [0.0, 2e-3, 0.02])
@pytest.mark.parametrize("half", [0.02, 0.1])
def test_a_roller_that_starts_in_a_face_of_tissue_is_told_however_it_leans(half, tilt):
    """Also one whose lower end hangs over the side: what lies in the tissue is its middle."""
    block = soft_box("b", (0.08, 0.08, 0.03), 1e6, (2, 2, 1), position=(0, 0, -0.015))
    turned = Rotation.from_quat(LYING) * Rotation.from_euler("xz", [tilt, np.radians(11.25)])
    roller = KinematicBody(
        name="round",
        shape=Cylinder(radius=RADIUS, height=2 * half, segments=16),
        position=(0.02, 0.018, RADIUS - 4e-4),
        orientation=tuple(turned.as_quat()),
    )
    engine = EmbeddedEngine(scene([block, roller], 0.1, 0.005, "points"))
    surface = next(s for s in engine.surfaces if s.body == "b")
    tissue = Surface(engine.vertices(surface.name), surface.triangles)
    deepest = -tissue.signed_distance(mantle(half, engine.pose("round")))[0].min()
    told = max(depth for _, _, depth in engine.world.overlaps())
    assert deepest > 3.5e-4  # the case
    assert told == pytest.approx(deepest, rel=0.15)


def ledge(name: str, x: float, young: float = 1e6):
    """A block that is held below, its top z = 0."""
    block = soft_box(name, (0.04, 0.1, 0.04), young, (3, 5, 3), position=(x, 0, -0.02), friction=0.3)
    return block.model_copy(update={"fixed_region": Region(low=(-9, -9, -9), high=(9, 9, -0.0199))})


@pytest.mark.parametrize(("young", "cover", "sinks"), [(1e6, 0.001, 2e-5), (1e5, 0.0005, 2.1e-4)])
@pytest.mark.parametrize("h", [0.005, 0.01, 0.02])
def test_a_cylinder_stands_on_two_ledges_that_it_hardly_covers(h, young, cover, sinks):
    """A millimetre on either side bears it: the sides of the gap are no way out for what is less deep in the top."""
    radius = 0.02
    ledges = [ledge(name, side * (0.02 + radius - cover), young) for name, side in (("l", -1), ("r", 1))]
    shape = Cylinder(radius=radius, height=0.04)
    body = RigidBody(name="b", shape=shape, density=1000, position=(0, 0.002, 0.02001), friction=0.3)
    run = zoo_runs.run(scene([*ledges, body], 0.3, h), every=5)
    assert run.exit_code == 0, run.message
    assert run["b"].centre[-1] == pytest.approx([0, 0.002, 0.02 - sinks], abs=1e-4)
    assert run.worst_overlap()[0] < 1e-3


@pytest.mark.parametrize("kind", ["cylinder", "capsule", "sphere"])
def test_what_falls_on_an_edge_of_tissue_is_turned_aside(kind):
    """In a step that takes it past the edge, too: where it ends it would be out by the side at once."""
    shape = {
        "cylinder": Cylinder(radius=0.02, height=0.04),
        "capsule": Capsule(radius=0.012, height=0.04),
        "sphere": Sphere(radius=0.02),
    }[kind]
    upright, speed = kind == "cylinder", 1.0 if kind == "cylinder" else 2.0
    body = RigidBody(
        name="b",
        shape=shape,
        density=1000,
        position=(shape.radius - 0.001, 0.003, shape.radius + 0.001),
        orientation=(0, 0, 0, 1) if upright else LYING,
        friction=0.0,
        velocity=(0, 0, -speed),
    )
    block = ledge("s", -0.02).model_copy(update={"friction": 0.0})
    run = zoo_runs.run(scene([block, body], 0.04, 0.01, gravity=(0, 0, 0)))
    assert run.exit_code == 0, run.message
    assert np.linalg.norm(run["b"].velocity[-1]) < 0.8 * speed
    if upright:  # its rim is held up, and it tips
        assert np.linalg.norm(run["b"].spin[-1]) > 10.0
    assert run.gain() < 1e-6
