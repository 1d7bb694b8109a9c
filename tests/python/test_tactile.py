# SPDX-License-Identifier: LGPL-2.1-or-later
"""Readout for tactile use: loads at the vertices of the surfaces, and series of patches that split."""

import h5py
import numpy as np
import pytest
from scene_samples import drop_scene

from softcontact.engines.embedded import EmbeddedEngine
from softcontact.patches import PatchSeries, sum_up, with_finite_gauges
from softcontact.runner import run
from softcontact.scene import RecordSettings, SceneError, load


def sums(engine, name):
    """Contact force on a surface [N] by its patches, and normal load [N]."""
    force, load = np.zeros(3), 0.0
    for patch in engine.patches():
        sign = (patch["body"] == name) - float(patch["other"] == name)
        force += sign * patch["force"]
        load += abs(sign) * patch["normal_force"]
    return force, load


@pytest.mark.parametrize("model", ["aggregate", "point"])
def test_loads_of_the_vertices_add_up_to_the_patches(model):
    engine = EmbeddedEngine(load("edge-cube", {"contact.model": model}))
    touched = set()
    for step in range(1, 201):
        engine.step()
        if step % 40:
            continue
        for surface in engine.surfaces:
            assert engine.status()["ok"]
            loads = engine.vertex_loads(surface.name)
            force, load_n = sums(engine, surface.name)
            count = len(engine.vertices(surface.name))
            assert loads["tractions"].shape == loads["forces"].shape == (count, 3)
            assert loads["areas"] @ loads["tractions"] == pytest.approx(force, abs=1e-9)
            assert loads["areas"] @ loads["pressures"] == pytest.approx(
                load_n, rel=0.15, abs=1e-9
            )  # friction has a part along the normals of a ridge
            if load_n > 0.0:
                touched.add(surface.name)
                assert loads["pressures"].max() > 0.0
            else:
                assert not loads["tractions"].any()
    assert len(touched) >= 3


def test_pressures_of_a_box_are_its_weight():
    engine = EmbeddedEngine(drop_scene(duration=0.5))
    for _ in range(200):
        engine.step()
    for name in ("box", "table"):
        loads = engine.vertex_loads(name)
        assert loads["areas"] @ loads["pressures"] == pytest.approx(0.5 * 9.81, rel=1e-3)
        assert np.all(loads["pressures"] > -1e-6)


def test_tactile_record_is_kept_step_by_step(tmp_path):
    scene = drop_scene(duration=0.3).model_copy(update={"record": RecordSettings(tactile=True)})
    result = run(scene, out=tmp_path / "out", replay=False, progress=False)
    box, force = result.history.tactile["box"], result.contact_force("box")
    assert len(box.steps) == np.count_nonzero(np.linalg.norm(force, axis=1) > 0.0)
    kept = (box.areas[..., None] * box.tractions).sum(axis=1)
    assert kept == pytest.approx(force[box.steps], abs=1e-4)
    with h5py.File(tmp_path / "out" / "history.h5") as file:
        group = file["tactile/box"]
        assert np.array_equal(group["pressure"], box.pressures) and group["pressure"].attrs["unit"] == "Pa"
        assert group["traction"].shape == (*box.pressures.shape, 3) and len(group["step"]) == len(box.steps)
        assert any("slip_gauge" in file[f"patches/{pair}"] for pair in file["patches"])
    assert result.patches and "slip_gauge" in result.patches[0]
    assert result.summary["patches"][0]["slip_gauge"] == result.patches[0]["slip_gauge"]
    assert run(drop_scene(duration=0.02), record=False, replay=False).history.tactile == {}


def test_engine_without_vertices_is_refused():
    scene = load("blocks").with_changes({"record.tactile": True})
    with pytest.raises(SceneError, match=r"record\.tactile: engine .* leave it out"):
        run(scene, record=False, replay=False, progress=False)


def patch(number, force, centre, torque=(0.0, 0.0, 0.0)):
    force = np.array(force)
    values = {
        "area": 1e-4,
        "volume": 1e-8,
        "pressure_mean": force[2] / 1e-4,
        "pressure_max": 2e4 * (1 + number),
    }
    values |= {"normal_force": force[2], "contacts": 3, "slip_gauge": 0.2 + 0.1 * number}
    vectors = {"force": force, "centre": np.array(centre), "torque": np.array(torque)}
    return {"body": "tip", "other": "cube", "number": number, **vectors, **values}


def test_patches_of_a_pair_are_summed_up_without_loss():
    series = PatchSeries(3)
    first, second = (
        patch(0, (0.1, 0.0, 1.0), (0.0, 0.0, 0.0)),
        patch(1, (0.0, 0.2, 3.0), (0.01, 0.0, 0.0), (0, 0, 1e-3)),
    )
    series.add(0, [first])
    series.add(1, [first, second])
    parts = series.parts(3)
    pair = sum_up(parts)["tip", "cube"]
    assert set(parts) == {("tip", "cube", 0), ("tip", "cube", 1)}
    assert pair["force"][1] == pytest.approx([0.1, 0.2, 4.0])
    assert pair["centre"][1] == pytest.approx([0.0075, 0.0, 0.0])
    whole = pair["torque"][1] + np.cross(pair["centre"][1], pair["force"][1])
    assert whole == pytest.approx(second["torque"] + np.cross(second["centre"], second["force"]))
    assert pair["area"][1] == pytest.approx(2e-4) and pair["contacts"][1] == 6
    assert pair["pressure_mean"][1] == pytest.approx(2e4) and pair["pressure_max"][1] == 4e4
    assert pair["slip_gauge"][1] == pytest.approx(0.3)
    for name, data in pair.items():
        assert data[0] == pytest.approx(first[name]) and not np.any(data[2])


@pytest.mark.parametrize("sideways, gauge", [(2e-8, 0.0), (1e-3, 1.0)])
def test_slip_gauge_without_friction_is_finite(sideways, gauge):
    bare = patch(0, (sideways, 0.0, 2.0), (0.0, 0.0, 0.0)) | {"normal": np.array([0.0, 0.0, 1.0])}
    found = with_finite_gauges([bare | {"slip_gauge": np.inf}, bare, bare | {"slip_gauge": np.nan}])
    assert [p["slip_gauge"] for p in found[:2]] == [gauge, bare["slip_gauge"]]
    assert np.isnan(found[2]["slip_gauge"]), "a gauge that is not told stays so"
