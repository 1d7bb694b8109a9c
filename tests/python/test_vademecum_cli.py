# SPDX-License-Identifier: LGPL-2.1-or-later
"""The commands on vademecums: build, also after being killed, certify, info; and what they refuse."""

import errno
import json
import shutil
import subprocess
import sys
import time

import meshio
import numpy as np
import pytest

from softcontact import outputs
from softcontact.cli import main
from softcontact.mesh import tetrahedral_box
from softcontact.vademecum import Vademecum

OPTIONS = ["--young", "1e6", "--clamped", "x < -0.049", "--force", "20", "--modes", "24", "--sizes", "4"]
OPTIONS += ["--workers", "1"]  # starting more takes longer than all the work


@pytest.fixture(scope="module")
def solid(tmp_path_factory):
    box = tetrahedral_box((0.1, 0.03, 0.03), (5, 2, 1))
    path = tmp_path_factory.mktemp("mesh") / "box.vtu"
    meshio.write_points_cells(path, box.nodes, [("tetra", box.tetrahedra)])
    return path


@pytest.fixture(scope="module")
def built(solid):
    out = solid.with_name("box.h5")
    assert main(["vademecum", "build", str(solid), "--out", str(out), *OPTIONS, "--json"]) == 0
    return out


def test_build_certify_and_info_tell_the_same(built, tmp_path, capsys):
    built = shutil.copy(built, tmp_path / "box.h5")
    assert main(["vademecum", "info", str(built), "--json"]) == 0
    before = json.loads(capsys.readouterr().out)
    assert before["certificate"] is None and before["mesh"]["kind"] == "tet4" and before["modes"] == 24
    assert before["positions"] == len(Vademecum.load(built).cases.nodes) and before["force_n"] == 20.0
    command = [
        "vademecum",
        "certify",
        str(built),
        "--sizes",
        "0.5,1",
        "--every",
        "9",
        "--modes",
        "3",
        "--json",
    ]
    assert main([*command, "--limit", "0.02"]) == 0
    told = json.loads(capsys.readouterr().out)["certificate"]
    assert [row["modes"] for row in told["by_modes"]] == [3, 24]
    assert told["by_modes"][1]["nodal_max"] < told["by_modes"][0]["nodal_max"]
    assert main([*command, "--limit", "1e-9"]) == 1
    capsys.readouterr()
    assert main(["vademecum", "info", str(built)]) == 0
    assert f"{told['by_modes'][1]['nodal_max']:.2e}" in capsys.readouterr().out
    assert Vademecum.load(built).certificate.cases[1] == 9


def test_the_distance_field_goes_into_the_file(built, tmp_path, capsys):
    file = shutil.copy(built, tmp_path / "box.h5")
    command = ["vademecum", "distance", str(file), "--grid", "12,8,10", "--sizes", "0.5,1", "--json"]
    assert main(command) == 0
    told = json.loads(capsys.readouterr().out)["distance"]
    made = Vademecum.load(file)
    assert told["grid"] == [12, 8, 10] and told["sizes"] == [0.5, 1.0]
    assert told["bytes"] == 4 * 2 * made.cases.count * 12 * 8 * 10
    node = int(made.cases.nodes[-1])
    where = made.mesh.nodes[[0]] + [[1e-3, 1e-3, 1e-3]]  # near a clamped corner
    assert made.distance(where, node, 0.5).shape == (1,)
    assert told["bound_m"] == 0.0
    assert main([*command, "--compress", "0.1"]) == 0
    small = json.loads(capsys.readouterr().out)["distance"]
    assert small["bytes"] < told["bytes"] and small["grid"] == told["grid"]
    assert 0.0 < small["bound_m"] <= 0.1 * sum(h**2 for h in told["spacing_m"]) ** 0.5


def test_a_killed_build_goes_on_to_the_same_file(built, solid, tmp_path):
    out = tmp_path / "box.h5"
    command = [sys.executable, "-m", "softcontact", "vademecum", "build", str(solid), *OPTIONS, "--json"]
    process = subprocess.Popen([*command, "--out", str(out)], stdout=subprocess.DEVNULL)
    partial = tmp_path / "box.h5.partial"
    deadline = time.monotonic() + 60.0
    while not partial.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert partial.exists() and not out.exists()
    done = subprocess.run([*command, "--out", str(out)], check=True, capture_output=True, text=True)
    spent = json.loads(done.stdout)
    assert spent["cpu_time_s"] > 0.0 and spent["wall_time_s"] > 0.0 and spent["peak_memory_bytes"] > 1e7
    assert not partial.exists()
    assert out.read_bytes() == built.read_bytes()


