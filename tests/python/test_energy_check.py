# SPDX-License-Identifier: LGPL-2.1-or-later
"""Energy as a judge of every run that nothing drives."""

import numpy as np
import pytest
from scene_samples import drop_scene

from softcontact.checks import evaluate
from softcontact.runner import run
from softcontact.scene import (
    Box,
    KinematicBody,
    Material,
    NoEnergyGained,
    Region,
    RigidBody,
    Scene,
    SceneError,
    Sphere,
    TetrahedralBody,
    TetrahedralBox,
)


def fallen(**changes):
    """A block that falls by 0.1 m on a table and lies: 1 kg, 0.1 m, E from 1.96 J to 0.98 J."""
    fields = {"duration": 0.3, "time_step": 0.005}
    block = RigidBody(name="block", shape=Box(size=(0.1, 0.1, 0.1)), mass=1.0, position=(0, 0, 0.15))
    table = KinematicBody(name="table", shape=Box(size=(1, 1, 0.1)), position=(0, 0, -0.05))
    return Scene(name="fallen", bodies=[block, table], **(fields | changes))


def names(scene, change=lambda series: None):
    """Checks that were judged, and those that failed, where the series of a run were changed."""
    history = run(scene, record=False, replay=False, progress=False).history
    change(history.series)
    checks = evaluate(scene, history)[0]
    return {c["name"] for c in checks}, {c["name"] for c in checks if not c["passed"]}


def lift(joules, row):
    def change(series):
        series["potential"][row] += joules

    return change


def test_a_run_that_nothing_drives_is_judged_and_one_that_falls_passes():
    judged, failed = names(fallen())
    assert "no_energy_gained" in judged
    assert not failed


@pytest.mark.parametrize("rise", [0.0, 0.001])
def test_values_of_checks_are_plain_numbers(rise):
    """NumPy's rise beside the 0.0 of a run without one: tables took the two for texts."""
    scene = fallen()
    history = run(scene, record=False, replay=False, progress=False).history
    lift(rise, 10)(history.series)
    checks, _ = evaluate(scene, history)
    assert {type(check[name]) for check in checks for name in ("value", "limit")} <= {float, int}


@pytest.mark.parametrize("row", [0, 10, -1])
def test_energy_from_nothing_in_one_step_fails_the_run(row):
    """The scale is the weight times the size, 0.981 J, or the energy lost, as much."""
    assert names(fallen(), lift(0.0097, row))[1] == set()
    assert names(fallen(), lift(0.0103, row))[1] == {"no_energy_gained"}


def test_a_rise_counts_from_the_lowest_value_before_it_and_not_from_the_start():
    def jump(series):
        series["kinetic"][-1] = 0.05  # far below the energy at the start

    assert names(fallen(), jump)[1] == {"no_energy_gained"}


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_an_energy_that_is_no_number_fails_the_run(bad):
    def spoil(series):
        series["elastic"][5] = bad

    assert "no_energy_gained" in names(fallen(), spoil)[1]


def test_what_is_driven_is_not_judged_and_refuses_the_check():
    motion = {
        "kind": "keyframes",
        "body": "table",
        "times": [0, 0.3],
        "positions": [[0, 0, -0.05], [0, 0, 0]],
    }
    data = fallen().to_dict() | {"motions": [motion]}
    scene = Scene.from_dict(data)
    assert scene.is_driven
    assert "no_energy_gained" not in names(scene)[0]
    with pytest.raises(SceneError, match=r"checks\[0\].*leave no_energy_gained out"):
        Scene.from_dict(data | {"checks": [{"kind": "no_energy_gained"}]})


def pendulum(integrator, h):
    """A double pendulum of 0.2 m that starts level."""
    link = {
        "mass": 0.1,
        "com": (0.05, 0, 0),
        "inertia": np.diag([1e-6, 1e-4, 1e-4]).tolist(),
        "axis": (0, 1, 0),
    }
    links = [{"name": "a", **link}, {"name": "b", "parent": "a", "position": (0.1, 0, 0), **link}]
    arm = {"kind": "articulated", "name": "arm", "links": links}
    return Scene.from_dict(
        {"name": "swing", "duration": 1.0, "time_step": h, "integrator": integrator, "bodies": [arm]}
    )


