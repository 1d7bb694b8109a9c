# SPDX-License-Identifier: LGPL-2.1-or-later
"""URDF files as articulated bodies."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from softcontact.bodies.articulated import ArticulatedModel

INERTIAL = """<inertial><origin xyz="{com}" rpy="{rpy}"/><mass value="{mass}"/>
<inertia ixx="0.02" ixy="0.001" ixz="-0.002" iyy="0.03" iyz="0.003" izz="0.025"/></inertial>"""


def link(name, mass=1.0, com="0.1 0 -0.05", rpy="0.3 -0.4 0.5"):
    return f'<link name="{name}">{INERTIAL.format(mass=mass, com=com, rpy=rpy)}<visual/></link>'


def joint(name, kind, parent, child, extra="", origin='xyz="0.2 -0.1 0.3" rpy="0.1 0.7 -1.2"'):
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f"<origin {origin}/>{extra}</joint>"
    )


LIMIT = '<limit lower="-0.5" upper="1.5" velocity="3" effort="20"/>'
ARM = [
    '<link name="world"/>',
    link("upper"),
    link("lower", mass=0.7),
    link("wrist", mass=0.2),
    link("slider", mass=0.4),
    link("tip", mass=0.1),
    joint("shoulder", "revolute", "world", "upper", f'<axis xyz="0 1 1"/>{LIMIT}'),
    joint("mount", "fixed", "lower", "wrist"),
    joint("elbow", "continuous", "upper", "lower", '<dynamics damping="0.3" friction="0.1"/>'),
    joint("rail", "prismatic", "upper", "slider", f'<axis xyz="0 0 1"/>{LIMIT}'),
    joint("spin", "floating", "wrist", "tip"),
]


@pytest.fixture
def write(tmp_path):
    def write_robot(*parts):
        path = tmp_path / "robot.urdf"
        path.write_text(f'<?xml version="1.0"?><robot name="arm">{"".join(parts)}</robot>')
        return path

    return write_robot


def test_links_joints_and_limits_are_read(write):
    model = ArticulatedModel.from_urdf(write(*ARM))
    records = {record["name"]: record for record in model.links}
    assert [record["name"] for record in model.links] == ["world", "upper", "lower", "wrist", "tip", "slider"]
    assert {name: record["joint"] for name, record in records.items()} == {
        "world": "fixed",
        "upper": "revolute",
        "lower": "revolute",
        "wrist": "fixed",
        "tip": "free",
        "slider": "prismatic",
    }
    np.testing.assert_allclose(records["upper"]["axis"], [0, np.sqrt(0.5), np.sqrt(0.5)], atol=1e-15)
    np.testing.assert_allclose(records["lower"]["axis"], [1, 0, 0], atol=0)
    shoulder, elbow = records["upper"]["v_offset"], records["lower"]["v_offset"]
    data = model.joint_data
    assert (data.lower[shoulder], data.upper[shoulder]) == (-0.5, 1.5)
    assert (data.velocity[shoulder], data.effort[shoulder]) == (3.0, 20.0)
    assert (data.lower[elbow], data.upper[elbow]) == (-np.inf, np.inf)
    assert (data.damping[elbow], data.friction[elbow]) == (0.3, 0.1)


def test_roll_pitch_yaw_turn_about_fixed_axes(write):
    model = ArticulatedModel.from_urdf(write(*ARM))
    record = model.links[1]
    expected = Rotation.from_euler("xyz", [0.1, 0.7, -1.2]).as_matrix()
    np.testing.assert_allclose(record["rotation"], expected, atol=1e-14)
    axes = Rotation.from_euler("xyz", [0.3, -0.4, 0.5]).as_matrix()
    tensor = np.array([[0.02, 0.001, -0.002], [0.001, 0.03, 0.003], [-0.002, 0.003, 0.025]])
    np.testing.assert_allclose(record["inertia"], axes @ tensor @ axes.T, atol=1e-16)


@pytest.mark.parametrize("rpy", ["3.141592653589793 0 0", "0 3.141592653589793 0", "0 0 3.141592653589793"])
def test_half_turns_keep_their_rotation(write, rpy):
    origin = f'xyz="0 0 0" rpy="{rpy}"'
    path = write(link("base"), link("arm"), joint("hinge", "continuous", "base", "arm", origin=origin))
    expected = Rotation.from_euler("xyz", [float(word) for word in rpy.split()]).as_matrix()
    np.testing.assert_allclose(ArticulatedModel.from_urdf(path).links[1]["rotation"], expected, atol=1e-15)


@pytest.mark.parametrize("floating_base", [False, True])
def test_robot_agrees_with_pinocchio(write, floating_base):
    pin = pytest.importorskip("pinocchio")
    path = write(*(part.replace('"floating"', '"continuous"') for part in ARM[1:6]), *ARM[7:])
    root = [pin.JointModelFreeFlyer()] if floating_base else []
    path.write_text(
        path.read_text().replace('"floating"', '"fixed"').replace('"continuous"', '"revolute"', 0)
    )
    peer = pin.buildModelFromUrdf(str(path), *root)
    model = ArticulatedModel.from_urdf(path, floating_base=floating_base)
    rng = np.random.default_rng(5)
    angles = rng.normal(size=2)
    start = [0.3, -0.2, 0.1, *Rotation.random(rng=rng).as_quat()] if floating_base else []
    v, tau = rng.normal(size=(2, model.nv))
    # Pinocchio writes a continuous joint's angle as (cos, sin).
    peer_q = np.concatenate([start, [np.cos(angles[0]), np.sin(angles[0])], angles[1:]])
    expected = pin.aba(peer, peer.createData(), peer_q, v, tau)
    acceleration = model.forward_dynamics(np.concatenate([start, angles]), v, tau)
    np.testing.assert_allclose(acceleration, expected, rtol=1e-10, atol=1e-10)


GEARED = [
    '<link name="world"/>',
    link("driver"),
    link("follower", mass=0.5),
    joint("motor", "continuous", "world", "driver", '<axis xyz="0 1 0"/>'),
    joint("gear", "continuous", "world", "follower", '<mimic joint="motor" multiplier="-2" offset="0.3"/>'),
]


def test_mimic_joints_move_together_and_conserve_energy(write):
    model = ArticulatedModel.from_urdf(write(*GEARED))
    q = model.apply_mimic([0.4, 99.0])
    np.testing.assert_allclose(q, [0.4, -0.5], atol=1e-15)
    v, tau = np.array([1.5, -3.0]), np.array([0.2, 0.4])
    acceleration = model.forward_dynamics(q, v, tau)
    assert acceleration[1] == pytest.approx(-2 * acceleration[0], rel=1e-14)
    step = 1e-5
    ends = []
    for s in (step, -step):
        moved, velocity = model.integrate(q, s * v + 0.5 * s * s * acceleration), v + s * acceleration
        ends.append(model.kinetic_energy(moved, velocity) + model.potential_energy(moved))
    assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(tau @ v, abs=1e-7)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([], "has no <link>"),
        ([link("a"), link("a")], "<link name='a'> appears twice"),
        ([link("a"), link("b")], "one root link"),
        (["<link/>"], "<link> without a name"),
        ([link("a"), link("b"), joint("j", "planar", "a", "b")], "<joint name='j'>: type 'planar'"),
        (
            [link("a"), link("b"), joint("j", "revolute", "a", "b")],
            "<joint name='j'>: a revolute joint needs",
        ),
        ([link("a"), joint("j", "fixed", "a", "b")], "<child link='b'> is not a link"),
        (
            [link("a"), link("b"), joint("j", "fixed", "a", "b"), joint("k", "fixed", "a", "b")],
            "<joint name='k'>: link 'b' has two parents",
        ),
        (
            [link("a"), link("b"), link("c"), joint("j", "fixed", "b", "c"), joint("k", "fixed", "c", "b")],
            "<joint name='j'> belongs to a loop",
        ),
        (
            [link("a"), link("b"), joint("j", "continuous", "a", "b", '<axis xyz="0 0 0"/>')],
            "<joint name='j'>: <axis> has no direction",
        ),
        (
            [link("a"), link("b"), joint("j", "continuous", "a", "b", '<axis xyz="0 0"/>')],
            "<axis xyz='0 0'>: expected 3",
        ),
        (
            [link("a"), link("b"), joint("j", "revolute", "a", "b", '<limit lower="1" upper="0"/>')],
            "lower 1.0 > upper 0.0",
        ),
        ([link("a", mass="nan")], "<mass value='nan'>"),
        ([link("a", mass="")], "<mass value=''>"),
        (
            ['<link name="a"><inertial><mass value="1"/></inertial></link>'],
            "<link name='a'>: <inertia> is missing",
        ),
        (
            ['<link name="a"/><link name="b"/>', joint("j", "continuous", "a", "b")],
            "link 'b': joint = revolute moves no inertia",
        ),
        (
            [*GEARED, link("c"), joint("x", "continuous", "world", "c", '<mimic joint="gear"/>')],
            "<mimic> of 'gear', itself a mimic",
        ),
        (
            [*GEARED, link("c"), joint("x", "continuous", "world", "c", '<mimic joint="nothing"/>')],
            "<mimic joint='nothing'> is not a joint",
        ),
        (
            [*GEARED, link("c"), joint("x", "floating", "world", "c", '<mimic joint="motor"/>')],
            "between joints of one freedom",
        ),
        (['<xacro:macro xmlns:xacro="http://ros.org/wiki/xacro"/>'], "xacro is not supported"),
    ],
)
def test_what_is_not_supported_is_named(write, parts, message):
    with pytest.raises(ValueError, match=message):
        ArticulatedModel.from_urdf(write(*parts))


@pytest.mark.parametrize(("text", "message"), [("<robot>", "is not XML"), ("<sdf/>", "<sdf>: a URDF file")])
def test_other_files_are_refused(tmp_path, text, message):
    path = tmp_path / "robot.urdf"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        ArticulatedModel.from_urdf(path)
