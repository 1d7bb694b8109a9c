# SPDX-License-Identifier: LGPL-2.1-or-later
"""`softcontact bench all`: the page that tells every paper's figures and ours, of new runs and of stored ones."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from softcontact.bench import page, siconos, solvers
from softcontact.bench.page import gathering
from softcontact.bench.page.claims import PAPERS, at, claims, less, number
from softcontact.bench.page.gathering import BENCHMARKS
from softcontact.bench.page.places import PLACES
from softcontact.bench.page.tables import MARKDOWN, markdown
from softcontact.cli import main
from softcontact.report.chromium import ChromiumPage, find_chromium

STORED = Path(__file__).parent / "bench_documents"  # of quick runs, long series cut
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8cfc0000003010100c9fe92ef"
    "0000000049454e44ae426082"
)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The page of the stored figures, with a picture and the notes of a run; folder and exit code."""
    source, out = (tmp_path_factory.mktemp(name) for name in ("source", "out"))
    for file in STORED.glob("*.json"):
        (source / file.name).write_bytes(file.read_bytes())
    (source / "table1.png").write_bytes(PIXEL)
    run = {
        "quick": True,
        "started": "2026-01-02T03:04:05+00:00",
        "commit": "abc1234",
        "load_before": 0.25,
        "seconds": 7,
    }
    (source / "table1.run.json").write_text(json.dumps(run))
    return out, main(["bench", "all", "--out", str(out), "--from", str(source)])


def test_stored_figures_make_a_page_of_all_tables(made):
    out, code = made
    assert code == 0
    text = (out / "index.html").read_text(encoding="utf-8")
    for title in PAPERS.values():
        assert title.split(",")[0] in text
    assert {file.stem for file in STORED.glob("*.json")} == set(BENCHMARKS) == set(MARKDOWN)
    for name in BENCHMARKS:
        section = text[text.index(f'<h3 id="{name}">') :]
        assert section.index("<table>") < section.index("<h3 id=", 5) if "<h3 id=" in section[5:] else True
    # the paper's figure, ours, the ratio
    ours = json.loads((STORED / "table1.json").read_text())["results"][0]["ours"]["aggregate"]["solve_ms"][
        "median"
    ]
    row = re.search(r"<td>Pencil spinning: solve, aggregates</td>(.*?)</tr>", text)
    assert row and "4.85 ms" in row[1] and f"{ours:.3g} ms" in row[1] and f"× {4.85 / ours:.0f}" in row[1]
    for fact in (
        "in SOFA: Rigid ball, fingertips: solve, aggregates",
        "abc1234",
        "2026-01-02 03:04",
        "quick",
        "0.2",
        "data:image/png;base64,",
    ):
        assert fact in text
    assert "http://" not in text and "https://" not in text


def test_every_figure_of_the_papers_is_listed(made):
    text = (made[0] / "index.html").read_text(encoding="utf-8")
    for paper, last in {"talvas": 9, "talbi": 9, "otaduy": 3, "gonzalez": 7, "keith": 3}.items():
        listed = []
        for place, _, _ in PLACES[paper]:
            assert f"<td>{place}</td>" in text
            ends = [int(number) for number in re.findall(r"\d+", place)]
            listed += range(ends[0], ends[-1] + 1) if place.startswith("Fig") else []
        assert listed == list(range(1, last + 1))
    assert PLACES["talvas"][-1][0] == "Table 1"


def test_what_was_not_reached_comes_first(made):
    text = (made[0] / "index.html").read_text(encoding="utf-8")
    first = text[text.index('id="not-reached"') : text.index('id="talvas"')]
    document = json.loads((STORED / "haptics.json").read_text())
    missed = [
        row["rate_hz"]
        for row in document["forces"]["rates"]
        if row["ripple_ratio"] < document["aim_ripple_ratio"]
    ]
    for rate in missed:
        assert f"{rate} Hz visual" in first
    assert "MuJoCo is better" in first


@pytest.mark.skipif(find_chromium() is None, reason="no Chromium")
def test_the_page_needs_no_network_and_fits_its_width(made):
    with ChromiumPage((1200, 800), scale=1.0) as shown:
        shown.goto(made[0] / "index.html")
        assert shown.evaluate("document.querySelectorAll('table').length") > 20
        assert shown.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        assert shown.evaluate("[...document.images].every(image => image.naturalWidth > 0)")
        assert not shown.errors
        assert all(address.startswith(("file:", "data:")) for address in shown.requests)


def run_of(name, out, code, text="", document=None):
    """What a run of a benchmark leaves."""
    (out / f"{name}.log").write_text(text)
    (out / f"{name}.run.json").write_text(json.dumps({"exit": code, "seconds": 1.0, "quick": True}))
    if document is not None:
        (out / f"{name}.json").write_text(json.dumps(document))


def test_a_benchmark_that_fails_is_told_and_the_others_go_on(tmp_path, monkeypatch, capsys):
    ran = []

    def measure(name, out, quick, options):
        ran.append(name)
        failing = {"rate": (-11, ""), "lifts": (1, "2 of 3 lifts\nseed 2: failed")}
        code, text = failing.get(name, (0, "done"))
        document = None if name == "rate" else json.loads((STORED / f"{name}.json").read_text())
        run_of(name, out, code, text, document)

    monkeypatch.setattr(gathering, "measure", measure)
    monkeypatch.setattr(gathering, "sofa_found", lambda: False)
    assert page.main(True, tmp_path) == 1
    assert ran == [name for name in BENCHMARKS if not name.startswith("sofa")]
    printed = capsys.readouterr().out
    assert "failed: rate, lifts" in printed
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "it said nothing (exit -11)" in text and "seed 2: failed (exit 1)" in text
    assert text.count("SOFA was not found") >= 2
    # resumed: what has figures is taken as it is
    ran.clear()
    page.main(True, tmp_path, [tmp_path])
    assert ran == ["rate"]