@pytest.mark.parametrize("h", [0.001, 0.005, 0.02])
@pytest.mark.parametrize("integrator", ["implicit-euler", "midpoint"])
def test_chains_are_judged_apart_from_the_swing_of_their_rule(integrator, h):
    """By implicit Euler their energy swings by 4 % at 5 ms and by 17 % at 20 ms."""
    judged, failed = names(pendulum(integrator, h))
    assert "no_energy_gained" in judged
    assert not failed


@pytest.mark.parametrize(("integrator", "swing"), [("implicit-euler", 1.0), ("midpoint", 0.0)])
def test_energy_of_a_chain_beyond_its_swing_fails_the_run(integrator, swing):
    scene = pendulum(integrator, 0.005)

    def gain(share):
        def change(series):
            potential = np.append(0.0, series["potential"])
            series["elastic"][-20:] += swing * np.abs(np.diff(potential)).max()
            series["elastic"][-20:] += share * -potential.min()

        return change

    assert names(scene, gain(0.03))[1] == {"no_energy_gained"}


def test_what_falls_beside_a_chain_does_not_widen_its_swing():
    """A heavy ball that falls far away changes the potential energy of the scene by far more in a step."""
    alone = pendulum("implicit-euler", 0.005)
    ball = {"kind": "rigid", "name": "ball", "mass": 5.0, "position": (5, 0, 0)}
    both = Scene.from_dict(
        alone.to_dict()
        | {"bodies": [*alone.to_dict()["bodies"], ball | {"shape": {"kind": "sphere", "radius": 0.1}}]}
    )
    swings = [
        run(scene, record=False, replay=False, progress=False).history.swing(slice(0, 200))
        for scene in (alone, both)
    ]
    assert swings[1] == pytest.approx(swings[0], rel=1e-9) and swings[0] > 0.0
    assert run(pendulum("midpoint", 0.005), record=False, replay=False).history.swing(slice(0, 200)) == 0.0


def test_a_scene_may_allow_more_over_its_whole_time():
    assert names(fallen(checks=[NoEnergyGained(limit=0.2)]), lift(0.1, 10))[1] == set()
    late = NoEnergyGained(limit=0.2, start=0.2, name="late")
    assert names(fallen(checks=[late]), lift(0.1, 10))[1] == {"no_energy_gained"}


def test_without_gravity_what_moves_is_the_scale():
    ball = RigidBody(name="ball", shape=Sphere(radius=0.05), mass=1.0, velocity=(1.0, 0, 0))
    scene = Scene(name="flies", duration=0.1, gravity=(0, 0, 0), bodies=[ball])
    assert names(scene)[1] == set()

    def faster(series):
        series["kinetic"][-1] *= 1.02

    assert names(scene, faster)[1] == {"no_energy_gained"}


def test_the_weight_is_that_of_the_heaviest():
    history = run(drop_scene(checks=[]), steps=1, record=False, replay=False, progress=False).history
    box = next(b for b in drop_scene().bodies if b.kind == "rigid")
    expected = box.mass * 9.81 * max(box.shape.size)
    assert history.weight_times_size == pytest.approx(expected, rel=1e-6)
    assert np.isfinite(history.energies()[1]).all()


def test_tissue_that_is_held_lends_its_weight_to_no_energy():
    """A light roller on a heavy slab glued to the ground: what it gains is much for it, and little for the slab."""
    held = Region(low=(-1, -1, -1), high=(1, 1, -0.0099))
    slab = TetrahedralBody(
        name="slab",
        shape=TetrahedralBox(size=(0.3, 0.06, 0.02), divisions=(6, 2, 1)),
        material=Material(young=1e6),
        position=(0, 0, -0.01),
        fixed_region=held,
    )
    ball = RigidBody(name="ball", shape=Sphere(radius=0.02), mass=0.05, position=(0, 0, 0.0205))
    scene = Scene(name="held", duration=0.1, time_step=0.005, bodies=[slab, ball])
    assert names(scene)[1] == set()
    assert names(scene, lift(1e-3, -1))[1] == {"no_energy_gained"}  # the ball: m g 2 r = 0.02 J, the slab 1 J
