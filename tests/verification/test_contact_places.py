# SPDX-License-Identifier: LGPL-2.1-or-later
"""Adaptive aggregation: a patch for each place where two bodies touch (Talvas et al. 2015, Sec. 5.4: future work).

A fingertip in a groove of 90 degrees touches two faces at once. One patch has one normal row, which keeps only the
mean gap of both faces at zero and spreads the load over them by penetration: the net force is a third off that of all
points. With a patch a face it is as good as on a plate. Where there is one place, nothing changes, bit for bit.
"""

import numpy as np
import pytest
from bench_bodies import new_world
from bench_fingertips import FINGERS, add_fingertip
from test_soft_pad import PAD, add_pad, slider

from softcontact.contact import cluster_contacts
from softcontact.mesh.primitives import box

OFFSET, FRICTION, SPACING = 5e-4, 0.7, 1e-3
MODES = {"point": {"contact": "point"}, "single": {}, "adaptive": {"aggregation": "adaptive"}}


def grid(rows, columns, origin=(0.0, 0.0, 0.0), normal=(0.0, 0.0, 1.0), along=(1.0, 0.0, 0.0)):
    """Points one spacing apart on a plane, and their normals."""
    across = np.cross(normal, along)
    i, j = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
    points = np.array(origin) + SPACING * (i.ravel()[:, None] * np.array(along) + j.ravel()[:, None] * across)
    return points, np.tile(normal, (len(points), 1)).astype(float)


def cluster(*parts, labels=None, order=None):
    points, normals = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
    areas = np.full(len(points), SPACING**2)
    if order is None:
        return cluster_contacts(points, normals, areas, spacing=SPACING, labels=labels)
    labels = None if labels is None else np.asarray(labels)[order]
    found = cluster_contacts(points[order], normals[order], areas[order], spacing=SPACING, labels=labels)
    return found[np.argsort(order)]


def edge(rows=4, angle=90.0):
    """Two faces that meet in an edge along y, the first with its normal along z."""
    turned = np.radians(angle)
    normal, along = (np.sin(turned), 0.0, np.cos(turned)), (np.cos(turned), 0.0, -np.sin(turned))
    start = SPACING * 0.5
    one = grid(rows, 5, origin=(-start - (rows - 1) * SPACING, 0.0, 0.0))
    other = grid(rows, 5, origin=start * np.array(along), normal=normal, along=along)
    return one, other


def cap(angle, radius=0.01):
    """A round cap of a sphere, up to an angle from its pole [degrees]."""
    points = []
    for ring in range(int(np.radians(angle) * radius / SPACING) + 1):
        polar = ring * SPACING / radius
        count = max(1, round(2.0 * np.pi * radius * np.sin(polar) / SPACING))
        turns = 2.0 * np.pi * np.arange(count) / count
        points += [[np.sin(polar) * np.cos(t), np.sin(polar) * np.sin(t), np.cos(polar)] for t in turns]
    return radius * np.array(points), np.array(points)


def test_one_place_is_one_cluster():
    assert set(cluster(grid(6, 9))) == {0}
    assert set(cluster(cap(40.0))) == {0}
    assert set(cluster(*edge(angle=30.0))) == {0}
    assert set(cluster(*edge(rows=1))) == {0}  # the ridge of an edge, as long as its faces hardly count


@pytest.mark.parametrize("angle", [60.0, 90.0, 120.0])
def test_faces_of_an_edge_are_two(angle):
    labels = cluster(*edge(angle=angle))
    assert len(set(labels[:20])) == len(set(labels[20:])) == 1
    assert set(labels) == {0, 1}


