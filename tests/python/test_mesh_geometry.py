# SPDX-License-Identifier: LGPL-2.1-or-later
"""Primitives, mass properties, tetrahedra and the bunny against closed forms."""

from __future__ import annotations

import itertools
import shutil
import sys
import types

import numpy as np
import pytest

from softcontact.mesh import (
    MeshError,
    SurfaceMesh,
    TetrahedralMesh,
    box,
    bunny,
    cylinder,
    data_path,
    load_mesh,
    load_tetrahedra,
    sphere,
    surface_from_arrays,
    table,
    tetrahedral_ball,
    tetrahedral_box,
    tetrahedral_bunny,
    tetrahedral_cylinder,
    tetrahedralise,
)
from softcontact.mesh.data import damaged_files

SIZE = np.array([0.1, 0.05, 0.02])
SURFACES = {
    "box": box(SIZE),
    "divided box": box(SIZE, (3, 2, 4)),
    "table": table(),
    "sphere": sphere(0.03, 1),
    "fine sphere": sphere(0.03, 6),
    "cylinder": cylinder(),
    "prism": cylinder(segments=3, layers=1, rings=1),
    "bunny": bunny(),
    "coarse bunny": bunny(coarse=True),
}
SOLIDS = {
    "box of 6": tetrahedral_box(SIZE, (3, 2, 1)),
    "box of 5": tetrahedral_box(SIZE, (3, 2, 1), pattern=5),
    "ball": tetrahedral_ball(0.03, 1),
    "fine ball": tetrahedral_ball(0.03, 4),
    "disc": tetrahedral_cylinder(),
    "coarse disc": tetrahedral_cylinder(rings=1, layers=1),
    "bunny": tetrahedral_bunny(),
}


@pytest.mark.parametrize("name", SURFACES)
def test_surfaces_are_closed_outward_and_clean(name):
    mesh = SURFACES[name]
    assert mesh.is_closed and mesh.volume > 0 and mesh.component_count == 1
    checked = surface_from_arrays(mesh.vertices, mesh.triangles)
    assert not checked.report.changed and checked.report.needles == 0
    euler = len(mesh.vertices) - len(mesh.triangles) // 2
    assert euler == 2


def test_box_sizes_and_counts():
    mesh = box(SIZE, (3, 2, 4))
    np.testing.assert_allclose(mesh.bounds, [-SIZE / 2, SIZE / 2])
    assert len(mesh.triangles) == 4 * (3 * 2 + 2 * 4 + 4 * 3)
    np.testing.assert_allclose(mesh.volume, SIZE.prod(), rtol=1e-12)
    np.testing.assert_allclose(mesh.area, 2 * (0.1 * 0.05 + 0.05 * 0.02 + 0.02 * 0.1), rtol=1e-12)


