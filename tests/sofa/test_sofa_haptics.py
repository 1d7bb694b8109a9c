# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tools, devices and the linear contact model in SOFA, against the embedded engine and SOFA's own feedback."""

import os
import shutil
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("Sofa", reason="SofaPython3 is not on PYTHONPATH: haptics are not tested in SOFA")

import Sofa.Core
import Sofa.Simulation

from softcontact.engines import make_engine
from softcontact.engines.sofa import create_haptic_scene
from softcontact.engines.sofa.messages import told_apart
from softcontact.haptics import script
from softcontact.scene import Scene, SceneError
from softcontact.scene.library import load
from softcontact.scene.resolve import resolve

ROOT = Path(__file__).resolve().parents[2]
TOP = 0.03
SOFT = {"young": 2e4, "poisson": 0.4, "density": 1000.0, "rayleigh_stiffness": 0.005}
FORCE_LIMIT = 0.03


def small_scene(depths=(0.004,), divisions=(12, 6, 2)):
    """A soft block under one cylinder or several, each pressed to its own depth in 0.1 s."""
    block = {
        "name": "block", "kind": "tetrahedral", "material": SOFT, "position": [0, 0, TOP / 2],
        "shape": {"kind": "tetrahedral-box", "size": [0.12, 0.06, TOP], "divisions": list(divisions)},
        "fixed_region": {"low": [-1, -1, -1], "high": [1, 1, -TOP / 2 + 1e-6]},
    }  # fmt: skip
    bodies, motions = [block], []
    for number, depth in enumerate(depths):
        x = 0.06 * (number - 0.5 * (len(depths) - 1))
        start, end = [x, 0, TOP + 0.010], [x, 0, TOP + 0.009 - depth]
        shape = {"kind": "sphere", "radius": 0.009, "frequency": 4}
        name = f"tool{number}"
        coupling = {"stiffness": 800.0, "angular_stiffness": 2.0}
        bodies.append(
            {
                "name": name,
                "kind": "tool",
                "shape": shape,
                "mass": 0.05,
                "position": start,
                "coupling": coupling,
            }
        )
        motion = {"kind": "keyframes", "body": name, "times": [0.0, 0.1], "positions": [start, end]}
        motions.append(motion)
    contact = {"model": "point", "friction": 0.3, "alarm_distance": 1.5e-3, "contact_offset": 4e-4}
    return Scene.from_dict(
        {
            "name": "small", "duration": 0.5, "time_step": 0.02, "gravity": [0, 0, 0],
            "contact": contact, "bodies": bodies, "motions": motions,
        }
    )  # fmt: skip


def haptic_root(scene, device="simulated", **data):
    root = Sofa.Core.Node("root")
    create_haptic_scene(root, scene, device, **data)
    return root


def animate(root, steps, period):
    """Steps by the wall clock, no faster than one a period."""
    due = time.monotonic()
    for _ in range(steps):
        Sofa.Simulation.animate(root, root.dt.value)
        due += period
        time.sleep(max(0.0, due - time.monotonic()))


def threads():
    return len(os.listdir("/proc/self/task"))


def test_block_feels_as_in_the_embedded_engine():
    """The same material, tool and pose of the device, at rest after the press and while dragged."""
    scene = resolve(load("block", {"speed": "0.05", "depth": "0.004"}))
    forces = {}
    for name in ("embedded", "sofa"):
        engine = make_engine(scene, name)
        rows = []
        for _ in range(84):
            engine.step()
            assert engine.status()["ok"], engine.status()["message"]
            rows.append(engine.device_load("tool")["force"])
        forces[name] = np.array(rows)
    embedded, sofa = forces["embedded"], forces["sofa"]
    assert embedded[70, 2] > 1.5  # pressed
    assert embedded[83, 0] < -0.3  # dragged
    for step in (24, 40, 70, 78, 83):
        difference = np.linalg.norm(sofa[step] - embedded[step]) / np.linalg.norm(embedded[step])
        assert difference < FORCE_LIMIT, (step, embedded[step], sofa[step])


def sine_scene():
    """The scene block, whose device goes up and down by 2 mm, 6 mm below its first touch on average."""
    description = load("block", {"time_step": "0.04"}).to_dict()
    touch = 0.04 + 0.008
    sine = script.sine(2e-3, rate=2.0, mean=touch - 0.006, duration=30.0)
    positions = sine.positions + np.array([-0.025, 0.0, 0.0])
    motion = description["motions"][0]
    motion["times"], motion["positions"] = sine.times.tolist(), positions.tolist()
    tool = next(body for body in description["bodies"] if body["name"] == "tool")
    tool["position"] = positions[0].tolist()
    tool["position"][2] = touch + 0.001
    return Scene.from_dict(description)


