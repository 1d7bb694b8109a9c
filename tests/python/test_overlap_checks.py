# SPDX-License-Identifier: LGPL-2.1-or-later
"""What every run is judged by, asked for or not: bodies out of each other, and soft ones out of themselves."""

import numpy as np
import pytest
from scene_samples import drop_scene

from softcontact.checks import evaluate
from softcontact.mesh.tetrahedral_primitives import tetrahedral_box
from softcontact.record import Recorder
from softcontact.runner import run
from softcontact.scene import (
    ContactSettings,
    Material,
    NotSelfCrossing,
    OverlapLimit,
    Scene,
    TetrahedralBall,
    TetrahedralBody,
)


def judged(scene, **series):
    """Checks that fail where one step of a run had these figures."""
    history = run(scene, steps=5, record=False, replay=False, progress=False).history
    for name, value in series.items():
        history.series[name][2] = value
    return {check["name"] for check in evaluate(scene, history)[0] if not check["passed"]}


@pytest.mark.parametrize("where", ["overlap_points", "overlap_patches"])
def test_overlap_above_one_percent_in_one_step_fails_a_run_that_does_not_ask(where):
    assert judged(drop_scene(checks=[]), **{where: 0.0099}) == set()
    assert judged(drop_scene(checks=[]), **{where: 0.0101}) == {"overlap"}


def test_a_scene_may_allow_more_over_its_whole_time_alone():
    assert judged(drop_scene(checks=[OverlapLimit(patches=0.05)]), overlap_patches=0.04) == set()
    assert judged(drop_scene(checks=[OverlapLimit(patches=0.05)]), overlap_patches=0.06) == {"overlap"}
    part = OverlapLimit(name="late", patches=0.05, start=0.01)
    assert judged(drop_scene(checks=[part]), overlap_patches=0.04) == {"overlap"}


def soft(name, height, **fields):
    return TetrahedralBody(
        name=name,
        shape=TetrahedralBall(radius=0.01, divisions=2),
        position=(0.0, 0.0, height),
        aggregate=True,
        **fields,
    )


@pytest.mark.parametrize(("young", "fails"), [(1e3, {"overlap"}), (1e4, set())])
def test_soft_balls_that_patches_let_into_each_other_fail_the_run(young, fails):
    """At 1 m/s the softer ones end 1 mm inside each other, a tenth of their size."""
    material = Material(young=young)
    low, top = (
        soft("low", 0.0, material=material),
        soft("top", 0.0205, material=material, velocity=(0, 0, -1)),
    )
    scene = Scene(
        name="jelly",
        duration=0.05,
        time_step=0.002,
        gravity=(0.0, 0.0, 0.0),
        contact=ContactSettings(max_penetration=0.01),
        bodies=[low, top],
    )
    result = run(scene, record=False, replay=False, progress=False)
    assert {check["name"] for check in result.checks if not check["passed"]} == fails
    assert result.exit_code == (1 if fails else 0)


class Folded:
    """An engine whose soft box has one face pushed out through the opposite one."""

    def __init__(self, push):
        mesh = tetrahedral_box(0.02, 2)
        surface, _ = mesh.surface()
        self.corners = np.array(surface.vertices)
        top = self.corners[:, 2] > self.corners[:, 2].max() - 1e-9
        self.corners[top, 2] -= push
        self.surface = type("Info", (), {"name": "box", "triangles": surface.triangles})

    def vertices(self, _):
        return self.corners


@pytest.mark.parametrize(("push", "crosses"), [(0.0, False), (0.008, False), (0.03, True)])
def test_a_soft_body_turned_through_itself_is_counted(push, crosses):
    recorder = Recorder.__new__(Recorder)
    recorder.engine = Folded(push)
    recorder._soft = [recorder.engine.surface]
    assert (recorder._count_crossings() > 0) == crosses


def test_crossings_fail_a_run_with_soft_bodies_that_does_not_ask():
    scene = Scene(name="one", duration=0.02, bodies=[soft("ball", 0.0, material=Material(young=1e4))])
    assert judged(scene, self_crossings=1) == {"not_self_crossing"}
    allowed = scene.model_copy(update={"checks": (NotSelfCrossing(most=3),)})
    assert judged(allowed, self_crossings=3) == set()
    assert judged(allowed, self_crossings=4) == {"not_self_crossing"}


def test_a_body_that_starts_inside_tissue_fails_though_it_is_thrown_out():
    """2 mm of 30: the first step parts them, and all later ones are fine."""
    made = Scene.from_dict(
        {
            "name": "inside",
            "duration": 0.1,
            "time_step": 0.005,
            "bodies": [
                {
                    "name": "tissue",
                    "kind": "tetrahedral",
                    "shape": {"kind": "tetrahedral-box", "size": [0.08, 0.08, 0.03], "divisions": [4, 4, 2]},
                    "material": {"young": 4e4, "poisson": 0.4, "density": 1000},
                    "fixed_region": {"low": [-1, -1, -1], "high": [1, 1, -0.0149]},
                },
                {
                    "name": "weight",
                    "kind": "rigid",
                    "shape": {"kind": "box", "size": [0.03, 0.03, 0.03]},
                    "mass": 0.1,
                    "position": [0.004, 0.003, 0.028],
                },
            ],
        }
    )
    result = run(made, record=False, replay=False, progress=False)
    overlap = next(check for check in result.checks if check["name"] == "overlap")
    assert overlap["value"] == pytest.approx(2.0 / 30.0, rel=0.01)
    assert result.exit_code == 1
    assert result.history.series["overlap_points"][1:].max() < 0.01