def test_separate_places_are_two_and_three_faces_three():
    labels = cluster(grid(4, 4), grid(4, 4, origin=(0.0085, 0.0, 0.0)))
    assert list(labels) == [labels[0]] * 16 + [labels[16]] * 16 and set(labels) == {0, 1}
    corner = [
        grid(5, 5, origin=(SPACING / 2,) * 2 + (0.0,)),
        grid(5, 5, (0.0, SPACING / 2, SPACING / 2), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
        grid(5, 5, (SPACING / 2, 0.0, SPACING / 2), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    ]
    labels = cluster(*corner)
    assert [len(set(labels[25 * k : 25 * k + 25])) for k in range(3)] == [1, 1, 1]
    assert set(labels) == {0, 1, 2}


@pytest.mark.parametrize("parts", [edge(), edge(angle=65.0), (grid(4, 4), grid(3, 5, (0.009, 0.0, 0.0)))])
def test_order_of_points_does_not_matter(parts):
    rng = np.random.default_rng(11)
    first = cluster(*parts)
    for _ in range(10):
        order = rng.permutation(len(first))
        assert np.array_equal(cluster(*parts, order=order), first)
        # Nor with a past, of which a part is new.
        past = np.where(rng.random(len(first)) < 0.3, -1, first)
        assert np.array_equal(cluster(*parts, labels=past, order=order), cluster(*parts, labels=past))


def islands(gap):
    return grid(4, 4), grid(4, 3, origin=(3 * SPACING + gap, 0.0, 0.0))


def test_places_do_not_flicker_with_distance():
    rng = np.random.default_rng(3)
    labels = cluster(*islands(1.5 * SPACING))
    assert set(labels) == {0}
    for _ in range(50):
        labels = cluster(*islands(rng.uniform(1.6, 2.9) * SPACING), labels=labels)
        assert set(labels) == {0}
    labels = cluster(*islands(3.2 * SPACING), labels=labels)
    assert set(labels[:16]) == {0} and set(labels[16:]) == {1}  # the larger part keeps its number
    for _ in range(50):
        labels = cluster(*islands(rng.uniform(2.1, 3.1) * SPACING), labels=labels)
        assert set(labels[:16]) == {0} and set(labels[16:]) == {1}
    assert set(cluster(*islands(1.9 * SPACING), labels=labels)) == {0}


def test_places_do_not_flicker_with_angle():
    rng = np.random.default_rng(4)
    labels = cluster(*edge(angle=25.0))
    assert set(labels) == {0}
    for _ in range(50):
        labels = cluster(*edge(angle=rng.uniform(27.0, 42.0)), labels=labels)
        assert set(labels) == {0}
    labels = cluster(*edge(angle=46.0), labels=labels)
    assert set(labels) == {0, 1}
    kept = labels
    for _ in range(50):
        labels = cluster(*edge(angle=rng.uniform(27.0, 45.0)), labels=labels)
        assert np.array_equal(labels, kept)
    assert set(cluster(*edge(angle=24.0), labels=labels)) == {0}


def test_a_point_goes_over_to_the_face_it_turns_to():
    one, other = edge()
    labels = cluster(one, other)
    one[1][-1] = other[1][0]
    moved = cluster(one, other, labels=labels)
    assert moved[19] == labels[20] and np.array_equal(np.delete(moved, 19), np.delete(labels, 19))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"spacing": 0.0}, "spacing: 0.0"),
        ({"labels": [0, -2]}, "labels: .* >= -1"),
        ({"labels": [0]}, "labels: .*2 whole numbers"),
        ({"areas": [1.0, -1.0]}, "areas: -1.0"),
    ],
)
def test_wrong_points_are_told(change, message):
    good = {"areas": [1e-6, 1e-6], "spacing": 1e-3}
    with pytest.raises(ValueError, match=message):
        cluster_contacts([[0.0] * 3, [1e-3, 0.0, 0.0]], [[0.0, 0.0, 1.0]] * 2, **(good | change))


def groove():
    """A block with a groove along z whose faces stand at 45 degrees to x; its bottom is at x = -4 mm."""
    outline = np.array([[16, 20], [-4, 0], [16, -20], [-30, -20], [-30, 20]]) * 1e-3
    ends = [np.column_stack([outline, np.full(5, z)]) for z in (-0.03, 0.03)]
    vertices = np.vstack([*ends, [[-0.02, 0.0, -0.03], [-0.02, 0.0, 0.03]]])
    triangles = []
    for i in range(5):
        j = (i + 1) % 5
        triangles += [(i, 5 + j, j), (i, 5 + i, 5 + j), (10, i, j), (11, 5 + j, 5 + i)]
    return vertices, np.array(triangles, dtype=np.int32)


def plate():
    mesh = box((0.02, 0.1, 0.1))
    return mesh.vertices - [mesh.vertices[:, 0].max(), 0.05, 0.05], mesh.triangles


def pressed(mode, shape, apart, steps=300):
    """The world of the index fingertip that a spring of 2 N/mm presses into a fixed shape, and sums of each step.

    Returns world, net forces (steps, 3) [N], numbers of the loaded patches of each step.
    """
    world = new_world(0.005, contact_offset=OFFSET, **MODES[mode])
    add_fingertip(world, FINGERS[1], apart=apart, travel=apart + 0.002, stiffness=2000.0, friction=FRICTION)
    world.add_kinematic_body("object", *shape, friction=FRICTION)
    forces, numbers = [], []
    for _ in range(steps):
        assert world.step(), world.status()
        patches = world.patches()
        forces.append(sum((patch["force"] for patch in patches), np.zeros(3)))
        numbers.append(tuple(sorted(patch["number"] for patch in patches)))
    return world, np.array(forces), numbers


