# SPDX-License-Identifier: LGPL-2.1-or-later
"""The palm as a contact region: its pads' meshes, and what presses on them."""

import numpy as np
import pytest

from softcontact import _core
from softcontact.engines.embedded import EmbeddedEngine
from softcontact.engines.sofa.support import check_support
from softcontact.hand import HandModel, HandParameters, HandTissue
from softcontact.hand.palm import palm_field
from softcontact.hand.palm_tissue import PALM_PADS, build_palm_tissue
from softcontact.hand.phalanx import tetrahedron_quality
from softcontact.mesh import SurfaceMesh
from softcontact.mesh.primitives import sphere
from softcontact.scene import ArticulatedBody, Hand, Link, Scene, SceneError, Sphere

PALM_UP = (1.0, 0.0, 0.0, 0.0)
MASS = 1.0


@pytest.fixture(scope="module")
def soft():
    return HandModel.build(palm="soft")


@pytest.fixture(scope="module")
def rigid():
    return HandModel.build()


@pytest.fixture
def built(monkeypatch, soft, rigid):
    """Hands of scenes are those made already."""
    made = {"soft": soft, "rigid": rigid}
    monkeypatch.setattr(HandModel, "build", lambda sizes, tissue, compliance, palm: made[palm])


@pytest.mark.parametrize("resolution", ["coarse", "normal", "fine"])
def test_pads_are_sound_and_lie_under_the_skin(resolution):
    parameters = HandParameters(tissue_resolution=resolution)
    tissue = build_palm_tissue(parameters)
    assert tissue.names == PALM_PADS
    for pad in tissue.pads:
        assert tetrahedron_quality(pad.nodes, pad.tetrahedra).min() > 0.3
        surface = SurfaceMesh(pad.vertices, pad.triangles)
        assert surface.is_closed and surface.volume > 5e-6
        depth = palm_field(parameters, pad.vertices)
        skin = np.arange(len(pad.vertices)) < len(pad.vertices) // 2
        assert np.abs(depth[skin]).max() < 3e-4  # the outer face is the palm's skin
        assert depth[~skin].max() < -1.5e-3  # the bone face lies inside
        assert depth[~skin].mean() < -5e-3
        bound = palm_field(parameters, pad.nodes[pad.bound_nodes])
        assert bound.max() < -1.5e-3 and len(pad.bound_nodes) >= len(pad.nodes) // 3
        at = np.einsum("kj,kjd->kd", pad.surface_weights, pad.nodes[pad.surface_nodes])
        np.testing.assert_allclose(at, pad.vertices, atol=1e-12)


