# SPDX-License-Identifier: LGPL-2.1-or-later
"""`bench vademecum` tells what it measured, and fails where an error is above what is asked."""

import json

from softcontact.bench import vademecum as bench
from softcontact.bench import vademecum_bunny
from softcontact.bodies import Material
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
    assert (tmp_path / "out" / "modes.png").stat().st_size > 1000
    monkeypatch.setattr(bench, "build", lambda *given, **options: made[0])
    monkeypatch.setattr(bench, "LIMITS", {3: 1e-9})
    assert bench.main(quick=True) == 1
    monkeypatch.setattr(bench, "LIMITS", {3: 0.05})
    monkeypatch.setattr(bench.vademecum_distance, "AIMS", {**bench.vademecum_distance.AIMS, "error": 1e-20})
    assert bench.main(quick=True) == 1


build = bench.build


def test_figures_of_a_large_solid_are_told():
    box = SolidMesh.block((0.24, 0.04, 0.04), (6, 1, 1))
    model = models.Model(
        box,
        Material(209e9, 0.3),
        models.nodes_where(box, "x < 1e-9"),
        PointLoad(1e6, nodes=(10, 17, 27)),
        BuildOptions(modes=5, sizes=3),
    )
    figures = vademecum_bunny.measure(model, judged=2)
    assert figures["judged"] == 2 and figures["positions"] == 3 and figures["errors"][-1]["modes"] == 5
    text = vademecum_bunny.markdown(figures)
    assert f"{figures['errors'][-1]['nodal_max']:.2e}" in text and "| nodes | 4285 | 28 |" in text
    assert figures["peak_memory_bytes"] > 1e7 and figures["offline"]["cpu_s"] > 0.0