def test_fingertip_in_a_groove_feels_both_faces():
    (_, points, _), (_, single, _), (world, adaptive, numbers) = (
        pressed(mode, groove(), 0.002) for mode in MODES
    )
    size = np.linalg.norm(points[-1])
    # 35 % and 2.5 % were measured.
    assert np.linalg.norm(single[-1] - points[-1]) > 0.2 * size
    assert np.linalg.norm(adaptive[-1] - points[-1]) < 0.05 * size
    normals = {patch["number"]: patch["normal"] for patch in world.patches()}
    assert normals[0] @ normals[1] == pytest.approx(0.0, abs=0.01)
    assert world.statistics()["rows"] <= 12
    # Two patches from the first touch on, no flicker, and no greater jump of the force than all points have.
    changes = sum(now != before for now, before in zip(numbers[1:], numbers, strict=False))
    assert changes <= 2
    assert np.abs(np.diff(adaptive, axis=0)).max() <= 1.1 * np.abs(np.diff(points, axis=0)).max()


def test_one_place_gives_the_same_bits_as_one_patch():
    (single, *_), (adaptive, *_) = (
        pressed(mode, plate(), 0.001, steps=120) for mode in ("single", "adaptive")
    )
    assert np.array_equal(single.state(), adaptive.state())
    assert len(adaptive.patches()) == 1


def plate_with_a_valley():
    """A plate whose top, z = 0, sinks by 3 mm between two banks from x = 6 mm on."""
    x, y = np.meshgrid(np.linspace(-0.045, 0.045, 41), np.linspace(-0.015, 0.015, 25), indexing="ij")
    share = np.clip(x / 0.006, 0.0, 1.0)
    dip = np.where(np.abs(y) < 0.006, 0.5 + 0.5 * np.cos(np.pi * y / 0.006), 0.0)
    z = -0.003 * share**2 * (3.0 - 2.0 * share) * dip
    number = np.arange(x.size).reshape(x.shape)
    a, b, c, d = (
        part.ravel() for part in (number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:])
    )
    top = np.vstack([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
    rim = np.concatenate([number[:, 0], number[-1, 1:], number[-2::-1, -1], number[0, -2::-1]])
    one, other, below = rim[:-1], rim[1:], x.size
    sides = [np.column_stack([one, one + below, other + below]), np.column_stack([one, other + below, other])]
    upper = np.column_stack([x.ravel(), y.ravel(), z.ravel()])
    lower = upper * [1.0, 1.0, 0.0] - [0.0, 0.0, 0.01]
    return np.vstack([upper, lower]), np.vstack([top, (top + below)[:, ::-1], *sides]).astype(np.int32)


def test_a_patch_that_becomes_two_under_load_passes_its_force_on():
    """A pad pressed on a plate slides to where a valley leaves it only the two banks."""
    world = new_world(0.005, contact_offset=OFFSET, alarm_distance=1e-3, **MODES["adaptive"])
    world.add_kinematic_body("object", *plate_with_a_valley(), friction=0.5)
    start = [-0.010, 0.0, 0.5 * PAD[2] + OFFSET + 5e-4]
    links = [
        slider("down", [0.0, 0.0, 1.0], start, stiffness=2000.0),
        {**slider("along", [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]), "parent": 0},
    ]
    arm = world.add_articulated_body("arm", links, gravity_compensated=True)
    world.set_joint_motion(
        arm, [0.0, 0.1, 0.2, 0.9], np.array([[0, 0], [-1.5e-3, 0], [-1.5e-3, 0], [-1.5e-3, 0.028]])
    )
    add_pad(world, arm, 1, "pad", cells=10, friction=0.5)
    numbers, forces = [], []
    for _ in range(180):
        assert world.step(), world.status()
        numbers.append(tuple(patch["number"] for patch in world.patches()))
        forces.append(sum((patch["force"] for patch in world.patches()), np.zeros(3)))
    numbers, forces = numbers[60:], np.array(forces[60:])  # slides steadily
    split = numbers.index((0, 1))
    assert numbers == [(0,)] * split + [(0, 1)] * (120 - split) and 20 < split < 110
    loads = np.linalg.norm(forces, axis=1)
    # 5.1 % in the step of the split was measured, and at most 1.4 % off after it.
    assert np.linalg.norm(forces[split] - forces[split - 1]) < 0.08 * loads[split - 1]
    assert np.linalg.norm(forces[split + 1 :] - forces[split - 1], axis=1).max() < 0.03 * loads[split - 1]
    each = [patch["normal_force"] for patch in world.patches()]
    assert min(each) > 0.3 * sum(each)


def test_unknown_aggregation_is_told():
    with pytest.raises(ValueError, match="aggregation = 'many'"):
        new_world(0.005, aggregation="many")
