# SPDX-License-Identifier: LGPL-2.1-or-later
"""Broken scene files: each is refused with exit code 2 and one line that names the field and the remedy."""

import copy
import json

import pytest
from scene_samples import drop

from softcontact.cli import main


def changed(change):
    data = copy.deepcopy(drop())
    change(data)
    return json.dumps(data)


def at(path, value):
    """The drop scene with one field replaced; entries of lists by number."""

    def change(data):
        *parents, last = path
        for step in parents:
            data = data[step]
        data[last] = value

    return changed(change)


BOX = ("bodies", 0)
BROKEN = {
    "unknown field": (at(("bodys",), []), "bodys: unknown field; did you mean 'bodies'?"),
    "typo in a body": (at((*BOX, "masss"), 1), "bodies[0] (box).masss: unknown field; did you mean 'mass'?"),
    "typo in a setting": (
        at(("contact",), {"fricton": 1}),
        "contact.fricton: unknown field; did you mean 'friction'?",
    ),
    "wrong type": (at((*BOX, "mass"), "heavy"), "bodies[0] (box).mass: 'heavy' is not a number"),
    "truth value for a number": (at((*BOX, "mass"), True), "mass: a number is wanted, not true or false"),
    "NaN": (
        at((*BOX, "position"), [0, 0, float("nan")]),
        "bodies[0] (box).position[2]: nan is not a finite number",
    ),
    "infinity": (at(("gravity",), [0, 0, float("-inf")]), "gravity[2]: -inf is not a finite number"),
    "negative mass": (at((*BOX, "mass"), -0.5), "bodies[0] (box).mass: -0.5 must be greater than 0"),
    "mass and density": (at((*BOX, "density"), 5), "mass and density are both given; give one of them"),
    "missing mesh": (
        at((*BOX, "shape"), {"kind": "file", "path": "none.stl", "unit": "mm"}),
        "bodies[0] (box).shape.path: no file 'none.stl' in",
    ),
    "mesh without unit": (
        at((*BOX, "shape"), {"kind": "file", "path": "broken.json"}),
        "bodies[0] (box).shape.unit: missing; give it (Length unit",
    ),
    "wrong unit": (at(("units",), "inch"), "units: 'inch' is not one of m, mm, cm"),
    "unknown body in a motion": (
        at(("motions",), [{"kind": "keyframes", "body": "tabel", "times": [0], "positions": [[0, 0, 0]]}]),
        "motions[0].body: no body 'tabel'; did you mean 'table'?",
    ),
    "motion of a free body": (
        at(("motions",), [{"kind": "keyframes", "body": "box", "times": [0], "positions": [[0, 0, 0]]}]),
        "motions[0].body: 'box' is rigid; a motion of kind 'keyframes' moves a body of kind kinematic",
    ),
    "times that fall": (
        at(
            ("motions",),
            [{"kind": "keyframes", "body": "table", "times": [1, 0], "positions": [[0, 0, 0]] * 2}],
        ),
        "motions[0].times: times must rise; entry 1 (0 s) does not",
    ),
    "zero duration": (at(("duration",), 0), "duration: 0 must be greater than 0"),
    "no duration": (
        changed(lambda data: data.pop("duration")),
        "duration: missing; give it (Simulated time [s])",
    ),
    "bad quaternion": (
        at((*BOX, "orientation"), [0, 0, 1, 1]),
        "orientation: the quaternion has norm 1.41421",
    ),
    "zero quaternion": (at((*BOX, "orientation"), [0, 0, 0, 0]), "orientation: the quaternion has norm 0;"),
    "duplicate names": (at((*BOX, "name"), "table"), "bodies[1].name: 'table' is taken by bodies[0]"),
    "unknown kind": (
        at((*BOX, "kind"), "rigd"),
        "bodies[0] (box): unknown kind 'rigd'; did you mean 'rigid'?",
    ),
    "unknown shape": (
        at((*BOX, "shape", "kind"), "ball"),
        "bodies[0] (box).shape: unknown kind 'ball'; did you mean 'sphere'?",
    ),
    "unknown shape, like none": (
        at((*BOX, "shape", "kind"), "teapot"),
        "bodies[0] (box).shape: unknown kind 'teapot'; known: box,",
    ),
    "solid as a surface": (
        at((*BOX, "shape", "kind"), "Tetrahedral_Box"),
        "bodies[0] (box).shape: unknown kind 'Tetrahedral_Box'; did you mean 'box'?",
    ),
    "shape as a word": (
        at((*BOX, "shape"), "Ball"),
        "bodies[0] (box).shape: 'Ball' is not a table of fields; write {kind: sphere, …}",
    ),
    "no kind": (
        changed(lambda data: data["bodies"][0].pop("kind")),
        "bodies[0] (box): kind is missing; give one of",
    ),
    "flat box": (
        at((*BOX, "shape", "size"), [1, 0, 1]),
        "bodies[0] (box).shape.size: edge lengths must be > 0, not 0",
    ),
    "index out of range": (
        at((*BOX, "shape"), {"kind": "mesh", "vertices": [[0, 0, 0]] * 3, "triangles": [[0, 1, 3]]}),
        "triangles name point 3, but the points are numbered 0 to 2",
    ),
    "open surface without mass": (
        at(
            (*BOX, "shape"),
            {"kind": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "triangles": [[0, 1, 2]]},
        ),
        "bodies[0] (box): shape: not a closed surface",
    ),
    "unknown probe": (
        at(("checks",), [{"kind": "probe_limit", "probe": "hight", "maximum": 1}]),
        "checks[0].probe: no probe 'hight'; did you mean 'height'?",
    ),
    "check after the end": (
        at(("checks",), [{"kind": "lifted", "body": "box", "height": 1, "at": 9}]),
        "checks[0].at: 9 s is after the end of the scene, 0.4 s",
    ),
    "probe beyond the mesh": (
        at(("probes",), [{"kind": "point", "name": "p", "body": "box", "vertex": 99}, *drop()["probes"]]),
        "probes[0] (p).vertex: 99 is too large",
    ),
    "a name that is no name": (at(("name",), "../etc"), "name: '../etc' cannot be a name"),
    "broken JSON": (json.dumps(drop())[:-20], "mend the JSON there"),
    "key given twice": (json.dumps(drop())[:-1] + ', "duration": 3}', "'duration' is given twice; keep one"),
    "a list": ("[1, 2]", "holds no table of scene fields"),
    "empty": ("", "line 1, column 1"),
}


