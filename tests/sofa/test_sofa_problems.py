# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contact problems told by the engine `sofa`: SOFA's own W and free velocities, solved again outside SOFA."""

import numpy as np
import pytest

pytest.importorskip("Sofa", reason="SofaPython3 is not on PYTHONPATH: the sofa engine is not tested in SOFA")

from softcontact import run
from softcontact.cli.app import main
from softcontact.engines import make_engine
from softcontact.scene import Scene
from softcontact.scene.errors import SceneError
from softcontact.solver import read_fclib, residual, solve

TABLE = {"name": "table", "kind": "kinematic", "position": [0, 0, -0.01], "friction": 0.4}
TABLE["shape"] = {"kind": "box", "size": [1, 1, 0.02]}


def sliding(**changes):
    """A box of 0.5 kg that slides over a table from just above it, and one beside it with other friction."""
    boxes = [
        {"name": name, "kind": "rigid", "shape": {"kind": "box", "size": [0.1, 0.1, 0.1]}, "mass": 0.5}
        | {"position": [0, y, 0.0501], "velocity": [0.8, 0.1, 0], "friction": friction}
        for name, y, friction in (("rough", 0.0, 0.9), ("smooth", 0.3, 0.1))
    ]
    data = {"name": "sliding", "duration": 0.1, "time_step": 0.005, "bodies": [*boxes, TABLE]}
    return Scene.from_dict(data | {"solver": {"tolerance": 1e-10, "max_iterations": 20000}} | changes)


def test_first_problem_has_the_delassus_operator_and_friction_of_the_embedded_engine():
    found = []
    for name in ("embedded", "sofa"):
        engine = make_engine(sliding(), name)
        engine.keep_problems()
        assert engine.contact_problem() is None
        engine.step()
        found.append(engine.contact_problem())
    ours, sofas = (each.problem for each in found)
    assert ours.contacts == sofas.contacts >= 8
    spectra = [np.linalg.eigvalsh(problem.W) for problem in (ours, sofas)]
    np.testing.assert_allclose(spectra[1], spectra[0], atol=1e-12 * spectra[0].max())
    np.testing.assert_allclose(np.sort(sofas.mu), np.sort(ours.mu), rtol=1e-12)
    for side in (1.0, 3.0):  # each contact has the friction of its own pair: 0.6 or 0.2
        assert (np.isclose(sofas.mu, 0.2 * side)).sum() >= 4


def test_files_are_solved_again_to_the_velocities_of_the_step(tmp_path):
    result = run(sliding(), "sofa", tmp_path / "r", progress=False, replay=False, dump_problems=10)
    assert result.summary["problems"] == {"every": 10, "written": 2}
    for path in sorted((tmp_path / "r" / "problems").iterdir()):
        problem = read_fclib(path)
        solution = solve(problem, tolerance=1e-10)
        engine = make_engine(sliding(), "sofa")
        engine.keep_problems()
        for _ in range(int(path.stem[-6:])):
            engine.step()
        step = engine.contact_problem()
        assert solution.converged and residual(problem, step.force) < 1e-9
        np.testing.assert_array_equal(problem.W.toarray(), step.problem.W)
        np.testing.assert_allclose(solution.velocity, problem.velocity(step.force), atol=1e-9)
        load = sum(patch["normal_force"] for patch in engine.patches())
        assert step.force[0::3].sum() == pytest.approx(load, rel=1e-9) and load > 5.0
        slid = np.linalg.norm(solution.velocity.reshape(-1, 3)[:, 1:], axis=1)
        before = engine.pose("smooth")
        engine.step()
        moved = np.linalg.norm((engine.pose("smooth") - before)[:2]) / 0.005
        loss = 0.2 * 9.81 * 0.005  # in one step, by friction
        assert slid.max() == pytest.approx(moved + loss, rel=1e-6)


def test_what_sofa_cannot_tell_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SceneError, match=r"friction: 0 leaves .* one row each"):
        make_engine(
            sliding(pair_friction=[{"a": "rough", "b": "table", "friction": 0}]), "sofa"
        ).keep_problems()
    assert main(["run", "blocks", "--engine", "sofa", "--dump-problems", "5"]) == 2
    assert "dump_problems: engine 'sofa' cannot tell" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
