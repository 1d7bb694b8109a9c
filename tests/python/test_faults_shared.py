# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two processes and one place for their output: the second is refused in one line, before it does anything."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from writing_commands import COMMANDS, call, listed, rests

from softcontact import outputs
from softcontact.cli import main
from softcontact.vademecum import Vademecum
from softcontact.whole_file import claimed

pytest.importorskip("fcntl", reason="locks are POSIX's")

FILES = {name: Path(place) for name, (_, place) in COMMANDS.items() if Path(place).suffix}
FILES |= {"bench all": Path("out/index.html")}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_another_process_writes_is_refused_at_once(name, commands_here, capsys):
    place = FILES[name]
    place.parent.mkdir(exist_ok=True)
    with outputs.reserved(place):
        names = listed(commands_here)
        assert call(name) == 2
        assert listed(commands_here) == names
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.count("\n") == 1
    assert f"{str(place)!r}: another process writes it at this moment; choose another file" in printed.err
    assert not rests(commands_here)


def test_two_benchmarks_share_a_folder_but_not_their_figures(commands_here, capsys):
    Path("out").mkdir()
    with outputs.reserved(Path("out/lifts.json")), outputs.reserved(Path("out/rate.json")):
        assert main(["bench", "rate", "--quick", "--out", "out"]) == 2
        assert "'out/rate.json': another process writes it" in capsys.readouterr().err


def test_what_two_processes_do_to_one_vademecum_is_all_kept(commands_here):
    """Each reads the file, works, and writes it anew: at once, the one would undo what the other did."""
    words = [sys.executable, "-m", "softcontact", "vademecum"]
    certify = [*words, "certify", "small.h5", "--sizes", "1"]
    with (
        subprocess.Popen(
            [*words, "distance", "small.h5", "--grid", "12,12,12"], stderr=subprocess.PIPE
        ) as one,
        subprocess.Popen(certify, stderr=subprocess.PIPE) as two,
    ):
        told = one.communicate()[1] + two.communicate()[1]
    made = Vademecum.load("small.h5")
    done = (made.distance_field is not None) + (made.certificate is not None)
    assert done == [one.returncode, two.returncode].count(0) >= 1
    assert done == 2 or b"another process writes it" in told


def test_a_claim_ends_with_its_process_and_leaves_nothing(tmp_path):
    hold = "import sys\nfrom pathlib import Path\nfrom softcontact.whole_file import claimed\n"
    hold += "with claimed(Path(sys.argv[1])):\n    print('held', flush=True)\n    sys.stdin.read()\n"
    file = tmp_path / "a.h5"
    words = [sys.executable, "-c", hold, str(file)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "held\n"
        with pytest.raises(BlockingIOError, match="another process"), claimed(file):
            raise AssertionError("two at once")
        outputs.try_file(file)  # removes what killed processes left, and nothing else
        assert len(list(tmp_path.iterdir())) == 1
        other.kill()
    assert len(list(tmp_path.iterdir())) == 1
    with claimed(file), claimed(tmp_path / "b.h5"):
        assert len(list(tmp_path.iterdir())) == 2
    assert not list(tmp_path.iterdir())


def test_files_that_are_being_written_are_no_rests(tmp_path):
    written = "import sys\nfrom pathlib import Path\nfrom softcontact.whole_file import write_by\n"
    written += "def write(part):\n    part.write_text('half')\n    print('begun', flush=True)\n    sys.stdin.read()\n"
    written += "write_by(Path(sys.argv[1]), write)\n"
    words = [sys.executable, "-c", written, str(tmp_path / "a.txt")]
    for ended in ("close", "kill"):
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
            assert other.stdout.readline() == "begun\n"
            outputs.try_folder(tmp_path)
            assert len(rests(tmp_path)) == 1
            if ended == "kill":
                other.kill()
            other.communicate()
        assert (tmp_path / "a.txt").read_text() == "half"
    assert len(rests(tmp_path)) == 1
    (tmp_path / ".softcontact-mine").write_text("not a name of ours")
    outputs.try_folder(tmp_path)
    assert listed(tmp_path) == [".softcontact-mine", "a.txt"]


def test_a_run_does_not_go_into_a_sweep_that_is_under_way(commands_here, capsys):
    shutil.copy("drop.json", "other.json")
    assert call("sweep", ["--steps", "2"]) == 0
    for name in ("report.md", "table.csv"):
        (Path("out") / name).unlink()  # as before its end
    Path("out/table.parquet").unlink(missing_ok=True)
    capsys.readouterr()
    assert main(["run", "other.json", "--no-replay", "--out", "out"]) == 2
    assert "'out' holds a sweep; choose another --out" in capsys.readouterr().err
    assert json.loads(Path("out/sweep.json").read_text()) and not Path("out/scene.json").exists()
