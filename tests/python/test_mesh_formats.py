# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every legal dialect of every format gives the same cube."""

from __future__ import annotations

import meshio
import numpy as np
import pytest
from mesh_files import (
    CUBE_POINTS,
    CUBE_QUADS,
    binary_stl,
    cube_triangles,
    obj,
    off,
    ply,
    text_stl,
    vtk_polydata,
    write,
)

from softcontact.mesh import load_mesh, load_tetrahedra, tetrahedral_box
from softcontact.mesh.formats import read_raw
from softcontact.mesh.readers import read_obj

P, Q, T = CUBE_POINTS, CUBE_QUADS, cube_triangles()
MIXED = [*Q[:3], *(t.tolist() for t in T[6:])]  # quads, then triangles

DIALECTS = {
    "text STL": ("a.stl", text_stl(P, T)),
    "text STL in capitals": ("a.stl", text_stl(P, T).upper()),
    "text STL with two solids": ("a.stl", text_stl(P, T[:5], "one") + text_stl(P, T[5:], "two, of 1,2")),
    "binary STL": ("a.STL", binary_stl(P, T, b"binary")),
    "binary STL that begins with solid": ("a.stl", binary_stl(P, T)),
    "OBJ triangles": ("a.obj", obj(P, T)),
    "OBJ quads": ("a.obj", obj(P, Q)),
    "OBJ with texture and normal": ("a.obj", obj(P, Q, "{0}/1/1")),
    "OBJ with normal only": ("a.obj", obj(P, Q, "{0}//1")),
    "OBJ with negative indices": ("a.obj", obj(P, Q, "{1}/-1/-1")),
    "OBJ with Windows line ends": ("a.obj", obj(P, Q).replace("\n", "\r\n")),
    "OBJ with continued lines": ("a.obj", obj(P, Q).replace("f 1 2", "f 1 \\\n2")),
    "OFF": ("a.off", off(P, T)),
    "OFF quads, counts on the first line": ("a.off", off(P, Q, "OFF ")),
    "COFF": ("a.off", off(np.hstack([P, np.ones((8, 4))]), MIXED, "COFF\n")),
    "text PLY": ("a.ply", ply(P, T)),
    "text PLY, mixed polygons": ("a.ply", ply(P, MIXED, index_name="vertex_index")),
    "PLY little endian": ("a.ply", ply(P, T, "binary_little_endian")),
    "PLY big endian quads": ("a.ply", ply(P, Q, "binary_big_endian", "vertex_index")),
    "PLY little endian, quads first": ("a.ply", ply(P, MIXED, "binary_little_endian")),
    "PLY little endian, triangles first": ("a.ply", ply(P, MIXED[::-1], "binary_little_endian")),
    "VTK 4.2 text PolyData": ("a.vtk", vtk_polydata(P, MIXED)),
    "VTK 4.2 binary PolyData": ("a.vtk", vtk_polydata(P, MIXED, binary=True)),
    "VTK 5.1 text PolyData": ("a.vtk", vtk_polydata(P, MIXED, version="5.1")),
    "VTK 5.1 binary PolyData": ("a.vtk", vtk_polydata(P, MIXED, binary=True, version="5.1")),
}


