# SPDX-License-Identifier: LGPL-2.1-or-later
"""Scenes as data: units, exact files, options, named and Python scenes."""

import json
import math
import warnings

import numpy as np
import pytest
from scene_samples import drop, drop_scene

from softcontact import scene as sc
from softcontact.scene.library import load_module
from softcontact.scene.resolve import resolve

TETRAHEDRON = (np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]), np.array([[0, 1, 2, 3]]))


def full_scene() -> sc.Scene:
    """Every kind of body, motion, probe and check, with numbers that have no short decimal."""
    third = 1.0 / 3.0
    link = {"mass": third, "inertia": np.eye(3) * 1e-3, "shape": sc.Sphere(radius=third / 7)}
    arm = sc.ArticulatedBody(
        name="arm",
        links=[
            sc.Link(
                name="upper", joint="revolute", stiffness=(0.1,), lower=(-math.pi,), upper=(math.pi,), **link
            ),
            sc.Link(name="lower", parent="upper", joint="spherical", position=(third, 0, 0), **link),
        ],
    )
    soft = sc.TetrahedralBody(
        name="soft",
        shape=sc.TetrahedralMesh(nodes=TETRAHEDRON[0] * third, tetrahedra=TETRAHEDRON[1]),
        material=sc.Material(young=1e4 * third, poisson=0.3),
        fixed_nodes=[0],
        fixed_region=sc.Region(low=(-1, -1, -1), high=(third, 0, 0)),
    )
    angle = 0.3
    turned = (0.0, 0.0, math.sin(angle / 2), math.cos(angle / 2))
    return sc.Scene(
        name="everything µ",
        duration=third,
        gravity=(0, 0, -9.80665),
        bodies=[
            arm,
            soft,
            sc.Hand(name="hand", angles=[0.1 * third] * 20, position=(0, 0, third)),
            sc.RigidBody(name="ball", shape=sc.Sphere(radius=0.03), density=700 * third, orientation=turned),
            sc.RigidBody(name="rabbit", shape=sc.Bunny(), mass=0.1, color=(1, third, 0)),
            sc.KinematicBody(name="tool", shape=sc.Cylinder(radius=0.01, height=0.1), orientation=turned),
        ],
        pair_friction=[sc.PairFriction(a="ball", b="tool", friction=third)],
        pairs_off=[sc.PairOff(a="arm", b="soft")],
        motions=[
            sc.Keyframes(body="tool", times=[0, third], positions=[[0, 0, 0], [0, 0, third]]),
            sc.JointMotion(body="arm", times=[0], targets=[[0.1, 0, 0, 0, 1]]),
            sc.HandMotion(body="hand", times=[0], values=[[0.1 * third] * 26]),
        ],
        grasp=sc.Grasp(body="hand", end=0.2, force=third),
        probes=[
            sc.PositionProbe(name="p", body="ball", axis="x"),
            sc.PointProbe(name="q", body="soft", vertex=1),
            sc.ForceProbe(name="f", body="ball", other="hand"),
            sc.EnergyProbe(name="e"),
            sc.JointProbe(name="j", body="arm", index=0),
        ],
        checks=[
            sc.Lifted(body="ball", height=third),
            sc.Held(body="ball"),
            sc.Drift(body="ball", limit=third),
            sc.Slip(body="ball", other="hand", limit=0.001),
            sc.PenetrationLimit(limit=0.001),
            sc.Finite(),
            sc.ProbeLimit(probe="f", maximum=third, reduce="largest"),
        ],
    )


@pytest.mark.parametrize("suffix", [".json", ".yaml"])
def test_saved_scene_is_the_same_to_the_last_bit(tmp_path, suffix):
    scene = full_scene()
    path = tmp_path / f"szene ü{suffix}"
    scene.save(path)
    again = sc.Scene.from_file(path)
    assert again == scene
    assert json.dumps(again.to_dict()) == json.dumps(scene.to_dict())


def test_scenes_that_differ_are_not_equal():
    assert drop_scene() == drop_scene()
    assert drop_scene() != drop_scene(duration=math.nextafter(0.4, 1))


def test_lengths_in_millimetres_become_metres_and_defaults_stay():
    scene = sc.Scene.from_dict(
        {
            "name": "mm",
            "units": "mm",
            "duration": 1,
            "contact": {"contact_offset": 0.1},
            "bodies": [
                {
                    "kind": "rigid",
                    "name": "a",
                    "shape": {"kind": "box", "size": [10, 20, 30]},
                    "position": [1, 2, 3],
                },
                {
                    "kind": "tetrahedral",
                    "name": "b",
                    "shape": {
                        "kind": "tetrahedra",
                        "nodes": (TETRAHEDRON[0] * 5).tolist(),
                        "tetrahedra": [[0, 1, 2, 3]],
                    },
                    "material": {"young": 5000},
                },
                {"kind": "kinematic", "name": "c", "shape": {"kind": "sphere", "radius": 4}},
            ],
            "motions": [{"kind": "keyframes", "body": "c", "times": [0], "positions": [[0, 0, 7]]}],
            "checks": [{"kind": "lifted", "body": "a", "height": 50}],
        }
    )
    a, b, c = scene.bodies
    assert scene.units == "m"
    assert a.shape.size == pytest.approx((0.01, 0.02, 0.03))
    assert a.position == pytest.approx((0.001, 0.002, 0.003))
    assert np.max(b.shape.nodes) == pytest.approx(0.005)
    assert b.material.young == 5000
    assert c.shape.radius == pytest.approx(0.004)
    assert scene.motions[0].positions[0][2] == pytest.approx(0.007)
    assert scene.checks[0].height == pytest.approx(0.05)
    assert scene.contact.contact_offset == pytest.approx(1e-4)
    assert scene.contact.alarm_distance == sc.ContactSettings().alarm_distance
    assert scene.gravity == (0, 0, -9.81)