@pytest.mark.parametrize("defect", BROKEN)
def test_broken_scene_is_refused_in_one_line(tmp_path, monkeypatch, capsys, defect):
    text, expected = BROKEN[defect]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.json").write_text(text)
    code = main(["run", "broken.json", "--no-replay"])
    printed = capsys.readouterr()
    assert code == 2
    assert printed.out == ""
    assert len(printed.err.splitlines()) == 1, printed.err
    assert expected in printed.err
    assert "more)" not in printed.err, "one defect is one error"
    assert not (tmp_path / "out").exists(), "a refused scene leaves no folder behind"


YAML = {
    "broken YAML": ("name: a\nbodies: [", "mend the YAML there"),
    "key given twice": ("name: a\nname: b\n", "'name' is given twice; keep one"),
    "decimal comma": ("name: a\nduration: 1,5\nbodies: []\n", "duration: '1,5' is not a number"),
    "a date": ("name: 2001-01-01\nduration: 1\nbodies: []", "name: datetime.date(2001, 1, 1) is not a text"),
}


@pytest.mark.parametrize("defect", YAML)
def test_broken_yaml_is_refused_in_one_line(tmp_path, capsys, defect):
    text, expected = YAML[defect]
    path = tmp_path / "broken.yaml"
    path.write_text(text)
    assert main(["run", str(path)]) == 2
    printed = capsys.readouterr()
    assert len(printed.err.splitlines()) == 1 and expected in printed.err


PYTHON = {
    "no scene function": ("x = 1\n", "has no function scene(**options)"),
    "fault in the file": ("def scene():\n    return 1 / 0\n", "broken.py:2: ZeroDivisionError"),
    "syntax": ("def scene(:\n", "broken.py:1: SyntaxError"),
    "not a scene": ("def scene():\n    return 3\n", "scene() returned int; return a softcontact Scene"),
    "wrong body": (
        "from softcontact.scene import *\ndef scene():\n    return Box(size=(1, 1, 1), sise=3)\n",
        "broken.py: Box: sise: unknown field; did you mean 'size'?",
    ),
    "wrong import": (
        "from softcontact.scene import Rigidbody\n",
        "broken.py:1: ImportError: cannot import name 'Rigidbody' from 'softcontact.scene'",
    ),
    "wrong import, what was meant": ("from softcontact.scene import Ball\n", "; did you mean 'Sphere'?"),
}


@pytest.mark.parametrize("defect", PYTHON)
def test_broken_python_scene_is_refused_in_one_line(tmp_path, capsys, defect):
    text, expected = PYTHON[defect]
    path = tmp_path / "broken.py"
    path.write_text(text)
    assert main(["run", str(path)]) == 2
    printed = capsys.readouterr()
    assert len(printed.err.splitlines()) == 1 and expected in printed.err


OPTIONS = {
    "finger twice": ("hand", "fingers=thumb,index,index", "fingers: 'index' is given twice; name each"),
    "thumb alone": ("hand", "fingers=thumb", "fingers: thumb: a grasp needs the thumb and another finger"),
    "no thumb": ("dumbbell", "fingers=index,middle", "fingers: index,middle: a grasp needs the thumb"),
    "unit without a file": ("hand", "unit=mm", "unit: 'mm' is for a mesh file, object is 'ball'; leave unit"),
    "mass of nothing": ("edge-cube", "mass=1e-12", "mass: '1e-12' must be greater than or equal to 0.000001"),
    "list without brackets": ("edge-cube", "bodies.0.position=nan,0,0", "such as [0, 0, 0.1]"),
}


@pytest.mark.parametrize("defect", OPTIONS)
def test_wrong_option_is_refused_in_one_line(tmp_path, monkeypatch, capsys, defect):
    scene, option, expected = OPTIONS[defect]
    monkeypatch.chdir(tmp_path)
    assert main(["run", scene, "--set", option, "--set", "duration=0.005", "--no-replay"]) == 2
    printed = capsys.readouterr()
    assert len(printed.err.splitlines()) == 1 and expected in printed.err, printed.err
    assert "mend the scene file" not in printed.err
