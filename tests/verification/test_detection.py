# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contacts of known configurations, and the laws every contact set has to keep."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

from softcontact import _core

VERTEX_OF_A, VERTEX_OF_B, EDGE_EDGE = 0, 1, 2
MM = 1e-3

BOX_QUADS = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
BOX_TRIANGLES = np.array([t for a, b, c, d in BOX_QUADS for t in ((a, b, c), (a, c, d))])


def box(size):
    """Box of the given edge lengths about the origin."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    return 0.5 * corners * np.asarray(size, float), BOX_TRIANGLES


def sphere(radius, subdivisions):
    """Octahedron subdivided and blown up: vertices at the poles and on the equator."""
    vertices = [*np.eye(3), *-np.eye(3)]
    triangles = [(0, 1, 2), (1, 3, 2), (3, 4, 2), (4, 0, 2), (1, 0, 5), (3, 1, 5), (4, 3, 5), (0, 4, 5)]
    for _ in range(subdivisions):
        middles, finer = {}, []

        def middle(i, j, middles=middles):
            key = (min(i, j), max(i, j))
            if key not in middles:
                vertices.append(vertices[i] + vertices[j])
                vertices[-1] = vertices[-1] / np.linalg.norm(vertices[-1])
                middles[key] = len(vertices) - 1
            return middles[key]

        for i, j, k in triangles:
            a, b, c = middle(i, j), middle(j, k), middle(k, i)
            finer += [(i, a, c), (j, b, a), (k, c, b), (a, b, c)]
        triangles = finer
    return radius * np.array(vertices), np.array(triangles)


def pad(spacing, cells, thickness):
    """Closed slab below z = 0 whose top is a square grid."""
    n = cells + 1
    x = spacing * (np.arange(n) - cells / 2)
    top = np.array([[a, b, 0.0] for a in x for b in x])
    vertices = np.vstack([top, top - [0, 0, thickness]])
    cell = [
        (i * n + j, (i + 1) * n + j, (i + 1) * n + j + 1, i * n + j + 1)
        for i in range(cells)
        for j in range(cells)
    ]
    triangles = [t for a, b, c, d in cell for t in ((a, b, c), (a, c, d))]
    triangles += [tuple(n * n + v for v in reversed(t)) for t in triangles]
    along = np.arange(cells)
    rim = np.concatenate([along * n, cells * n + along, (n - along) * n - 1, cells - along])
    for a, b in zip(rim, np.roll(rim, -1), strict=True):
        triangles += [(b, a, a + n * n), (b, a + n * n, b + n * n)]
    return vertices, np.array(triangles)


def surface(mesh, rotation=None, translation=(0, 0, 0)):
    body = _core.Surface(*mesh)
    quaternion = (rotation or Rotation.identity()).as_quat()
    body.set_pose(np.asarray(translation, float), quaternion)
    return body


def by_place(contacts):
    """Rows of a contact set in an order that does not depend on numbering."""
    table = np.column_stack([contacts[k] for k in ("kind", "p", "q", "normal", "gap", "area")])
    return table[np.lexsort(np.round(table[:, 1:7] / 1e-9).T)]


def edge_down(size):
    """Rotation that brings an edge of a cube, along y, to the bottom, and the depth of that edge."""
    return Rotation.from_euler("y", 45, degrees=True), size / np.sqrt(2)


def corner_down(size):
    rotation, _ = Rotation.align_vectors([[0, 0, -1]], [[1, 1, 1]])
    return rotation, size * np.sqrt(3) / 2


def test_sphere_over_plane_is_one_patch_of_its_low_vertices():
    vertices, triangles = sphere(10 * MM, 4)
    height = 9.5 * MM
    a = surface((vertices, triangles), translation=(0.3 * MM, 0.2 * MM, height))
    b = surface(box((0.1, 0.1, 0.02)), translation=(0, 0, -0.01))
    contacts = _core.detect_contacts(a, b, alarm_distance=1 * MM, contact_offset=0.1 * MM)
    low = np.flatnonzero(vertices[:, 2] + height <= 1 * MM)
    assert len(low) > 30
    np.testing.assert_array_equal(contacts["vertices_a"][:, 0], low)
    np.testing.assert_array_equal(contacts["kind"], VERTEX_OF_A)
    np.testing.assert_array_equal(contacts["key"], low << 31)
    np.testing.assert_allclose(contacts["normal"], np.tile([0, 0, 1.0], (len(low), 1)), atol=1e-12)
    np.testing.assert_allclose(contacts["gap"], vertices[low, 2] + height - 0.1 * MM, atol=1e-15)
    np.testing.assert_allclose(contacts["q"][:, 2], 0, atol=1e-15)
    np.testing.assert_allclose(contacts["area"], a.vertex_areas[low], rtol=1e-14)


@pytest.mark.parametrize("depth", [0.3 * MM, -0.3 * MM])
def test_cube_edge_between_the_vertices_of_a_pad(depth):
    a = surface(pad(3 * MM, 10, 6 * MM))
    rotation, bottom = edge_down(10 * MM)
    # The edge runs along y between two rows of vertices, its ends between two rows as well.
    b = surface(box([10 * MM] * 3), rotation, (1.4 * MM, 0.7 * MM, bottom - depth))
    contacts = _core.detect_contacts(a, b)
    deepest = contacts["gap"] < -depth + 1e-9
    crossing = contacts["kind"] == EDGE_EDGE
    corner = contacts["kind"] == VERTEX_OF_B
    # y from -4.3 to 5.7 crosses edges along x at -3, 0, 3 and the diagonals in between.
    assert np.sum(crossing & deepest) >= 6
    assert np.sum(corner & deepest) == 2
    np.testing.assert_allclose(contacts["gap"][deepest], -depth, atol=1e-12)
    np.testing.assert_allclose(
        contacts["normal"][deepest], np.tile([0, 0, -1.0], (deepest.sum(), 1)), atol=1e-9
    )
    np.testing.assert_allclose(contacts["q"][deepest][:, 0], 1.4 * MM, atol=1e-12)
    without = _core.detect_contacts(a, b, edge_edge=False)
    assert not np.any(without["kind"] == EDGE_EDGE)
    assert len(without["gap"]) == np.sum(~crossing)


@pytest.mark.parametrize("depth", [1.0 * MM, 1e-15, -1.0 * MM])
def test_cube_corner_into_a_face_is_one_contact(depth):
    a = surface(pad(3 * MM, 10, 6 * MM))
    rotation, bottom = corner_down(10 * MM)
    b = surface(box([10 * MM] * 3), rotation, (1.0 * MM, 0.4 * MM, bottom - depth))
    contacts = _core.detect_contacts(a, b)
    (tip,) = np.flatnonzero(contacts["kind"] == VERTEX_OF_B)
    np.testing.assert_allclose(contacts["gap"][tip], -depth, atol=1e-12)
    np.testing.assert_allclose(contacts["normal"][tip], [0, 0, -1], atol=1e-9)
    np.testing.assert_allclose(contacts["p"][tip], [1.0 * MM, 0.4 * MM, 0], atol=1e-12)
    corners = a.world_vertices()[contacts["vertices_a"][tip]]
    np.testing.assert_allclose(contacts["weights_a"][tip] @ corners, contacts["p"][tip], atol=1e-15)


@pytest.mark.parametrize("gap", [0.5 * MM, 1e-13, -1e-13, -0.5 * MM])
@pytest.mark.parametrize("swapped", [False, True])
def test_two_crossed_edges_are_one_contact(gap, swapped):
    rotation, bottom = edge_down(20 * MM)
    across = Rotation.from_euler("z", 70, degrees=True)
    upper = surface(box([20 * MM] * 3), across * rotation, (0.5 * MM, -0.3 * MM, bottom + gap))
    lower = surface(box([20 * MM] * 3), rotation, (0, 0, -bottom))
    a, b = (lower, upper) if swapped else (upper, lower)
    contacts = _core.detect_contacts(a, b)
    assert contacts["kind"].tolist() == [EDGE_EDGE]
    assert contacts["gap"][0] == pytest.approx(gap, abs=1e-15)
    np.testing.assert_allclose(contacts["normal"][0], [0, 0, -1 if swapped else 1], atol=1e-12)


@pytest.mark.parametrize("depth", [0.1 * MM, 3 * MM, 7.9 * MM, 8.1 * MM])
def test_deep_vertices_are_found_down_to_the_search_depth(depth):
    rotation, bottom = corner_down(20 * MM)
    a = surface(box([20 * MM] * 3), rotation, (0, 0, bottom - depth))
    b = surface(box([100 * MM] * 3), translation=(0, 0, -50 * MM))
    contacts = _core.detect_contacts(a, b, alarm_distance=2 * MM)  # searches 8 mm deep
    if depth > 8 * MM:
        assert len(contacts["gap"]) == 0
        return
    assert contacts["gap"].tolist() == [pytest.approx(-depth, rel=1e-12)]
    np.testing.assert_allclose(contacts["normal"][0], [0, 0, 1], atol=1e-12)
    assert len(_core.detect_contacts(a, b, max_penetration=0.9 * depth)["gap"]) == 0


def test_back_of_a_thin_part_does_not_touch():
    """A thin slab pressed in deeper than it is thick: only its underside makes contacts."""
    vertices, triangles = pad(2 * MM, 6, 3 * MM)
    a = surface((vertices, triangles), translation=(0, 0, -1 * MM))  # top at -1 mm, underside at -4 mm
    b = surface(box([100 * MM] * 3), translation=(0, 0, -50 * MM))
    contacts = _core.detect_contacts(a, b, max_penetration=8 * MM)
    under = np.flatnonzero(vertices[:, 2] < -2 * MM)
    np.testing.assert_array_equal(contacts["vertices_a"][:, 0], under)
    np.testing.assert_allclose(contacts["gap"], -4 * MM, atol=1e-15)


def test_vertices_inside_near_a_rim_go_back_through_the_face_they_look_at():
    """A pad overhangs a box: the row just inside the rim is nearer to the box's side than to its top."""
    vertices, triangles = pad(2 * MM, 6, 4 * MM)
    a = surface((vertices, triangles), translation=(4.15 * MM, 0, 3.7 * MM))  # underside at -0.3 mm
    b = surface(box([12.6 * MM, 100 * MM, 20 * MM]), translation=(0, 0, -10 * MM))  # side at x = 6.3 mm
    contacts = _core.detect_contacts(a, b)
    rim = np.isclose(contacts["p"][:, 0], 6.15 * MM) & (contacts["gap"] < 0)
    assert rim.sum() == 7
    assert np.all(b.signed_distance(contacts["p"][rim])[0] > -0.16 * MM)  # the side is 0.15 mm away
    np.testing.assert_allclose(contacts["gap"][contacts["gap"] < 0], -0.3 * MM, atol=1e-12)
    np.testing.assert_allclose(contacts["normal"][rim], np.tile([0, 0, 1.0], (7, 1)), atol=1e-12)