def test_box_inertia_is_exact_anywhere():
    """Moved 10 m away and turned: I = ρ V / 12 diag(b² + c², …), turned with the body."""
    angle = 0.7
    turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    shift = np.array([10.0, -3.0, 2.0])
    mesh = box(SIZE, 2).transformed(turn, shift)
    expected = 1200 * SIZE.prod() / 12 * np.diag(np.sum(SIZE**2) - SIZE**2)
    np.testing.assert_allclose(mesh.center_of_mass, shift, rtol=1e-12)
    np.testing.assert_allclose(mesh.inertia(1200), turn @ expected @ turn.T, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(mesh.scaled(2.0).inertia(), 32 * mesh.inertia(), rtol=1e-6, atol=1e-12)


def test_asymmetric_solid_has_the_tetrahedrons_moments():
    """Corner tetrahedron of legs a, b, c: V = abc/6, centre (a, b, c)/4, I_xx about it = 3 m (b² + c²)/80,
    I_xy = m ab/80."""
    a, b, c = 0.03, 0.05, 0.08
    mesh = SurfaceMesh(
        np.array([[0, 0, 0], [a, 0, 0], [0, b, 0], [0, 0, c]]),
        np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
    )
    mass = a * b * c / 6
    np.testing.assert_allclose(mesh.volume, mass, rtol=1e-12)
    np.testing.assert_allclose(mesh.center_of_mass, [a / 4, b / 4, c / 4], rtol=1e-12)
    inertia = mesh.inertia()
    np.testing.assert_allclose(inertia[0, 0], 3 * mass * (b * b + c * c) / 80, rtol=1e-12)
    np.testing.assert_allclose(inertia[0, 1], mass * a * b / 80, rtol=1e-12)


def test_sphere_converges_with_second_order():
    errors = []
    for frequency in (4, 8, 16):
        mesh = sphere(0.03, frequency)
        assert len(mesh.vertices) == 10 * frequency**2 + 2 and len(mesh.triangles) == 20 * frequency**2
        np.testing.assert_allclose(np.linalg.norm(mesh.vertices, axis=1), 0.03, rtol=1e-12)
        errors.append(1 - mesh.volume / (4 / 3 * np.pi * 0.03**3))
        inertia = mesh.inertia() / (0.4 * mesh.volume * 0.03**2)
        np.testing.assert_allclose(inertia, np.eye(3), atol=2 * errors[-1] + 1e-12)
    assert errors[-1] < 4e-3
    np.testing.assert_allclose(np.array(errors[:-1]) / errors[1:], 4.0, rtol=0.1)


@pytest.mark.parametrize(("segments", "layers", "rings"), [(3, 1, 1), (32, 4, 2), (17, 3, 5)])
def test_cylinder_is_a_prism_over_its_polygon(segments, layers, rings):
    mesh = cylinder(0.02, 0.1, segments, layers, rings)
    base = 0.5 * segments * 0.02**2 * np.sin(2 * np.pi / segments)
    np.testing.assert_allclose(mesh.volume, base * 0.1, rtol=1e-12)
    np.testing.assert_allclose(
        mesh.area, 2 * base + segments * 2 * 0.02 * np.sin(np.pi / segments) * 0.1, rtol=1e-12
    )
    assert len(mesh.triangles) == 2 * segments * (layers + 2 * rings - 1)


def test_table_top_is_the_plane_z_0():
    mesh = table((0.4, 0.3), 0.02, 4)
    np.testing.assert_allclose(mesh.bounds, [[-0.2, -0.15, -0.02], [0.2, 0.15, 0.0]], atol=1e-15)


@pytest.mark.parametrize("name", SOLIDS)
def test_solids_are_conforming_and_well_shaped(name):
    mesh = SOLIDS[name]
    assert np.all(mesh.volumes > 0)
    surface, node_of = mesh.surface()
    assert surface.is_closed and surface.component_count == 1
    np.testing.assert_allclose(surface.volume, mesh.volume, rtol=1e-9)
    np.testing.assert_array_equal(surface.vertices, mesh.nodes[node_of])
    assert len(np.unique(mesh.tetrahedra)) == len(mesh.nodes)
    assert mesh.quality.min() > (0.35 if name == "bunny" else 0.2) and mesh.quality.max() <= 1 + 1e-12
    # A hanging node or an overlap would show as a face with three tetrahedra or a boundary face inside.
    faces = np.sort(mesh.tetrahedra[:, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]].reshape(-1, 3), axis=1)
    assert np.unique(faces, axis=0, return_counts=True)[1].max() == 2


def test_solid_volumes_against_closed_forms():
    for pattern in (5, 6):
        mesh = tetrahedral_box(SIZE, (3, 2, 4), pattern)
        assert len(mesh.tetrahedra) == pattern * 24
        np.testing.assert_allclose(mesh.volume, SIZE.prod(), rtol=1e-12)
    for divisions in (1, 2, 5):
        ball = tetrahedral_ball(0.03, divisions)
        assert len(ball.tetrahedra) == 20 * divisions**3
        np.testing.assert_allclose(ball.volume, sphere(0.03, divisions).volume, rtol=1e-12)
    disc = tetrahedral_cylinder(0.03, 0.02, 4, 3)
    assert len(disc.tetrahedra) == 3 * 3 * 6 * 16
    np.testing.assert_allclose(disc.volume, 0.5 * 24 * 0.03**2 * np.sin(2 * np.pi / 24) * 0.02, rtol=1e-12)


