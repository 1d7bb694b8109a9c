# SPDX-License-Identifier: LGPL-2.1-or-later
"""OpenHaptics devices through pyopenhaptics, against a stub of the vendor's library that is compiled here.

The loader finds libHD by its name: each case runs in a process of its own, which loads the stub before, or does not.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

COMPILER = shutil.which("cc") or shutil.which("gcc")
SOURCE = Path(__file__).parent / "openhaptics_stub" / "libhd.c"

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")

BEGIN = """
import ctypes, json, os, sys, time
import numpy as np
stub = ctypes.CDLL("libHD.so")
stub.stub_reset()

def place(device, position, turned=None):
    numbers = lambda v: (ctypes.c_double * len(v))(*v)
    stub.stub_place(device, numbers(position), numbers(turned) if turned is not None else None)

def felt(device):
    out = (ctypes.c_double * 6)()
    stub.stub_felt(device, out)
    return list(out)

def wait(until, seconds=10.0):
    end = time.monotonic() + seconds
    while not until():
        assert time.monotonic() < end
        time.sleep(0.002)

from softcontact.haptics import HapticSession, VirtualWall, ThreadSettings, SafetySettings
from softcontact.haptics.openhaptics import DeviceFault, OpenHaptics, probe
WALL = VirtualWall.data(500.0, normal=(0, 0, 1))
"""


@pytest.fixture(scope="module")
def stub(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stub")
    flags = ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-Wl,-soname,libHD.so"]
    subprocess.run([COMPILER, *flags, str(SOURCE), "-o", str(folder / "libHD.so"), "-lpthread"], check=True)
    return folder


def run(code, folder, **environment):
    path = {"LD_LIBRARY_PATH": str(folder)} if folder else {}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **path, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def commands(steps, folder=None):
    """Exit code, output and error output of commands in one process; a step is code to run before, and words."""
    code = f"""
import contextlib, ctypes, io, json
from softcontact.cli import main
out = []
for before, words in {steps!r}:
    exec(before, globals())
    said, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(errors):
        result = main(words)
    out.append((result, said.getvalue(), errors.getvalue()))
print(json.dumps(out))
"""
    return run(code, folder)


def test_force_reaches_the_device_and_ends_with_the_session(stub):
    told = run(
        BEGIN
        + """
place(0, [10.0, -2.0, 30.0])      # their y is up: 2 mm below our wall
with HapticSession(OpenHaptics(), VirtualWall(), record=5.0) as session:
    session.start()
    session.publish(WALL, 10.0)
    wait(lambda: abs(felt(0)[1] - 1.0) < 1e-9)
    read = session.readout()
    held = felt(0)
    running = stub.stub_running()
    capabilities = session.capabilities.as_dict()
    recording = session.recording()
again = recording.replay()
print(json.dumps({"position": list(read["position"]), "velocity": list(read["linear_velocity"]), "held": held,
    "after": felt(0), "running": running, "open": stub.stub_open(), "still": stub.stub_running(),
    "same": again.wrenches.tobytes() == recording.wrenches.tobytes(), **capabilities}))
""",
        stub,
    )
    assert told["position"] == pytest.approx([0.010, -0.030, -0.002])
    assert told["velocity"] == pytest.approx([1e-3, -3e-3, 2e-3])
    assert told["held"][:3] == pytest.approx([0.0, 1.0, 0.0])
    assert told["after"] == [0.0] * 6 and told["running"] == 1
    assert told["open"] == 0 and told["still"] == 0 and told["same"]
    assert told["model"] == "Stub Touch" and told["max_force"] == 3.3 and told["max_stiffness"] == 500.0
    assert told["workspace_lower"] == pytest.approx([-0.21, -0.13, -0.11])
    assert told["workspace_upper"] == pytest.approx([0.21, 0.085, 0.205])
    assert told["rotation_axes"] == 3 and told["torque_axes"] == 0


def test_two_devices_at_once_each_with_its_own_force(stub):
    told = run(
        BEGIN
        + """
place(0, [0.0, -1.0, 0.0])
place(1, [0.0, -4.0, 0.0])
left = HapticSession(OpenHaptics("Left"), VirtualWall())
right = HapticSession(OpenHaptics("Right"), VirtualWall())
for session in (left, right):
    session.start()
    session.publish(WALL, 10.0)
wait(lambda: abs(felt(0)[1] - 0.5) < 1e-9 and abs(felt(1)[1] - 2.0) < 1e-9)
try:
    OpenHaptics("Left").open(1e-3)
    busy = ""
except DeviceFault as fault:
    busy = fault.cause
left.close()
frames = right.device.frames
wait(lambda: right.device.frames > frames + 5)
other = felt(1)[1]
right.close()
print(json.dumps({"busy": busy, "other": other, "after": felt(0) + felt(1), "open": stub.stub_open()}))
""",
        stub,
    )
    assert "in use" in told["busy"]
    assert told["other"] == pytest.approx(2.0)
    assert told["after"] == [0.0] * 12 and told["open"] == 0


@pytest.mark.parametrize("how", ["stub.stub_frame_error(0x302)", "stub.stub_unplug(1)"])
def test_an_unplugged_device_is_an_error_with_zero_force(stub, how):
    told = run(
        BEGIN
        + f"""
place(0, [0.0, -2.0, 0.0])
with HapticSession(OpenHaptics(), VirtualWall(), ThreadSettings(safety=SafetySettings(pose_timeout=0.2))) as session:
    session.start()
    session.publish(WALL, 10.0)
    wait(lambda: session.readout()["wrench"][2] > 0.99)
    {how}
    wait(lambda: session.readout()["state"] == "error")
    read = session.readout()
    wait(lambda: {"not any(felt(0))" if "error" in how else "True"})
    stub.stub_frame_error(0)
    stub.stub_unplug(0)
    session.reset()
    wait(lambda: session.readout()["wrench"][2] > 0.99)
