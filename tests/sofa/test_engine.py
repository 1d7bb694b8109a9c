# SPDX-License-Identifier: LGPL-2.1-or-later
"""The engine `sofa` against the embedded one, and as SOFA users meet it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

pytest.importorskip("Sofa", reason="SofaPython3 is not on PYTHONPATH: the sofa engine is not tested in SOFA")

from softcontact import run
from softcontact.engines import make_engine
from softcontact.engines.sofa import add
from softcontact.hand import LINKS
from softcontact.scene import Scene
from softcontact.scene.library import load

ROOT = Path(__file__).resolve().parents[2]
FORCE_LIMIT = 0.03  # of the largest patch force
POSITION_LIMIT, ANGLE_LIMIT = 1e-3, 1.0  # [m], [degrees]
TABLE = {"name": "table", "kind": "kinematic", "position": [0, 0, -0.01]}
TABLE["shape"] = {"kind": "box", "size": [0.3, 0.3, 0.02]}
SOFT = {"young": 2e4, "poisson": 0.4, "density": 1000.0, "rayleigh_mass": 0.1, "rayleigh_stiffness": 0.01}


# Patches hold a mean apart: tissue sinks in by 1.2 % of the smaller body beside it.
OVERLAP = {"kind": "overlap", "patches": 0.02}


def scene(name, bodies, **more):
    made = {"name": name, "duration": 0.4, "time_step": 0.005, "bodies": bodies, "checks": [OVERLAP]}
    return Scene.from_dict(made | more)


def pressed_block():
    """A soft block between a table and a ball that is pushed into it."""
    block = {
        "name": "block", "kind": "tetrahedral", "material": SOFT, "position": [0, 0, 0.0305], "aggregate": True,
        "shape": {"kind": "tetrahedral-box", "size": [0.08, 0.08, 0.06], "divisions": [5, 5, 4]},
    }  # fmt: skip
    press = {
        "name": "press",
        "kind": "kinematic",
        "shape": {"kind": "sphere", "radius": 0.04, "frequency": 6},
    }
    push = {"kind": "keyframes", "body": "press", "times": [0, 0.3]}
    push |= {"positions": [[0.005, 0, 0.106], [0.005, 0, 0.094]]}
    return scene("press", [TABLE, block, press | {"position": [0.005, 0, 0.106]}], motions=[push])


def pressed_by_an_edge():
    """A soft block into which a cube is pushed with one of its edges."""
    description = pressed_block().to_dict()
    cube = next(body for body in description["bodies"] if body["name"] == "press")
    cube["shape"] = {"kind": "box", "size": [0.03, 0.03, 0.03], "divisions": [3, 3, 3]}
    half = 0.015 * np.sqrt(2.0)
    turned = Rotation.from_euler("y", 45, degrees=True).as_quat().tolist()
    cube |= {"position": [0.003, 0, 0.062 + half], "orientation": turned}
    motion = description["motions"][0]
    motion["positions"] = [[0.003, 0, 0.062 + half], [0.003, 0, 0.056 + half]]
    return Scene.from_dict(description)


def loaded_beam():
    """A soft cantilever with a weight on its end."""
    beam = {
        "name": "beam", "kind": "tetrahedral", "material": SOFT | {"young": 1e6}, "aggregate": True,
        "shape": {"kind": "tetrahedral-box", "size": [0.2, 0.04, 0.03], "divisions": [10, 3, 2]},
        "fixed_region": {"low": [-0.11, -1, -1], "high": [-0.099, 1, 1]},
    }  # fmt: skip
    weight = {"name": "weight", "kind": "rigid", "mass": 0.05, "position": [0.07, 0, 0.031], "friction": 0.8}
    weight["shape"] = {"kind": "box", "size": [0.03, 0.03, 0.03], "divisions": [2, 2, 2]}
    return scene("beam", [beam, weight], duration=1.0)


def sliding_box(aggregate=False, **contact):
    """A box that slides over a table and stops."""
    box = {"name": "box", "kind": "rigid", "mass": 0.2, "position": [0, 0, 0.0155], "velocity": [0.3, 0.1, 0]}
    box["aggregate"] = aggregate
    box["shape"] = {"kind": "box", "size": [0.04, 0.05, 0.03], "divisions": [2, 2, 2]}
    return scene("slide", [TABLE, box], contact={"friction": 0.6} | contact)


def swinging_arm():
    """Two links on springs, driven, their tip free."""
    link = {
        "mass": 0.2,
        "com": [0.1, 0, 0],
        "inertia": np.diag([1e-4, 7e-4, 7e-4]).tolist(),
        "axis": [0, 1, 0],
    }
    links = [
        link | {"name": "upper", "stiffness": [2.0], "damping": [0.05]},
        link | {"name": "lower", "parent": "upper", "position": [0.2, 0, 0], "stiffness": [1.0], "damping": [0.02],
                "upper": [0.3], "lower": [-0.3], "limit_stiffness": 20.0},
    ]  # fmt: skip
    arm = {"name": "arm", "kind": "articulated", "links": links}
    motion = {"kind": "joints", "body": "arm", "times": [0, 0.3], "targets": [[0, 0], [-0.4, 0.6]]}
    probes = [{"name": f"q{i}", "kind": "joint", "body": "arm", "index": i} for i in range(2)]
    return scene("arm", [arm], motions=[motion], probes=probes, duration=0.6)


def pressed_fingertip():
    """A fingertip that is pressed on a table and turned in place."""
    tip = {"name": "tip", "kind": "fingertip", "position": [0, 0, 0.001]}
    motion = {"kind": "keyframes", "body": "tip", "times": [0, 0.2, 0.5]}
    motion |= {"positions": [[0, 0, 0.001], [0, 0, -0.002], [0, 0, -0.002]]}
    motion |= {"orientations": [[0, 0, 0, 1], [0, 0, 0, 1], [0, 0, np.sin(0.2), np.cos(0.2)]]}
    return scene("tip", [TABLE, tip], motions=[motion], duration=0.6)


def both(description, steps=None):
    return [
        run(description, e, record=False, replay=False, steps=steps, progress=False)
        for e in ("embedded", "sofa")
    ]


def mean_forces(result):
    """Force of each pair of surfaces [N], the mean of the last 0.1 s: a body at rest on a soft one still trembles."""
    last = max(1, round(0.1 / result.scene.time_step))
    return {pair: series["force"][-last:].mean(axis=0) for pair, series in result.history.patches.items()}


def assert_agree(embedded, sofa):
    assert embedded.exit_code == sofa.exit_code == 0, (embedded.message, sofa.message)
    forces = [mean_forces(result) for result in (embedded, sofa)]
    largest = max(np.linalg.norm(force) for force in forces[0].values())
    for pair in forces[0].keys() | forces[1].keys():
        one, two = (f.get(pair, np.zeros(3)) for f in forces)
        assert np.linalg.norm(one - two) < FORCE_LIMIT * largest, pair
    for body in embedded.history.poses:
        one, two = embedded.history.poses[body][-1], sofa.history.poses[body][-1]
        assert np.linalg.norm(one[:3] - two[:3]) < POSITION_LIMIT, body
        turn = (Rotation.from_quat(one[3:]).inv() * Rotation.from_quat(two[3:])).magnitude()
        assert np.degrees(turn) < ANGLE_LIMIT, body


@pytest.mark.parametrize(
    "build", [pressed_block, pressed_by_an_edge, loaded_beam, sliding_box, pressed_fingertip]
)
def test_engines_agree(build):
    assert_agree(*both(build()))


def test_engines_agree_on_a_box_on_one_patch():
    assert_agree(*both(sliding_box(aggregate=True)))


def test_engines_agree_where_all_contacts_are_points():
    assert_agree(*both(sliding_box(aggregate=True, model="point")))


def test_engines_agree_on_driven_joints():
    embedded, sofa = both(swinging_arm())
    for name in ("q0", "q1"):
        difference = np.abs(embedded.history.probes[name] - sofa.history.probes[name]).max()
        assert difference < 0.02, name


@pytest.mark.parametrize("grasped", ["ball", "cube"])
def test_engines_agree_on_a_grasp(grasped):
    """Closed and lifting off. SOFA writes contact rows where bodies are, the core where their free motion leads."""
    description = load("hand", {"object": grasped, "time_step": 0.002})
    assert_agree(*both(description, steps=1100))


def test_surface_vertices_have_the_phalanges_own_weights():
    """Some lie outside the tetrahedra, where SOFA would choose others by itself."""
    engine = make_engine(load("hand"), "sofa")
    hand, random = engine.graph.bodies["hand"], np.random.default_rng(5)
    for phalanx in hand.phalanges:
        nodes = np.array(phalanx.tissue.nodes.position.value)
        phalanx.tissue.nodes.position.value = (nodes + 1e-4 * random.standard_normal(nodes.shape)).tolist()
    engine.step()
    for phalanx, given in zip(hand.phalanges, hand.model.phalanges, strict=True):
        nodes = np.array(phalanx.tissue.nodes.position.value)
        local = np.einsum("kj,kjx->kx", given.surface_weights, nodes[given.surface_nodes])
        pose = np.array(hand.links.position.value[phalanx.frame_index])
        world = Rotation.from_quat(pose[3:]).apply(local) + pose[:3]
        assert np.allclose(engine.vertices(f"hand.{LINKS[phalanx.link]}"), world, atol=1e-12)


def test_weight_is_felt_whatever_the_step():
    for step in (0.001, 0.005, 0.02):
        description = sliding_box().with_changes({"time_step": step})
        result = run(description, "sofa", record=False, replay=False, progress=False)
        force = result.contact_force("box", "table")[-1]
        assert np.allclose(force, [0, 0, 0.2 * 9.81], atol=0.02), step


def test_launches_agree_to_the_bit():
    hashes = set()
    for _ in range(2):
        code = (
            "import sys; sys.path.insert(0, sys.argv[1]); import test_engine as t; from softcontact import run; "
            "r = run(t.pressed_block(), 'sofa', record=False, replay=False, steps=40, progress=False); "
            "print('HASH', r.summary['state_hash'])"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, str(Path(__file__).parent)],
            capture_output=True,
            text=True,
            check=True,
        )
        hashes.add(done.stdout.split("HASH")[1].strip())
    assert len(hashes) == 1


def test_a_run_writes_what_the_embedded_engine_writes(tmp_path):
    for engine in ("embedded", "sofa"):
        result = run(pressed_block(), engine, tmp_path / engine, steps=30, progress=False)
        assert result.exit_code == 0
    names = [{p.name for p in (tmp_path / e).iterdir()} for e in ("embedded", "sofa")]
    assert names[0] == names[1]
    summaries = [json.loads((tmp_path / e / "summary.json").read_text()) for e in ("embedded", "sofa")]
    assert summaries[0].keys() == summaries[1].keys()
    assert summaries[1]["engine"] == "sofa" and summaries[1]["rows"]["max"] > 0


def test_typos_fail_with_the_nearest_right_name():
    import Sofa.Core

    engine = make_engine(sliding_box(), "sofa")  # loads the modules
    assert engine.name == "sofa"
    node = Sofa.Core.Node("node")
    with pytest.raises(ValueError, match="did you mean 'MechanicalObject'"):
        add(node, "MechanicalObjekt")
    with pytest.raises(
        ValueError, match=r"LocalMinDistance has no Data 'alarmDistanse'; did you mean 'alarmDistance'"
    ):
        add(node, "LocalMinDistance", alarmDistanse=0.1)
    assert len(list(node.objects)) == 0


@pytest.mark.skipif(shutil.which("runSofa") is None, reason="runSofa is not on PATH")
@pytest.mark.parametrize("opened", ["python", "yaml"])
def test_scenes_run_in_runsofa(tmp_path, opened):
    from softcontact.engines.sofa import scene_file
    from softcontact.scene.files import write

    if opened == "python":
        arguments = [str(ROOT / "scenes" / "hand.py")]
    else:
        written = write(sliding_box(), tmp_path / "slide.yaml")
        arguments = [scene_file.__file__, "--argv", str(written)]
    command = ["runSofa", "-l", "SofaPython3", "-g", "batch", "-n", "5", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ, timeout=300)
    text = done.stdout + done.stderr
    assert done.returncode == 0, text
    errors = [
        line for line in text.splitlines() if "[ERROR]" in line and "has not been loaded yet" not in line
    ]
    assert not errors and "Traceback" not in text, text
    assert "5 iterations done" in text