def test_ball_quality_stays_good_when_refined():
    assert tetrahedral_ball(0.03, 8).quality.min() > 0.7


def test_regular_tetrahedron_has_quality_one():
    nodes = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], dtype=float)
    np.testing.assert_allclose(TetrahedralMesh(nodes, np.array([[0, 1, 2, 3]])).quality, 1.0, rtol=1e-12)
    flat = TetrahedralMesh(nodes * [1, 1, 0.01], np.array([[0, 1, 2, 3]]))
    assert flat.quality[0] < 0.1


def test_all_24_node_orders_give_the_same_positive_tetrahedron():
    nodes = np.array([[0, 0, 0], [0.03, 0, 0], [0, 0.05, 0], [0.01, 0.01, 0.08]])
    for order in itertools.permutations(range(4)):
        mesh = TetrahedralMesh(nodes, np.array([order]))
        np.testing.assert_allclose(mesh.volume, 0.03 * 0.05 * 0.08 / 6, rtol=1e-12)
        assert mesh.surface()[0].volume > 0


def test_embedded_points_follow_an_affine_motion():
    mesh = tetrahedral_ball(0.03, 2)
    points = np.vstack([0.6 * mesh.nodes[::3], [[0.0305, 0.0, 0.0]]])
    nodes, weights = mesh.embed(points)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, rtol=1e-12)
    assert weights[:-1].min() > -1e-9 and weights[-1].min() < 0
    motion = np.array([[1.1, 0.2, 0.0], [0.0, 0.9, -0.1], [0.3, 0.0, 1.0]])
    moved = mesh.nodes @ motion.T + 0.5
    np.testing.assert_allclose(
        np.einsum("kj,kji->ki", weights, moved[nodes]), points @ motion.T + 0.5, atol=1e-12
    )


def test_bunny_stands_upright_around_its_centre():
    for mesh in (bunny(), bunny(0.1), bunny(0.1, coarse=True)):
        height = 0.08 if mesh.extent[2] < 0.09 else 0.1
        np.testing.assert_allclose(mesh.extent[2], height, rtol=1e-3)
        np.testing.assert_allclose(mesh.center_of_mass, 0.0, atol=3e-4)
    mesh = bunny()
    assert (len(mesh.vertices), len(mesh.triangles)) == (1839, 3674)
    np.testing.assert_allclose(mesh.extent[2], 0.08, rtol=1e-12)
    # Ears up: the highest tenth is a small part of the vertices, the lowest tenth (the feet) a wide one.
    z = mesh.vertices[:, 2]
    top, low = mesh.vertices[z > z.max() - 0.008], mesh.vertices[z < z.min() + 0.008]
    assert np.ptp(top[:, 0]) < 0.6 * np.ptp(low[:, 0])


def test_soft_bunny_fits_its_surface():
    soft, skin = tetrahedral_bunny(), bunny()
    assert (len(soft.nodes), len(soft.tetrahedra)) == (4305, 19515)
    np.testing.assert_allclose(soft.bounds, skin.bounds, atol=1e-4)
    np.testing.assert_allclose(soft.volume, skin.volume, rtol=2e-3)
    np.testing.assert_allclose(soft.surface()[0].center_of_mass, 0.0, atol=1e-4)


def test_data_files_load_as_a_user_would_and_match_their_checksums():
    for name in ("bunny.obj", "bunny_1200.obj"):
        assert not load_mesh(data_path(name), unit="cm").report.changed
    assert load_tetrahedra(data_path("bunny.vtu"), unit="cm").quality.min() > 0.35
    assert damaged_files() == {}


