# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every kind of body in the embedded engine: placed, moved and measured as the scene says."""

import numpy as np
import pytest
from scene_samples import drop_scene

from softcontact.engines import make_engine
from softcontact.runner import run
from softcontact.scene import (
    ArticulatedBody,
    Box,
    Grasp,
    Hand,
    HandMotion,
    JointMotion,
    JointProbe,
    Keyframes,
    KinematicBody,
    Link,
    Material,
    PairFriction,
    PairOff,
    PointProbe,
    Region,
    RigidBody,
    Scene,
    SceneError,
    Sphere,
    TetrahedralBody,
    TetrahedralBox,
)

TABLE = KinematicBody(name="table", shape=Box(size=(1, 1, 0.02)), position=(0, 0, -0.01))
QUARTER = (0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5))


def test_soft_cube_rests_with_its_weight_on_the_table():
    cube = TetrahedralBody(
        name="cube",
        shape=TetrahedralBox(size=(0.04, 0.04, 0.04), divisions=(3, 3, 3)),
        material=Material(young=2e5, poisson=0.3, density=1000, rayleigh_mass=20),
        position=(0, 0, 0.0205),
    )
    result = run(Scene(name="soft", duration=0.5, bodies=[cube, TABLE]), record=False, replay=False)
    assert result.contact_force("cube")[-20:].mean(axis=0) == pytest.approx([0, 0, 0.064 * 9.81], abs=2e-3)
    assert result.history.start["cube"][:3] == pytest.approx([0, 0, 0.0205], abs=1e-12)


def test_soft_beam_held_by_a_region_bends_down_at_its_end():
    beam = TetrahedralBody(
        name="beam",
        shape=TetrahedralBox(size=(0.2, 0.02, 0.02), divisions=(10, 1, 1)),
        material=Material(young=1e6),
        fixed_region=Region(low=(-0.11, -1, -1), high=(-0.099, 1, 1)),
        orientation=QUARTER,
    )
    scene = Scene(name="beam", duration=0.1, bodies=[beam])
    start = make_engine(scene).vertices("beam")
    assert np.ptp(start, axis=0) == pytest.approx([0.02, 0.2, 0.02])
    held, free = int(np.argmin(start[:, 1])), int(np.argmax(start[:, 1]))
    probes = [
        PointProbe(name="held", body="beam", vertex=held),
        PointProbe(name="free", body="beam", vertex=free, axis="up"),
    ]
    history = run(scene.model_copy(update={"probes": tuple(probes)}), record=False, replay=False).history
    assert np.abs(history.probes["held"]).max() == 0
    assert history.probes["free"][-1] < -1e-3


def test_fixed_nodes_that_do_not_exist_are_refused():
    beam = TetrahedralBody(
        name="beam", shape=TetrahedralBox(size=(1, 1, 1), divisions=(1, 1, 1)), material=Material(young=1e5)
    )
    for changes, text in (
        ({"fixed_nodes": (8,)}, "fixed_nodes: 8 is too large; the nodes are 0 to 7"),
        ({"fixed_region": Region(low=(5, 5, 5), high=(6, 6, 6))}, "fixed_region holds no node"),
    ):
        with pytest.raises(SceneError, match=rf"bodies\[0\] \(beam\): {text}"):
            make_engine(Scene(name="s", duration=1, bodies=[beam.model_copy(update=changes)]))


def test_kinematic_body_follows_its_keyframes():
    motion = Keyframes(body="table", times=[0, 0.1], positions=[[0, 0, 0], [0.2, 0, 0]])
    turned = motion.model_copy(update={"orientations": ((0, 0, 0, 1), QUARTER)})
    for moved, quaternion in ((motion, (0, 0, 0, 1)), (turned, QUARTER)):
        scene = Scene(name="s", duration=0.1, bodies=[TABLE], motions=[moved])
        pose = run(scene, record=False, replay=False).history.poses["table"]
        assert pose[9, 0] == pytest.approx(0.1)
        assert pose[-1] == pytest.approx([0.2, 0, 0, *quaternion])


def test_rigid_body_has_the_mass_of_its_shape_or_the_one_given():
    def weight(**changes):
        ball = RigidBody(name="ball", shape=Box(size=(0.1, 0.1, 0.1)), position=(0, 0, 0.0505), **changes)
        scene = Scene(name="s", duration=0.2, bodies=[ball, TABLE])
        return run(scene, record=False, replay=False).contact_force("ball")[-1, 2] / 9.81

    assert weight() == pytest.approx(1.0, rel=1e-6)
    assert weight(density=300) == pytest.approx(0.3, rel=1e-6)
    assert weight(mass=0.7) == pytest.approx(0.7, rel=1e-6)


@pytest.mark.parametrize(
    "pair, slides", [([], False), ([PairFriction(a="table", b="box", friction=0.0)], True)]
)
def test_friction_of_a_pair_counts_before_that_of_the_bodies(pair, slides):
    scene = drop_scene(
        duration=0.3, checks=[], gravity=[1.0, 0, -9.81], pair_friction=[p.model_dump() for p in pair]
    )
    moved = run(scene, record=False, replay=False).history.poses["box"][-1, 0]
    assert (moved > 0.02) == slides


