# SPDX-License-Identifier: LGPL-2.1-or-later
"""Comparisons with other tools: each peer that is installed gives its figures, and one that is absent is named."""

import dataclasses
import json
import math
import sys
from importlib import metadata

import pytest

from softcontact.bench import peers, siconos, solvers
from softcontact.bench.peers import cases, drake, ipctk, mujoco, ours, pinocchio, record, sofa, zoo
from softcontact.bench.peers import siconos as siconos_peer
from softcontact.bench.peers.record import OURS, Column, Row, Table


def missing(module):
    peer = module.peer()
    return pytest.mark.skipif(peer.version is None, reason=f"{peer.name} is absent; {peer.install}")


def by_setting(settings, word, kind):
    return next(one for one in settings if word in one.name and getattr(one, kind) is not None)


def test_our_block_keeps_the_closed_forms():
    for setting in ours.settings():
        if setting.block is None:
            continue
        figures = cases.slide(setting, 2).figures
        short = 0.5 * cases.BLOCK_STEP * cases.SPEED / cases.stopping_distance()
        assert figures["distance_error"] == pytest.approx(-short, rel=0.02)
        exact = 1e-9 if "points" in setting.name else 1e-5  # a patch's solve is iterative
        assert abs(figures["acceleration_error"]) < exact and figures["creep_m_s"] < 1e-12


@pytest.mark.parametrize("word", ["rigid pads, points", "rigid pads, patches", "soft pads, patches, h 5"])
def test_our_pinch_holds(word):
    row = cases.pinch(by_setting(ours.settings(), word, "pinch"), 0.5, 2)
    assert not row.failed and row.figures["creep_m_s"] < 1e-9 and row.figures["step_s"] > 0.0
    assert row.figures["second_s"] > 100 * row.figures["step_s"]


@missing(mujoco)
def test_mujoco_slides_as_coulomb_says_where_its_cone_is_round_and_creeps():
    round_cone = cases.slide(by_setting(mujoco.settings(), "impratio 10,", "block"), 2).figures
    assert abs(round_cone["distance_error"]) < 0.01 and abs(round_cone["heading_error_rad"]) < 0.01
    assert 0.0 < round_cone["creep_m_s"] < 1e-3
    pyramid = cases.slide(by_setting(mujoco.settings(), "pyramidal", "block"), 2).figures
    assert pyramid["distance_error"] > 0.1  # at 22.5° its pyramid is inside the cone


@missing(mujoco)
def test_mujoco_holds_the_cube_with_impratio_and_lets_it_creep():
    row = cases.pinch(by_setting(mujoco.settings(), "impratio 100", "pinch"), 0.5, 2)
    assert not row.failed and 1e-7 < row.figures["creep_m_s"] < 1e-4
    assert row.figures["sagged_m"] < 1e-3


@missing(drake)
def test_drake_runs_both_cases():
    slid = cases.slide(by_setting(drake.settings(), "sap", "block"), 2).figures
    assert abs(slid["distance_error"]) < 0.01
    held = cases.pinch(by_setting(drake.settings(), "sap", "pinch"), 0.1, 2)
    assert not held.failed and held.figures["creep_m_s"] < 1e-3


@missing(pinocchio)
@pytest.mark.parametrize("name", ["robot", "human"])
def test_pinocchio_and_ours_agree_on_the_avatars(name):
    mine, theirs = pinocchio.measure(pinocchio.AVATARS[name](), 5)
    for row in (mine, theirs):
        assert row.figures["residual"] < 1e-9 and row.figures["mass_error"] < 1e-9
        assert 0.0 < row.figures["mass_s"] <= 1.2 * row.figures["mass_call_s"]
    assert mine.figures["forward_s"] > 0.0


@missing(ipctk)
def test_ipctk_and_ours_find_the_same_distances_and_the_first_contact():
    pair = ipctk.meshes(2)
    mine, theirs = ipctk.our_proximity(pair).figures, ipctk.their_proximity(pair, "LBVH").figures
    for figures in (mine, theirs):
        assert figures["missed"] == 0.0 and figures["error_m"] < 1e-12 and figures["pairs"] > 3.0
    mesh = ipctk._collision_mesh(pair)
    exact = ipctk.our_first_contact(pair, mesh).figures
    assert exact["crossed"] == 0.0 and exact["gap_m"] < 1e-10
    import ipctk as library

    safe = ipctk.their_first_contact(pair, mesh, "", library.AdditiveCCD()).figures
    assert safe["crossed"] == 0.0 and exact["gap_m"] < safe["gap_m"] < ipctk.GAP


@pytest.mark.skipif(siconos.library() is None, reason="Siconos is not installed")
def test_siconos_and_ours_solve_the_same_problems():
    problems = {name: solvers.load(name) for name in ("NESpheres_10_1", "Rover1040")}
    rows = {row.setting: row.figures for row in siconos_peer.measure(problems, 1.0)}
    assert set(rows) == {"auto", "block_gauss_seidel", "nsgs", "nsn_ac"}
    assert rows["auto"]["unsolved"] == 0.0 and rows["nsgs"]["unsolved"] == 0.0
    assert rows["nsgs"]["residual"] <= solvers.TOLERANCE * 1.01 and rows["nsgs"]["total_s"] > 0.0