def test_figures_of_another_version_are_told(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(gathering, "sofa_found", lambda: False)
    monkeypatch.setattr(
        gathering,
        "measure",
        lambda name, out, quick, options: run_of(name, out, 0, "", {"results": [{"no": 1}]}),
    )
    (tmp_path / "uzawa.json").write_text("{not whole")
    assert page.main(True, tmp_path, [tmp_path]) == 1
    printed = capsys.readouterr().out
    assert "uzawa.json cannot be read" in printed and "measured anew" in printed
    assert "table1: figures of another version, KeyError" in printed
    assert "figures of another version" in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_a_run_leaves_figures_log_and_how_it_went(tmp_path, monkeypatch):
    commands = []

    def run(command, stdout=None, **_):
        if command[0] == "git":
            return subprocess.CompletedProcess(command, 128, "", "")
        commands.append(command)
        stdout.write(b"table\n")
        return subprocess.CompletedProcess(command, 3)

    monkeypatch.setattr(gathering.subprocess, "run", run)
    (tmp_path / "rate.json").write_text("{}")
    gathering.measure("rate", tmp_path, True, ["--more"])
    assert commands[0][1:] == [
        "-m",
        "softcontact",
        "bench",
        "rate",
        "--out",
        str(tmp_path),
        "--more",
        "--quick",
    ]
    told = json.loads((tmp_path / "rate.run.json").read_text())
    assert told["exit"] == 3 and told["quick"] and told["commit"] is None and told["machine"]["processor"]
    assert (tmp_path / "rate.log").read_text() == "table\n" and not (tmp_path / "rate.json").exists()


def test_new_figures_of_the_solvers_have_their_table(tmp_path, monkeypatch):
    monkeypatch.setattr(solvers, "names", lambda: ["NESpheres_10_1"])
    monkeypatch.setattr(siconos, "library", lambda: None)
    assert solvers.main(quick=True, out=tmp_path) == 0
    text = markdown("solvers", json.loads((tmp_path / "solvers.json").read_text()))
    assert "| NESpheres_10_1 |" in text and "| unsolved |" in text


def test_missing_documents_make_no_claims_and_no_error():
    assert claims(dict.fromkeys(BENCHMARKS)) == ([], [])
    assert at({"a": [1]}, "a", 3) is None and at(None, "a") is None


def test_a_claim_tells_ratio_and_what_is_reached():
    better, worse = (less("keith", "", "time", 10.0, ours, "s") for ours in (2.0, 20.0))
    assert (better.ratio, better.reached) == (5.0, True) and (worse.ratio, worse.reached) == (0.5, False)
    assert less("keith", "", "time", 10.0, None, "s").ours == ""
    assert [number(x) for x in (1151.2, 0.01234, 62.0)] == ["1151", "0.0123", "62"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["bench", "all"], "--out is missing"),
        (["bench", "all", "table1", "--out", "x"], "'all' stands alone"),
        (["bench", "all", "--json", "x.json", "--out", "x"], "takes no --json"),
        (["bench", "table1", "--from", "x"], "--from goes with 'all'"),
        (["bench", "all", "--out", "x", "--from", "nowhere"], "--from nowhere is no folder"),
        (["bench", "al"], "did you mean 'all'?"),
    ],
)
def test_wrong_usage_is_code_2_and_one_line(arguments, expected, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert expected in printed.err and len(printed.err.splitlines()) == 1
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("rate.json", '{"machine": "str"}', "rate.json: machine"),
        (
            "rate.run.json",
            '{"started": 5, "load_before": "a", "load_after": [1]}',
            "rate.run.json: load_before",
        ),
        ("rate.run.json", '{"quick": [1]}', "rate.run.json: quick: [1], expected true or false; not used"),
        ("rate.run.json", '{"machine": "x", "exit": "y", "seconds": 1e400}', "rate.run.json: machine"),
        ("rate.run.json", "[" * 100000, "rate.run.json: it is nested too deeply; not used"),
        ("rate.run.json", "[1]", "rate.run.json: it holds no figures; not used"),
    ],
)
def test_notes_that_are_no_notes_are_told_and_the_page_is_written(file, text, told, tmp_path, capsys):
    source, out = tmp_path / "source", tmp_path / "out"
    source.mkdir()
    for stored in STORED.glob("*.json"):
        (source / stored.name).write_bytes(stored.read_bytes())
    (source / file).write_text(text)
    assert main(["bench", "all", "--out", str(out), "--from", str(source)]) == 1
    assert told in capsys.readouterr().out
    assert (out / "index.html").is_file()


@pytest.mark.parametrize("text", ["[1]", "[" * 100000])
def test_figures_that_are_no_object_are_measured_anew(text, tmp_path):
    (tmp_path / "rate.json").write_text(text)
    told = []
    assert not gathering._readable(tmp_path / "rate.json", told.append)
    assert len(told) == 1 and "rate is measured anew" in told[0]
