# SPDX-License-Identifier: LGPL-2.1-or-later
"""glTF files in the dialects that exporters write give the same cube, y up turned to z."""

from __future__ import annotations

import json

import numpy as np
import pytest
from mesh_files import CUBE_POINTS, Gltf, cube_triangles, write

from softcontact.mesh import MeshError, load_mesh, load_soup

P, T = CUBE_POINTS, cube_triangles()
CENTRE = (0.025, -0.025, 0.025)  # of the cube once y is z


def cube(nodes: list | None = None, points: np.ndarray = P, triangles: np.ndarray = T) -> Gltf:
    made = Gltf()
    position, corners = made.accessor(points), made.accessor(np.ravel(triangles), "<u2")
    return made.mesh({"attributes": {"POSITION": position}, "indices": corners}, nodes=nodes)


def loaded(tmp_path, content, name="a.glb", **options):
    return load_mesh(write(tmp_path / name, content), **options)


def assert_is_the_cube(mesh, centre=CENTRE, side=0.05) -> None:
    assert mesh.is_closed and len(mesh.triangles) == 12
    assert mesh.report.components_turned == mesh.report.triangles_flipped == 0
    assert mesh.volume == pytest.approx(side**3, rel=1e-6)
    np.testing.assert_allclose(mesh.center_of_mass, centre, rtol=1e-6, atol=1e-8)


def test_binary_and_text_files_give_the_cube(tmp_path):
    made = cube()
    mesh = loaded(tmp_path, made.glb())
    assert_is_the_cube(mesh)
    assert "y, which is up in glTF, turned to z" in mesh.report.notes
    assert_is_the_cube(loaded(tmp_path, made.gltf(), "a.gltf"))
    write(tmp_path / "a cube.bin", made.binary)
    assert_is_the_cube(loaded(tmp_path, made.gltf("a%20cube.bin"), "b.gltf"))
    assert_is_the_cube(loaded(tmp_path, cube(points=1000 * P).glb(), unit="mm"))


def test_nodes_place_their_meshes(tmp_path):
    half = np.sqrt(0.5)
    moved = {"mesh": 0, "translation": [0.0, 0.1, 0.0], "scale": [2, 2, 2], "rotation": [half, 0, 0, half]}
    # The cube's centre, twice as far out, y to z and z to -y, up by 0.1, then y up turned to z.
    assert_is_the_cube(loaded(tmp_path, cube([moved]).glb()), (0.05, -0.05, 0.05), 0.1)
    matrix = np.diag([-1.0, 1.0, 1.0, 1.0])
    matrix[:3, 3] = (0.2, 0.0, 0.0)
    nested = [
        {"children": [1], "translation": [0.0, 0.0, 0.3]},
        {"mesh": 0, "matrix": matrix.T.ravel().tolist()},
    ]
    assert_is_the_cube(loaded(tmp_path, cube(nested).glb(), size_range=None), (0.175, -0.325, 0.025))


def test_only_the_scene_that_is_shown_counts(tmp_path):
    made = cube([{"mesh": 0}, {"mesh": 0, "translation": [1.0, 0.0, 0.0]}])
    made.document |= {"scenes": [{"nodes": [1]}, {"nodes": [0]}], "scene": 1}
    assert_is_the_cube(loaded(tmp_path, made.glb()))


def test_strips_fans_and_lines(tmp_path):
    made = Gltf()
    position = {"POSITION": made.accessor(P)}
    strip = made.accessor([0, 1, 2, 3, 6, 7, 4, 5, 0, 1], "<u1")  # once around
    fans = [made.accessor(c, "<u4") for c in ([0, 2, 6, 4], [1, 5, 7, 3])]
    line = made.accessor([0, 1], "<u2")
    made.mesh(
        {"attributes": position, "indices": strip, "mode": 5},
        *({"attributes": position, "indices": fan, "mode": 6} for fan in fans),
        {"attributes": position, "indices": line, "mode": 1},
    )
    mesh = loaded(tmp_path, made.glb())
    assert_is_the_cube(mesh)
    assert "2 line cells ignored" in mesh.report.notes