def test_bodies_of_a_pair_that_is_off_pass_through_each_other():
    scene = drop_scene(checks=[]).model_copy(update={"pairs_off": (PairOff(a="box", b="table"),)})
    result = run(scene, record=False, replay=False)
    assert result.history.height("box")[-1] == pytest.approx(-0.5 * 9.81 * 0.4**2, rel=1e-9)
    assert np.all(result.contact_force("box") == 0)


def test_arm_is_placed_and_pulled_to_its_target():
    inertia = np.eye(3) * 1e-4
    upper = Link(
        name="upper",
        axis=(0, 0, 1),
        mass=0.1,
        inertia=inertia,
        stiffness=[5],
        damping=[0.2],
        shape=Sphere(radius=0.02),
    )
    lower = upper.model_copy(update={"name": "lower", "parent": "upper", "position": (0.3, 0, 0)})
    scene = Scene(
        name="arm",
        duration=1,
        gravity=(0, 0, 0),
        bodies=[ArticulatedBody(name="arm", links=[upper, lower], position=(0, 0, 1), orientation=QUARTER)],
        motions=[JointMotion(body="arm", times=[0, 0.2], targets=[[0, 0], [0.5, -0.25]])],
        probes=[
            JointProbe(name="first", body="arm", index=0),
            JointProbe(name="second", body="arm", index=1),
        ],
    )
    engine = make_engine(scene)
    assert [s.name for s in engine.surfaces] == ["arm.upper", "arm.lower"]
    assert engine.vertices("arm.lower").mean(axis=0) == pytest.approx([0, 0.3, 1], abs=1e-9)
    history = run(scene, record=False, replay=False).history
    assert history.probes["first"][-1] == pytest.approx(0.5, abs=1e-3)
    assert history.probes["second"][-1] == pytest.approx(-0.25, abs=1e-3)


@pytest.mark.parametrize("integrator", ["implicit-euler", "midpoint"])
@pytest.mark.parametrize(("stiffness", "past"), [(None, 1e-6), (100.0, 2e-3)])
def test_joint_limits_are_rigid_unless_they_are_springs(stiffness, past, integrator):
    """A rod of 0.1 kg that falls from level against its limit at 0.3 rad."""
    rod = Link(
        name="rod",
        axis=(0, 1, 0),
        mass=0.1,
        com=(0.05, 0, 0),
        inertia=np.eye(3) * 1e-4,
        lower=[-0.3],
        upper=[0.3],
        limit_stiffness=stiffness,
        damping=[0.01],
    )
    scene = Scene(
        name="rod",
        duration=2,
        integrator=integrator,
        bodies=[ArticulatedBody(name="arm", links=[rod])],
        probes=[JointProbe(name="angle", body="arm", index=0)],
    )
    angle = run(scene, record=False, replay=False).history.probes["angle"]
    assert angle[-1] == pytest.approx(0.3, abs=past)
    assert stiffness is not None or angle.max() < 0.3 + past


def test_joints_without_limits_refuse_them():
    with pytest.raises(ValueError, match="a spherical joint takes no limits; leave them out"):
        Link(name="ball", joint="spherical", mass=1, inertia=np.eye(3), lower=[-1] * 3, upper=[1] * 3)


@pytest.fixture(scope="module")
def hand_run():
    """A hand that rises by 20 mm, turns its wrist and closes its fingers, near nothing."""
    rows = np.zeros((2, 26))
    rows[:, 22] = 0.5, 0.52
    rows[1, 25] = 0.2
    scene = Scene(
        name="hand",
        duration=0.4,
        bodies=[Hand(name="hand")],
        motions=[HandMotion(body="hand", times=[0, 0.2], values=rows)],
        grasp=Grasp(body="hand", start=0.1, end=0.3, force=1, rate=1.0, hand_fingers=["index"]),
        probes=[JointProbe(name=f"q{i}", body="hand", index=i) for i in range(27)],
    )
    return run(scene, record=False)


def test_hand_follows_its_keyframes(hand_run):
    history = hand_run.history
    assert history.start["hand"] == pytest.approx([0, 0, 0.5, 0, 0, 0, 1], abs=1e-12)
    assert history.poses["hand"][-1] == pytest.approx([0, 0, 0.52, 0, 0, np.sin(0.1), np.cos(0.1)], abs=2e-3)


def test_named_fingers_close_until_the_end_of_the_grasp(hand_run):
    angles = np.array([hand_run.history.probes[f"q{i}"][-1] for i in range(7, 27)]).reshape(5, 4)
    assert angles[1, 1:] == pytest.approx([0.2, 0.16, 0.1], abs=0.02)
    assert np.abs(angles[[0, 2, 3, 4]]).max() < 0.02


def test_hand_is_recorded_with_phalanges_and_skin(hand_run):
    surfaces = {surface.name: surface for surface in hand_run.recording.surfaces}
    assert len(surfaces) == 17
    assert surfaces["hand.skin"].role == "skin" and surfaces["hand.palm"].role == "palm"
    skin = surfaces["hand.skin"]
    rise = skin.vertices(skin.n_frames - 1)[:, 2].mean() - skin.vertices(0)[:, 2].mean()
    assert rise == pytest.approx(0.02, abs=0.005)