def test_core_draws_back_under_the_pads_and_keeps_the_back_of_the_hand(soft):
    core = soft.palm_tissue.core_vertices
    assert SurfaceMesh(core, soft.palm_tissue.core_triangles).is_closed
    moved = core[:, 2] - soft.palm_vertices[:, 2]
    assert moved.min() == 0.0 and (core[:, :2] == soft.palm_vertices[:, :2]).all()
    assert moved.max() == pytest.approx(7.5e-3, abs=5e-4)
    back = soft.palm_vertices[:, 2] > 0.0
    assert back.sum() > 50 and not moved[back].any()
    for pad in soft.palm_tissue.pads:  # nowhere out of the pads that cover it
        surface = SurfaceMesh(pad.vertices, pad.triangles)
        middle = pad.vertices[: len(pad.vertices) // 2].mean(axis=0)
        near = np.linalg.norm(core[:, :2] - middle[:2], axis=1) < 0.012
        assert near.sum() > 3
        under = core[near & (core[:, 2] < 0.0)]
        assert (palm_field(soft.parameters, under) < -1.5e-3).all(), surface.volume


def test_left_palm_is_the_mirror_image(soft):
    left = soft.palm_tissue.mirrored()
    back = soft.palm_tissue.core_vertices * [1, -1, 1]
    np.testing.assert_array_equal(left.core_vertices, back)
    assert SurfaceMesh(left.core_vertices, left.core_triangles).volume > 0
    for mine, other in zip(soft.palm_tissue.pads, left.pads, strict=True):
        np.testing.assert_array_equal(mine.vertices * [1, -1, 1], other.vertices)
        assert SurfaceMesh(other.vertices, other.triangles).volume > 0
        assert tetrahedron_quality(other.nodes, other.tetrahedra).min() > 0.3


def test_skin_follows_the_pads(soft, rigid):
    np.testing.assert_array_equal(rigid.skin.local, soft.skin.local)
    placed = soft.kinematics.poses(np.zeros(20))
    still = [np.zeros_like(p.vertices) for p in (*soft.phalanges, *soft.palm_tissue.pads)]
    pressed = [d.copy() for d in still]
    pressed[15][:] = [0.0, 0.0, 0.004]  # the ball of the thumb goes in by 4 mm
    moved = soft.skin.vertices(*placed, pressed) - soft.skin.vertices(*placed, still)
    size = np.linalg.norm(moved, axis=1)
    assert size.max() == pytest.approx(0.004, rel=0.1)
    assert 20 < (size > 2e-3).sum() < 0.2 * len(size)
    np.testing.assert_array_equal(soft.skin.vertices(*placed, still), soft.skin.vertices(*placed))


def scene_with_ball(**hand):
    """A small ball that slides down a vertical guide onto an upturned palm."""
    guide = Link(
        name="ball",
        joint="prismatic",
        axis=(0.0, 0.0, 1.0),
        mass=MASS,
        inertia=(1e-3 * np.eye(3)).tolist(),
        shape=Sphere(radius=0.02, frequency=6),
    )
    bodies = [
        Hand(name="hand", orientation=PALM_UP, **hand),
        ArticulatedBody(name="weight", links=[guide], position=(0.04, 0.02, 0.045)),
    ]
    return Scene(name="palm", duration=1.0, time_step=0.005, bodies=bodies)


def settled_ball(model, at, radius=0.05):
    """Patches and depth of the ball, on a guide, that rests on the palm alone, which does not move."""
    world = _core.World(0.005, (0.0, 0.0, -9.81), {"alarm_distance": 2e-3, "contact_offset": 5e-4})
    held = {key: model.links[0][key] for key in ("name", "mass", "com", "inertia")}
    held |= {"joint": "prismatic", "axis": [0.0, 0.0, 1.0], "stiffness": [1e6], "damping": [1e3]}
    hand = world.add_articulated_body("hand", [held | {"orientation": PALM_UP}], gravity_compensated=True)
    tissue = model.palm_tissue
    core = (
        (tissue.core_vertices, tissue.core_triangles)
        if tissue
        else (model.palm_vertices, model.palm_triangles)
    )
    world.add_link_surface(hand, 0, "palm", *core, 0.8, True)
    for index, name in enumerate(tissue.names if tissue else ()):
        world.add_phalanx(hand, name=name, **model.pad_arguments(index))
    link = {"name": "ball", "joint": "prismatic", "axis": [0.0, 0.0, 1.0], "mass": MASS, "damping": [20.0]}
    start = np.array([at[0], -at[1], 0.022 + radius])
    ball = world.add_articulated_body("weight", [link | {"position": start, "inertia": 1e-3 * np.eye(3)}])
    mesh = sphere(radius, 8)
    world.add_link_surface(ball, 0, "ball", mesh.vertices, mesh.triangles, 0.8)
    for _ in range(100):
        assert world.step(), world.status()
    return world.patches(), float(world.joint_positions(ball)[0])


@pytest.mark.parametrize(
    ("at", "pads"),
    [
        ((0.035, -0.006), {"thenar", "hypothenar"}),  # the hollow
        ((0.045, 0.020), {"thenar"}),
        ((0.085, 0.0), {"distal"}),
    ],
)
def test_pads_carry_a_ball_and_yield(soft, rigid, at, pads):
    (patches, height), (stiff, top) = settled_ball(soft, at), settled_ball(rigid, at)
    for found in (patches, stiff):
        assert abs(sum(patch["force"][2] for patch in found)) == pytest.approx(MASS * 9.81, rel=0.03)
    assert {patch["body"] for patch in stiff} == {"palm"}
    carrying = {patch["body"] for patch in patches if abs(patch["force"][2]) > 0.2 * MASS * 9.81}
    assert carrying == pads  # an aggregate of its own a pad
    assert 5e-4 < top - height < 5e-3  # it sinks in, but not to the bone
    assert sum(patch["area"] for patch in patches) > 1.5 * sum(patch["area"] for patch in stiff)


def test_palm_of_a_scene_bears_or_lets_through(built):
    heights = {}
    for palm in ("soft", "off"):
        engine = EmbeddedEngine(scene_with_ball(palm=palm))
        for _ in range(40):
            engine.step()
        assert engine.status()["ok"]
        heights[palm] = engine.world.joint_positions(1)[0]
        assert ("hand.palm" in engine.world.surface_names) == (palm == "soft")
    assert heights["soft"] > -0.01 and heights["off"] < -0.1


def test_surfaces_of_the_palm_are_shown_as_palm(built):
    engine = EmbeddedEngine(scene_with_ball(palm="soft", self_contact=True))
    roles = {info.name: info.role for info in engine.surfaces if info.body == "hand"}
    assert {name for name, role in roles.items() if role == "palm"} == {
        "hand.palm",
        *(f"hand.palm_{name}" for name in PALM_PADS),
    }
    assert len(engine.vertices("hand.skin")) == len(engine._hands["hand"].model.skin.links)


def test_sofa_refuses_what_it_does_not_do():
    with pytest.raises(SceneError, match=r"\(hand\)\.palm: engine 'sofa' cannot express 'soft'"):
        check_support(scene_with_ball(palm="soft"))
    with pytest.raises(SceneError, match=r"tissue\.stiffening: engine 'sofa' cannot express 8"):
        check_support(scene_with_ball(tissue=HandTissue(stiffening=8.0)))
    check_support(scene_with_ball())


def test_unknown_palm_is_refused():
    with pytest.raises(ValueError, match="palm: 'jelly' is unknown"):
        HandModel.build(palm="jelly")