def test_vertices_of_a_fine_b_stand_in_for_a_coarse_a():
    vertices, triangles = pad(1 * MM, 10, 4 * MM)
    a = surface(box([100 * MM] * 3), translation=(0, 0, -50 * MM))
    b = surface((vertices, triangles), translation=(0, 0, 3.5 * MM))  # underside at -0.5 mm
    contacts = _core.detect_contacts(a, b)
    under = np.flatnonzero(vertices[:, 2] < -2 * MM)
    of_b = contacts["kind"] == VERTEX_OF_B
    np.testing.assert_array_equal(contacts["vertices_b"][of_b, 0], under)
    np.testing.assert_allclose(contacts["gap"][of_b], -0.5 * MM, atol=1e-15)
    np.testing.assert_allclose(contacts["normal"][of_b], np.tile([0, 0, -1.0], (len(under), 1)), atol=1e-12)


def test_round_fine_b_touches_a_coarse_a_with_all_its_near_vertices_but_not_its_back():
    vertices, triangles = sphere(10 * MM, 4)
    height = 9.5 * MM
    a = surface(box((0.1, 0.1, 0.02)), translation=(0, 0, -0.01))
    b = surface((vertices, triangles), translation=(0.3 * MM, 0.2 * MM, height))
    contacts = _core.detect_contacts(a, b, alarm_distance=1 * MM)
    low = np.flatnonzero(vertices[:, 2] + height <= 1 * MM)
    np.testing.assert_array_equal(contacts["vertices_b"][:, 0], low)
    np.testing.assert_array_equal(contacts["kind"], VERTEX_OF_B)
    # Flat as a coin and pressed in deeper than it is thick, only its underside touches.
    coin = surface((vertices * [1, 1, 0.1], triangles), translation=(0, 0, -3 * MM))
    contacts = _core.detect_contacts(a, coin, max_penetration=8 * MM)
    assert np.all(vertices[contacts["vertices_b"][:, 0], 2] < 5 * MM)
    assert len(contacts["gap"]) > len(vertices) / 3


