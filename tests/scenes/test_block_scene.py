# SPDX-License-Identifier: LGPL-2.1-or-later
"""A tool on a simulated device presses a soft block and is dragged over it."""

import h5py
import numpy as np
import pytest

from softcontact.bodies import Material, TetrahedralModel
from softcontact.engines.embedded import EmbeddedEngine
from softcontact.engines.embedded_bodies import youngs_moduli
from softcontact.engines.tools import ScriptedDevice
from softcontact.mesh import tetrahedral_box
from softcontact.runner import run
from softcontact.scene import Keyframes, Scene, SceneError
from softcontact.scene.library import load

STIFFNESS, STEP = 1000.0, 0.02


def block(**options):
    return load("block", {"time_step": STEP, "speed": 0.05, **options})


@pytest.fixture(scope="module")
def pressed(tmp_path_factory):
    return run(block(), out=tmp_path_factory.mktemp("block") / "run", replay=True, progress=False)


def moments(scene):
    """Times at which the device is lowest and still, and from when to when it is dragged [s]."""
    times, positions = np.array(scene.motions[0].times), np.array(scene.motions[0].positions)
    drag = int(np.argmax(np.diff(positions[:, 0])))
    return times[drag], times[drag + 1]


def test_every_check_holds_and_the_history_has_the_device(pressed):
    assert pressed.exit_code == 0, (pressed.message, pressed.checks)
    assert 15 <= pressed.summary["contacts"]["max"] <= 55
    with h5py.File(pressed.out / "history.h5") as file:
        force = file["devices/tool/force"]
        assert force.attrs["unit"] == "N" and force.shape == (len(pressed.history.time), 3)
        assert file["devices/tool/torque"].shape == force.shape
        np.testing.assert_array_equal(file["probes/force up"], force[:, 2])


def test_device_feels_the_coupling_and_the_coupling_carries_the_contact(pressed):
    hold, _ = moments(pressed.scene)
    row = round(hold / STEP) - 1
    force = pressed.history.devices["tool"]["force"][row]
    device = np.array(pressed.scene.motions[0].positions)[3]
    tool = pressed.history.poses["tool"][row, :3]
    np.testing.assert_allclose(force, STIFFNESS * (tool - device), atol=1e-3)
    np.testing.assert_allclose(force, pressed.contact_force("tool")[row], atol=2e-3)
    assert force[2] > 4.0


def test_force_rises_with_depth(pressed):
    times = np.array(pressed.scene.motions[0].times)
    first, last = round(times[2] / STEP) + 1, round(times[3] / STEP)
    force = pressed.history.devices["tool"]["force"][first:last, 2]
    assert len(force) > 6
    assert (np.diff(force) > 0.05).all()


def test_held_force_is_that_of_a_static_solution():
    """The deformed surface's nodes held where the run has them, and all others in static equilibrium."""
    scene = block()
    engine = EmbeddedEngine(scene)
    hold, _ = moments(scene)
    while engine.time < hold - 0.5 * STEP:
        engine.step()
    mesh = engine._mesh(scene.bodies[0].shape)
    surface, node_of = mesh.surface()
    offset = np.array([0.0, 0.0, 0.02])
    now = engine.vertices("block")
    touched = np.zeros(len(now), dtype=bool)
    for patch in engine.patches():
        distance = np.linalg.norm(now[None] - np.asarray(patch["points"])[:, None], axis=2)
        touched[(distance < 0.012).any(axis=0)] = True
    bottom = surface.vertices[:, 2] < -0.02 + 1e-9
    held = np.flatnonzero(touched | bottom)
    assert 10 < touched.sum() < 60
    nodes = mesh.nodes + offset
    start = nodes.copy()
    start[node_of[held]] = now[held]
    model = TetrahedralModel(
        nodes,
        mesh.tetrahedra,
        Material(young_modulus=2.0e4, poisson_ratio=0.45, density=1000.0),
        fixed=node_of[held],
    )
    found = model.static_solve(np.zeros_like(nodes), start=start)
    reaction = -model.internal_force(found)[node_of[np.flatnonzero(touched)]].sum(axis=0)
    force = engine.device_load("tool")["force"]
    np.testing.assert_allclose(-reaction, force, atol=0.01 * force[2])


