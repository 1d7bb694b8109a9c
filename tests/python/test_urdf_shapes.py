# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shapes of URDF files, and what is refused, with element and line."""

import numpy as np
import pytest

from softcontact.bodies.articulated import ArticulatedModel

BOX = (
    '<visual><origin xyz="0 0 -0.1" rpy="0 0 1.5707963267948966"/>'
    '<geometry><box size="0.2 0.1 0.3"/></geometry></visual>'
)
CAN = '<collision><geometry><cylinder radius="0.05" length="0.3"/></geometry></collision>'
BALL = '<collision><geometry><sphere radius="0.06"/></geometry></collision>'


@pytest.fixture
def write(tmp_path):
    def write_robot(*parts):
        path = tmp_path / "robot.urdf"
        path.write_text(f'<?xml version="1.0"?><robot name="arm">{"".join(parts)}</robot>')
        return path

    return write_robot


def joint(name, kind, parent, child, extra="", origin='xyz="0.2 -0.1 0.3" rpy="0.1 0.7 -1.2"'):
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f"<origin {origin}/>{extra}</joint>"
    )


def body(name, *shapes, inertia='ixx="0.02" iyy="0.03" izz="0.025"', mass="1"):
    return "\n".join(
        [
            f'<link name="{name}">',
            f'<inertial><mass value="{mass}"/><inertia {inertia}/></inertial>',
            *shapes,
            "</link>",
        ]
    )


def mesh(filename, scale="1 1 1"):
    return f'<visual>\n<geometry><mesh filename="{filename}" scale="{scale}"/></geometry></visual>'


def write_stl(path, corners):
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ["solid tetrahedron"]
    for a, b, c in ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)):
        lines += ["facet normal 0 0 0", "outer loop"]
        lines += ["vertex {} {} {}".format(*corners[k]) for k in (a, b, c)] + ["endloop", "endfacet"]
    path.write_text("\n".join([*lines, "endsolid tetrahedron", ""]))


CORNERS = np.array([[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.2]])


def test_shapes_are_read_in_the_axes_of_their_link(write):
    model = ArticulatedModel.from_urdf(write(body("a", BOX, CAN, BALL)))
    assert [(shape.kind, shape.geometry) for shape in model.shapes] == [
        ("visual", "box"),
        ("collision", "cylinder"),
        ("collision", "sphere"),
    ]
    extents = []
    for shape in model.shapes:
        vertices, triangles = shape.surface()
        a, b, c = (vertices[triangles[:, k]] for k in range(3))
        assert np.einsum("ij,ij->", a, np.cross(b, c)) > 0.0
        extents.append((vertices.min(axis=0), vertices.max(axis=0)))
    np.testing.assert_allclose(extents[0], [[-0.05, -0.1, -0.25], [0.05, 0.1, 0.05]], atol=1e-12)
    np.testing.assert_allclose(extents[1][1][2] - extents[1][0][2], 0.3, atol=1e-12)
    np.testing.assert_allclose(extents[2][1][2], 0.06, rtol=0.02)
    assert ArticulatedModel.from_urdf(write(body("a", BOX)), shapes=False).shapes == ()


@pytest.mark.parametrize(
    ("filename", "at"),
    [
        ("meshes/part.stl", "meshes/part.stl"),
        ("package://my_robot/meshes/part.stl", "my_robot/meshes/part.stl"),
        ("package://elsewhere/part.stl", "../packages/elsewhere/part.stl"),
    ],
)
def test_meshes_are_found_scaled_and_mirrored(write, tmp_path, filename, at):
    write_stl(tmp_path / at, 1000.0 * CORNERS)
    path = write(body("a", mesh(filename, scale="0.001 -0.001 0.001")))
    model = ArticulatedModel.from_urdf(path, packages=[tmp_path / "../packages"])
    vertices, triangles = model.shapes[0].surface()
    assert sorted(map(tuple, vertices.round(9))) == sorted(map(tuple, CORNERS * (1, -1, 1)))
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    assert np.einsum("ij,ij->", a, np.cross(b, c)) == pytest.approx(6 * 0.2**3 / 6)


