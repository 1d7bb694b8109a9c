# SPDX-License-Identifier: LGPL-2.1-or-later
"""`bench vademecum` tells what it measured, and fails where an error is above what is asked."""

import json

import numpy as np
import pytest
from small_vademecum import small

from softcontact.bench import vademecum as bench
from softcontact.bench import vademecum_bunny, vademecum_loads, vademecum_plots
from softcontact.bodies import Material
from softcontact.cli.app import main
from softcontact.vademecum import BuildOptions, PointLoad, SolidMesh, models


def test_figures_are_told_and_judged(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(bench, "QUICK_EVERY", 70)  # two positions
    monkeypatch.setattr(bench, "LIMITS", {3: 0.05})
    made = []
    monkeypatch.setattr(
        bench, "build", lambda *given, **options: made.append(build(*given, **options)) or made[0]
    )
    assert bench.main(quick=True, json=tmp_path / "figures.json", out=tmp_path / "out") == 0
    text = capsys.readouterr().out
    figures = json.loads((tmp_path / "figures.json").read_text())["results"]
    assert figures["positions"] == 2 and figures["errors"][0]["modes"] == 3
    assert f"{figures['errors'][0]['nodal_max']:.2e}" in text
    distance = figures["distance"]
    assert distance["detection"]["touching_mean"] > 0.0 and distance["detection"]["points"] == 170
    assert [row["contacts"] for row in distance["bunny"]] == [0, 36, 427]
    assert distance["errors"]["exact"]["max"] < 1e-9 < distance["errors"]["trilinear"]["max"]
    assert f"{distance['separated']['ratio']:.1f} times less" in text
    assert 0.0 < figures["displacement_s"]["3"]["median"] <= figures["displacement_s"]["3"]["p99.9"]
    for name in ("modes.png", "figures.png"):
        assert (tmp_path / "out" / name).stat().st_size > 1e4
    monkeypatch.setattr(bench, "build", lambda *given, **options: made[0])
    monkeypatch.setattr(bench, "LIMITS", {3: 1e-9})
    assert bench.main(quick=True) == 1
    monkeypatch.setattr(bench, "LIMITS", {3: 0.05})
    monkeypatch.setattr(bench.vademecum_distance, "AIMS", {**bench.vademecum_distance.AIMS, "error": 1e-20})
    assert bench.main(quick=True) == 1


build = bench.build


def test_figures_of_a_large_solid_are_told(tmp_path, monkeypatch):
    box = SolidMesh.block((0.24, 0.04, 0.04), (6, 1, 1))
    model = models.Model(
        box,
        Material(209e9, 0.3),
        models.nodes_where(box, "x < 1e-9"),
        PointLoad(1e6, nodes=(10, 17, 27)),
        BuildOptions(modes=5, sizes=3),
    )
    made, figures = vademecum_bunny.measure(model, judged=2)
    assert figures["judged"] == 2 and figures["positions"] == 3 and figures["errors"][-1]["modes"] == 5
    text = vademecum_bunny.markdown(figures)
    assert f"{figures['errors'][-1]['nodal_max']:.2e}" in text and "| nodes | 4285 | | 28 |" in text
    assert figures["peak_memory_bytes"] > 1e7 and figures["offline"]["cpu_s"] > 0.0
    made.save(tmp_path / "box.h5")
    _, again = vademecum_bunny.measure(model, file=tmp_path / "box.h5")  # by the certificate that it has
    assert again["errors"] == figures["errors"] and again["offline"] is None
    assert "built before" in vademecum_bunny.markdown(again)
    vademecum_plots.modes({"box": made, "same": made}, tmp_path / "modes.png")
    assert (tmp_path / "modes.png").stat().st_size > 1e4
    assert vademecum_bunny.judge(figures) == (figures["errors"][-1]["nodal_max"] <= 0.005)
    monkeypatch.setattr(vademecum_bunny, "LIMIT", 1e-12)
    assert not vademecum_bunny.judge(figures)


def test_the_best_modes_are_those_of_an_svd():
    """Errors of the best rank-2 approximation of small displacements, by numpy's own SVD."""
    box = SolidMesh.block((0.24, 0.04, 0.04), (6, 1, 1))
    clamped = models.nodes_where(box, "x < 1e-9")
    load = PointLoad(1e6, nodes=(10, 17, 23, 27))
    made = build(
        box, Material(209e9, 0.3), load, clamped=clamped, options=BuildOptions(modes=3, sizes=3, stages=1)
    )
    solid = made.cases.solid
    linear = np.linalg.solve(solid.tangent(np.zeros(solid.size)).toarray(), made.cases.forces().T).T
    values = np.linalg.svd(linear, compute_uv=False)
    (row,) = vademecum_bunny._best(made, vademecum_bunny._linear(made), [2])
    expected = np.sqrt(np.sum(values[2:] ** 2) / np.sum(values**2))
    assert row["best_overall_small"] == pytest.approx(expected, rel=1e-6)


def test_a_bunny_is_for_the_benchmark_vademecum_alone(capsys):
    assert main(["bench", "rate", "--quick", "--bunny", "some.h5"]) == 2
    assert "--bunny 'some.h5' is for the benchmark vademecum" in capsys.readouterr().err


def test_several_loads_are_judged_and_told():
    figures = vademecum_loads.measure(small(), quick=True)
    assert [row["loads"] for row in figures["rows"]] == [2, 3]
    for row in figures["rows"]:
        errors = row["errors"]
        assert 0.0 < errors["predicted"]["mean"] < errors["superposed"]["mean"] < 1.0
        assert row["corrected_s"]["median"] > row["predicted_s"]["median"] > 0.0
        assert f"{100 * errors['corrected']['mean']:.2f} %" in vademecum_loads.markdown(figures)
