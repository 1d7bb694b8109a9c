# SPDX-License-Identifier: LGPL-2.1-or-later
"""The mesh commands print what was found, and one line when a file is refused."""

from __future__ import annotations

import sys
import types

import numpy as np
import pytest
from mesh_files import CUBE_POINTS, CUBE_QUADS, cube_triangles, obj, text_stl, write
from typer.testing import CliRunner

from softcontact.cli.mesh import app, surface_rows
from softcontact.mesh import load_tetrahedra, revolved, tetrahedral_box

P, Q, T = CUBE_POINTS, CUBE_QUADS, cube_triangles()


@pytest.fixture
def run(monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    return lambda *words: CliRunner().invoke(app, [str(w) for w in words])


def test_check_reports_repairs(tmp_path, run):
    result = run("check", write(tmp_path / "a [b].stl", text_stl(1000 * P, T)), "--unit", "mm")
    assert result.exit_code == 0
    for text in ("a [b].stl", "8, 12", "50 mm × 50 mm × 50 mm", "125 cm³", "28 coincident vertices merged"):
        assert text in result.output


def test_round_off_is_told_as_zero():
    vase = revolved([(26, 0), (33, 30), (24, 80)], segments=48)
    assert surface_rows(vase)["centre of mass"].startswith("(0, 0, ")


def test_check_refuses_in_one_line(tmp_path, run):
    result = run("check", write(tmp_path / "a.obj", obj(P, Q[:-1])))
    assert result.exit_code == 2
    assert (
        result.stderr.startswith("softcontact: a.obj: the surface is not closed")
        and result.stderr.count("\n") == 1
    )


def test_check_sizes_and_units(tmp_path, run):
    path = write(tmp_path / "a.obj", obj(100 * P, Q))
    assert run("check", path).exit_code == 2
    assert run("check", path, "--any-size").exit_code == 0
    assert "unit must be one of" in run("check", path, "--unit", "km").stderr


def test_check_tetrahedra(tmp_path, run):
    tetrahedral_box(0.05, 2).save(tmp_path / "a.vtu")
    result = run("check", tmp_path / "a.vtu", "--tetrahedra")
    assert result.exit_code == 0 and "27, 40" in result.output and "worst 0.840" in result.output


def test_tetrahedralise_writes_and_reports(tmp_path, run, monkeypatch):
    soft = tetrahedral_box(0.05, 2)
    fake = types.SimpleNamespace(
        tetrahedralize=lambda v, f, **k: (soft.nodes, soft.tetrahedra[:, [1, 0, 2, 3]])
    )
    monkeypatch.setitem(sys.modules, "pytetwild", fake)
    source, out = write(tmp_path / "a.obj", obj(1000 * P, Q)), tmp_path / "out.vtu"
    result = run("tetrahedralise", source, out, "--unit", "mm", "--edge-length", "0.02")
    assert result.exit_code == 0, result.output
    assert "27, 40" in result.output and "0.00 %" in result.output
    assert np.isclose(load_tetrahedra(out).volume, 0.05**3)


def test_tetrahedralise_refuses_before_meshing(tmp_path, run, monkeypatch):
    source = write(tmp_path / "a.obj", obj(P, Q))
    assert "written as .vtu, .vtk or .msh" in run("tetrahedralise", source, tmp_path / "o.stl").stderr
    assert (
        "is no folder that can be written"
        in run("tetrahedralise", source, tmp_path / "none" / "o.vtu").stderr
    )
    monkeypatch.setitem(sys.modules, "pytetwild", None)
    result = run("tetrahedralise", source, tmp_path / "o.vtu")
    assert result.exit_code == 2 and "install 'pytetwild>=" in result.stderr