def test_what_is_not_taken_is_listed(write):
    extra = '\n<gazebo/>\n<transmission name="t"/>'
    safety = "\n<safety_controller/>"
    path = write(body("a"), "\n", body("b"), joint("j", "continuous", "a", "b", safety), extra)
    model = ArticulatedModel.from_urdf(path)
    assert model.ignored == (
        "line 8: <gazebo>",
        "line 9: <transmission>",
        "line 7: <safety_controller> of joint 'j'",
    )


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (["\n", body("a", mesh("part.stl"))], r"line 5: <mesh> of link 'a': file 'part.stl' is missing"),
        (
            [body("a", mesh("package://robot/x.stl"))],
            r"line 4: <mesh> of link 'a': .*give the folder of 'robot'",
        ),
        ([body("a", mesh("robot.urdf"))], r"line 4: <mesh> of link 'a': 'robot.urdf' is of a format"),
        ([body("a", mesh(""))], "line 4: <mesh> of link 'a' has no filename"),
        ([body("a", mesh("empty.stl"))], r"line 4: <mesh> of link 'a': .*empty.stl"),
        ([body("a", inertia="")], "line 1: <link name='a'>: <inertia> is zero for a mass of 1 kg"),
        (["\n\n", body("a", mass="-1")], "line 3: link 'a': mass = -1"),
        (
            [body("a", inertia='ixx="1" iyy="1" izz="3"')],
            "(?s)line 1: link 'a': inertia = .*triangle inequality",
        ),
        ([body("a", BOX, inertia='ixx="2e4" iyy="3e4" izz="25e3"')], "line 1: <link name='a'>: .*wrong unit"),
        (
            [body("a", BOX, inertia='ixx="2e-11" iyy="3e-11" izz="2.5e-11"')],
            "radius of gyration .*wrong unit",
        ),
        ([body("a", BOX, mass="5e3", inertia='ixx="50" iyy="50" izz="50"')], "no matter is so dense"),
        ([body("a", BOX.replace("0.2 0.1 0.3", "200 100 300"))], "line 3: <visual> of link 'a' <box>: 300 m"),
        ([body("a", mesh("large.stl"))], "line 4: <mesh> of link 'a': 200 m is no length of a robot"),
        ([body("a", BOX.replace("1.5707963267948966", "90"))], "rpy='0 0 90'>: 90 rad is over two turns"),
        (
            [body("a"), "\n", body("b"), joint("j", "continuous", "a", "b", origin='xyz="0 0 350"')],
            "line 6: <joint name='j'> <origin xyz='0 0 350'>: 350 m",
        ),
        (
            [body("a"), body("b"), joint("j", "revolute", "a", "b", '<limit lower="-90" upper="90"/>')],
            "line 5: <joint name='j'> <limit>: 90 rad is over two turns; URDF angles are radians",
        ),
        ([body("a"), "\n", body("b")], r"one root link, found a \(line 1\), b \(line 4\)"),
        (
            [body("a"), body("b"), body("c"), joint("j", "fixed", "b", "c"), joint("k", "fixed", "c", "b")],
            "line 7: <joint name='j'> belongs to a loop",
        ),
        (
            [body("a"), body("b"), joint("j", "ball", "a", "b")],
            "line 5: <joint name='j'>: type 'ball' is not",
        ),
        ([body("a", "<visual><geometry><cone/></geometry></visual>")], "line 3: .*holds <cone>; use <box>"),
        ([body("a", BALL.replace("0.06", "-0.06"))], "line 3: .*<sphere> has a size that is not > 0"),
        (["<link/>"], "line 1: <link> without a name"),
    ],
)
def test_broken_files_are_refused_with_element_and_line(write, tmp_path, parts, message):
    (tmp_path / "empty.stl").write_bytes(b"")
    write_stl(tmp_path / "large.stl", 1000.0 * CORNERS)
    path = write(*parts)
    with pytest.raises(ValueError, match=message) as refusal:
        ArticulatedModel.from_urdf(path)
    assert str(refusal.value).startswith(f"{path}: ")


def test_missing_meshes_do_not_matter_to_the_motion_alone(write):
    assert ArticulatedModel.from_urdf(write(body("a", mesh("part.stl"))), shapes=False).shapes == ()
