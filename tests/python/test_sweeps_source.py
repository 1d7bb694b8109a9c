# SPDX-License-Identifier: LGPL-2.1-or-later
"""A scene file that hangs, eats memory or crashes as it is loaded is held by the limits of a sweep, too."""

import os
import sys
import time

import pytest

from softcontact import cli
from softcontact.parallel import Limits
from softcontact.scene.errors import SceneError
from softcontact.sweeps.parameters import parameters
from softcontact.sweeps.plan import plan
from softcontact.sweeps.source import SceneSource

SCENE = "def scene(mass: float = 1.0, number: int = 1):\n    "
BUILD = ["--set", "contact.friction=1"]  # a field of the scene, which must be built to check it
FAULTS = [
    (
        "import time\ntime.sleep(600)",
        [],
        ["--time-limit", "0.5"],
        "takes more than 0.5 s; give a larger --time-l",
    ),
    (
        SCENE + "while True: pass",
        BUILD,
        ["--time-limit", "0.5"],
        "takes more than 0.5 s; give a larger --time-l",
    ),
    ("x = bytearray(10**10)", [], ["--memory-limit", "900"], "needs more memory than 900 MB; give a larger"),
    (
        SCENE + "x = bytearray(10**10)",
        BUILD,
        ["--memory-limit", "900"],
        "needs more memory than 900 MB; give a",
    ),
    (
        "import os\nprint('so long', flush=True)\nos.abort()",
        [],
        ["--time-limit", "9"],
        "options fails: its process was ended by SIGABRT; it said: so long; mend the scene file",
    ),
    (
        "import absent",
        [],
        ["--time-limit", "9"],
        "mine.py:1: ModuleNotFoundError: No module named 'absent'; mend",
    ),
]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits memory")
@pytest.mark.parametrize("text, words, limit, said", FAULTS, ids=[said for *_, said in FAULTS])
def test_a_scene_that_misbehaves_as_it_is_loaded_is_told(
    tmp_path, monkeypatch, capsys, text, words, limit, said
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(text)
    begun = time.monotonic()
    assert cli.main(["sweep", "mine.py", "--param", "mass=1,2", *words, *limit]) == 2
    out, error = capsys.readouterr()
    value = "mass=1: " if words else ""  # only then may it be to blame
    assert error.startswith(f"softcontact: {value}{tmp_path}/mine.py:") and said in error
    assert error.count("\n") == 1 and out == ""
    assert time.monotonic() - begun < 30.0 and [path.name for path in tmp_path.iterdir()] == ["mine.py"]


def test_limits_change_neither_answers_nor_warnings(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("import warnings\nwarnings.warn('mind the gap')\n" + SCENE + "return None")
    found = []
    for limits in (None, Limits(time_s=60.0)):
        with pytest.warns(UserWarning) as caught, SceneSource(path, limits) as source:
            found.append(
                (source.typed({"mass": "2", "number": "3"}), source.whole("number"), source.whole("mass"))
            )
        assert [str(w.message) for w in caught if w.category is UserWarning] == ["mind the gap"]
    assert found == [({"mass": 2.0, "number": 3}, True, False)] * 2


def test_the_process_that_looks_at_a_scene_ends(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(SCENE + "return None")
    with SceneSource(path, Limits(time_s=60.0)) as source:
        source.whole("mass")
        pid = source._process.pid
        os.kill(pid, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_options_of_all_runs_are_judged_beside_what_is_parameters():
    source = SceneSource("blocks")
    chosen = {"engine": "embedded", "steps": 1, "design": "grid", "samples": None, "seed": 0}
    made = plan(source, parameters({"drive": ["device"]}), options={"phase_time": "0.06"}, **chosen)
    assert made.identity["options"] == {"phase_time": 0.06} and made.values(0)["drive"] == "device"
    with pytest.raises(SceneError, match=r"phase_time: 0\.06 has no effect with drive=script"):
        plan(source, parameters({"drive": ["device", "script"]}), options={"phase_time": "0.06"}, **chosen)
