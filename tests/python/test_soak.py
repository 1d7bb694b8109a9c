# SPDX-License-Identifier: LGPL-2.1-or-later
"""`softcontact device soak`: random motion, stalls, and what must hold all the while."""

import json
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pytest

from softcontact.cli import main
from softcontact.live import open_scene
from softcontact.live import soak as soaking
from softcontact.live.soak import SoakReport, soak
from softcontact.scene.library import load


def test_a_short_soak_touches_stalls_and_passes(monkeypatch):
    monkeypatch.setattr(soaking, "_BETWEEN_STALLS", 0.5)
    with open_scene(load("block", {})) as live:
        report = soak(live, 4.0, seed=3)
        assert not live.running
    assert report.stalls >= 2 and report.targets >= 3 and report.steps > 3
    assert report.ticks > 1000 and 0.1 < report.force_max <= report.force_limit
    assert (
        report.touched > 0.0
        and report.stalled_ticks > 100
        and report.watchdog_missed == 0
        and report.not_finite == 0
    )
    assert all(check["passed"] for check in report.checks), report.checks


class Pretended:
    """A live scene that tells what a test wants it to."""

    steered, force_limit = True, 3.0
    tissue_box = (np.zeros(3), np.ones(3))

    def __init__(self, error=None, missed=0, most=1.0, wrong=0):
        ticks = {"free": 4, "touching": 5, "stalled": 1}
        self.found = {"ticks": ticks, "watchdog_missed": missed, "not_finite": wrong, "force_max": most}
        self.steering = SimpleNamespace(start=np.zeros(3))
        self.error, self.restarts = error, 0

    def start(self): ...
    def pause(self): ...
    def move(self, place):
        assert np.all((place >= 0) & (place <= 1))

    def counts(self):
        return 10, 1, 2

    def tally(self):
        return self.found

    @contextmanager
    def stalled(self):
        yield 0.05

    def restart(self):
        self.restarts, self.error = self.restarts + 1, None


@pytest.mark.parametrize(
    ("live", "failed"),
    [
        (Pretended(), set()),
        (Pretended(missed=1), {"watchdog_missed"}),
        (Pretended(wrong=1), {"not_finite"}),
        (Pretended(most=3.1), {"force_max"}),
        (Pretended(error="body tissue: inverted"), {"world_stops"}),
    ],
)
def test_what_must_not_happen_is_seen(monkeypatch, live, failed):
    monkeypatch.setattr(soaking, "_BETWEEN_STALLS", 0.01)
    monkeypatch.setattr(soaking, "_STALLS", (0.01, 0.02))
    report = soak(live, 1.0)
    assert {check["name"] for check in report.checks if not check["passed"]} == failed
    assert (report.watchdog_missed, report.not_finite) == (
        live.found["watchdog_missed"],
        live.found["not_finite"],
    )
    stops = int("world_stops" in failed)
    assert live.restarts == stops
    assert (report.ticks, report.overruns, report.steps) == tuple((1 + stops) * n for n in (10, 1, 2))
    assert (report.touched, report.stalled_ticks) == (0.5, 1 + stops)


def test_growth_of_the_memory_is_judged_after_the_warm_up():
    rising = np.linspace(1.0, 1.5, 60)  # while caches fill
    flat = SoakReport(seconds=600.0, memory=(1e8 * np.append(rising, np.full(540, 1.5))).astype(int).tolist())
    assert flat.memory_growth == 0.0
    leak = 1.5 + 0.0001 * np.arange(540)
    grown = SoakReport(seconds=600.0, memory=(1e8 * np.append(rising, leak)).astype(int).tolist())
    assert grown.memory_growth == pytest.approx(0.034, abs=0.002)
    assert not grown.checks[0]["passed"]
    assert SoakReport(seconds=60.0, memory=[1, 2, 3, 4]).memory_growth is None


def test_the_command_tells_one_object_and_writes_the_file(tmp_path, capsys):
    assert (
        main(["device", "soak", "block", "--minutes", "0.02", "--json", "--out", str(tmp_path / "s.json")])
        == 0
    )
    told = json.loads(capsys.readouterr().out)
    assert told["ticks"] > 100 and {check["name"] for check in told["checks"]} >= {"watchdog_missed"}
    assert json.loads((tmp_path / "s.json").read_text())["memory"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--minutes", "0"], "minutes: 0.0; give more than 0"),
        (["--minutes", "nan"], "minutes: nan; give more than 0"),
        (["--out", "nowhere/s.json"], "no folder"),
        (["hand"], "hand: holds 0 tools"),
        (["blok"], "block"),
    ],
)
def test_wrong_words_are_refused_in_one_line(words, told, capsys):
    assert main(["device", "soak", *words]) == 2
    err = capsys.readouterr().err
    assert told in err and err.count("\n") == 1