def test_force_differs_at_nearly_every_tick_of_a_sine():
    """1 kHz, 2 mm, SOFA at 25 steps a second; SOFA's own feedback in the same scene, on a device of its own."""
    # Slower machines take longer for a step: the simulation promises its news for half a second.
    root = haptic_root(
        sine_scene(), feedback={"newsWithin": 0.5, "maxForce": 10.0}, handStiffness=1e6, handDamping=1e3
    )
    root.removeObject(root.loop)
    root.addObject("FreeMotionAnimationLoop", name="loop")  # LCPForceFeedback solves positions
    ours = root.tool_device
    root.tool.addObject("LCPForceFeedback", name="own", activate=True, forceCoef=1.0 / 0.04)
    own = root.addObject(
        "SimulatedHapticDevice", name="own_device", forceFeedBack="@/tool/own", times=ours.times.value,
        poses=ours.poses.value, handStiffness=1e6, handDamping=1e3,
    )  # fmt: skip
    with told_apart() as errors:
        Sofa.Simulation.init(root)
        animate(root, 50, 0.04)
    figures = {
        device.name.value: (device.contactTicks.value, device.differing.value, device.overruns.value)
        for device in (ours, own)
    }
    print(figures)
    Sofa.Simulation.unload(root)
    assert not errors
    ticks, differing, _ = figures["tool_device"]
    assert ticks > 500
    assert differing >= 0.95


def test_two_devices_have_their_own_forces():
    root = haptic_root(small_scene((0.002, 0.005)), feedback={"newsWithin": 0.5})
    with told_apart() as errors:
        Sofa.Simulation.init(root)
        animate(root, 25, 0.02)
        # The fast threads run by the clock: at one moment a hand is still some way from where its force settles.
        devices, visual = [], []
        for _ in range(40):
            animate(root, 1, 0.02)
            devices.append([d.force.value[2] for d in (root.tool0_device, root.tool1_device)])
            visual.append([tool.coupling.deviceForce.value[2] for tool in (root.tool0, root.tool1)])
    Sofa.Simulation.unload(root)
    assert not errors
    shallow, deep = np.mean(devices, axis=0)
    assert 0.05 < shallow < 0.6 * deep
    np.testing.assert_allclose([shallow, deep], np.mean(visual, axis=0), rtol=0.05)


def test_reloads_with_the_devices_thread_alive():
    counts = []
    for _ in range(20):
        root = haptic_root(small_scene(divisions=(4, 2, 1)))
        with told_apart() as errors:
            Sofa.Simulation.init(root)
            animate(root, 3, 0.02)
        assert not errors
        assert root.tool0_device.ticks.value > 0
        counts.append(threads())
        Sofa.Simulation.unload(root)
        del root
    assert len(set(counts)) == 1, counts


def test_force_is_zero_when_the_simulation_stalls():
    root = haptic_root(small_scene(), record=60.0)
    with told_apart():
        Sofa.Simulation.init(root)
        animate(root, 25, 0.02)
        stalled = np.array(root.tool0_device.recordedTimes.value)[-1]
        time.sleep(0.3)
        Sofa.Simulation.animate(root, 1e-6)  # shows what was recorded
    times = np.array(root.tool0_device.recordedTimes.value)
    forces = np.linalg.norm(np.array(root.tool0_device.recordedForces.value).reshape(-1, 3), axis=1)
    Sofa.Simulation.unload(root)
    assert forces[times < stalled].max() > 0.1
    late = forces[(times > stalled + 0.06) & (times < stalled + 0.25)]
    assert len(late) > 50
    assert (late == 0.0).all()


def test_geomagic_without_its_plugin_is_told_and_the_scene_runs(capfd):
    root = haptic_root(small_scene(), "geomagic")
    assert "no component GeomagicDriver" in capfd.readouterr().out
    with told_apart() as errors:
        Sofa.Simulation.init(root)
        animate(root, 3, 0.0)
    position = np.array(root.tool0.frame.position.value[0][:3])
    Sofa.Simulation.unload(root)
    assert not errors
    np.testing.assert_allclose(position, [0, 0, TOP + 0.010], atol=1e-6)


@pytest.mark.skipif(shutil.which("runSofa") is None, reason="runSofa is not on PATH")
@pytest.mark.parametrize("name", ["block", "liver", "hysteroscopy"])
def test_example_scenes_open_in_runsofa(name):
    file = ROOT / "plugin" / "sofa" / "examples" / f"haptic_{name}.py"
    command = ["runSofa", "-l", "SofaPython3", "-g", "batch", "-n", "3", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    output = done.stdout + done.stderr
    assert done.returncode == 0, output[-2000:]
    errors = [
        line for line in output.splitlines() if "[ERROR]" in line and "has not been loaded yet" not in line
    ]
    assert not errors, output[-2000:]
    assert "3 iterations done" in output, output[-2000:]


@pytest.mark.parametrize(
    ("scene", "device", "message"),
    [
        (small_scene, "phantom", "device: 'phantom'; give one of simulated, geomagic"),
        (lambda: small_scene(()), "simulated", "has no tool"),
    ],
)
def test_refusals(scene, device, message):
    with pytest.raises(SceneError, match=message):
        haptic_root(scene(), device)


def test_unknown_data_is_named():
    with pytest.raises(SceneError, match="has no Data 'handStifness'; did you mean 'handStiffness'"):
        haptic_root(small_scene(), handStifness=1.0)
