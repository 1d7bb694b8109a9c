# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fingertips of the default hand: pressed on a plate, pinching a cube, and resisting the moment of a long bar.

Talvas et al. 2015, Secs. 3.4 and 5.1 (Fig. 9) for the bar: it "stays in a horizontal position as long as the
fingers apply a sufficient force". How large that is follows from the Contensou limit of each fingertip,
torque = mu N sum a_i |r_i|, a_i the share of the load at point i and r_i its place from the centre of pressure.

Forces and areas do not depend on the time step: the pressure follows the free motion of the tissue alone, not that of
the bones, which a longer step carries further into the object.
"""

import numpy as np
import pytest
from bench_bodies import GRAVITY, add_block, new_world
from bench_fingertips import FINGERS, add_fingertip, spring_force, tip_patches, turned_by

from softcontact.mesh.primitives import box

STIFFNESS, FRICTION, OFFSET = 200.0, 0.7, 5e-4
DOWN, FORTH = (0.0, 0.0, -1.0), (0.0, -1.0, 0.0)


def centred(shape):
    return shape.vertices - 0.5 * (shape.vertices.max(axis=0) + shape.vertices.min(axis=0))


def add_table(world, height, leaves):
    """A table under an object, which leaves downwards at the time `leaves` [s] and does not touch the fingers."""
    slab = box((0.01, 0.3, 0.01))
    top = np.array([0.0, 0.0, height - OFFSET])
    vertices = centred(slab) - [0.0, 0.0, 0.005]
    table = world.add_kinematic_body("table", vertices, slab.triangles, position=top, friction=0.1)
    places = np.array([top, top, top - [0.0, 0.0, 0.3]])
    world.set_kinematic_motion(
        table, [0.0, leaves, leaves + 0.5], places, np.array([[0.0, 0.0, 0.0, 1.0]] * 3)
    )
    for name in ("thumb_tip", "index_tip"):
        world.disable_pair("table", name)


def pressed_on_plate(finger, push, model="aggregate", step=0.005):
    """The patch of a fingertip that a spring of about `push` N presses on a plate, and the spring's force."""
    world = new_world(step, contact_offset=OFFSET, contact=model)
    travel = push / STIFFNESS
    arm = add_fingertip(world, finger, apart=1e-3, travel=travel, stiffness=STIFFNESS, friction=FRICTION)
    plate = box((0.02, 0.1, 0.1))
    vertices = centred(plate) - [finger[2] * 0.01, 0.0, 0.0]
    world.add_kinematic_body("plate", vertices, plate.triangles, friction=FRICTION)
    assert world.step(round(1.5 / step))
    assert world.statistics()["penetration_max"] < 1e-5
    (patch,) = world.patches()
    return patch, spring_force(world, arm, travel, STIFFNESS)


def test_fingertip_on_a_plate_does_not_feel_the_time_step():
    patches = [pressed_on_plate(FINGERS[1], 3.0, step=step)[0] for step in (0.001, 0.005, 0.02)]
    forces = np.array([patch["normal_force"] for patch in patches])
    areas = np.array([patch["area"] for patch in patches])
    assert np.ptp(forces) < 0.005 * forces.mean()
    assert np.ptp(areas) < 0.15 * areas.mean()  # one vertex more or less


@pytest.mark.parametrize("finger", FINGERS)
def test_fingertip_on_a_plate(finger):
    forces, radii = [], []
    for push in (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0):
        patch, spring = pressed_on_plate(finger, push)
        assert patch["normal_force"] == pytest.approx(spring, rel=1e-6)
        forces.append(spring)
        radii.append(np.sqrt(patch["area"] / np.pi))
        # The pressure is highest at the pad's summit, which lies at y = z = 0 on the plane of the bone, or at the
        # next vertex, 4.2 mm away; its centre is where that of point contacts is, up to 1.3 mm beside the plane.
        pressure = np.abs(patch["point_forces"][:, 0]) / patch["point_areas"]
        assert np.linalg.norm(patch["points"][pressure.argmax(), 1:]) < 4.5e-3
        assert abs(patch["centre"][1]) < 1.5e-3
        assert abs(patch["centre"][2]) < 4e-3
    # Small patches have two to six points, of which one more or less shows: twice the force has more of them.
    assert np.all(np.array(radii[2:]) > radii[:-2])
    # Hertz gives 1/3 for a sphere on deep tissue. Thin tissue over a bone spreads faster, and so do two points.
    exponent = np.polyfit(np.log(forces), np.log(radii), 1)[0]
    assert 0.25 < exponent < 0.6


@pytest.mark.parametrize("finger", FINGERS)
def test_points_and_patch_carry_the_same_force(finger):
    (_, patch), (point, spring) = pressed_on_plate(finger, 3.0), pressed_on_plate(finger, 3.0, "point")
    assert point["normal_force"] == pytest.approx(spring, rel=1e-6)
    assert spring == pytest.approx(patch, rel=0.05)


def pinch(model, step, push):
    """Thumb and index pinch the faces of a 45 g cube; its table leaves at 0.6 s."""
    world = new_world(step, contact_offset=OFFSET, contact=model)
    for finger in FINGERS:
        add_fingertip(
            world, finger, apart=0.016, travel=push / STIFFNESS, stiffness=STIFFNESS, friction=FRICTION
        )
    sides = (0.03, 0.03, 0.03)
    cube = add_block(world, sides, mass=0.045, height=-0.015, friction=FRICTION, name="cube")
    add_table(world, -0.015, leaves=0.6)
    return world, cube