def test_alike_meshes_add_only_the_tips_of_b():
    """Where A samples the contact itself, a smooth B adds the few vertices that look straight at A."""
    vertices, triangles = sphere(10 * MM, 4)  # edges of about 1 mm, as the pad
    a = surface(pad(1 * MM, 16, 6 * MM))
    b = surface((vertices, triangles), translation=(0.3 * MM, 0.2 * MM, 9.5 * MM))
    contacts = _core.detect_contacts(a, b)
    low = np.sum(vertices[:, 2] < -7.5 * MM)
    of_b = np.sum(contacts["kind"] == VERTEX_OF_B)
    assert 1 <= of_b < low / 8
    assert np.sum(contacts["kind"] == VERTEX_OF_A) > 50
    deepest_of_b = contacts["gap"][contacts["kind"] == VERTEX_OF_B].min()
    assert deepest_of_b == pytest.approx(vertices[:, 2].min() + 9.5 * MM, abs=1e-9)


def test_tip_to_tip_is_one_contact():
    rotation, bottom = corner_down(10 * MM)
    up = Rotation.from_euler("x", 180, degrees=True) * rotation
    a = surface(box([10 * MM] * 3), rotation, (0.1 * MM, 0.05 * MM, bottom + 0.5 * MM))
    b = surface(box([10 * MM] * 3), up, (0, 0, -bottom))
    contacts = _core.detect_contacts(a, b)
    assert contacts["kind"].tolist() == [VERTEX_OF_A]
    assert contacts["gap"][0] == pytest.approx(np.linalg.norm([0.1, 0.05, 0.5]) * MM)