def assert_is_the_cube(mesh, center: float = 0.025) -> None:
    assert mesh.is_closed
    assert (len(mesh.vertices), len(mesh.triangles)) == (8, 12)
    np.testing.assert_allclose(mesh.volume, 0.05**3, rtol=1e-6)
    np.testing.assert_allclose(mesh.center_of_mass, center, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_each_dialect_gives_the_cube(tmp_path, dialect):
    name, content = DIALECTS[dialect]
    mesh = load_mesh(write(tmp_path / name, content))
    assert_is_the_cube(mesh)
    assert mesh.report.vertices_merged == (28 if "STL" in dialect else 0)
    assert mesh.report.triangles_flipped == mesh.report.components_turned == 0


MESHIO_WRITERS = {
    "a.vtk": [{"fmt_version": "4.2", "binary": b} for b in (True, False)] + [{"fmt_version": "5.1"}],
    "a.vtu": [
        {"binary": False},
        {"binary": True, "compression": None},
        {"binary": True, "compression": "zlib"},
    ],
    "a.msh": [{"fmt_version": v, "binary": b} for v in ("2.2", "4.1") for b in (True, False)],
}
CASES = [(name, options) for name, all_options in MESHIO_WRITERS.items() for options in all_options]


def write_with_meshio(path, points, cells, options) -> None:
    module = {"vtk": meshio.vtk, "vtu": meshio.vtu, "msh": meshio.gmsh}[path.suffix[1:]]
    mesh = meshio.Mesh(points, cells)
    if path.suffix == ".msh":
        ones = [np.ones(len(c), dtype=int) for _, c in cells]
        mesh.cell_data = {"gmsh:physical": ones, "gmsh:geometrical": ones}
    module.write(path, mesh, **options)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_surface_in_grid_formats(tmp_path, name, options):
    path = tmp_path / name
    mixed = [("triangle", T[:6]), ("quad", np.array(Q[3:]))]
    # meshio writes several kinds of cells into Gmsh files only with tables that it does not make itself.
    write_with_meshio(path, P, mixed if path.suffix != ".msh" else [("triangle", T)], options)
    assert_is_the_cube(load_mesh(path))


GMSH_22 = """$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
1
3 1 "body"
$EndPhysicalNames
$Nodes
5
3 0 0 0
10 0.1 0 0
11 0 0.1 0
12 0 0 0.1
99 7 7 7
$EndNodes
$Elements
4
1 15 2 0 1 3
2 1 2 0 1 3 10
3 2 2 0 1 3 11 10
4 4 2 1 1 3 10 11 12
$EndElements
"""
GMSH_41 = """$MeshFormat
4.1 0 8
$EndMeshFormat
$Entities
0 0 1 1
1 0 0 0 0.1 0.1 0 0 0
1 0 0 0 0.1 0.1 0.1 0 1 1
$EndEntities
$Nodes
2 5 3 99
2 1 0 4
3
10
11
12
0 0 0
0.1 0 0
0 0.1 0
0 0 0.1
3 1 0 1
99
7 7 7
$EndNodes
$Elements
2 2 1 2
2 1 2 1
1 3 11 10
3 1 4 1
2 3 10 11 12
$EndElements
"""


@pytest.mark.parametrize("text", [GMSH_22, GMSH_41], ids=["2.2", "4.1"])
def test_gmsh_files_with_sparse_tags_and_a_stray_node(tmp_path, text):
    path = write(tmp_path / "a.msh", text)
    mesh = load_mesh(path)
    assert mesh.is_closed and len(mesh.vertices) == 4
    np.testing.assert_allclose(mesh.volume, 0.1**3 / 6, rtol=1e-12)
    np.testing.assert_allclose(load_tetrahedra(path).volume, 0.1**3 / 6, rtol=1e-12)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_boundary_of_tetrahedra(tmp_path, name, options):
    soft = tetrahedral_box(0.05, 2)
    turned = soft.tetrahedra[:, [1, 0, 2, 3]]
    path = tmp_path / name
    write_with_meshio(path, soft.nodes, [("tetra", turned)], options)
    mesh = load_mesh(path, repair=False)
    assert mesh.is_closed
    np.testing.assert_allclose(mesh.volume, 0.05**3, rtol=1e-9)
    assert len(mesh.vertices) == 26
    assert mesh.report.notes == ("surface taken from the boundary of 40 tetrahedra",)
    back = load_tetrahedra(path)
    assert np.all(back.volumes > 0)
    np.testing.assert_allclose(back.volume, 0.05**3, rtol=1e-9)


def test_tetrahedra_with_partial_faces_give_the_boundary(tmp_path):
    soft = tetrahedral_box(0.05, 1)
    path = tmp_path / "a.vtu"
    meshio.Mesh(soft.nodes, [("triangle", soft.boundary[:3]), ("tetra", soft.tetrahedra)]).write(path)
    assert_is_the_cube(load_mesh(path), center=0.0)
    meshio.Mesh(soft.nodes, [("triangle", soft.boundary), ("tetra", soft.tetrahedra)]).write(path)
    assert load_mesh(path).report.notes == ("5 tetrahedra ignored, the file has a closed surface",)


def test_quadratic_cells_keep_their_corners(tmp_path):
    soft = tetrahedral_box(0.05, 1)
    pairs = [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3)]
    middles = np.concatenate([soft.nodes[soft.tetrahedra[:, p]].mean(axis=1) for p in pairs])
    count = len(soft.tetrahedra)
    extra = len(soft.nodes) + np.arange(6 * count).reshape(6, count).T
    path = tmp_path / "a.vtu"
    meshio.Mesh(np.vstack([soft.nodes, middles]), [("tetra10", np.hstack([soft.tetrahedra, extra]))]).write(
        path
    )
    assert_is_the_cube(load_mesh(path), center=0.0)
    assert len(load_tetrahedra(path).nodes) == 8