def test_only_the_palm_position_of_a_hands_keyframes_is_a_length():
    motion = {"kind": "hand", "body": "h", "times": [0], "values": [[1.0] * 26]}
    hand = {"kind": "hand", "name": "h"}
    scene = sc.Scene.from_dict(
        {"name": "s", "units": "cm", "duration": 1, "bodies": [hand], "motions": [motion]}
    )
    assert scene.motions[0].values == ((1.0,) * 20 + (0.01,) * 3 + (1.0,) * 3,)


def test_numpy_and_exponents_without_dot_are_numbers(tmp_path):
    body = sc.RigidBody(
        name="a", shape=sc.Sphere(radius=np.float32(0.5)), position=np.array([1, 2, 3]), mass=np.int64(2)
    )
    assert body.position == (1.0, 2.0, 3.0) and body.mass == 2.0
    path = tmp_path / "s.yaml"
    path.write_text(json.dumps(drop(time_step=0.001)).replace('"time_step": 0.001', '"time_step": 1e-3'))
    assert sc.Scene.from_file(path).time_step == 1e-3


def test_scene_cannot_be_changed_in_place():
    with pytest.raises(ValueError, match="frozen"):
        drop_scene().duration = 3


def test_changes_go_by_path_and_are_validated():
    scene = drop_scene().with_changes(
        {"bodies.box.mass": 2, "contact.friction": "0.25", "bodies.1.friction": 0.1}
    )
    assert (scene.body("box").mass, scene.contact.friction, scene.body("table").friction) == (2, 0.25, 0.1)
    with pytest.raises(sc.SceneError, match="did you mean 'mass'"):
        scene.with_changes({"bodies.box.mas": 2})
    with pytest.raises(sc.SceneError, match="no entry 'bo'; did you mean 'box'"):
        scene.with_changes({"bodies.bo.mass": 2})


def test_friction_given_twice_warns_which_one_counts():
    pairs = [{"a": "box", "b": "table", "friction": 0.3}, {"a": "table", "b": "box", "friction": 0.6}]
    with pytest.warns(sc.SceneWarning, match=r"twice, 0\.3 and 0\.6; the last one, 0\.6, counts"):
        drop_scene(pair_friction=pairs)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drop_scene(pair_friction=[pairs[0], pairs[0]])


PYTHON_SCENE = '''"""A box falls from a height.

More words.
"""
from pydantic import Field
from softcontact.scene import Box, RigidBody, Scene, SceneOptions


class Options(SceneOptions):
    height: float = Field(0.1, gt=0)
    """Where the box starts [m]."""


def scene(**options):
    chosen = Options(**options)
    box = RigidBody(name="box", shape=Box(size=(0.1, 0.1, 0.1)), position=(0, 0, chosen.height))
    return Scene(name="fall", duration=0.1, bodies=[box])
'''


def test_python_scene_has_typed_options(tmp_path):
    path = tmp_path / "fall.py"
    path.write_text(PYTHON_SCENE)
    module = load_module(path)
    assert module.description == "A box falls from a height."
    assert module.options.model_fields["height"].description == "Where the box starts [m]."
    scene = sc.Scene.from_file(path, height="0.25")
    assert scene.body("box").position[2] == 0.25
    assert scene.options == {"height": 0.25}
    assert sc.load(path, {"duration": "0.5", "bodies.box.mass": "3"}).body("box").mass == 3
    with pytest.raises(sc.SceneError, match="unknown option 'hight'; did you mean 'height'"):
        sc.load(path, {"hight": "1"})
    with pytest.raises(
        sc.SceneError, match=r"height: '-1' must be greater than 0 \(Where the box starts \[m\]\)"
    ):
        sc.load(path, {"height": "-1"})


def test_python_scene_without_options_model_takes_them_from_its_arguments(tmp_path):
    path = tmp_path / "fall.py"
    body = "Scene(name='s', duration=t, bodies=[KinematicBody(name='b', shape=Box(size=(1, 1, 1)))])"
    path.write_text(f"from softcontact.scene import *\ndef scene(t: float = 1.0):\n    return {body}\n")
    assert sc.load(path, {"t": "0.5"}).duration == 0.5
    with pytest.raises(sc.SceneError, match="t: 'x' is not a number"):
        sc.load(path, {"t": "x"})


def test_mesh_file_is_written_into_the_resolved_scene(tmp_path):
    (tmp_path / "one.obj").write_text(
        "v 0 0 0\nv 10 0 0\nv 0 10 0\nv 0 0 10\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    data = drop()
    data["bodies"][0]["shape"] = {"kind": "file", "path": "one.obj", "unit": "mm"}
    (tmp_path / "s.json").write_text(json.dumps(data))
    scene = resolve(sc.Scene.from_file(tmp_path / "s.json"))
    shape = scene.body("box").shape
    assert shape.kind == "mesh" and np.max(shape.vertices) == pytest.approx(0.01)
    assert sc.Scene.from_dict(scene.to_dict()) == scene


def test_unlikely_size_is_warned_about(tmp_path):
    (tmp_path / "one.obj").write_text(
        "v 0 0 0\nv 90 0 0\nv 0 90 0\nv 0 0 90\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    data = drop()
    data["bodies"][0]["shape"] = {"kind": "file", "path": str(tmp_path / "one.obj"), "unit": "m"}
    with pytest.warns(sc.SceneWarning, match="90 m large, read in m; check its unit"):
        resolve(sc.Scene.from_dict(data))