@pytest.mark.parametrize(
    "words, told",
    [
        (["build", "MESH", "--out", "OUT", "--young", "1e6"], "--clamped: needed"),
        (["build", "MESH", "--out", "OUT", "--clamped", "x < 0"], "--young: needed"),
        (["build", "MESH", "--out", "OUT", "--young", "1e6", "--clamped", "w < 0"], "clamped: 'w < 0'"),
        (["build", "MESH", "--out", "OUT", "--young", "1e6", "--clamped", "x < -9"], "clamp three or more"),
        (["build", "beam", "--out", "OUT", "--young", "1e6"], "--young 1000000.0: for mesh files alone"),
        (["build", "beam", "--out", "OUT", "--direction", "1,2"], "expected three numbers"),
        (["build", "beam", "--out", "OUT", "--direction", "0,0,0"], "directions"),
        (["build", "beam", "--out", "OUT", "--force", "0"], "magnitude: 0.0 N"),
        (["build", "beam", "--out", "OUT", "--tolerance", "2"], "tolerance: 2.0"),
        (["build", "bunny", "--out", "OUT", "--clamped", "x < 0"], "`bunny` has its own"),
        (["build", "beam", "--out", "OUT", "--workers", "0"], "workers: 0"),
        (["build", "beam", "--out", "OUT", "--sample", "0"], "sample: 0"),
        (["build", "beem", "--out", "OUT"], "beem: no such model or file"),
        (["build", "beam", "--out", "NOWHERE"], "is no folder"),
        (["build", "missing.vtu", "--out", "OUT", "--young", "1e6", "--clamped", "x < 0"], "missing.vtu"),
        (["certify", "BUILT", "--sizes", "0.5,x"], "--sizes: '0.5,x'"),
        (["certify", "BUILT", "--sizes", "0.5,2"], "shares of the largest force"),
        (["certify", "BUILT", "--modes", "99"], "expected 1 to 24"),
        (["build", "beam", "--out", "OUT", "--unit", "parsec"], "--unit parsec: for mesh files alone"),
        (["build", "beam", "--out", "OUT", "--poisson", "0.5"], "--poisson 0.5: for mesh files alone"),
        (["certify", "BUILT", "--modes", "inf"], "--modes: 'inf', expected whole numbers"),
        (["certify", "BUILT", "--modes", "1e400"], "--modes: '1e400', expected whole numbers"),
        (["certify", "BUILT", "--modes", "nan"], "--modes: 'nan', expected whole numbers"),
        (["certify", "BUILT", "--modes", "1.7"], "--modes: '1.7', expected whole numbers"),
        (["certify", "BUILT", "--limit", "nan"], "--limit: nan, expected a share"),
        (["certify", "BUILT", "--every", "0"], "--every: 0"),
        (["distance", "BUILT", "--grid", "100000,100000,100000"], "of memory are free, so take fewer"),
        (["distance", "BUILT", "--grid", "1e300,9,9"], "--grid: '1e300,9,9', expected whole numbers"),
        (["distance", "BUILT", "--grid", "12,8"], "--grid: '12,8'"),
        (["distance", "BUILT", "--grid", "12,8,2"], "6 or more each"),
        (["distance", "BUILT", "--grid", "12,8,9", "--compress", "1.5"], "compress: 1.5"),
        (["distance", "BUILT", "--grid", "12,8,9", "--sizes", "2"], "shares of the largest force"),
        (["info", "MESH"], "no vademecum"),
    ],
)
def test_wrong_input_is_one_line_and_exit_code_2(built, solid, tmp_path, capsys, words, told):
    places = {
        "MESH": str(solid),
        "OUT": str(tmp_path / "out.h5"),
        "BUILT": str(built),
        "NOWHERE": str(tmp_path / "no" / "out.h5"),
    }
    assert main(["vademecum", *(places.get(word, word) for word in words)]) == 2
    said = capsys.readouterr()
    assert told in said.err and said.err.count("\n") == 1 and said.out == ""
    assert not (tmp_path / "out.h5").exists()


def test_a_vademecum_of_tetrahedra_is_near_full_finite_elements(built):
    made = Vademecum.load(built).certified(sizes=(0.4, 1.0), chosen=np.arange(0, 30, 7))
    assert made.certificate.largest > 0.01  # a tenth of its length
    assert made.certificate.nodal.max() < 0.01


def test_too_little_memory_is_one_line_and_exit_code_2(built, monkeypatch, capsys):
    def load(path):
        raise MemoryError

    monkeypatch.setattr(Vademecum, "load", load)
    assert main(["vademecum", "info", str(built)]) == 2
    assert "there is not enough memory for this; ask for less of it" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["certify"], ["distance", "--grid", "8,6,8"]])
def test_a_file_that_cannot_be_written_is_told_before_the_work(words, built, capsys, monkeypatch):
    def full(folder):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(outputs, "try_folder", full)
    before = built.read_bytes()
    assert main(["vademecum", *words, str(built)]) == 2
    told = capsys.readouterr().err
    assert f"cannot write to '{built}': Read-only file system" in told and told.count("\n") == 1
    assert built.read_bytes() == before