print(json.dumps({{"wrench": list(read["wrench"]), "fault": read["fault"], "after": felt(0)}}))
""",
        stub,
    )
    assert told["wrench"] == [0.0] * 6 and told["after"] == [0.0] * 6
    assert told["fault"] == (0x302 if "error" in how else 0)


def test_a_force_that_nobody_renews_ends(stub):
    told = run(
        BEGIN
        + """
place(0, [0.0, -2.0, 0.0])
device = OpenHaptics().open(1e-3)
_core = sys.modules["softcontact._core"]
clock = _core.ManualTickClock()
law = VirtualWall().build()
thread = _core.HapticThread(device, law, ThreadSettings().as_dict(), clock)
thread.publish(WALL, 10.0)
largest = 0.0
for _ in range(100):
    frames = device.frames
    wait(lambda: device.frames > frames)
    clock.advance(1_000_000)
    thread.tick()
    largest = max(largest, felt(0)[1])
wait(lambda: not any(felt(0)))      # no tick any more
OpenHaptics().close(device)
print(json.dumps({"largest": largest}))
""",
        stub,
    )
    assert told["largest"] > 0.9


def test_torques_and_turned_axes(stub):
    told = run(
        BEGIN
        + """
stub.stub_six(1)
c, s = np.cos(0.3), np.sin(0.3)
place(0, [0.0, 0.0, 0.0], [c, 0, -s, 0, 1, 0, s, 0, c])   # columns: turned by 0.3 about their y, our z
device = OpenHaptics().open(1e-3)
_core = sys.modules["softcontact._core"]
clock = _core.ManualTickClock()
thread = _core.HapticThread(device, VirtualWall().build(), ThreadSettings().as_dict(), clock)
frames = device.frames
wait(lambda: device.frames > frames + 2)
thread.tick()
read = thread.readout()
OpenHaptics().close(device)
told = {k: device.capabilities[k] for k in ("torque_axes", "max_torque")}
print(json.dumps({"orientation": list(read["orientation"]), **told}))
""",
        stub,
    )
    assert told["orientation"] == pytest.approx([0.0, 0.0, 0.14943813, 0.98877108], abs=1e-7)
    assert told["torque_axes"] == 3 and told["max_torque"] == pytest.approx(0.3)


FAULTS = {
    "stub.stub_init_error(0x600)": ("licence", "install OpenHaptics' licence"),
    "stub.stub_init_error(0x302)": ("does not answer", "plugged in"),
    "stub.stub_init_error(0x300)": ("fault of its hardware", "switch it off"),
    "stub.stub_init_error(0x7777)": ("0x7777", "Touch Diagnostic"),
    "stub.stub_calibration(0x5001)": ("calibration", "inkwell"),
    "stub.stub_calibration(0x5002)": ("calibrated by hand", "Touch Diagnostic"),
}
LOADED = "stub = ctypes.CDLL('libHD.so')\nstub.stub_reset()\n"
PROBE, DOCTOR = ["device", "probe", "openhaptics"], ["doctor"]


def check_cause(probed, doctored, cause, remedy):
    code, said, errors = probed
    assert code == 2 and not said and errors.strip().count("\n") == 0
    assert cause in errors and remedy in errors, errors
    code, said, errors = doctored
    line = next(line for line in said.splitlines() if "OpenHaptics" in line)
    assert code == 0 and cause in line and remedy in line, said


def test_each_fault_has_one_cause_and_one_remedy(stub):
    done = commands([(LOADED + fault, words) for fault in FAULTS for words in (PROBE, DOCTOR)], stub)
    for (cause, remedy), probed, doctored in zip(FAULTS.values(), done[::2], done[1::2], strict=True):
        check_cause(probed, doctored, cause, remedy)


def test_missing_parts_have_one_cause_and_one_remedy(tmp_path):
    hide = """
import importlib.util as u
find = u.find_spec
u.find_spec = lambda name, *more: None if name == 'pyOpenHaptics' else find(name, *more)
"""
    done = commands(
        [(hide, PROBE), ("", DOCTOR), ("u.find_spec = find", PROBE), ("", DOCTOR), ("", ["device", "list"])]
    )
    check_cause(*done[:2], "pyopenhaptics is not installed", "pip install")
    check_cause(*done[2:4], "libHD was not found", "install OpenHaptics")
    assert done[4][0] == 0 and "libHD was not found" in done[4][1]
    empty = tmp_path / "libHD.so"
    subprocess.run([COMPILER, "-shared", "-fPIC", "-x", "c", "/dev/null", "-o", str(empty)], check=True)
    done = commands([("", PROBE), ("", DOCTOR)], tmp_path)
    check_cause(*done, "has no hdMakeCurrentDevice", "3.4 or newer")


def test_the_command_tells_what_the_device_can_do(stub):
    done = commands(
        [
            (LOADED, [*PROBE, "--json"]),
            ("", ["device", "list", "--json"]),
            ("", DOCTOR),
            ("", ["device", "probe", "openhaptics:Nobody"]),
        ],
        stub,
    )
    told = json.loads(done[0][1])
    assert done[0][0] == 0 and told["model"] == "Stub Touch" and told["max_force"] == 3.3
    listed = {entry["name"]: entry for entry in json.loads(done[1][1])}
    assert set(listed) == {"simulated", "recorded", "openhaptics"} and listed["openhaptics"]["ok"]
    assert "OpenHaptics: Stub Touch" in done[2][1]
    assert done[3][0] == 2 and "Touch Setup" in done[3][2]
