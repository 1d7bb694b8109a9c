# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contact problems that a run writes: they are those of its steps, and any solver finds what the run found."""

import json
from types import SimpleNamespace

import h5py
import numpy as np
import pytest
from scene_samples import drop, drop_scene

from softcontact.cli.app import main
from softcontact.engines.blocks import BlocksEngine
from softcontact.engines.embedded import EmbeddedEngine
from softcontact.problems import keep_problems
from softcontact.runner import run
from softcontact.scene import SceneError
from softcontact.scene.library import load
from softcontact.scene.model import Scene
from softcontact.solver import read_fclib, residual, solve

GRAVITY = 9.81
TABLE = drop()["bodies"][1]


@pytest.fixture(autouse=True)
def no_plots(monkeypatch):
    """Leave out the report; drawing takes longer than these runs."""
    monkeypatch.setattr("softcontact.report.report.write_report", lambda *_: None)


def box(name, height, **more):
    shape = {"kind": "box", "size": [0.1, 0.1, 0.1]}
    return {"name": name, "kind": "rigid", "shape": shape, "mass": 0.5, "position": [0, 0, height]} | more


def stack(**changes):
    """Three boxes of 0.5 kg on each other, the top one sliding at first, as plain data."""
    boxes = [box("low", 0.0505), box("middle", 0.151), box("high", 0.2515, velocity=[0.3, 0, 0])]
    return drop(**{"name": "stack", "bodies": [*boxes, TABLE], "probes": [], "checks": []} | changes)


def run_quietly(scene, out, **options):
    return run(scene, out=out, progress=False, replay=False, **options)


def stored(path):
    with h5py.File(path) as file:
        return file["solution/r"][()], file["solution/u"][()]


def files(result):
    return sorted((result.out / "problems").glob("*"))


def solved_again(path, tolerance=1e-10):
    """Largest difference [m/s] of the stored velocities to those that solve finds by itself, from zero."""
    problem = read_fclib(path)
    force, velocity = stored(path)
    assert residual(problem, force) < 1e-8
    np.testing.assert_allclose(velocity, problem.velocity(force), atol=1e-14)
    solution = solve(problem, tolerance=tolerance)
    assert solution.converged
    return float(abs(solution.velocity - velocity).max())


def test_every_step_that_is_due_and_has_contacts_gives_one_file(tmp_path):
    result = run_quietly(drop_scene(), tmp_path / "r", dump_problems=4)
    touching = [step for step in range(4, 81, 4) if result.history.series["contacts"][step - 1] > 0]
    assert 4 not in touching and len(touching) > 10  # the box falls first
    assert [path.name for path in files(result)] == [f"step-{step:06d}.hdf5" for step in touching]
    assert result.summary["problems"] == {"every": 4, "written": len(touching)}


def test_boxes_on_each_other_are_solved_again_to_the_velocities_of_the_step(tmp_path):
    scene = Scene.from_dict(stack())
    result = run_quietly(scene, tmp_path / "r", dump_problems=8)
    found = files(result)
    assert len(found) == 10 and result.summary["converged_fraction"] == 1.0
    # W has no full rank here: forces of four corners are not unique, their velocities and sums are; and on one of
    # these problems every method stalls at a residual of 2e-10.
    assert max(solved_again(path, 1e-9) for path in found) < 2.0 * scene.solver.tolerance
    at_rest = read_fclib(found[-1])
    for force in (stored(found[-1])[0], solve(at_rest, tolerance=1e-9).force):
        assert force[0::3].sum() == pytest.approx((3 + 2 + 1) * 0.5 * GRAVITY, rel=1e-6)


def test_velocities_and_forces_of_the_problem_are_those_of_the_world():
    engine = EmbeddedEngine(drop_scene(bodies=[box("box", 0.0501, velocity=[0.8, 0.2, 0]), TABLE]))
    for _ in range(10):
        engine.step()
    found = engine.contact_problem()
    velocity = found.problem.velocity(found.force).reshape(-1, 3)
    before = engine.pose("box")
    engine.step()
    now = engine.contact_problem()
    slid = now.problem.velocity(now.force).reshape(-1, 3)
    moved = np.linalg.norm((engine.pose("box") - before)[:2]) / engine.scene.time_step
    assert moved > 0.3
    np.testing.assert_allclose(np.linalg.norm(slid[:, 1:], axis=1), moved, rtol=1e-6)
    assert (velocity[:, 1:] != slid[:, 1:]).any()  # the next step's, not the same again
    load = sum(patch["normal_force"] for patch in engine.patches())
    assert now.force[0::3].sum() == pytest.approx(load, rel=1e-12) and load > 1.0
    np.testing.assert_array_equal(now.problem.mu, 0.5)