def test_absent_peers_are_named_with_what_installs_them(monkeypatch, tmp_path, capsys):
    def absent(package):
        raise metadata.PackageNotFoundError(package)

    monkeypatch.setattr(record.metadata, "version", absent)
    monkeypatch.setattr(siconos, "library", lambda: None)
    monkeypatch.setattr(sofa, "sofa_found", lambda: False)
    few = ours.settings()[:1]
    monkeypatch.setattr(ours, "settings", lambda: few)
    monkeypatch.setattr(zoo, "LAWS", {"sliding": zoo.LAWS["sliding"]})
    assert peers.main(quick=True, json=tmp_path / "peers.json", out=tmp_path) == 0
    text = capsys.readouterr().out
    for name, install in (
        ("MuJoCo", "pip install 'mujoco"),
        ("Drake", "pip install 'drake"),
        ("Siconos", "apt-get install libsiconos-numerics7"),
        ("ipctk", "pip install 'ipctk"),
        ("Pinocchio", "pip install 'pin>"),
        ("SOFA", "SOFA v25.12 or later"),
    ):
        assert f"| {name} | absent; install: " in text and install in text
    found = json.loads((tmp_path / "peers.json").read_text())
    assert [table["name"] for table in found["tables"]] == ["block", "pinch", "zoo"]
    assert all(row["tool"] == OURS for table in found["tables"] for row in table["rows"])
    assert (tmp_path / "peers.md").read_text().strip() in text


def test_a_peer_that_cannot_be_imported_or_breaks_is_named_and_the_rest_goes_on(monkeypatch, tmp_path):
    (tmp_path / "mujoco.py").write_text("raise ImportError('libgl is\\nmissing')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "mujoco", raising=False)
    monkeypatch.setattr(record.metadata, "version", lambda package: "3.3")

    class Breaks:
        NAME = "Broken"

        @staticmethod
        def peer():
            return record.Peer("Broken", "1.0", "pip install broken")

        @staticmethod
        def compare(quick):
            raise ImportError("no symbol")

    few = ours.settings()[:1]
    monkeypatch.setattr(ours, "settings", lambda: few)
    monkeypatch.setattr(zoo, "LAWS", {"sliding": zoo.LAWS["sliding"]})
    found, tables = peers.measure(True, modules=(mujoco, Breaks))
    assert [peer.version for peer in found] == [None, None]
    assert any(table.rows for table in tables)
    text = peers.report(found, tables)
    told = "not usable: 3.3 is installed, ImportError: libgl is missing; install: pip install 'mujoco"
    assert told in text
    assert "| Broken | not usable: 1.0 is installed, ImportError: no symbol; install: pip" in text


COLUMNS = (Column("t", "time s", 1.0, 0.0), Column("e", "error", 1.0, 1e-6), Column("n", "told"))


def small_table(*rows):
    return Table("case", "A case", "all", "nothing", COLUMNS, list(rows))


def test_a_table_says_where_the_other_is_better():
    made = small_table(
        Row(OURS, "slow", {"t": 4.0, "e": 1e-12, "n": 1.0}),
        Row("Other", "loose", {"t": 1.0, "e": 1e-3, "n": 9.0}),
        Row("Other", "strict", {"t": 2.0, "e": 1e-7, "n": None}),
        Row("Other", "fast but dropped", {"t": 0.1, "e": 0.0, "n": 0.0}, "dropped"),
    )
    judged = {one["column"]: one for one in record.judge(made)}
    assert set(judged) == {"time s", "error"}
    assert judged["time s"]["ratio"] == 0.25 and judged["time s"]["setting"] == "loose"
    assert judged["error"]["ratio"] is None  # both below what counts
    text = record.markdown(made)
    assert "**Other is better**: time s: SoftContact (slow) has 4 × that of Other (loose)" in text
    assert "even: error: Other (strict), SoftContact (slow)" in text
    assert "fast but dropped (dropped)" in text and "Not equal: nothing" in text


def test_a_setting_that_stops_is_told_and_ours_that_stops_is_a_fault():
    made = small_table()

    def stop():
        raise RuntimeError("it\ndiverged")

    record.attempt(made, "Other", "wild", stop)
    assert made.stopped == {"Other, wild": "RuntimeError: it diverged"} and not peers.faults([made])
    record.attempt(made, OURS, "", stop)
    assert "stopped: case, SoftContact" in peers.faults([made])[0]
    assert "| SoftContact | stopped: RuntimeError: it diverged |" in record.markdown(made)


def test_ours_that_drops_or_creeps_is_a_fault():
    rows = [
        Row(OURS, "a", {"creep_m_s": 1e-6}),
        Row(OURS, "b", {"creep_m_s": math.nan}),
        Row(OURS, "c", {}, "dropped"),
        Row("Other", "d", {"creep_m_s": 1.0}, "dropped"),
    ]
    assert [line.split(":")[1].split(",")[1] for line in peers.faults([small_table(*rows)])] == [
        " a",
        " b",
        " c",
    ]


def test_times_are_medians_of_a_thing_and_take_turns():
    turns = []
    found = record.seconds_each(
        {"a": (lambda: turns.append("a"), 10), "b": (lambda: turns.append("b"), 1)}, 3
    )
    assert turns == ["a", "b"] * 4
    assert 0.0 <= found["a"] < 1e-3 and 0.0 <= found["b"] < 1e-2


def test_our_zoo_keeps_its_laws_and_one_beyond_its_limit_is_a_fault(monkeypatch):
    quick = ("free_rotation", "rolling_down", "tipping_rad", "restitution")
    monkeypatch.setattr(zoo, "LAWS", {name: zoo.LAWS[name] for name in quick})
    made = zoo.compare(False, True)
    assert len(made.rows) == 4 and not made.stopped
    assert not peers.faults([made])
    wrong = dataclasses.replace(made.rows[0], figures={"rolling_down": -0.3})
    assert "rolling_down" in peers.faults([dataclasses.replace(made, rows=[wrong])])[0]
