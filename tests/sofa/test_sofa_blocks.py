# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two elastic blocks in SOFA, node pairs with BipotentialFriction, against the embedded engine."""

import numpy as np
import pytest

pytest.importorskip("Sofa", reason="SofaPython3 is not on PYTHONPATH: the sofa engine is not tested in SOFA")

from softcontact import run
from softcontact.engines import make_engine
from softcontact.engines.sofa import create_scene
from softcontact.scene.errors import SceneError
from softcontact.scene.library import load

STEPS = 25
LIMIT = 1e-3  # of the resultant of each step
UNLOADED = 1e-4  # of the largest resultant: what is left when the blocks part


def history(name, **options):
    """Resultants (25, 3) [N], elastic energies (25,) [J] and whether the contact slips, along the benchmark's path."""
    engine = make_engine(load("blocks", options), name)
    forces, energies, states = [], [], []
    for _ in range(STEPS):
        engine.step()
        patches, statistics = engine.patches(), engine.statistics()
        assert engine.status()["ok"] and statistics["converged"] and statistics["penetration_max"] < 1e-9
        forces.append(patches[0]["force"] if patches else np.zeros(3))
        energies.append(engine.energies()["elastic"])
        states.append([patch["state"] for patch in patches] if np.linalg.norm(forces[-1]) > 1.0 else [])
    return np.array(forces), np.array(energies), states


@pytest.mark.parametrize(
    ("benchmark", "friction", "method"),
    [
        ("both", 0.3, "block_gauss_seidel"),
        ("both", 0.3, "global_uzawa"),
        ("left", 0.3, "local_uzawa"),
        ("both", 0.0, "global_uzawa"),
        ("left", 0.0, "block_gauss_seidel"),
    ],
)
def test_resultants_are_the_embedded_engines_in_every_step(benchmark, friction, method):
    reference, energy, states = history("embedded", benchmark=benchmark, friction=friction)
    forces, found, same = history("sofa", benchmark=benchmark, friction=friction, method=method)
    sizes = np.linalg.norm(reference, axis=1)
    assert sizes.max() > 50.0 and (sizes > 1.0).sum() == STEPS - 1
    error = np.linalg.norm(forces - reference, axis=1)
    assert (error <= np.maximum(LIMIT * sizes, UNLOADED * sizes.max())).all(), error / sizes
    np.testing.assert_allclose(found, energy, rtol=2e-3, atol=1e-4 * energy.max())
    assert same == states


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"drive": "device"}, ("motions[0]", "'device'", "drive=script", "--engine embedded")),
        ({"drive": "jab"}, ("motions[0]", "'device'", "drive=script")),
        (
            {"displacement": "corotational"},
            ("flexibility.displacement", "'corotational'", "--engine embedded"),
        ),
        ({"method": "nncg"}, ("flexibility.method", "'nncg'", "local_uzawa")),
    ],
)
def test_what_sofa_cannot_express_is_refused(options, words):
    with pytest.raises(SceneError) as error:
        make_engine(load("blocks", options), "sofa")
    assert all(word in str(error.value) for word in words), str(error.value)


def test_a_run_writes_what_the_embedded_engine_does():
    one, other = (
        run("blocks", name, record=False, replay=False, steps=7, progress=False)
        for name in ("embedded", "sofa")
    )
    assert one.exit_code == other.exit_code == 0, other.message
    for kind in ("force", "tool"):
        a, b = (
            np.array([result.history.probes[f"{kind} {axis}"] for axis in "xyz"]) for result in (one, other)
        )
        assert np.abs(a).max() > 1e-3
        np.testing.assert_allclose(b, a, rtol=0, atol=UNLOADED * np.abs(a).max())


def test_too_few_sweeps_show_up_to_the_exit_code(monkeypatch):
    monkeypatch.setattr("softcontact.engines.sofa.blocks.MAX_SWEEPS", 3)
    result = run("blocks", "sofa", record=False, replay=False, progress=False)
    assert result.exit_code != 0
    assert not result.history.series["converged"].all()


def test_the_scene_opens_in_sofas_own_programs():
    import Sofa.Core
    import Sofa.Simulation

    root = Sofa.Core.Node("root")
    assert create_scene(root, "blocks") is root
    Sofa.Simulation.init(root)
    for _ in range(2):
        Sofa.Simulation.animate(root, root.dt.value)
    top = np.array(root.green.state.position.value)[-1]
    np.testing.assert_allclose(top, [0.06, 0.02, 0.038], atol=1e-12)
    assert np.array(root.red.state.position.value)[:, 2].min() < -1e-6