def test_contacts_that_are_still_apart_may_close():
    step = 0.005
    contact = {"alarm_distance": 6e-3}
    engine = EmbeddedEngine(
        drop_scene(bodies=[box("box", 0.053, velocity=[0, 0, -0.2]), TABLE], contact=contact)
    )
    for _ in range(4):  # 3 mm at 0.2 m/s and more: apart, apart, and then closed
        engine.step()
        found = engine.contact_problem()
        gap = engine.pose("box")[2] - 0.05
        velocity = found.problem.velocity(found.force)[0::3]
        np.testing.assert_allclose(velocity, gap / step, atol=0.03)  # g h / 2 of the parabola
        assert (found.force[0::3].sum() > 1.0) == (gap < 1e-9)
    assert gap < 1e-9


def test_a_grasp_by_points_is_solved_again_to_the_velocities_of_the_step(tmp_path):
    scene = load("hand", {"contact": "point", "solver.tolerance": "1e-9"})
    result = run_quietly(scene, tmp_path / "r", steps=240, dump_problems=20)
    *_, early, late = files(result)
    assert read_fclib(late).contacts > 100 > read_fclib(early).contacts / 2
    assert max(map(solved_again, (early, late))) < 1e-8


def test_what_is_written_is_read_back_bit_by_bit(tmp_path):
    scene = Scene.from_dict(stack())
    result = run_quietly(scene, tmp_path / "r", steps=20, dump_problems=20)
    engine = EmbeddedEngine(scene)
    for _ in range(20):
        engine.step()
    (path,) = files(result)
    found, again = engine.contact_problem(), read_fclib(path)
    assert again.contacts >= 12
    assert np.array_equal(again.W.toarray(), found.problem.W)
    assert np.array_equal(again.q, found.problem.q) and np.array_equal(again.mu, found.problem.mu)
    assert np.array_equal(stored(path)[0], found.force)


def test_asking_for_problems_changes_nothing_else(tmp_path):
    scene = Scene.from_dict(stack())
    asked = run_quietly(scene, tmp_path / "asked", dump_problems=1)
    alone = run_quietly(scene, tmp_path / "alone")
    assert asked.summary["state_hash"] == alone.summary["state_hash"]
    assert "problems" not in alone.summary and not (alone.out / "problems").exists()


def test_files_say_what_they_are(tmp_path):
    result = run_quietly(Scene.from_dict(stack(name="stäck")), tmp_path / "r", steps=40, dump_problems=40)
    with h5py.File(files(result)[0]) as file:
        info = file["fclib_local/info"]
        # As FCLIB's C code writes and prints them: with the zero at their end.
        assert {info[name].id.get_type().get_strpad() for name in info} == {h5py.h5t.STR_NULLTERM}
        text = {name: info[name][()].decode() for name in info}
    assert set(text) == {"title", "description", "math_info"}
    assert text["title"] == "SoftContact: scene stäck, step 40"
    assert "h = 0.005 s" in text["description"] and "engine embedded" in text["description"]
    assert "u = W r + q" in text["math_info"] and "[m/(N s)]" in text["math_info"]


@pytest.mark.parametrize(("displacement", "due"), [("linear", (5, 10)), ("corotational", (1,))])
def test_problems_of_blocks_are_those_of_their_steps(tmp_path, displacement, due):
    result = run_quietly(
        load("blocks", {"displacement": displacement}), tmp_path / "r", steps=due[-1], dump_problems=due[0]
    )
    for path, step in zip(files(result), due, strict=True):
        problem, (force, slip) = read_fclib(path), stored(path)
        assert problem.contacts == 25 and (problem.mu == 0.3).all()
        assert residual(problem, force) < 1e-11
        assert force[0::3].sum() == pytest.approx(abs(result.contact_force("green")[step - 1, 2]), rel=1e-12)
        again = solve(problem, tolerance=1e-10)
        assert again.converged and abs(again.force - force).max() < 1e-3  # of 44 N
        assert abs(again.velocity - slip).max() < 1e-8
        if step == 10:  # dragged along x, every node slips by what the tool moves in a step
            np.testing.assert_allclose(slip[1::3], 1e-3, rtol=1e-4)