def test_a_changed_and_a_missing_data_file_are_told(tmp_path, monkeypatch):
    for name in ("manifest.json", "bunny.obj", "bunny_1200.obj", "track_grasp.csv"):
        shutil.copy(data_path(name), tmp_path)
    with (tmp_path / "bunny.obj").open("ab") as file:
        file.write(b"\n")
    monkeypatch.setattr("softcontact.mesh.data._FOLDERS", (tmp_path,))
    assert damaged_files() == {"bunny.obj": "changed", "bunny.vtu": "missing"}


def test_missing_data_file_names_the_folders():
    with pytest.raises(FileNotFoundError, match=r"'cat.obj' not found in .*_data or .*data"):
        data_path("cat.obj")


@pytest.mark.parametrize(
    "make",
    [
        lambda bad: box(bad),
        lambda bad: box((0.1, bad, 0.1)),
        lambda bad: sphere(bad),
        lambda bad: cylinder(radius=bad),
        lambda bad: cylinder(height=bad),
        lambda bad: tetrahedral_box(bad),
        lambda bad: tetrahedral_ball(bad),
        lambda bad: tetrahedral_cylinder(height=bad),
        lambda bad: bunny(bad),
        lambda bad: tetrahedral_bunny(bad),
        lambda bad: box().scaled(bad),
        lambda bad: tetrahedral_box().scaled(bad),
        lambda bad: tetrahedralise(box(), edge_length=bad),
    ],
)
def test_lengths_must_be_positive_and_finite(make):
    for bad in (0.0, -0.01, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="finite"):
            make(bad)


def test_counts_must_be_whole():
    for bad in (0, -1, 1.5):
        for make in (sphere, tetrahedral_ball):
            with pytest.raises(ValueError, match=">= 1"):
                make(0.03, bad)
        with pytest.raises(ValueError, match=">= 1"):
            box(0.05, bad)
    with pytest.raises(ValueError, match="segments must be an integer >= 3"):
        cylinder(segments=2)
    with pytest.raises(ValueError, match="pattern must be 5, 6 or 24"):
        tetrahedral_box(pattern=4)


def test_motions_must_be_rigid():
    with pytest.raises(ValueError, match="mirrors"):
        box().transformed(np.diag([1.0, 1.0, -1.0]))
    with pytest.raises(ValueError, match="orthonormal"):
        box().transformed(2 * np.eye(3))
    with pytest.raises(ValueError, match="three finite numbers"):
        box().transformed(translation=np.array([0.0, np.nan, 0.0]))
    for density in (0.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="density must be > 0"):
            box().inertia(density)


def test_tetrahedralise_orients_and_compacts_what_the_mesher_returns(monkeypatch):
    """The mesher is replaced: it returns turned tetrahedra and a stray node, as pytetwild does."""
    soft = tetrahedral_box(0.05, 2)
    asked = {}

    def tetrahedralize(vertices, faces, **options):
        asked.update(options)
        return np.vstack([[[9.0, 9.0, 9.0]], soft.nodes]), soft.tetrahedra[:, [1, 0, 2, 3]] + 1

    monkeypatch.setitem(sys.modules, "pytetwild", types.SimpleNamespace(tetrahedralize=tetrahedralize))
    mesh = tetrahedralise(box(0.05), edge_length=0.005, envelope=1e-4)
    assert len(mesh.nodes) == 27 and np.isclose(mesh.volume, 0.05**3)
    np.testing.assert_allclose(asked["edge_length_fac"] * 0.05 * np.sqrt(3), 0.005)
    np.testing.assert_allclose(asked["epsilon"] * 0.05 * np.sqrt(3), 1e-4)


def test_tetrahedralise_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "pytetwild", None)
    with pytest.raises(ModuleNotFoundError, match=r"needs pytetwild.*install 'pytetwild>=.*' 'pyvista>="):
        tetrahedralise(box())
    cube = box()
    with pytest.raises(MeshError, match="not closed"):
        tetrahedralise(SurfaceMesh(cube.vertices, cube.triangles[1:]))
