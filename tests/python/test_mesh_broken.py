# SPDX-License-Identifier: LGPL-2.1-or-later
"""Broken meshes are refused with one line: file, defect with numbers, remedy. Nothing is filled silently."""

from __future__ import annotations

import re

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

from softcontact.mesh import (
    MeshError,
    SurfaceMesh,
    TetrahedralMesh,
    load_mesh,
    load_tetrahedra,
    sphere,
    surface_from_arrays,
    tetrahedral_box,
)

P, Q, T = CUBE_POINTS, CUBE_QUADS, cube_triangles()


def two_crossing_cubes(shift=(0.02, 0.021, 0.022)) -> str:
    return obj(np.vstack([P, P + shift]), [*T, *(T + 8)])


def dented_sphere() -> str:
    """A sphere whose top vertex is pulled out through its bottom."""
    ball = sphere(0.03, 4)
    points = ball.vertices.copy()
    points[np.argmax(points[:, 2])] = [0.001, 0.002, -0.05]
    return obj(points, ball.triangles)


def with_inner_wall() -> str:
    """A cube with a diagonal wall inside: two edges of four sides become edges of three triangles."""
    return obj(P, [*Q, [0, 1, 7], [0, 7, 6]])


def moebius_strip() -> str:
    """A closed chain of quads with a half turn; one side only."""
    turn = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    points = [
        0.03 * np.array([np.cos(t) * r, np.sin(t) * r, 0.3 * s * np.sin(t / 2)])
        for t in turn
        for s in (-1, 1)
        for r in [1 + 0.3 * s * np.cos(t / 2)]
    ]
    strip = [[2 * k, 2 * k + 1, 2 * k + 3, 2 * k + 2] for k in range(11)] + [[22, 23, 0, 1]]
    return obj(np.array(points), strip)