def test_problems_of_a_haptic_device_are_those_of_its_ticks():
    engine = BlocksEngine(load("blocks", {"drive": "jab"}))
    keep_problems(engine)
    seen = 0
    for _ in range(30):
        engine.step()
        found = engine.contact_problem()
        if found is None:
            continue
        seen += 1
        gap = found.problem.velocity(found.force)[0::3]
        assert max(0.0, -gap.min()) == pytest.approx(engine.statistics()["penetration_max"], abs=1e-13)
        assert residual(found.problem, found.force) == pytest.approx(
            engine.statistics()["natural_map"], rel=1e-3, abs=1e-15
        )
        assert engine.statistics()["residual"] <= 1e-9  # [m], what the tick's tolerance is set against
    assert seen > 5


def test_what_cannot_be_told_is_refused_at_the_start(tmp_path):
    engine = BlocksEngine(load("blocks", {"drive": "jab", "displacement": "corotational"}))
    with pytest.raises(SceneError, match=r"flexibility.displacement: .*flexibility.displacement=linear"):
        keep_problems(engine)
    with pytest.raises(SceneError, match=r"engine 'sofa' cannot tell .* --engine embedded"):
        keep_problems(SimpleNamespace(name="sofa"))
    with pytest.raises(SceneError, match=r"dump_problems: .* output folder"):
        run(drop_scene(), record=False, progress=False, dump_problems=1)
    patches = EmbeddedEngine(drop_scene(bodies=[box("box", 0.0501, aggregate=True), TABLE]))
    patches.step()
    with pytest.raises(ValueError, match=r"contact\.model"):
        patches.contact_problem()


@pytest.mark.parametrize("every", ["0", "-3"])
def test_a_number_of_steps_below_one_is_refused(tmp_path, monkeypatch, capsys, every):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "drop.json").write_text(json.dumps(drop()))
    assert main(["run", "drop.json", "--dump-problems", every]) == 2
    assert f"dump_problems: {every} is not a whole number ≥ 1" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def aggregated():
    return drop(bodies=[box("box", 0.06, aggregate=True), TABLE])


def test_patches_are_refused_with_the_option_that_helps(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["run", "hand", "--dump-problems", "10"]) == 2
    said = capsys.readouterr().err
    assert "contact.model: 'aggregate'" in said and "'hand'" in said and "--set contact=point," in said
    (tmp_path / "drop.json").write_text(json.dumps(aggregated()))
    assert main(["run", "drop.json", "--dump-problems", "10"]) == 2
    said = capsys.readouterr().err
    assert "'box'" in said and "--set contact.model=point," in said and len(said.splitlines()) == 1
    assert not (tmp_path / "out").exists()
    arguments = ["run", "drop.json", "--set", "contact.model=point", "--dump-problems", "10", "--out", "r"]
    assert main([*arguments, "--no-replay"]) == 0
    assert len(list((tmp_path / "r" / "problems").iterdir())) == 8


def test_the_command_solve_takes_what_run_wrote(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stack.json").write_text(json.dumps(stack()))
    arguments = ["run", "stack.json", "--dump-problems", "40", "--no-replay", "--out", "r", "--json"]
    assert main(arguments) == 0
    assert json.loads(capsys.readouterr().out)["problems"] == {"every": 40, "written": 2}
    assert main(["solve", "r/problems/step-000080.hdf5", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["contacts"] >= 12
    # Another run into the same folder leaves none of the earlier one's problems.
    assert main([*arguments[:2], *arguments[4:]]) == 0
    assert not list((tmp_path / "r").glob("problems/*"))
    capsys.readouterr()
    assert main(["run", "stack.json", "--steps", "1", "--dump-problems", "2", "--out", "none"]) == 0
    assert "warning: no step that 2 divides had contacts" in capsys.readouterr().err


def test_files_of_others_are_kept_and_a_disk_that_refuses_ends_the_run(tmp_path, monkeypatch):
    (tmp_path / "mine" / "problems").mkdir(parents=True)
    (tmp_path / "mine" / "problems" / "step-000040.hdf5").write_text("not to be lost")
    with pytest.raises(SceneError, match="no run of softcontact wrote"):
        run_quietly(drop_scene(), tmp_path / "mine", dump_problems=40)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "problems").write_text("a file, not a folder")
    with pytest.raises(SceneError, match="cannot write to"):
        run_quietly(drop_scene(), tmp_path / "taken", dump_problems=40)

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("softcontact.problems.write_fclib", full)
    result = run_quietly(drop_scene(), tmp_path / "full", dump_problems=40)
    assert result.exit_code == 2 and "No space left" in result.message
    assert len(result.history.time) == 40 and result.summary["problems"]["written"] == 0
