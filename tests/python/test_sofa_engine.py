# SPDX-License-Identifier: LGPL-2.1-or-later
"""The parts of the sofa engine that need no SOFA: messages, links, weights, drivers, contact groups."""

import os
import subprocess
import sys
import types
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from softcontact.engines import make_engine
from softcontact.engines.sofa import add, availability
from softcontact.engines.sofa.contact import SurfacePair, list_pairs, model_groups, response
from softcontact.engines.sofa.hand import barycentric_rows
from softcontact.engines.sofa.links import LinkTree, spread_of
from softcontact.engines.sofa.messages import told_apart
from softcontact.engines.sofa.motion import JointDriver, PoseDriver, advance_fingers
from softcontact.engines.sofa.support import check_support
from softcontact.hand import HandModel
from softcontact.scene import ContactSettings, Scene, SceneError

VARIABLES = ("SOFA_ROOT", "PYTHONPATH", "LD_LIBRARY_PATH", "SOFA_PLUGIN_PATH")


@pytest.fixture(scope="module")
def model():
    return HandModel.build()


@pytest.fixture
def no_sofa(monkeypatch):
    monkeypatch.setattr(availability, "sofa_found", lambda: False)


def test_without_sofa_the_engine_says_what_to_install(no_sofa, monkeypatch):
    monkeypatch.delenv("SOFA_ROOT", raising=False)
    scene = Scene.from_dict({"name": "s", "duration": 1, "bodies": [BOX]})
    with pytest.raises(SceneError) as caught:
        make_engine(scene, "sofa")
    text = str(caught.value)
    assert "SOFA_ROOT is not set" in text and "SofaPython3" in text and "\n" not in text
    assert all(name in text for name in VARIABLES) and "--engine embedded" in text


