# SPDX-License-Identifier: LGPL-2.1-or-later
"""The parametric hand: meshes, embedding, mirror image, kinematics, skin, links and motions."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from softcontact.hand import (
    FINGERS,
    LINKS,
    FingerParameters,
    HandModel,
    HandMotion,
    HandParameters,
    HandTissue,
    closing_fingers,
    joint_limits,
    keyframe,
    posture,
)
from softcontact.hand.kinematics import (
    matrix_from_rotation_vector,
    quaternion_from_matrix,
    quaternion_from_rotation_vector,
    rotation_vector_from_matrix,
)
from softcontact.hand.phalanx import build_phalanx, embed, tetrahedron_quality
from softcontact.hand.shape import mass_properties, segment_shape

MIRROR = np.array([1.0, -1.0, 1.0])


def volumes(nodes, tetrahedra):
    p = nodes[tetrahedra]
    return np.linalg.det(p[:, 1:] - p[:, :1]) / 6.0


def assert_watertight_and_outward(vertices, triangles):
    directed = triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    keys = {tuple(edge) for edge in directed.tolist()}
    assert len(keys) == len(directed), "an edge is used twice in one direction"
    assert all((b, a) in keys for a, b in keys), "an edge lacks its opposite"
    assert mass_properties(vertices, triangles, 1.0)[0] > 0.0
    assert len(np.unique(triangles)) == len(vertices)


def random_angles(seed):
    lower, upper = joint_limits()
    return lower + (upper - lower) * np.random.default_rng(seed).random(20)


# --- tetrahedra and contact surfaces --------------------------------------------------------------


def test_fifteen_phalanges_have_about_1500_sound_tetrahedra(hand):
    counts = [len(p.tetrahedra) for p in hand.phalanges]
    assert len(counts) == 15
    assert 1400 <= sum(counts) <= 1650
    for phalanx in hand.phalanges:
        assert volumes(phalanx.nodes, phalanx.tetrahedra).min() > 0.0
        assert tetrahedron_quality(phalanx.nodes, phalanx.tetrahedra).min() > 0.12
        assert len(np.unique(phalanx.tetrahedra)) == len(phalanx.nodes)


def test_tetrahedra_match_face_to_face(hand):
    for phalanx in hand.phalanges:
        faces = np.sort(
            phalanx.tetrahedra[:, [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]].reshape(-1, 3), axis=1
        )
        unique, counts = np.unique(faces, axis=0, return_counts=True)
        assert counts.max() == 2
        border = unique[counts == 1]
        edges = np.sort(border[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
        assert (np.unique(edges, axis=0, return_counts=True)[1] % 2 == 0).all()


def test_quality_is_one_for_a_regular_tetrahedron_and_negative_when_inverted():
    regular = np.array([[1.0, 1, 1], [-1, 1, -1], [1, -1, -1], [-1, -1, 1]])
    order = np.array([[0, 1, 2, 3], [0, 1, 3, 2]])
    assert np.sort(tetrahedron_quality(regular, order)) == pytest.approx([-1.0, 1.0], abs=1e-12)


def test_surfaces_are_closed_outward_and_of_useful_size(hand):
    for phalanx in hand.phalanges:
        assert_watertight_and_outward(phalanx.vertices, phalanx.triangles)
        assert 80 <= len(phalanx.vertices) <= 140
    assert_watertight_and_outward(hand.palm_vertices, hand.palm_triangles)
    assert 300 <= len(hand.palm_triangles) <= 900


def test_palmar_vertices_of_fingertips_lie_close_together(hand):
    for i, phalanx in enumerate(hand.phalanges):
        if i % 3 != 2:
            continue
        ends = phalanx.vertices[phalanx.triangles]
        edges = np.linalg.norm(ends - np.roll(ends, 1, axis=1), axis=2)
        palmar = ends.mean(axis=1)[:, 2] < -0.003
        assert 0.002 < edges[palmar].mean() < 0.0042


def test_embedding_reproduces_the_surface_with_bounded_weights(hand):
    for phalanx in hand.phalanges:
        weights = phalanx.surface_weights
        carried = np.einsum("kn,knd->kd", weights, phalanx.nodes[phalanx.surface_nodes])
        assert carried == pytest.approx(phalanx.vertices, abs=1e-12)
        assert weights.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
        assert weights.min() > -0.8 and weights.max() < 1.9


def test_embedding_uses_the_tetrahedron_around_a_point(hand):
    phalanx = hand.phalanges[5]
    centres = phalanx.nodes[phalanx.tetrahedra].mean(axis=1)
    nodes, weights = embed(centres, phalanx.nodes, phalanx.tetrahedra)
    assert np.array_equal(nodes, phalanx.tetrahedra)
    assert weights == pytest.approx(0.25, abs=1e-9)


def test_bound_nodes_lie_inside_the_skin_and_skin_nodes_are_free(hand):
    for i, phalanx in enumerate(hand.phalanges):
        shape = segment_shape(hand.parameters, FINGERS[i // 3], ("proximal", "middle", "distal")[i % 3])
        bound = phalanx.nodes[phalanx.bound_nodes]
        depth = shape.field(bound)
        palmar = bound[:, 2] < 0.0
        assert depth[palmar].max() < -0.002
        # Under the nail the outer nodes are bound too; the polygon stands out of the smooth shape by a few
        # per cent.
        assert depth.max() < (0.001 if i % 3 == 2 else -0.001)
        assert len(phalanx.bound_nodes) < 0.5 * len(phalanx.nodes)


@pytest.mark.parametrize("resolution", ["coarse", "normal", "fine"])
def test_tissue_resolutions_converge_to_the_same_solid(resolution):
    shape = segment_shape(HandParameters(), "index", "distal")
    phalanx = build_phalanx(shape, 2, 0.0025, resolution)
    assert volumes(phalanx.nodes, phalanx.tetrahedra).min() > 0.0
    # Sections' outer polygons against the smooth shape's sections: 5 corners lose more than 11 do.
    share = {"coarse": 0.50, "normal": 0.62, "fine": 0.70}[resolution]
    smooth = mass_properties(phalanx.vertices, phalanx.triangles, 1.0)[0]
    assert volumes(phalanx.nodes, phalanx.tetrahedra).sum() > share * smooth


def test_finer_contact_surface_has_more_vertices_and_the_same_volume(hand):
    shape = segment_shape(hand.parameters, "index", "distal")
    coarse, fine = (build_phalanx(shape, 2, spacing, "normal") for spacing in (0.0035, 0.00175))
    assert len(fine.vertices) > 3 * len(coarse.vertices)
    volume = [mass_properties(p.vertices, p.triangles, 1.0)[0] for p in (coarse, fine)]
    assert volume[0] == pytest.approx(volume[1], rel=0.12)


# --- sizes ----------------------------------------------------------------------------------------


def test_default_sizes_are_the_published_ones():
    parameters = HandParameters()
    index, thumb = parameters.finger("index"), parameters.finger("thumb")
    assert index.lengths[:2] == pytest.approx((0.0426, 0.0251))
    assert thumb.lengths[:2] == pytest.approx((0.0359, 0.0311))
    # From the knuckle of the fist, 11 mm behind the joint's centre, to the tip.
    assert sum(index.lengths) + 0.011 == pytest.approx(0.1042)
    assert (parameters.hand_length, parameters.breadth, parameters.palm_length) == (0.1933, 0.0883, 0.1165)


def test_open_hand_is_as_long_and_broad_as_its_parameters_say(hand):
    tips = hand.kinematics.fingertips(*hand.kinematics.poses(np.zeros(20)))
    assert tips[2, 0] == pytest.approx(0.1933, abs=1e-9)
    skin = hand.skin.vertices(*hand.kinematics.poses(np.zeros(20)))
    assert skin[:, 0].max() == pytest.approx(0.1933, abs=0.002)
    knuckles = (skin[:, 0] > 0.075) & (skin[:, 0] < 0.090) & ~np.isin(hand.skin.links[:, 0], [1, 2, 3])
    assert np.ptp(skin[knuckles][:, 1]) == pytest.approx(0.0883, abs=0.004)


def test_everything_scales_with_the_hand_length(hand):
    scale = 0.9
    small = HandModel.build(HandParameters(hand_length=0.1933 * scale))
    for a, b in zip(hand.phalanges, small.phalanges, strict=True):
        assert b.nodes == pytest.approx(scale * a.nodes, rel=1e-9, abs=1e-12)
        assert b.vertices == pytest.approx(scale * a.vertices, rel=1e-9, abs=1e-12)
    assert small.kinematics.base_positions == pytest.approx(scale * hand.kinematics.base_positions)
    assert small.mass == pytest.approx(scale**3 * hand.mass, rel=1e-3)


def test_mass_is_that_of_a_hand(hand):
    assert 0.25 < hand.mass < 0.60


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"hand_length": 1.9}, "hand_length"),
        ({"hand_length": float("nan")}, "hand_length"),
        ({"breadth": 0.02}, "breadth"),
        ({"palm_length": 0.19}, "palm_length"),
        ({"breadth": 0.125, "hand_length": 0.18}, "breadth"),
        ({"side": "middle"}, "side"),
        ({"resolution": 0.0}, "resolution"),
        ({"thumbs": 2}, "thumbs"),
    ],
)
def test_parameters_reject_what_is_no_hand(settings, words):
    with pytest.raises(ValueError, match=words):
        HandParameters(**settings)


def test_finger_parameters_reject_millimetres_and_nan():
    sizes = {"lengths": (0.04, 0.02, 0.02), "breadths": (0.02,) * 3, "thicknesses": (0.02,) * 3}
    FingerParameters(**sizes)
    for bad in ((40.0, 20.0, 20.0), (0.04, float("nan"), 0.02), (0.04, -0.02, 0.02)):
        with pytest.raises(ValueError, match="lengths"):
            FingerParameters(**{**sizes, "lengths": bad})


def test_tissue_rejects_incompressible_material():
    with pytest.raises(ValueError, match="poisson"):
        HandTissue(poisson=0.5)
    with pytest.raises(ValueError, match="young"):
        HandTissue(young=0.0)


# --- kinematics -----------------------------------------------------------------------------------


def test_poses_equal_a_chain_of_homogeneous_matrices(hand, left):
    def matrix(rotation, place):
        m = np.eye(4)
        m[:3, :3], m[:3, 3] = rotation.as_matrix(), place
        return m

    for model, sign in ((hand, 1.0), (left, -1.0)):
        k, angles = model.kinematics, random_angles(1)
        palm = Rotation.from_rotvec([0.3, -0.7, 0.4])
        positions, rotations = k.poses(angles, [0.1, 0.2, 0.3], palm.as_matrix())
        for finger in range(5):
            a = angles[4 * finger : 4 * finger + 4]
            m = matrix(palm, [0.1, 0.2, 0.3]) @ matrix(
                Rotation.from_matrix(k.base_rotations[finger]), k.base_positions[finger]
            )
            m = m @ matrix(Rotation.from_euler("ZY", [sign * a[0], a[1]]), [0, 0, 0])
            for segment in range(3):
                if segment:
                    m = m @ matrix(
                        Rotation.from_euler("Y", a[segment + 1]), [k.lengths[finger, segment - 1], 0, 0]
                    )
                link = 1 + 3 * finger + segment
                assert positions[link] == pytest.approx(m[:3, 3], abs=1e-12)
                assert rotations[link] == pytest.approx(m[:3, :3], abs=1e-12)


def test_flexion_curls_fingers_to_the_palm_and_abduction_turns_them_to_the_thumb(hand, left):
    for model, sign in ((hand, 1.0), (left, -1.0)):
        k = model.kinematics
        flat = k.fingertips(*k.poses(np.zeros(20)))
        flexed = k.fingertips(*k.poses(np.tile([0.0, 0.5, 0.5, 0.5], 5)))
        assert (flexed[1:, 2] < flat[1:, 2] - 0.02).all()
        spread = k.fingertips(*k.poses(np.tile([0.3, 0.0, 0.0, 0.0], 5)))
        assert (sign * (spread[1:, 1] - flat[1:, 1]) > 0.01).all()
        assert spread[0, 2] < flat[0, 2] - 0.01  # the thumb comes out of the palm's plane
        assert sign * flexed[0, 1] < sign * flat[0, 1] - 0.02  # and flexes across it
        assert sign * k.base_positions[0, 1] > 0.01


def test_thumb_can_touch_every_fingertip_but_stays_human(hand):
    rng, k = np.random.default_rng(3), hand.kinematics
    lower, upper = joint_limits()
    best = np.full(5, np.inf)
    for _ in range(4000):
        tips = k.fingertips(*k.poses(lower + (upper - lower) * rng.random(20)))
        best = np.minimum(best, np.linalg.norm(tips - tips[0], axis=1))
    assert best[1:].max() < 0.012


def test_rotation_formulas_agree_with_scipy_at_small_and_large_angles():
    for angle in (0.0, 1e-12, 1e-7, 1e-3, 1.0, 3.0, np.pi - 1e-9):
        vector = angle * np.array([0.6, -0.48, 0.64])
        reference = Rotation.from_rotvec(vector)
        matrix = matrix_from_rotation_vector(vector)
        assert matrix == pytest.approx(reference.as_matrix(), abs=1e-14)
        assert rotation_vector_from_matrix(matrix) == pytest.approx(vector, abs=1e-8)
        assert abs(quaternion_from_matrix(matrix) @ reference.as_quat()) == pytest.approx(1.0, abs=1e-14)
        assert quaternion_from_rotation_vector(vector) == pytest.approx(reference.as_quat(), abs=1e-14)


def test_poses_reject_wrong_angles(hand):
    for bad in (np.zeros(19), np.full(20, np.nan)):
        with pytest.raises(ValueError, match="angles"):
            hand.kinematics.poses(bad)


# --- mirror image and determinism -----------------------------------------------------------------


def test_left_hand_is_the_mirrored_right_hand(hand, left):
    angles = random_angles(2)
    right_pose, left_pose = hand.kinematics.poses(angles), left.kinematics.poses(angles)
    assert left_pose[0] == pytest.approx(right_pose[0] * MIRROR, abs=1e-12)
    right_skin, left_skin = hand.skin.vertices(*right_pose), left.skin.vertices(*left_pose)
    assert left_skin == pytest.approx(right_skin * MIRROR, abs=1e-12)
    for a, b in zip(hand.phalanges, left.phalanges, strict=True):
        assert b.vertices == pytest.approx(a.vertices * MIRROR, abs=1e-15)
        assert volumes(b.nodes, b.tetrahedra).min() > 0.0
        assert_watertight_and_outward(b.vertices, b.triangles)
    assert_watertight_and_outward(left.palm_vertices, left.palm_triangles)
    for a, b in zip(hand.links, left.links, strict=True):
        assert b["com"] == pytest.approx(a["com"] * MIRROR, abs=1e-9)
        assert b["inertia"] == pytest.approx(a["inertia"] * np.outer(MIRROR, MIRROR), abs=1e-12)


def test_building_twice_gives_the_same_numbers(hand):
    again = HandModel.from_settings({})
    assert np.array_equal(again.palm_vertices, hand.palm_vertices)
    assert np.array_equal(again.skin.local, hand.skin.local)
    assert np.array_equal(again.skin.weights, hand.skin.weights)
    assert all(np.array_equal(a.nodes, b.nodes) for a, b in zip(again.phalanges, hand.phalanges, strict=True))


# --- skin -----------------------------------------------------------------------------------------


def test_skin_is_one_closed_surface_of_moderate_size(hand):
    plain = hand.skin.triangles[~hand.skin.nail]
    vertices = hand.skin.vertices(*hand.kinematics.poses(np.zeros(20)))
    # Closed: each edge is used as often in one direction as in the other. Two sheets may meet in an edge
    # where fingers part, so once is not asked for.
    directed = plain[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    size = len(vertices)
    forward = np.bincount(directed[:, 0] * size + directed[:, 1], minlength=size * size)
    backward = np.bincount(directed[:, 1] * size + directed[:, 0], minlength=size * size)
    assert np.array_equal(forward, backward)
    assert (forward > 1).sum() <= 8
    assert 3000 <= len(vertices) <= 5000
    assert hand.skin.nail.any()
    assert hand.skin.weights.min() >= 0.0
    assert hand.skin.weights.sum(axis=1) == pytest.approx(1.0, abs=1e-12)


def test_skin_moves_rigidly_with_the_palm(hand):
    turn, shift = matrix_from_rotation_vector([0.2, 0.5, -0.9]), np.array([0.3, -0.1, 0.2])
    angles = random_angles(4)
    still = hand.skin.vertices(*hand.kinematics.poses(angles))
    moved = hand.skin.vertices(*hand.kinematics.poses(angles, shift, turn))
    assert moved == pytest.approx(still @ turn.T + shift, abs=1e-12)


def test_skin_lies_on_the_contact_surfaces_of_the_pads(hand):
    # Half-way along a distal segment, on the palmar side, away from the joints' blends.
    poses = hand.kinematics.poses(np.zeros(20))
    skin = hand.skin.vertices(*poses)
    for finger in range(5):
        link = 3 + 3 * finger
        shape = segment_shape(hand.parameters, FINGERS[finger], "distal")
        local = (skin - poses[0][link]) @ poses[1][link]
        pad = (np.abs(local[:, 0] / shape.length - 0.55) < 0.15) & (local[:, 2] < -0.004)
        pad &= hand.skin.links[:, 0] == link
        assert pad.sum() > 8
        assert np.abs(shape.field(local[pad])).max() < 0.0008


def test_skin_follows_a_pressed_pad_and_nothing_else_moves(hand):
    displacements = [np.zeros_like(p.vertices) for p in hand.phalanges]
    displacements[5][:, 2] = 0.001  # the whole index fingertip's surface, 1 mm towards its back
    poses = hand.kinematics.poses(np.zeros(20))
    change = hand.skin.vertices(*poses, displacements) - hand.skin.vertices(*poses)
    pad = hand.skin.local[:, 0][hand.skin.links[:, 0] == 6]
    moved = np.linalg.norm(change, axis=1)
    tip = (
        (hand.skin.links[:, 0] == 6)
        & (hand.skin.weights[:, 0] > 0.99)
        & (hand.skin.follow_weights[:, 0].any(axis=1))
    )
    assert len(pad) > 50 and tip.sum() > 50
    assert moved[tip] == pytest.approx(0.001, rel=0.02)
    others = ~np.isin(hand.skin.links, [4, 5, 6]).any(axis=1)
    assert moved[others].max() == 0.0


def test_skin_far_from_a_phalanx_does_not_follow_it(hand):
    # The thumb's first link shares skin with the palm: only what lies within 12 mm of its surface follows.
    rows, slots = np.nonzero((hand.skin.links == 1) & (hand.skin.weights > 0.0))
    offsets = hand.skin.local[rows, slots][:, None] - hand.phalanges[0].vertices
    far = np.linalg.norm(offsets, axis=2).min(axis=1) > 0.012
    assert far.sum() > 5
    assert hand.skin.follow_weights[rows[far], slots[far]].max() == 0.0


def test_palm_contact_surface_lies_within_the_skin(hand):
    from softcontact.hand.palm import palm_field

    assert palm_field(hand.parameters, hand.palm_vertices).max() < 0.0002


# --- links ----------------------------------------------------------------------------------------


def test_links_describe_26_degrees_of_freedom(hand):
    assert [link["name"] for link in hand.links] == list(LINKS)
    count = {"free": 6, "universal": 2, "revolute": 1}
    assert sum(count[link["joint"]] for link in hand.links) == 26
    for i, link in enumerate(hand.links):
        size = count[link["joint"]]
        assert (
            len(link["stiffness"]) == len(link["damping"]) == len(link["lower"]) == len(link["upper"]) == size
        )
        assert link["parent"] < i
        assert min(link["damping"]) > 0.0
        assert np.linalg.eigvalsh(link["inertia"]).min() > 0.0
    lower = np.concatenate([link["lower"] for link in hand.links[1:]])
    assert np.array_equal(lower, joint_limits()[0])


def test_link_frames_agree_with_the_forward_kinematics(hand, left):
    for model in (hand, left):
        angles = random_angles(5)
        positions, rotations = model.kinematics.poses(angles)
        q = iter(angles)
        for i, link in enumerate(model.links[1:], start=1):
            turn = Rotation.from_quat(link["orientation"]) * Rotation.from_rotvec(next(q) * link["axis"])
            if link["joint"] == "universal":
                turn = turn * Rotation.from_rotvec(next(q) * link["axis2"])
            parent = link["parent"]
            assert rotations[i] == pytest.approx(rotations[parent] @ turn.as_matrix(), abs=1e-12)
            place = positions[parent] + rotations[parent] @ link["position"]
            assert positions[i] == pytest.approx(place, abs=1e-12)


def test_distal_damping_is_critical(hand):
    link = hand.links[6]  # index_distal
    about_joint = link["inertia"][1, 1] + link["mass"] * (link["com"][0] ** 2 + link["com"][2] ** 2)
    assert link["damping"][0] == pytest.approx(2.0 * np.sqrt(link["stiffness"][0] * about_joint), rel=1e-9)


def test_mass_properties_of_a_box():
    corners = np.array([[x, y, z] for x in (1.0, 3.0) for y in (-1.0, 0.0) for z in (0.0, 4.0)])
    faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    triangles = np.array([t for f in faces for t in ([f[0], f[1], f[2]], [f[0], f[2], f[3]])])
    mass, com, inertia = mass_properties(corners, triangles, 2.0)
    assert mass == pytest.approx(16.0)
    assert com == pytest.approx([2.0, -0.5, 2.0])
    assert inertia == pytest.approx(np.diag([16 * (1 + 16) / 12, 16 * (4 + 16) / 12, 16 * (4 + 1) / 12]))
    with pytest.raises(ValueError, match="outward"):
        mass_properties(corners, triangles[:, ::-1], 2.0)


def test_disabled_pairs_cover_every_overlap_of_the_open_hand(hand):
    from softcontact.hand.palm import palm_field

    pairs = {frozenset(pair) for pair in hand.disabled_pairs()}
    for name in ("open", "rest", "power", "precision"):
        positions, rotations = hand.kinematics.poses(posture(name))
        world = [p.vertices @ rotations[k + 1].T + positions[k + 1] for k, p in enumerate(hand.phalanges)]
        for i in range(15):
            if palm_field(hand.parameters, world[i], wrist_end=-0.006).min() < -0.0005:
                assert frozenset(("palm", LINKS[i + 1])) in pairs, (name, LINKS[i + 1])
            shape = segment_shape(hand.parameters, FINGERS[i // 3], ("proximal", "middle", "distal")[i % 3])
            for j in range(15):
                local = (world[j] - positions[i + 1]) @ rotations[i + 1]
                if i != j and shape.field(local).min() < -0.0002:
                    assert frozenset((LINKS[i + 1], LINKS[j + 1])) in pairs, (
                        name,
                        LINKS[i + 1],
                        LINKS[j + 1],
                    )


def test_phalanx_arguments_fit_together(hand):
    arguments = hand.phalanx_arguments(5)
    assert arguments["link"] == LINKS.index("index_distal")
    assert len(arguments["young"]) == len(arguments["tetrahedra"])
    assert arguments["surface_triangles"].max() + 1 == len(arguments["surface_nodes"])


# --- motion ---------------------------------------------------------------------------------------


def test_postures_respect_the_limits():
    lower, upper = joint_limits()
    for name in ("open", "rest", "precision", "power", "fist", "point"):
        angles = posture(name)
        assert (angles >= lower).all() and (angles <= upper).all()
    with pytest.raises(ValueError, match="vulcan"):
        posture("vulcan")


@pytest.mark.parametrize("interpolation", ["minimum_jerk", "cubic"])
def test_motion_passes_through_its_keyframes(interpolation):
    rows = np.array(
        [
            keyframe(posture("open"), [0, 0, 0.2], [0, 0, 0]),
            keyframe(posture("fist"), [0.1, 0, 0.1], [0.5, 0.2, 0.1]),
            keyframe(posture("rest"), [0.1, 0.1, 0.3], [0.0, 2.5, 0.1]),
        ]
    )
    motion = HandMotion(np.array([0.0, 0.4, 1.0]), rows, interpolation)
    q = motion.joint_targets(motion.times)
    assert q[:, :3] == pytest.approx(rows[:, 20:23], abs=1e-12)
    assert q[:, 7:] == pytest.approx(rows[:, :20], abs=1e-12)
    for k in range(3):
        assert abs(q[k, 3:7] @ quaternion_from_rotation_vector(rows[k, 23:])) == pytest.approx(1.0, abs=1e-12)
    times, samples = motion.resampled(0.01)
    assert len(times) == 101
    assert np.linalg.norm(samples[:, 3:7], axis=1) == pytest.approx(1.0, abs=1e-12)
    assert np.abs(np.diff(samples, axis=0)).max() < 0.15
    # No overshoot: every coordinate stays between its neighbouring keyframes.
    first = samples[times <= 0.4 + 1e-12]
    assert (first[:, 7:] >= np.minimum(rows[0, :20], rows[1, :20]) - 1e-9).all()


def test_minimum_jerk_starts_and_ends_at_rest():
    rows = np.array([keyframe(np.zeros(20), [0, 0, z], [0, 0, z]) for z in (0.0, 1.0)])
    q = HandMotion(np.array([0.0, 1.0]), rows).joint_targets([0.0, 0.01, 0.5, 0.99, 1.0])
    assert q[1, 2] == pytest.approx(10 * 0.01**3, rel=0.02)
    assert 1.0 - q[3, 2] == pytest.approx(10 * 0.01**3, rel=0.02)
    assert q[2, 3:7] == pytest.approx(quaternion_from_rotation_vector([0, 0, 0.5]), abs=1e-12)


@pytest.mark.parametrize(
    ("times", "values", "words"),
    [
        ([0.0, 0.0], np.zeros((2, 26)), "times"),
        ([0.0, np.nan], np.zeros((2, 26)), "times"),
        ([0.0, 1.0], np.zeros((2, 20)), "values"),
        ([0.0, 1.0], np.full((2, 26), np.inf), "values"),
    ],
)
def test_motion_rejects_bad_keyframes(times, values, words):
    with pytest.raises(ValueError, match=words):
        HandMotion(np.array(times), values)


def test_closing_fingers_name_the_flexions_and_the_links_they_move(hand):
    (index,) = closing_fingers(["index"], rate=2.0)
    assert index["dofs"] == [11, 12, 13]  # after 6 of the palm, 4 of the thumb and the index's abduction
    assert [LINKS[k] for k in index["links"]] == ["index_proximal", "index_middle", "index_distal"]
    assert index["rates"][0] == 2.0 and min(index["rates"]) > 0.0
    with pytest.raises(ValueError, match="toe"):
        closing_fingers(["toe"])
    with pytest.raises(ValueError, match="rate"):
        closing_fingers(rate=float("nan"))