def test_nothing_is_inside_beyond_the_rim_of_an_open_surface():
    sheet = (
        np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) * 10 * MM,
        np.array([[0, 1, 2], [0, 2, 3]]),
    )
    b = surface(sheet)
    assert not b.is_closed
    low = box([2 * MM] * 3)
    over = _core.detect_contacts(surface(low, translation=(0, 0, 0.5 * MM)), b)
    assert over["gap"].min() == pytest.approx(-0.5 * MM)
    beside = _core.detect_contacts(surface(low, translation=(11.5 * MM, 0, -0.5 * MM)), b)
    assert not np.any(beside["gap"] < 0)


def cluttered_pair(rng):
    """A bumpy sphere (with the narrow cones of a smooth body) pressed by a cube, and their poses."""
    vertices, triangles = sphere(8 * MM, 3)
    vertices = vertices * (1 + 0.02 * rng.standard_normal((len(vertices), 1)))
    rotation = Rotation.random(rng=rng)
    offset = rotation.apply([1, 0.2, 0.1]) * 12 * MM
    return (vertices, triangles), box([12 * MM] * 3), Rotation.random(rng=rng), offset


@pytest.mark.parametrize("seed", range(6))
def test_areas_are_a_partition_of_the_touched_area(seed):
    mesh_a, mesh_b, rotation, offset = cluttered_pair(np.random.default_rng(seed))
    a, b = surface(mesh_a), surface(mesh_b, rotation, offset)
    contacts = _core.detect_contacts(a, b, alarm_distance=1.5 * MM)
    assert len(contacts["gap"]) > 5
    share = np.zeros((len(contacts["gap"]), len(mesh_a[0])))
    for k in range(3):
        np.add.at(share, (np.arange(len(share)), contacts["vertices_a"][:, k]), contacts["weights_a"][:, k])
    np.testing.assert_allclose(share.sum(axis=1), 1, atol=1e-12)
    touch = share.sum(axis=0)
    np.testing.assert_allclose(contacts["area"], share @ (a.vertex_areas / np.maximum(1, touch)), rtol=1e-12)
    assert contacts["area"].sum() == pytest.approx(np.minimum(1, touch) @ a.vertex_areas, rel=1e-12)
    fully_touched = touch >= 1
    assert contacts["area"].sum() > a.vertex_areas[fully_touched].sum() * (1 - 1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_common_rigid_motion_carries_the_contacts_along(seed):
    rng = np.random.default_rng(seed)
    mesh_a, mesh_b, rotation, offset = cluttered_pair(rng)
    still = _core.detect_contacts(surface(mesh_a), surface(mesh_b, rotation, offset))
    turn, shift = Rotation.random(rng=rng), rng.normal(size=3)
    moved = [
        _core.detect_contacts(
            surface(mesh_a, turn, shift), surface(mesh_b, turn * rotation, turn.apply(offset) + shift)
        )
    ]
    # The same with the motion in the vertices: trees of deformed shapes are refitted, not rebuilt.
    a, b = surface(mesh_a), surface(mesh_b)
    a.update(turn.apply(mesh_a[0]) + shift)
    b.update(turn.apply(rotation.apply(mesh_b[0]) + offset) + shift)
    moved.append(_core.detect_contacts(a, b))
    for contacts in moved:
        np.testing.assert_array_equal(contacts["key"], still["key"])
        np.testing.assert_allclose(contacts["p"], turn.apply(still["p"]) + shift, atol=1e-13)
        np.testing.assert_allclose(contacts["q"], turn.apply(still["q"]) + shift, atol=1e-12)
        np.testing.assert_allclose(contacts["normal"], turn.apply(still["normal"]), atol=1e-8)
        np.testing.assert_allclose(contacts["gap"], still["gap"], atol=1e-12)
        np.testing.assert_allclose(contacts["area"], still["area"], rtol=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_numbering_of_vertices_and_triangles_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    mesh_a, mesh_b, rotation, offset = cluttered_pair(rng)

    def renumbered(mesh):
        vertices, triangles = mesh
        order = rng.permutation(len(vertices))
        new_index = np.argsort(order)
        return vertices[order], np.roll(
            new_index[triangles][rng.permutation(len(triangles))], rng.integers(3), axis=1
        )

    first = by_place(_core.detect_contacts(surface(mesh_a), surface(mesh_b, rotation, offset)))
    second = by_place(
        _core.detect_contacts(surface(renumbered(mesh_a)), surface(renumbered(mesh_b), rotation, offset))
    )
    assert len(first) > 5
    np.testing.assert_allclose(second, first, atol=1e-12)


def separation(rotation, offset, half):
    """Greatest separation of two equal cubes over their 15 separating axes, and that axis (from A to B)."""
    axes_a, axes_b = np.eye(3), rotation.as_matrix().T
    crosses = np.cross(axes_a[:, None], axes_b[None]).reshape(-1, 3)
    axes = np.vstack([axes_a, axes_b, crosses[np.linalg.norm(crosses, axis=1) > 0.05]])
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    extents = half * (np.abs(axes).sum(axis=1) + np.abs(axes @ axes_b.T).sum(axis=1))
    distances = np.abs(axes @ offset) - extents
    best = np.argmax(distances)
    return distances[best], axes[best] * np.sign(axes[best] @ offset)


@pytest.mark.parametrize("depth", [0.05 * MM, 0.3 * MM])
def test_overlapping_cubes_touch_along_their_separating_axis(depth):
    """Whatever features meet, the least penetration direction of two cubes is among the contacts."""
    rng = np.random.default_rng(5)
    half, kinds, grazing = 10 * MM, set(), 0
    for _ in range(150):
        rotation = Rotation.random(rng=rng)
        direction = rng.normal(size=3)
        direction /= np.linalg.norm(direction)
        reach = brentq(
            lambda r, d=direction, q=rotation: separation(q, r * d, half)[0] + depth, 1e-4, 0.1, xtol=1e-14
        )
        _, axis = separation(rotation, reach * direction, half)
        a, b = surface(box([2 * half] * 3)), surface(box([2 * half] * 3), rotation, reach * direction)
        contacts = _core.detect_contacts(a, b)
        along = np.abs(contacts["gap"] + depth) < 1e-9
        along &= contacts["normal"] @ -axis > 1 - 1e-9
        if not along.any():
            # A corner that grazes a rim: it lies nearer still to a face that it does not look at.
            corners = np.concatenate(
                [a.signed_distance(b.world_vertices())[0], b.signed_distance(a.world_vertices())[0]]
            )
            assert np.any((corners < 0) & (corners > -depth / 3)), (direction, rotation.as_quat())
            grazing += 1
        kinds.update(contacts["kind"][along].tolist())
    assert kinds == {VERTEX_OF_A, VERTEX_OF_B, EDGE_EDGE}
    assert grazing < 8


@pytest.mark.parametrize("seed", range(8))
def test_sign_of_every_gap_agrees_with_the_side_its_points_are_on(seed):
    """Penetrating points lie inside the other body, separated ones outside, at any depth."""
    rng = np.random.default_rng(seed)
    mesh_a, mesh_b, rotation, offset = cluttered_pair(rng)
    for depth in (0, 3 * MM, 6 * MM):
        a, b = surface(mesh_a), surface(mesh_b, rotation, offset * (1 - depth / 12 / MM))
        contacts = _core.detect_contacts(a, b)
        p_in_b = b.signed_distance(contacts["p"])[0]
        a_side = a.signed_distance(contacts["q"])[0]
        inside = contacts["gap"] < -1e-9
        of_a, of_b, crossing = (contacts["kind"] == k for k in (VERTEX_OF_A, VERTEX_OF_B, EDGE_EDGE))
        assert np.all(p_in_b[inside & (of_a | crossing)] < 0)
        assert np.all(a_side[inside & (of_b | crossing)] < 0)
        apart = contacts["gap"] > 1e-9
        assert np.all(p_in_b[apart & of_a] > 0)
        assert np.all(a_side[apart & of_b] > 0)
        np.testing.assert_allclose(
            contacts["p"] - contacts["q"], contacts["gap"][:, None] * contacts["normal"], atol=1e-12
        )


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("alarm_distance", 0.0),
        ("alarm_distance", float("nan")),
        ("contact_offset", -1e-3),
        ("contact_offset", 3e-3),
        ("max_penetration", float("nan")),
        ("edge_tolerance", -1.0),
    ],
)
def test_bad_options_are_refused_by_name(option, value):
    a = surface(box([1, 1, 1]))
    with pytest.raises(ValueError, match=option):
        _core.detect_contacts(a, a, **{option: value})