def test_without_sofa_the_command_is_code_2(tmp_path):
    path = tmp_path / "box.yaml"
    path.write_text(
        "name: s\nduration: 1\nbodies:\n  - {name: b, kind: rigid, shape: {kind: box, size: [1, 1, 1]}}\n"
    )
    code = (
        "import sys; sys.modules['Sofa'] = None; from softcontact.cli.app import main; "
        f"sys.exit(main(['run', {str(path)!r}, '--engine', 'sofa']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert all(name in done.stderr for name in VARIABLES)


BOX = {"name": "b", "kind": "rigid", "shape": {"kind": "box", "size": [1, 1, 1]}}


# ---- components by name


class FakeNode:
    """A SOFA node that makes springs with the Data `stiffness`, as SofaPython3 does."""

    def __init__(self):
        self.objects = []
        self.name = SimpleNamespace(value="here")

    def addObject(self, component, /, **data):
        names = ("stiffness", "points")
        fields = [SimpleNamespace(getName=lambda n=n: n) for n in names]
        made = SimpleNamespace(
            getDataFields=lambda: fields,
            getLinks=list,
            findData=lambda n: n if n in names else None,
            findLink=lambda n: None,
        )
        self.objects.append(made)
        wrong = [n for n in data if n not in names and n != "name"]
        if wrong:
            raise TypeError("Unknown Attribute(s)")
        return made

    def removeObject(self, made):
        self.objects.remove(made)


@pytest.fixture
def factory(monkeypatch):
    entries = [
        SimpleNamespace(className="RestShapeSpringsForceField", aliases=[]),
        SimpleNamespace(className="UniformMass", aliases=["OldMass"]),
    ]
    core = types.ModuleType("Sofa.Core")
    core.ObjectFactory = SimpleNamespace(components=entries)
    sofa = types.ModuleType("Sofa")
    sofa.Core = core
    monkeypatch.setitem(sys.modules, "Sofa", sofa)
    monkeypatch.setitem(sys.modules, "Sofa.Core", core)
    monkeypatch.setattr("softcontact.engines.sofa.components._registered", set())


def test_add_takes_the_first_name_that_is_registered(factory):
    node = FakeNode()
    made = add(node, ["NewSpringsForceField", "RestShapeSpringsForceField"], stiffness=3.0, name="spring")
    assert node.objects == [made]


def test_a_typo_in_a_component_names_the_nearest(factory):
    with pytest.raises(ValueError, match="'RestShapeSpringForceField'; did you mean 'RestShapeSpringsFor"):
        add(FakeNode(), "RestShapeSpringForceField")
    with pytest.raises(ValueError, match="RequiredPlugin"):
        add(FakeNode(), "Zzz")


def test_a_typo_in_a_data_name_names_the_nearest_and_leaves_nothing(factory):
    node = FakeNode()
    with pytest.raises(ValueError, match="UniformMass has no Data 'stifness'; did you mean 'stiffness'"):
        add(node, "UniformMass", stifness=1.0)
    assert node.objects == []


# ---- links


def chain(model):
    """The hand's links, and joint positions that bend all of them."""
    rng = np.random.default_rng(4)
    turn = Rotation.from_rotvec([0.3, -0.5, 0.2]).as_quat()
    return np.concatenate([[0.1, 0.2, 0.3], turn, rng.uniform(-0.4, 0.8, 20)])


def test_links_are_where_the_core_has_them(model):
    from softcontact._core import World

    q = chain(model)
    world = World(0.005, (0.0, 0.0, 0.0), {})
    body = world.add_articulated_body("hand", list(model.links), q, True)
    tree = LinkTree(model.links)
    poses = tree.poses(q)
    for link in range(len(model.links)):
        position, orientation = world.body_pose(body, link)
        pose = tree.link_pose(poses, link)
        assert np.allclose(pose[:3], position, atol=1e-14)
        between = Rotation.from_quat(orientation).inv() * Rotation.from_quat(pose[3:])
        assert between.magnitude() < 1e-14
    assert np.allclose(tree.root_positions(tree.base_pose(q)), q[:7], atol=1e-15)


def test_fixed_and_sliding_joints():
    inertia = np.eye(3)
    common = {"mass": 1.0, "com": np.zeros(3), "inertia": inertia}
    quarter = Rotation.from_rotvec([0, 0, np.pi / 2]).as_quat()
    links = [
        {"name": "a", "parent": -1, "joint": "prismatic", "axis": [1.0, 0, 0], "position": [0, 0, 1.0],
         "orientation": quarter, **common},
        {"name": "b", "parent": 0, "joint": "fixed", "axis": [0, 0, 1.0], "position": [0.5, 0, 0],
         "orientation": quarter, **common},
        {"name": "c", "parent": 1, "joint": "revolute", "axis": [0, 0, 1.0], "position": [0.5, 0, 0],
         "orientation": [0, 0, 0, 1.0], **common},
        {"name": "d", "parent": 2, "joint": "prismatic", "axis": [1.0, 0, 0], "position": [0.5, 0, 0],
         "orientation": [0, 0, 0, 1.0], **common},
    ]  # fmt: skip
    tree = LinkTree(links)
    assert tree.count == 3 and tree.frame_count == 4 and tree.root_size == (0, 0)
    poses = tree.poses(np.array([0.25, np.pi / 2, 0.125]))
    assert np.allclose(
        tree.link_pose(poses, 0)[:3], [0, 0.25, 1.0]
    )  # slides along its x, which is the world's y
    assert np.allclose(tree.link_pose(poses, 1)[:3], [0, 0.75, 1.0])
    assert np.allclose(tree.link_pose(poses, 2)[:3], [-0.5, 0.75, 1.0])
    assert np.isclose(Rotation.from_quat(tree.link_pose(poses, 2)[3:]).magnitude(), np.pi / 2)  # 3/2 π
    assert np.allclose(
        tree.link_pose(poses, 3)[:3], [-0.5, 0.125, 1.0]
    )  # along c's x, which the joint has turned


@pytest.mark.parametrize("joint", ["spherical", "free"])
def test_joints_that_sofa_cannot_express_are_refused(joint):
    links = [
        {"name": name, "parent": parent, "joint": kind, "axis": [1.0, 0, 0], "position": np.zeros(3),
         "orientation": [0, 0, 0, 1.0], "mass": 1.0, "com": np.zeros(3), "inertia": np.eye(3)}
        for name, parent, kind in (("a", -1, "revolute"), ("b", 0, joint))
    ]  # fmt: skip
    with pytest.raises(ValueError, match=rf"\(b\).joint: .* a {joint} joint.*--engine embedded"):
        LinkTree(links)


def test_point_masses_have_the_links_inertia(model):
    points, masses, owners = LinkTree(model.links).point_masses()
    tree = LinkTree(model.links)
    for number, link in enumerate(model.links):
        own, mass = points[4 * number : 4 * number + 4], masses[4 * number : 4 * number + 4]
        assert owners[4 * number] == tree.frames[number].index
        assert np.isclose(mass.sum(), link["mass"])
        com = tree.in_frame(number, np.array([link["com"]]))[0]
        assert np.allclose(mass @ own / mass.sum(), com, atol=1e-15)
        arms = own - com
        inertia = sum(m * (a @ a * np.eye(3) - np.outer(a, a)) for m, a in zip(mass, arms, strict=True))
        turn = tree.frames[number].rotation.as_matrix()
        assert np.allclose(inertia, turn @ link["inertia"] @ turn.T, rtol=1e-10, atol=1e-16)
    thin = spread_of(2.0, np.diag([0.0, 1.0, 1.0]))  # a rod along x
    assert np.allclose(thin[:, 1:], 0) and np.isclose((thin[:, 0] ** 2).sum() * 0.5, 1.0)


def test_weights_come_in_the_order_of_the_tetrahedron(model):
    phalanx = model.phalanges[2]
    rows = barycentric_rows(phalanx.tetrahedra, phalanx.surface_nodes, phalanx.surface_weights)
    moved = phalanx.nodes + 1e-3 * np.sin(900 * phalanx.nodes[:, [1, 2, 0]])
    wanted = np.einsum("kj,kjx->kx", phalanx.surface_weights, moved[phalanx.surface_nodes])
    for vertex, (element, weights) in enumerate(rows):
        corners = moved[phalanx.tetrahedra[element]]
        full = np.array([1.0 - sum(weights), *weights])
        assert np.allclose(full @ corners, wanted[vertex], atol=1e-15)
    with pytest.raises(ValueError, match="no tetrahedron"):
        barycentric_rows(phalanx.tetrahedra, [[0, 0, 1, 2]], np.array([[1.0, 0, 0, 0]]))


# ---- drivers


def box(**data):
    return SimpleNamespace(**{key: SimpleNamespace(value=value) for key, value in data.items()})


def test_a_kinematic_body_gets_the_velocity_that_takes_it_to_the_end_of_the_step():
    frame, vertices = box(), box()
    for state in (frame, vertices):
        for name in ("position", "velocity", "free_position", "free_velocity"):
            setattr(state, name, SimpleNamespace(value=None))
    turns = Rotation.from_rotvec([[0, 0, 0], [0, 0, 1.2]]).as_quat()
    corner = np.array([[0.1, 0.0, 0.0]])
    driver = PoseDriver(
        SimpleNamespace(frame=frame, surface=(None, vertices)),
        [0.0, 2.0],
        [[0, 0, 0], [1.0, 0, 0]],
        turns,
        corner,
    )
    driver.begin(0.5, 0.1)
    assert np.allclose(frame.position.value[0][:3], [0.25, 0, 0])
    assert np.allclose(frame.velocity.value[0], [0.5, 0, 0, 0, 0, 0.6])
    start, end = driver.pose(0.5), driver.pose(0.6)
    moved = np.array(vertices.position.value) + 0.1 * np.array(vertices.free_velocity.value)
    assert np.allclose(moved, Rotation.from_quat(end[3:]).apply(corner) + end[:3])
    assert np.allclose(vertices.position.value, Rotation.from_quat(start[3:]).apply(corner) + start[:3])
    assert np.array_equal(driver.pose(99.0), driver.pose(2.0))


def jointed(count, **changes):
    values = {
        "body": SimpleNamespace(name="arm"),
        "tree": SimpleNamespace(free=False, count=count, root_size=(0, 0)),
        "stiffness": np.full(count, 2.0),
        "damping": np.full(count, 0.5),
        "lower": np.full(count, -1.0),
        "upper": np.full(count, 1.0),
        "limit_stiffness": np.full(count, 7.0),
        "has_limits": True,
        "targets": box(position=None),
        "limit_positions": box(position=None),
        "limits": box(stiffness=None),
        "joints": box(position=[[1.5], [0.2]]),
    } | changes
    return SimpleNamespace(**values)


def test_spring_targets_lead_by_what_the_dampers_hold_back():
    body = jointed(2)
    driver = JointDriver(body, np.array([0.0, 1.0]), np.array([[0.0, 0.0], [1.0, -2.0]]))
    driver.begin(0.5, 0.1)
    # f = K (target - q) + D (target velocity - v): the lead is D/K = 0.25 s
    assert np.allclose(np.ravel(body.targets.position.value), [0.6 + 0.25, -1.2 - 0.5])
    assert body.limits.stiffness.value == [7.0, 0.0]
    assert np.ravel(body.limit_positions.position.value)[0] == 1.0
    driver.offsets[0] = 0.02
    driver.begin(0.6, 0.1)
    assert np.isclose(body.targets.position.value[0][0], 0.7 + 0.02 + 0.25 * (1.0 + 0.2))
    driver.begin(0.7, 0.1)  # the offset stays: it has no velocity any more
    assert np.isclose(body.targets.position.value[0][0], 0.8 + 0.02 + 0.25 * 1.0)


def test_a_damper_without_a_spring_cannot_follow_a_motion():
    body = jointed(2, stiffness=np.array([2.0, 0.0]))
    JointDriver(body, np.zeros(1), np.zeros((1, 2)))  # at rest it can
    with pytest.raises(ValueError, match=r"'arm'.*without stiffness"):
        JointDriver(body, np.array([0.0, 1.0]), np.array([[0.0, 0.0], [1.0, 1.0]]))


def test_fingers_close_until_they_push_hard_enough():
    finger = {"dofs": [6, 7, 8], "rates": [1.0, 0.8, 0.5], "links": [1, 1, 2], "share": 2.0}
    offsets = np.zeros(3)
    forces = np.zeros(3)
    advance_fingers([finger], 3.0, 0.1, forces, 6, offsets)
    assert np.allclose(offsets, [0.1, 0.08, 0.05])
    forces[2] = 5.4  # 0.9 of the 6 N: the pace is 4 (1 - 0.9)
    advance_fingers([finger], 3.0, 0.1, forces, 6, offsets)
    assert np.allclose(offsets, [0.14, 0.112, 0.07])
    forces[1] = 0.3  # counted once for the two coordinates of the first joint
    advance_fingers([finger], 3.0, 0.1, forces, 6, offsets)
    assert np.allclose(offsets, [0.16, 0.128, 0.09])


# ---- contact


def surface(name, body, *, aggregate=False, soft=False, moves=True, link=0, friction=0.5):
    info = SimpleNamespace(body=body)
    return SimpleNamespace(
        name=name, info=info, aggregate=aggregate, soft=soft, moves=moves, link=link, friction=friction
    )


def test_pairs_are_those_of_the_embedded_engine():
    surfaces = [
        surface("table", "table", moves=False),
        surface("floor", "floor", moves=False),
        surface("ball", "ball", friction=0.8),
        surface("tip", "hand", aggregate=True, soft=True, link=2, friction=0.2),
        surface("nail", "hand", link=2),
        surface("palm", "hand", link=0),
    ]
    off = {frozenset(("palm", "tip"))}
    pairs = list_pairs(surfaces, ContactSettings(), {frozenset(("ball", "table")): 0.1}, off)
    found = {(surfaces[p.a].name, surfaces[p.b].name): p for p in pairs}
    assert ("ball", "table") in found and found["ball", "table"].friction == 0.1
    assert not found["ball", "table"].aggregated
    assert found["tip", "ball"].aggregated and np.isclose(found["tip", "ball"].friction, 0.4)
    assert ("table", "floor") not in found and ("floor", "table") not in found
    names = {frozenset(pair) for pair in found}
    assert frozenset(("palm", "tip")) not in names and frozenset(("nail", "tip")) not in names
    assert frozenset(("nail", "palm")) in names
    pointwise = list_pairs(surfaces, ContactSettings(model="point"), {}, set())
    assert not any(pair.aggregated for pair in pointwise)


def test_models_share_a_group_exactly_if_they_do_not_meet():
    pairs = [SurfacePair(0, 1, 0.5, True), SurfacePair(1, 2, 0.5, True), SurfacePair(3, 1, 0.5, False)]
    groups = model_groups(4, pairs)
    for one, two in combinations(range(4), 2):
        meet = any({one, two} == {pair.a, pair.b} for pair in pairs)
        assert meet == (not set(groups[one]) & set(groups[two])), (one, two)
    assert len({group[0] for group in groups}) == 4  # what the rules name


def test_responses_carry_law_and_friction():
    settings = ContactSettings(friction_law="coulomb", pressure="uniform")
    assert response(SurfacePair(0, 1, 0.3, True), settings) == (
        "AggregateVolume?mu=0.3&friction=coulomb&pressure=uniform&patch=moments"
    )
    assert response(SurfacePair(0, 1, 0.3, False), settings) == "FrictionContactConstraint?mu=0.3"


# ---- what cannot be expressed


def test_every_field_of_a_plain_scene_is_expressed():
    check_support(Scene.from_dict({"name": "s", "duration": 1, "gravity": [0, 0, -1], "bodies": [BOX]}))


def test_what_the_graph_would_leave_out_is_refused():
    scene = Scene.from_dict({"name": "s", "duration": 1, "bodies": [BOX]})
    odd = scene.contact.__class__
    grown = type("ContactSettings", (odd,), {"__annotations__": {"adhesion": float}, "adhesion": 0.0})
    check_support(scene.model_copy(update={"contact": grown()}))  # at its default it asks for nothing
    with pytest.raises(SceneError, match=r"contact.adhesion: engine 'sofa' cannot express 2.0"):
        check_support(scene.model_copy(update={"contact": grown(adhesion=2.0)}))
    strange = type("Jelly", (scene.bodies[0].__class__,), {})
    with pytest.raises(SceneError, match=r"bodies\[0\] \(b\): engine 'sofa' cannot express kind 'rigid'"):
        check_support(scene.model_copy(update={"bodies": (strange(**scene.bodies[0].model_dump()),)}))


# ---- messages


def test_sofas_chatter_is_dropped_and_its_errors_are_told(capfd):
    with told_apart() as errors:
        os.write(1, b"[INFO]    [Plugin] loaded\n  and more of it\n")
        os.write(2, b"\x1b[31m[ERROR]   [Solver(s)] no matrix\n  see above\n")
        os.write(1, b"[WARNING] [Loop] slow\n[INFO] done\n")
        print("a line of Python's", file=sys.stderr)
    print("result")
    printed = capfd.readouterr()
    assert printed.out == "result\n"
    assert "INFO" not in printed.err and "more of it" not in printed.err
    assert "no matrix\n  see above" in printed.err and "[WARNING] [Loop] slow" in printed.err
    assert errors == ["[ERROR]   [Solver(s)] no matrix"]


def test_sofas_errors_can_be_kept_from_the_screen(capfd):
    with told_apart(shown=False) as errors:
        os.write(2, b"[FATAL] [x] gone\n")
    assert errors and capfd.readouterr().err == ""