def test_triangles_without_indices_and_a_stride(tmp_path):
    made = Gltf()
    rows = np.hstack([P[T.ravel()], np.full((36, 1), 7.0)]).astype("<f4")
    made.document["accessors"] = [
        {
            "componentType": 5126,
            "count": 36,
            "type": "VEC3",
            "bufferView": made.view(rows.tobytes(), byteStride=16),
        }
    ]
    assert_is_the_cube(loaded(tmp_path, made.mesh({"attributes": {"POSITION": 0}}).glb()))


def test_sparse_and_quantised_positions(tmp_path):
    made = Gltf()
    rows, values = made.view(np.array([1, 7], "<u1").tobytes()), made.view(P[[1, 7]].astype("<f4").tobytes())
    wrong = P.copy()
    wrong[[1, 7]] = 9.0
    sparse = {
        "count": 2,
        "indices": {"bufferView": rows, "componentType": 5121},
        "values": {"bufferView": values},
    }
    base = made.view(wrong.astype("<f4").tobytes())
    position = made.accessor(wrong, sparse=sparse, bufferView=base)
    made.mesh({"attributes": {"POSITION": position}, "indices": made.accessor(T.ravel(), "<u2")})
    assert_is_the_cube(loaded(tmp_path, made.glb()))

    made = Gltf()
    position = made.accessor(np.rint(P / 0.05 * 32767), "<i2", normalized=True)
    made.mesh(
        {"attributes": {"POSITION": position}, "indices": made.accessor(T.ravel(), "<u2")},
        nodes=[{"mesh": 0, "scale": [0.05] * 3}],
    )
    made.document["extensionsRequired"] = ["KHR_mesh_quantization"]
    assert_is_the_cube(loaded(tmp_path, made.glb()))


def test_several_parts_are_taken_together_and_told(tmp_path):
    made = cube([{"mesh": 0}, {"mesh": 0, "translation": [0.1, 0.0, 0.0], "skin": 0}])
    notes = load_soup(write(tmp_path / "a.glb", made.glb())).report.notes
    assert "2 parts taken together" in notes
    assert "1 parts with joints or morph targets taken as they are stored" in notes


def test_bad_files_are_refused_in_one_line(tmp_path):
    made = cube()
    whole = made.glb()
    packed = cube()
    packed.document["extensionsRequired"] = ["KHR_draco_mesh_compression"]
    old = cube()
    old.document["asset"]["version"] = "1.0"
    circle = cube([{"mesh": 0, "children": [1]}, {"children": [0]}])
    circle.document["scenes"] = [{"nodes": [0]}]
    outside = cube(triangles=T + 1)
    empty = {"asset": {"version": "2.0"}}
    for name, content, text in (
        ("a.glb", whole[:-40], r"GLB announces \d+ bytes and holds \d+; the file is cut off"),
        ("a.glb", packed.glb(), "needs the glTF extension KHR_draco_mesh_compression; export it without"),
        ("a.glb", old.glb(), "glTF of version 1.0"),
        ("a.glb", circle.glb(), "their own descendants"),
        ("a.glb", outside.glb(), "index 8 into 8 positions"),
        ("a.gltf", made.gltf("none.bin"), "its buffer 'none.bin' is not there"),
        ("a.gltf", "{not json", "glTF without readable JSON"),
        ("a.gltf", json.dumps(empty), "no triangle, polygon or tetrahedron"),
        ("a.gltf", whole.replace(b"nodes", b"nodez"), "no triangle, polygon or tetrahedron"),
        ("a.gltf", made.gltf().replace('"count": 8', '"count": 9999'), r"buffer of \d+ bytes, \d+ needed"),
    ):
        with pytest.raises(MeshError, match=text) as caught:
            loaded(tmp_path, content, name)
        assert "\n" not in str(caught.value)