def test_concave_polygon_is_cut_inside():
    """An L-shaped hexagon in each coordinate plane, both windings: area 3, all triangles facing alike."""
    shape = np.array([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]], dtype=float)
    for axis in range(3):
        points = np.insert(shape, axis, 0.0, axis=1)
        for ring in ([1, 2, 3, 4, 5, 6], [3, 2, 1, 6, 5, 4]):
            raw = read_obj(obj(points, [[i - 1 for i in ring]]), "L")
            corners = points[raw.triangles("L")]
            normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, axis]
            np.testing.assert_allclose(np.abs(normal.sum()) / 2, 3.0)
            assert np.all(normal > 0) or np.all(normal < 0)


def test_concave_quad_is_cut_along_the_inner_diagonal():
    points = np.array([[0, 0, 0], [2, -0.2, 0], [1.5, 0, 0], [2, 0.2, 0]], dtype=float)
    for shift in range(4):
        quad = [(i + shift) % 4 for i in range(4)]
        corners = points[read_obj(obj(points, [quad]), "arrow").triangles("arrow")]
        normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2]
        assert np.all(normal > 0) and np.isclose(normal.sum() / 2, 0.3)


def test_vtk_triangle_strip(tmp_path):
    text = (
        "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 4 double\n0 0 0 1 0 0 0 1 0 1 1 0\n"
    )
    path = write(tmp_path / "a.vtk", text + "TRIANGLE_STRIPS 1 5\n4 0 1 2 3\n")
    raw = read_raw(path)
    assert raw.triangles("a").tolist() == [[0, 1, 2], [2, 1, 3]]


@pytest.mark.parametrize("suffix", [".stl", ".obj", ".ply", ".off", ".vtk", ".vtu"])
def test_saved_surface_comes_back(tmp_path, suffix):
    from softcontact.mesh import sphere

    path = tmp_path / f"with space and é{suffix}"
    ball = sphere(0.03, 3)
    ball.save(path)
    back = load_mesh(path)
    assert back.is_closed and len(back.triangles) == 180 and len(back.vertices) == 92
    np.testing.assert_allclose(back.volume, ball.volume, rtol=1e-6)


@pytest.mark.parametrize(("unit", "factor"), [("m", 1.0), ("cm", 100.0), ("mm", 1000.0), ("in", 1 / 0.0254)])
def test_units(tmp_path, unit, factor):
    path = write(tmp_path / "a.obj", obj(P * factor, Q))
    np.testing.assert_allclose(load_mesh(path, unit=unit).volume, 0.05**3, rtol=1e-6)
    np.testing.assert_allclose(load_mesh(path, unit=unit, scale=2.0).volume, 0.1**3, rtol=1e-6)


def test_wrong_options_are_refused(tmp_path):
    path = write(tmp_path / "a.obj", obj(P, Q))
    with pytest.raises(ValueError, match="unit must be one of 'm', 'cm', 'mm', 'in', got 'km'"):
        load_mesh(path, unit="km")
    for scale in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="scale must be a finite number > 0"):
            load_mesh(path, scale=scale)