@pytest.mark.parametrize("model", ["aggregate", "point"])
@pytest.mark.parametrize(("step", "seconds"), [(0.002, 2.0), (0.005, 10.0), (0.01, 5.0)])
def test_pinch_neither_creeps_nor_trembles(model, step, seconds):
    world, cube = pinch(model, step, push=2.5)
    assert world.step(round(3.0 / step))
    place, orientation = world.body_pose(cube)
    assert abs(place[2]) < 3e-4  # the pads shear by 0.1 to 0.2 mm
    forces = []
    while world.time < 3.0 + seconds - 0.5 * step:
        assert world.step()
        assert world.statistics()["converged"]
        forces.append([patch["normal_force"] for patch in world.patches()])
    after, turned = world.body_pose(cube)
    # At most 1e-9 µm/s was measured, and std/mean of 1e-12.
    assert np.linalg.norm(after - place) / seconds < 1e-9
    assert turned_by(turned, orientation) < 1e-6
    forces = np.array(forces)
    assert forces.shape[1] == 2
    assert np.all(forces.std(axis=0) < 1e-6 * forces.mean(axis=0))
    weight = sum(patch["force"][2] for patch in world.patches())
    assert weight == pytest.approx(-0.045 * GRAVITY, rel=1e-6)


BAR = (0.02, 0.16, 0.03)
BAR_MASS, LEVER = 0.03, 0.068  # kg; m from the fingers to the bar's centre of mass


def add_bar(world):
    """The bar, its centre of mass LEVER away from the fingers along y, with points along its sides."""
    shape = box(BAR, (1, 8, 2))
    a, b, c = BAR
    inertia = BAR_MASS / 12.0 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])
    place = np.array([0.0, LEVER, 0.0])
    return world.add_rigid_body(
        "bar",
        centred(shape),
        shape.triangles,
        BAR_MASS,
        np.zeros(3),
        inertia,
        position=place,
        friction=FRICTION,
    )


def held_bar(pushes, times, along):
    """A bar held at one end, 12 mm from it. The springs' forces at zero displacement follow `pushes` [N]."""
    world = new_world(0.005, contact_offset=OFFSET)
    for finger in FINGERS:
        arm = add_fingertip(
            world, finger, apart=0.011, travel=0.0, stiffness=STIFFNESS, friction=FRICTION, along=along
        )
        world.set_joint_motion(arm, times, -np.array(pushes)[:, None] / STIFFNESS)
    bar = add_bar(world)
    add_table(world, -0.015, leaves=0.5)
    return world, bar


def torsion_limit(patch):
    """mu N sum a_i |r_i| of a patch [N m]."""
    load = patch["point_forces"] @ patch["normal"]
    share = load / load.sum()
    lever = patch["points"] - share @ patch["points"]
    lever -= np.outer(lever @ patch["normal"], patch["normal"])
    return FRICTION * patch["normal_force"] * (share @ np.linalg.norm(lever, axis=1))


def slipping_grip(along):
    """Loosens the grip until both fingertips slip: their mean force [N], their limit [N m], the moment [N m]."""
    world, bar = held_bar([0.0, 8.0, 8.0, 0.5], [0.0, 0.3, 1.5, 7.0], along)
    level = world.body_pose(bar)[1]
    assert world.step(300)
    while world.time < 7.0:
        assert world.step(2)
        patches = tip_patches(world).values()
        if all(patch["state"] == "slip" for patch in patches):
            moment = BAR_MASS * GRAVITY * LEVER * np.cos(turned_by(world.body_pose(bar)[1], level))
            force = np.mean([patch["normal_force"] for patch in patches])
            return force, sum(torsion_limit(patch) for patch in patches), moment
    raise AssertionError("the bar never turned")


@pytest.mark.parametrize("along", [DOWN, FORTH])
def test_bar_turns_at_the_contensou_limit(along):
    force, limit, moment = slipping_grip(along)
    assert limit == pytest.approx(moment, rel=0.05)
    # Just above that force the bar stays, just below it turns.
    for ratio in (1.07, 0.93):
        push = ratio * force + 0.36  # the pads give way by 1.8 mm, which the springs lose
        world, bar = held_bar([0.0, 8.0, 8.0, push], [0.0, 0.3, 1.5, 4.0], along)
        level = world.body_pose(bar)[1]
        assert world.step(1000)
        settled = turned_by(world.body_pose(bar)[1], level)
        if ratio > 1.0:
            patches = tip_patches(world).values()
            assert np.mean([patch["normal_force"] for patch in patches]) < 1.1 * force
            assert world.step(200)
            assert np.degrees(settled) < 4.0  # the tissue twists by 2 degrees before it slips
            assert abs(turned_by(world.body_pose(bar)[1], level) - settled) < 1e-5
        else:
            while world.time < 6.0:
                assert world.step(10)
                settled = max(settled, turned_by(world.body_pose(bar)[1], level))
            assert np.degrees(settled) > 20.0
