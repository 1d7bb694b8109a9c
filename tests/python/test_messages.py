# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is offered for a wrong name: scenes, scene files, meshes, objects, recordings."""

import pytest

from softcontact.cli import main
from softcontact.messages import closest, files_beside, limit_text, nearest

SHAPES = ("box", "bunny", "cylinder", "file", "mesh", "sphere")
SOLIDS = ("filled", "tetrahedra", "tetrahedral-ball", "tetrahedral-box", "tetrahedral-file")


@pytest.mark.parametrize(
    ("given", "known", "meant"),
    [
        ("Ball", ("ball", "cube"), "ball"),
        ("bal", ("ball", "cube"), "ball"),
        ("sphere", ("ball", "cube"), "ball"),
        ("Cube", SHAPES, "box"),
        ("spere", SHAPES, "sphere"),
        ("tetrahedral_box", SHAPES, "box"),
        ("mesh-file", SHAPES, "file"),
        ("box", SOLIDS, "tetrahedral-box"),
        ("sphere", SOLIDS, "tetrahedral-ball"),
        ("TetrahedralBox", SOLIDS, "tetrahedral-box"),
        ("ball", ("ball-close", "deformable-ball", "palm-ball"), "palm-ball"),  # two end so: the most alike
        ("teapot", SHAPES, None),
    ],
)
def test_the_name_that_was_meant_is_found(given, known, meant):
    assert closest(given, known) == meant
    assert nearest(given, known).startswith("; known: " if meant is None else f"; did you mean '{meant}'?")


@pytest.mark.parametrize(
    ("value", "limit", "passed", "told"),
    [
        (0.1, 0.2, True, "≤ 0.2"),
        (0.3, 0.2, False, "≤ 0.2"),
        (0.3, 0.2, True, "≥ 0.2"),
        (0.1, 0.2, False, "≥ 0.2"),
        (1.0, 1.0, True, "1"),
        (None, 1.0, False, "1"),
    ],
)
def test_a_limit_tells_its_side(value, limit, passed, told):
    assert limit_text({"value": value, "limit": limit, "passed": passed}) == told


def test_files_are_named_as_the_user_wrote(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    for name in ("b.py", "a.PY", "c.txt", "sub/d.py"):
        (tmp_path / name).touch()
    assert files_beside("x.py", (".py",)) == ["a.PY", "b.py"]
    assert files_beside("sub/x.py", (".py",)) == ["sub/d.py"]
    assert files_beside("x", within="sub") == ["d.py"]
    assert files_beside(str(tmp_path / "x"), (".txt",)) == [str(tmp_path / "c.txt")]
    assert files_beside("none/x.py") == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("run stacks.py", "stacks.py: no such scene file in {here}; did you mean 'stack.py'?"),
        ("run Stack.py", "did you mean 'stack.py'?"),
        ("run ./stack", "did you mean 'stack.py'?"),
        ("run stack", "no scene 'stack'; did you mean 'stack.py'? 'softcontact scenes' lists them"),
        ("run hand.py", "hand.py: no such scene file in {here}; did you mean 'hand'?"),
        ("run teapot.py", "teapot.py: no such scene file in {here}; check the path"),
        ("run sub/stack.py", "sub/stack.py: no folder sub; check the path"),
        ("run out/a", "out/a: a folder, no scene file; give out/a/scene.json"),
        ("run Blok", "no scene 'Blok'; did you mean 'block'? 'softcontact scenes' lists them"),
        ("run hand --set object=Ball", "no object and no file 'Ball' in {here}; did you mean 'ball'?"),
        ("run hand --set object=egs.stl", "did you mean 'egg.stl'?"),
        (
            "run hand --set object=teapot",
            "give one of ball, cube, cylinder, bunny, soft-cube, or a mesh file",
        ),
        ("run hand --set track=gras", "track: source: no recording 'gras'; did you mean 'grasp'?"),
        ("mesh check eg.stl", "eg.stl: no such file in {here}; did you mean 'egg.stl'?"),
        ("vademecum build bem --out a.h5", "bem: no such model or file; did you mean 'beam'?"),
    ],
)
def test_what_was_probably_meant_is_offered(tmp_path, monkeypatch, capsys, words, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out" / "a").mkdir(parents=True)
    for name in ("stack.py", "egg.stl", "out/a/scene.json"):
        (tmp_path / name).touch()
    assert main(words.split()) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and told.format(here=tmp_path) in err