def test_dragging_force_follows_the_friction():
    ratio = {}
    for friction in (0.0, 0.3):
        scene = load("block", {"friction": friction})
        begin, end = moments(scene)
        engine = EmbeddedEngine(scene)
        forces = []
        while engine.time < end - 0.5 * scene.time_step:
            engine.step()
            if engine.time > begin + 0.4 * (end - begin):
                forces.append(engine.device_load("tool")["force"])
        mean = np.mean(forces, axis=0)
        ratio[friction] = -mean[0] / mean[2]
    # Without friction, what is left is the way out of one dent of the mesh into the next: 0.097 with steps of 1 ms.
    assert 0.05 < ratio[0.0] < 0.12
    assert ratio[0.3] - ratio[0.0] == pytest.approx(0.3, rel=0.1)


def test_an_inclusion_gives_its_elements_another_stiffness():
    scene = load(
        "block", {"inclusion": 10.0, "inclusion_x": 0.02, "inclusion_depth": 0.02, "lattice": "graded"}
    )
    (body, _), world_mesh = scene.bodies, tetrahedral_box((0.16, 0.08, 0.04), (32, 16, 8), 5)
    young = youngs_moduli(body, world_mesh)
    away = np.linalg.norm(world_mesh.nodes[world_mesh.tetrahedra] - (0.02, 0.0, 0.0), axis=2)
    within = (away < 0.012).all(axis=1)
    assert within.sum() > 20
    np.testing.assert_allclose(young[within], 2.0e5)
    assert (young[away.min(axis=1) > 0.02] == 2.0e4).all()
    mixed = (young > 2.0e4) & (young < 1.99e5)
    assert mixed.sum() > 50
    # The share of the volume that is stiff, were all mixed elements as stiff as at equal strain, is too small.
    share = (young - 2.0e4) / 1.8e5
    assert 0.7 < world_mesh.volumes @ share / (4.0 / 3.0 * np.pi * 0.012**3) < 1.0
    assert (youngs_moduli(load("block").bodies[0], world_mesh) == 2.0e4).all()


def test_graded_lattice_is_the_same_block():
    nodes = np.array(load("block", {"lattice": "graded"}).bodies[0].shape.nodes)
    np.testing.assert_allclose(np.abs([nodes.min(axis=0), nodes.max(axis=0)]), [[0.08, 0.04, 0.02]] * 2)
    heights = np.unique(nodes[:, 2].round(9))
    assert len(heights) == 9 and heights[-1] - heights[-2] < 0.0025


def test_scene_survives_its_json(pressed):
    again = Scene.from_dict(pressed.scene.to_dict())
    assert again == pressed.scene
    assert (pressed.out / "replay.html").stat().st_size > 50_000


def test_scripted_device_passes_through_its_keyframes():
    class World:
        time, time_step = 0.0, 0.1

    quarter = (0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5))
    motion = Keyframes(
        body="tool",
        times=(1.0, 2.0),
        positions=((0.0, 0.0, 0.0), (0.0, 0.2, 0.0)),
        orientations=((0.0, 0.0, 0.0, 1.0), quarter),
    )
    device = ScriptedDevice(World(), 0, motion, (0.0, 0.0, 0.0, 1.0))
    np.testing.assert_allclose(device.state(0.5), [0, 0, 0, 0, 0, 0, 1, *np.zeros(6)])
    middle = device.state(1.5)
    np.testing.assert_allclose(middle[:3], [0, 0.1, 0])
    np.testing.assert_allclose(middle[3:7], [0, 0, np.sin(np.pi / 8), np.cos(np.pi / 8)])
    np.testing.assert_allclose(middle[7:], [0, 0.2, 0, 0, 0, np.pi / 2], atol=1e-12)
    np.testing.assert_allclose(device.state(3.0), [0, 0.2, 0, *quarter, *np.zeros(6)])


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"depth": 0.03}, "depth"),
        ({"inclusion": 0.0}, "inclusion"),
        ({"lattice": "fine"}, "lattice"),
        ({"friction": -0.1}, "friction"),
        ({"bodies.tool.mass": 0}, "mass"),
        ({"bodies.tool.coupling.stiffness": -1.0}, "stiffness"),
        ({"bodies.tool.density": 1000.0}, "mass and density are both given"),
        ({"probes.force up.body": "block"}, "'block' is no tool"),
        ({"motions.0.body": "block"}, "a motion of kind 'keyframes' moves a body of kind .* tool"),
    ],
)
def test_wrong_values_are_refused(options, text):
    with pytest.raises(SceneError, match=text):
        load("block", options)


def test_sofa_takes_the_tool_and_refuses_an_inclusion_with_one_message():
    from softcontact.engines.sofa.support import check_support

    check_support(load("block"))
    with pytest.raises(SceneError, match=r"bodies\[0\] \(block\)\.inclusions: engine .sofa. cannot express"):
        check_support(load("block", {"inclusion": 10.0}))
