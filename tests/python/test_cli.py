# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command line: exit codes, streams, options, odd surroundings."""

import errno
import io
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from scene_samples import drop, drop_scene

import softcontact
from softcontact.cli import main
from softcontact.progress import count_progress, run_progress

SCENE = '''"""A box that falls."""
from pydantic import Field
from softcontact.scene import Box, KinematicBody, RigidBody, Scene, SceneOptions


class Options(SceneOptions):
    height: float = Field(0.06, gt=0)
    """Where the box starts [m]."""
    heavy: bool = False
    """Whether the box weighs 5 kg."""


def scene(**options):
    o = Options(**options)
    box = RigidBody(name="box", shape=Box(size=(0.1, 0.1, 0.1)), mass=5 if o.heavy else 0.5)
    box = box.model_copy(update={"position": (0, 0, o.height)})
    table = KinematicBody(name="table", shape=Box(size=(1, 1, 0.02)), position=(0, 0, -0.01))
    return Scene(name="fall", duration=0.1, bodies=[box, table])
'''


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder with a scene file, as the current one; no plots are drawn."""
    monkeypatch.setattr("softcontact.report.report.write_report", lambda *_: None)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fall.py").write_text(SCENE)
    (tmp_path / "drop.json").write_text(json.dumps(drop()))
    return tmp_path


def test_run_prints_a_table_and_passes(here, capsys):
    assert main(["run", "drop.json"]) == 0
    printed = capsys.readouterr()
    assert (
        "held box" in printed.out and "written to out/drop-1; open out/drop-1/replay.html in" in printed.out
    )
    assert "✓" in printed.out and "\x1b" not in printed.out
    assert printed.err == ""


def test_json_is_one_object_and_equals_the_file(here, capsys):
    pairs = [{"a": "box", "b": "table", "friction": f} for f in (0.3, 0.6)]
    (here / "warns.json").write_text(json.dumps(drop(pair_friction=pairs)))
    assert main(["run", "warns.json", "--json", "--out", "r", "--no-replay"]) == 0
    printed = capsys.readouterr()
    assert printed.out.count("\n") == 1
    assert json.loads(printed.out) == json.loads((here / "r" / "summary.json").read_text())
    assert "warning: pair_friction" in printed.err and len(printed.err.splitlines()) == 1
    assert not (here / "r" / "replay.html").exists()


def test_options_are_typed_and_reported(here, capsys):
    arguments = [
        "run",
        "fall.py",
        "--set",
        "height=0.2",
        "--set",
        "heavy=yes",
        "--set",
        "contact.friction=0.3",
    ]
    assert main([*arguments, "--steps", "2", "--json", "--no-replay"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["options"] == {"height": 0.2, "heavy": True, "contact.friction": 0.3}
    assert summary["steps"] == 2
    scene = json.loads((here / "out" / "fall-1" / "scene.json").read_text())
    assert scene["bodies"][0]["mass"] == 5 and scene["contact"]["friction"] == 0.3


def test_failed_check_is_code_1_and_shown(here, capsys):
    (here / "fails.json").write_text(
        json.dumps(drop(checks=[{"kind": "lifted", "body": "box", "height": 1}]))
    )
    assert main(["run", "fails.json", "--no-replay"]) == 1
    assert "✗" in capsys.readouterr().out


def test_blow_up_is_code_3_in_one_line(here, capsys):
    changes = ["--set", "bodies.box.velocity=[0, 0, 900]", "--set", "gravity=[0, 0, 1e4]"]
    assert main(["run", "drop.json", "--no-replay", "--json", *changes]) == 3
    printed = capsys.readouterr()
    assert json.loads(printed.out)["exit_code"] == 3
    assert len(printed.err.splitlines()) == 1 and "stopped at" in printed.err and "'box'" in printed.err


WRONG = {
    "no such scene": (["run", "nothing"], "no scene 'nothing'"),
    "no such file": (["run", "nothing.json"], "no such scene file"),
    "no scene file": (["run", "./notes.txt"], "not a scene file"),
    "no such command": (["rum"], "No such command 'rum'. Did you mean 'run'?"),
    "no such option": (["run", "drop.json", "--step", "3"], "No such option: --step"),
    "option of the scene": (
        ["run", "fall.py", "--set", "hight=1"],
        "unknown option 'hight'; did you mean 'height'?",
    ),
    "option without value": (["run", "fall.py", "--set", "height"], "not of the form key=value"),
    "option twice": (
        ["run", "fall.py", "--set", "height=1", "--set", "height=2"],
        "--set height: given twice",
    ),
    "value of an option": (
        ["run", "fall.py", "--set", "height=-1"],
        "height: '-1' must be greater than 0 (Where",
    ),
    "steps not a number": (["run", "drop.json", "--steps", "many"], "Invalid value for '--steps'"),
    "no steps": (["run", "drop.json", "--steps", "0"], "steps: 0 is not a whole number"),
    "no such engine": (
        ["run", "drop.json", "--engine", "embeded"],
        "no engine 'embeded'; did you mean 'embedded'?",
    ),
    "no scene": (["run"], "Missing argument"),
    "misspelt command": (["rum", "hand"], "Did you mean 'run'? 'softcontact --help' tells more"),
    "no such benchmark": (["bench", "tabel1"], "no benchmark 'tabel1'; did you mean 'table1'?"),
    "nothing to replay": (["view", "drop", "--replay"], "first 'softcontact run drop'"),
    "no page to replay": (["view", "drop.html"], "drop.html: no such file"),
    "options of a replay": (["view", ".", "--set", "friction=1"], "holds no replay.html"),
    "no scene to view": (["view", "nothing"], "no scene 'nothing'"),
    "option of a live scene": (
        ["view", "block", "--set", "frction=1"],
        "unknown option 'frction'; did you mean 'friction'?",
    ),
    "value of a live scene": (["view", "block", "--set", "friction"], "friction: not of the form key=value"),
    "device of a live scene": (["view", "block", "--device", "mouse"], "give one of simulated, openhaptics"),
    "host of a live scene": (["view", "block", "--host", "192.0.2.1"], "give an address of this machine"),
    "folder is a file": (["run", "drop.json", "--out", "drop.json/x"], "choose a folder that can be written"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_usage_is_code_2_and_one_line(here, capsys, case):
    arguments, expected = WRONG[case]
    (here / "notes.txt").write_text("")
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert len(printed.err.splitlines()) == 1 and expected in printed.err


def test_sofa_that_is_not_installed_is_told(here, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "Sofa", None)  # also where it is installed
    assert main(["run", "drop.json", "--engine", "sofa"]) == 2
    printed = capsys.readouterr().err
    assert "SOFA plugin" in printed and "--engine embedded" in printed and printed.count("\n") == 1


def test_named_scenes_are_listed_with_options(here, capsys, monkeypatch):
    monkeypatch.setattr("softcontact.scene.library.folders", lambda: [here])
    (here / "broken.py").write_text("1 / 0")
    assert main(["scenes"]) == 0
    text = capsys.readouterr().out
    assert "A box that falls." in text and "--set height=0.06" in text and "Where the box starts [m]." in text
    assert "ZeroDivisionError" in text
    assert main(["scenes", "fall", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert listed["fall"]["options"][1] == {
        "name": "heavy",
        "default": False,
        "type": "bool",
        "help": "Whether the box weighs 5 kg.",
    }
    assert main(["run", "fall", "--steps", "1", "--no-replay", "--json"]) == 0


def test_the_options_of_a_scene_file_are_told(here, capsys):
    (here / "pick.py").write_text(
        '"""A pick."""\nfrom softcontact.scene import SceneOptions\n\n'
        'class Options(SceneOptions):\n    fingers: tuple[str, ...] = ("thumb", "index")\n    """Which."""\n\n'
        "def scene(**options):\n    pass\n"
    )
    assert main(["scenes", "pick.py"]) == 0
    text = capsys.readouterr().out
    assert "A pick." in text and "--set fingers=thumb,index " in text and "Which." in text
    assert main(["scenes", "nowhere.py"]) == 2
    assert "nowhere.py: no such scene file" in capsys.readouterr().err


def test_view_finds_the_replay(here, capsys):
    assert main(["run", "drop.json", "--steps", "2", "--json"]) == 0
    capsys.readouterr()
    page = str(here / "out" / "drop-1" / "replay.html")
    for what in (["out/drop-1"], ["drop", "--replay"], ["out/drop-1/replay.html"]):
        assert main(["view", *what]) == 0
        assert capsys.readouterr().out.strip() == page
    assert main(["view", "out/drop-1", "--set", "friction=1"]) == 2
    assert "a replay takes no options" in capsys.readouterr().err
    assert main(["view", "drop"]) == 2  # no scene of that name, but runs of it
    assert "'softcontact view drop --replay' opens its latest run" in capsys.readouterr().err


def test_version_and_doctor(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"softcontact {softcontact.__version__}\n"
    main(["doctor", "--json"])
    findings = {item["name"]: item for item in json.loads(capsys.readouterr().out)}
    assert findings["core"]["ok"] and findings["numpy"]["ok"] and findings["SOFA"]["text"]


def command(*arguments, **environment):
    kept = {
        k: v
        for k, v in os.environ.items()
        if not k.startswith(("LC_", "LANG", "PYTHONUTF8", "PYTHONIOENCODING"))
    }
    return subprocess.run(
        [sys.executable, "-m", "softcontact", *arguments],
        env=kept | environment,
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize(
    "locale", [{"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}]
)
def test_runs_in_a_plain_locale_without_home_in_an_odd_folder(tmp_path, locale):
    folder = tmp_path / "größe und 長さ"
    folder.mkdir()
    (folder / "drop.json").write_text(json.dumps(drop(name="µ drop")), encoding="utf-8")
    home = tmp_path / "home"
    home.write_text("")
    done = command("run", str(folder / "drop.json"), "--out", str(folder / "r"), HOME=str(home), **locale)
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    assert sorted(p.name for p in (folder / "r").iterdir() if p.suffix != ".png") == [
        "history.h5",
        "replay.html",
        "report.md",
        "scene.json",
        "summary.json",
    ]


def begin_long_run(folder, *words, **options):
    """A process that runs a long scene into the folder r, under way."""
    drop_scene(duration=1000, checks=[]).save(folder / "long.json")
    command = [sys.executable, "-m", "softcontact", "run", "long.json", "--out", "r", "--no-replay", *words]
    process = subprocess.Popen(command, cwd=folder, **options)
    deadline = time.monotonic() + 30
    while not (folder / "r" / "scene.json").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.2)
    return process


needs_hangup = pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="Windows has no SIGHUP")


@pytest.mark.parametrize("name", ["SIGTERM", pytest.param("SIGHUP", marks=needs_hangup)])
def test_stop_signal_keeps_what_was_done(tmp_path, name):
    process = begin_long_run(tmp_path, "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.send_signal(getattr(signal, name))
    out, error = process.communicate(timeout=30)
    assert process.returncode == 130, error
    summary = json.loads(out)
    assert 0 < summary["steps"] < 200_000 and summary["exit_code"] == 130
    assert json.loads((tmp_path / "r" / "summary.json").read_text())["steps"] == summary["steps"]
    assert b"interrupted at" in error and len(error.splitlines()) == 1


@needs_hangup
def test_end_of_the_terminal_keeps_what_was_done(tmp_path):
    import fcntl
    import pty
    import termios

    ours, theirs = pty.openpty()
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), theirs)
    process = begin_long_run(
        tmp_path,
        **streams,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(theirs)
    shown = b""
    while b"real time" not in shown:  # progress
        shown += os.read(ours, 65536)
    os.close(ours)
    assert process.wait(timeout=30) == 130
    summary = json.loads((tmp_path / "r" / "summary.json").read_text())
    assert summary["steps"] > 0 and summary["exit_code"] == 130
    assert (tmp_path / "r" / "report.md").exists()


@needs_hangup
def test_who_ignores_the_end_of_the_terminal_runs_on(tmp_path):
    process = begin_long_run(
        tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),  # as nohup does
    )
    process.send_signal(signal.SIGHUP)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=0.5)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=30) == 130


def test_progress_outlives_its_terminal(monkeypatch):
    class Gone(io.StringIO):
        def isatty(self):
            return True

        def write(self, text):
            raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(sys, "stderr", Gone())
    with run_progress(2, 0.1) as tick:
        tick(2)
    with count_progress("runs", 2) as count:
        count(2, 0)


def test_list_option_takes_commas(here, capsys):
    text = '''
from softcontact.scene import Box, KinematicBody, Scene, SceneOptions
class Options(SceneOptions):
    sizes: tuple[float, ...] = (1.0,)
    """Sizes [m]."""
def scene(**options):
    print("a scene file that talks")
    o = Options(**options)
    bodies = [KinematicBody(name=f"b{i}", shape=Box(size=(s, s, s))) for i, s in enumerate(o.sizes)]
    return Scene(name="sizes", duration=0.02, time_step=0.01, bodies=bodies)
'''
    (here / "sizes.py").write_text(text, encoding="utf-8")
    assert main(["run", "sizes.py", "--set", "sizes=1,2,0.5", "--json", "--no-replay"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["options"] == {"sizes": [1.0, 2.0, 0.5]}
    assert "talks" in printed.err


def test_scene_file_that_exits_is_refused(here, capsys):
    (here / "leaves.py").write_text("import sys\nsys.exit(7)\n", encoding="utf-8")
    assert main(["run", "leaves.py"]) == 2
    printed = capsys.readouterr()
    assert "calls sys.exit(7)" in printed.err and printed.err.count("\n") == 1


def solve_words(folder):
    """Words that solve a small problem, and those that ask for a file that is not there."""
    from softcontact.solver import ContactProblem, write_fclib

    write_fclib(folder / "one.hdf5", ContactProblem(2.0 * np.eye(3), [-1.0, 0.2, 0.0], [0.5]))
    words = [sys.executable, "-m", "softcontact", "solve"]
    return [*words, str(folder / "one.hdf5")], [*words, str(folder / "missing.hdf5")]


def test_streams_that_are_closed_or_have_no_reader_leave_the_exit_code(tmp_path):
    solved, missing = solve_words(tmp_path)
    closed = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *solved], stderr=subprocess.PIPE, text=True, check=False
    )
    assert (closed.returncode, closed.stderr) == (0, "")
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(missing, stdout=subprocess.PIPE, stderr=writer, check=False)
    os.close(writer)
    assert (done.returncode, done.stdout) == (2, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_streams_that_are_full_are_told_once(tmp_path):
    solved, missing = solve_words(tmp_path)
    with open("/dev/full", "w") as full:
        done = subprocess.run(solved, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode == 2 and done.stderr.count("\n") == 1 and "No space left" in done.stderr
        assert subprocess.run(missing, stderr=full, check=False).returncode == 2