NAN_STL = binary_stl(np.where(np.arange(8)[:, None] == 5, np.nan, P), T)
BROKEN = {
    "one hole": (
        "a.obj",
        obj(P, Q[:-1]),
        r"not closed: 4 open edges in 1 hole .*4 edges around",
        "fill the hole",
    ),
    "two holes": (
        "a.stl",
        text_stl(P, T[4:]),
        r"8 open edges in 2 holes \(largest: 4 edges around \((0|50), 25, 25\) mm\)",
        "fill",
    ),
    "non-manifold": (
        "a.obj",
        with_inner_wall(),
        r"non-manifold edges.*first: [34] triangles at",
        "inner walls",
    ),
    "crosses itself": (
        "a.obj",
        dented_sphere(),
        r"crosses itself: \d+ pairs of triangles \(first: \d+ and",
        "remesh",
    ),
    "crossing components": (
        "a.obj",
        two_crossing_cubes(),
        r"two components cross: \d+ pairs",
        "boolean union",
    ),
    "flush overlap": (
        "a.obj",
        two_crossing_cubes((0.02, 0, 0)),
        r"1 pairs of components overlap",
        "boolean union",
    ),
    "NaN coordinate": (
        "a.stl",
        NAN_STL,
        r"\d+ of 36 vertices are not finite \(first: \d+ = ",
        "export again",
    ),
    "empty file": ("a.stl", b"", r"the file is empty \(0 bytes\)", "export or copy it again"),
    "blank file": ("a.obj", b" \n\n", r"the file is empty \(3 bytes\)", "export or copy it again"),
    "binary STL cut off": ("a.stl", binary_stl(P, T)[:-60], r"announces 12 facets and holds 10", "cut off"),
    "text STL cut off": ("a.stl", text_stl(P, T)[:-300], r"10 facets begun, 9 ended, 30 vertices", "cut off"),
    "text STL without end": (
        "a.stl",
        text_stl(P, T)[:-15],
        r"12 facets begun, 12 ended.*no endsolid",
        "cut off",
    ),
    "OBJ cut off": ("a.obj", obj(P, Q)[:-12], r"open edges|corners", "cut off"),
    "OBJ cut in a vertex": ("a.obj", obj(P, Q)[:60], r"line 6: vertex with 2 coordinates", "cut off"),
    "OFF cut off": ("a.off", off(P, Q)[:-40], r"8 vertices and 6 faces announced, 12 lines", "cut off"),
    "text PLY cut off": ("a.ply", ply(P, Q)[:-30], r"announces 6 x face and holds 4|numbers", "cut off"),
    "PLY cut off": (
        "a.ply",
        ply(P, Q, "binary_little_endian")[:-30],
        r"announces 6 x face and holds 4",
        "cut off",
    ),
    "PLY header cut off": ("a.ply", ply(P, Q)[:80], r"header without end_header", "cut off"),
    "VTK cut off": ("a.vtk", vtk_polydata(P, Q, True)[:-60], r"30 numbers announced, \d+ left", "cut off"),
    "decimal comma in STL": (
        "a.stl",
        text_stl(P, T).replace("0.05", "0,05"),
        r"decimal comma in line 5: 'vertex",
        "point",
    ),
    "decimal comma in OBJ": (
        "a.obj",
        obj(P, Q).replace("0.05", "0,05"),
        r"decimal comma in line 5: 'v 0 0 0,05'",
        "point",
    ),
    "decimal comma in OFF": ("a.off", off(P, Q).replace("0.05", "0,05"), r"decimal comma in line 5", "point"),
    "no area at all": (
        "a.obj",
        obj(P * [1, 0, 0], Q),
        r"no triangle with an area is left",
        "check the export",
    ),
    "mm read as m": (
        "a.stl",
        binary_stl(P * 1400, T),
        r"largest side 70 m with unit='m'",
        r"unit='mm' \(70 mm\)",
    ),
    "too small": (
        "a.obj",
        obj(P / 100, Q),
        r"largest side 500 µm .*outside 15 mm to 250 mm",
        "size_range=None",
    ),
    "index too large": (
        "a.obj",
        obj(P, [*Q, [0, 1, 8]]),
        r"1 faces name vertices that do not exist",
        "cut off",
    ),
    "index zero": (
        "a.obj",
        obj(P, Q).replace("f 1 2", "f 0 2"),
        r"line \d+: face index 0",
        "correct the face",
    ),
    "index before the start": (
        "a.obj",
        obj(P, Q).replace("f 1 2", "f -9 2"),
        r"face index -9",
        "correct the face",
    ),
    "index is a word": (
        "a.obj",
        obj(P, Q).replace("f 1 2", "f one 2"),
        r"'one 2 4 3' is not made of",
        "cut off",
    ),
    "coordinate is a word": (
        "a.off",
        off(P, Q).replace("0.05", "0.0x"),
        r"'0.0x' where a coordinate",
        "damaged",
    ),
    "points only": ("a.obj", obj(P, []), r"8 points, but no triangle", "as triangles"),
    "points only, PLY": ("a.ply", ply(P, []), r"8 points, but no triangle", "as triangles"),
    "lines only": (
        "a.obj",
        obj(P, []) + "l 1 2\nl 2 3\n",
        r"8 points and 2 line cells, but no",
        "as triangles",
    ),
    "wrong ending": (
        "a.stl",
        ply(P, Q),
        r"the content is PLY, the ending says STL",
        r"rename the file to a\.ply",
    ),
    "unknown content": (
        "a.obj",
        b"glTF\x02\0\0\0",
        r"the content is glTF, the ending says OBJ",
        r"rename the file to a\.glb",
    ),
    "unknown ending": ("a.step", b"ISO-10303-21;", r"ending '.step' is not a known", r"\.stl \.obj \.ply"),
    "no format at all": ("a.vtu", b"just a letter", r"cannot be read as VTU", "damaged"),
    "Gmsh cut off": (
        "a.msh",
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n",
        r"without the end of its",
        "cut off",
    ),
    "binary OFF": ("a.off", b"OFF BINARY\n\0\0\0\x08", r"binary OFF", "text OFF"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_file_is_refused_in_one_line(tmp_path, case):
    name, content, defect, remedy = BROKEN[case]
    path = write(tmp_path / name, content)
    with pytest.raises(MeshError) as caught:
        load_mesh(path)
    message = str(caught.value)
    assert "\n" not in message and message.startswith(f"{name}: ")
    assert re.search(defect, caught.value.defect), message
    assert re.search(remedy, caught.value.remedy), message
    assert len(message) < 400


def test_largest_hole_is_named():
    """A quad of the side x = 0 and a triangle of the side x = 50 mm are missing."""
    with pytest.raises(
        MeshError, match=r"7 open edges in 2 holes \(largest: 4 edges around \(0, 25, 25\) mm\)"
    ):
        surface_from_arrays(P, T[3:])
    with pytest.raises(
        MeshError, match=r"7 open edges in 2 holes \(largest: 4 edges around \(50, 25, 25\) mm\)"
    ):
        surface_from_arrays(P, np.delete(T, [1, 2, 3], axis=0))


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(MeshError, match=r"none\.stl: no such file in .*; check the path"):
        load_mesh(tmp_path / "none.stl")
    (tmp_path / "folder.stl").mkdir()
    with pytest.raises(MeshError, match=r"folder\.stl: cannot be opened"):
        load_mesh(tmp_path / "folder.stl")


@pytest.mark.parametrize("cut", [0.3, 0.6, 0.95])
@pytest.mark.parametrize("suffix", [".vtk", ".vtu", ".msh"])
def test_meshio_formats_cut_off_anywhere(tmp_path, suffix, cut):
    soft = tetrahedral_box(0.05, 2)
    path = tmp_path / f"a{suffix}"
    meshio.Mesh(soft.nodes, [("tetra", soft.tetrahedra)]).write(path)
    data = path.read_bytes()
    path.write_bytes(data[: int(cut * len(data))])
    for load in (load_mesh, load_tetrahedra):
        with pytest.raises(MeshError, match=r"^a\..*; .*(cut off|damaged)"):
            load(path)


def test_hexahedra_only_are_named(tmp_path):
    path = tmp_path / "a.vtu"
    meshio.Mesh(P[[0, 4, 6, 2, 1, 5, 7, 3]], [("hexahedron", np.arange(8)[None])]).write(path)
    with pytest.raises(MeshError, match="8 points and 1 hexahedron cells, but no triangle"):
        load_mesh(path)


def test_surface_file_is_no_tetrahedral_mesh(tmp_path):
    with pytest.raises(MeshError, match=r"surface without tetrahedra; .*softcontact mesh tetrahedralise"):
        load_tetrahedra(write(tmp_path / "a.obj", obj(P, Q)))


def test_size_guess_names_each_fitting_unit(tmp_path):
    path = write(tmp_path / "a.obj", obj(P * 100, Q))
    with pytest.raises(MeshError, match=r"unit='cm' \(50 mm\) or unit='in' \(127 mm\)"):
        load_mesh(path)
    assert np.isclose(load_mesh(path, size_range=None).extent[0], 5.0)
    assert np.isclose(load_mesh(path, size_range=(1.0, 10.0)).extent[0], 5.0)
    with pytest.raises(MeshError, match="correct unit or scale"):
        load_mesh(write(tmp_path / "b.obj", obj(P * 1e9, Q)))


def test_open_surface_is_taken_when_allowed(tmp_path):
    path = write(tmp_path / "a.obj", obj(P, Q[:-1]))
    mesh = load_mesh(path, require_closed=False)
    assert not mesh.is_closed and mesh.report.open_edges == 4
    assert "4 open edges" in mesh.report.lines()


def test_repair_false_refuses_what_it_would_change(tmp_path):
    flipped = T.copy()
    flipped[3] = flipped[3][::-1]
    path = write(tmp_path / "a.obj", obj(P, flipped))
    with pytest.raises(MeshError, match=r"needs repair: 1 triangles flipped .*; load it with repair=True"):
        load_mesh(path, repair=False)
    assert load_mesh(write(tmp_path / "b.stl", text_stl(P, T)), repair=False).is_closed


def test_moebius_strip_has_one_side(tmp_path):
    with pytest.raises(MeshError, match="only one side"):
        load_mesh(write(tmp_path / "a.obj", moebius_strip()), require_closed=False)


def test_closed_surface_with_one_side_is_refused():
    """A Klein bottle as a grid: closed, every edge has two triangles, and no outside."""
    n = 8
    u, v = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")

    def node(i, j):
        return (i % n) * n + np.where(i >= n, -j, j) % n

    quads = np.stack([node(u, v), node(u + 1, v), node(u + 1, v + 1), node(u, v + 1)], -1).reshape(-1, 4)
    points = np.random.default_rng(1).uniform(size=(n * n, 3))
    with pytest.raises(MeshError, match="only one side"):
        surface_from_arrays(points, quads[:, [[0, 1, 2], [0, 2, 3]]].reshape(-1, 3))


@pytest.mark.parametrize(
    ("vertices", "triangles", "message"),
    [
        (P[:, :2], T, r"points have shape \(8, 2\)"),
        (P, T[:, :2], r"cells have shape \(12, 2\)"),
        (P, T + 0.5, "type float64"),
        (P, T + 1, "outside 0 to 7"),
        (P, T - 1, "outside 0 to 7"),
        (P, T[:0], "8 points and 0 cells"),
        (np.where(P > 0, np.inf, P), T, "7 of 8 vertices are not finite"),
    ],
)
def test_surface_arrays_are_checked(vertices, triangles, message):
    with pytest.raises(MeshError, match=message):
        SurfaceMesh(vertices, triangles)


def test_flat_tetrahedron_is_refused():
    nodes = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1]], dtype=float)
    with pytest.raises(MeshError, match="1 of 2 tetrahedra have no volume, the first is 1"):
        TetrahedralMesh(nodes, np.array([[0, 1, 2, 4], [0, 1, 2, 3]]))


def test_random_bytes_never_escape_as_another_error(tmp_path):
    rng = np.random.default_rng(0)
    good = {
        ".stl": binary_stl(P, T),
        ".obj": obj(P, Q).encode(),
        ".off": off(P, Q).encode(),
        ".vtk": vtk_polydata(P, Q),
        ".ply": ply(P, [*Q, [0, 1, 2]], "binary_big_endian"),
    }
    refused = 0
    for suffix, data in good.items():
        for _ in range(25):
            damaged = bytearray(data)
            for place in rng.integers(0, len(data), 4):
                damaged[place] = rng.integers(0, 256)
            try:
                load_mesh(write(tmp_path / f"a{suffix}", bytes(damaged)))
            except MeshError:
                refused += 1
    assert refused > 50
