# SPDX-License-Identifier: LGPL-2.1-or-later
"""Scenes of vademecums run by the engine sofa, beside the embedded one."""

import shutil

import numpy as np
import pytest

pytest.importorskip("Sofa", reason="SofaPython3 is not on PYTHONPATH: vademecums are not tested in SOFA")
pytest.importorskip("h5py", reason="h5py is missing")

from batch import errors_of_example

from softcontact.engines import make_engine
from softcontact.scene import SceneError, load
from softcontact.vademecum import Vademecum
from softcontact.vademecum.stock import beam_file, bunny_file

LIMIT = 1e-10  # [m]


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    """The quick solids, built once for this file."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOFTCONTACT_CACHE", str(folder))
        bunny_file(quick=True)
        beam_file(quick=True)
        yield folder


def engine_at(name, time, engine="sofa", **options):
    scene = load(name, {"quality": "quick", "time_step": 0.1, **options})
    made = make_engine(scene, engine)
    while made.time < time - 1e-9:
        made.step()
    assert made.status()["ok"], made.status()["message"]
    assert made.statistics()["converged"]
    return made


def test_both_bunnies_bend_and_touch_as_in_the_embedded_engine():
    sofa, embedded = (engine_at("bunny", 2.0, engine) for engine in ("sofa", "embedded"))
    mesh = Vademecum.load(sofa.scene.bodies[0].file).mesh
    for body in ("red", "blue"):
        there, here = sofa.vertices(body), embedded.vertices(body)
        bent = np.abs(here - mesh.nodes[mesh.boundary[0]])[:, 2].max()
        assert bent > 1e-5
        np.testing.assert_allclose(there, here, rtol=0.0, atol=0.05 * bent)
    (there,), (here,) = sofa.patches(), embedded.patches()
    assert here["contacts"] == pytest.approx(36, abs=2)
    assert there["contacts"] == sofa.statistics()["contacts"] == pytest.approx(here["contacts"], abs=2)
    np.testing.assert_allclose(there["force"], here["force"], atol=0.02 * np.linalg.norm(here["force"]))
    np.testing.assert_allclose(there["centre"], here["centre"], atol=5e-4)
    assert there["normal"] @ here["normal"] > 0.999
    assert sofa.energies()["elastic"] == pytest.approx(embedded.energies()["elastic"], rel=0.02)


def test_a_bunny_that_does_not_give_way_stands_as_its_vademecum_says():
    sofa = engine_at("bunny", 2.0, answer="load", load=0.6)
    scene = sofa.scene
    vademecum = Vademecum.load(scene.bodies[0].file)
    moved = vademecum.displacement(scene.motions[0].nodes[0], 0.6)
    nodes = vademecum.mesh.boundary[0]
    for body in ("red", "blue"):
        expected = (vademecum.mesh.nodes + moved)[nodes] + sofa.pose(body)[:3]
        np.testing.assert_allclose(sofa.vertices(body), expected, rtol=0.0, atol=LIMIT)
    embedded = engine_at("bunny", 2.0, "embedded", answer="load", load=0.6)
    (there,), (here,) = sofa.patches(), embedded.patches()
    assert there["contacts"] == here["contacts"]
    np.testing.assert_allclose(there["force"], here["force"], rtol=1e-6, atol=1.0)


def test_a_rigid_block_pushes_a_beam_as_in_the_embedded_engine():
    """Contact loads at some of the nodes, work for work, answer a little stiffer than loads at every node touched."""
    sofa, embedded = (engine_at("beam", 1.0, engine) for engine in ("sofa", "embedded"))
    (there,), (here,) = sofa.patches(), embedded.patches()
    assert np.linalg.norm(here["force"]) > 1e4
    np.testing.assert_allclose(there["force"], here["force"], atol=0.15 * np.linalg.norm(here["force"]))
    np.testing.assert_allclose(there["centre"], here["centre"], atol=0.01)
    assert sofa.statistics()["rows"] > 4


def test_what_sofa_cannot_hold_is_refused():
    scene = load("bunny", {"quality": "quick"})
    third = scene.to_dict()
    third["bodies"].append({**third["bodies"][1], "name": "third"})
    with pytest.raises(SceneError, match="bodies: 3"):
        make_engine(type(scene).from_dict(third), "sofa")


@pytest.mark.skipif(shutil.which("runSofa") is None, reason="runSofa is not on PATH")
def test_example_scene_opens_in_runsofa(tmp_path):
    assert not errors_of_example("vademecum_bunny.py", 60)
    (error,) = errors_of_example("vademecum_bunny.py", 60, str(tmp_path / "none.h5"))
    assert "no such file" in error
