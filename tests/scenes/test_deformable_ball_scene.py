# SPDX-License-Identifier: LGPL-2.1-or-later
"""A soft ball in a hand that follows a recorded glove: squeezed, lifted and carried in both contact models."""

import numpy as np
import pytest

from softcontact.engines.embedded import EmbeddedEngine
from softcontact.runner import run
from softcontact.scene import SceneError
from softcontact.scene.library import load
from softcontact.scene.resolve import resolve
from softcontact.tracking.simulate import BALL_RADIUS


def extent(engine):
    """Least and greatest width of the ball over many directions [m]."""
    directions = np.random.default_rng(0).normal(size=(200, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    widths = np.ptp(engine.vertices("object") @ directions.T, axis=0)
    return widths.min(), widths.max()


def test_ball_is_squeezed_lifted_and_carried():
    scene = resolve(load("deformable-ball", {"divisions": 3, "time_step": 0.01}))
    engine = EmbeddedEngine(scene)
    start, (thin, wide) = engine.pose("object"), extent(engine)
    assert wide - thin < 2e-3
    for _ in range(round(4.0 / scene.time_step)):
        engine.step()
    moved = engine.pose("object") - start
    assert engine.status()["ok"]
    assert moved[2] > 0.09 and moved[1] == pytest.approx(0.08, rel=0.1)
    thin, wide = extent(engine)
    assert thin < 2.0 * BALL_RADIUS - 3e-3  # the fingers press it in, and it bulges elsewhere
    assert len([p for p in engine.patches() if "object" in (p["body"], p["other"])]) >= 4


@pytest.mark.slow
@pytest.mark.parametrize("model", ["aggregate", "point"])
def test_every_check_holds_in_both_models(model):
    result = run(load("deformable-ball", {"contact": model}), record=False, replay=False)
    assert result.exit_code == 0, (result.message, result.checks)
    # six of the scene, and that bodies stayed out of each other and of themselves, and every step was solved
    assert len(result.checks) == 9


def test_recording_and_options_are_checked():
    assert load("deformable-ball").motions[0].source == "grasp"
    with pytest.raises(SceneError, match=r"no recording 'nothing\.csv'"):
        load("deformable-ball", {"track": "nothing.csv"})
    with pytest.raises(SceneError, match="deformable-ball: option: divisions"):
        load("deformable-ball", {"divisions": "2"})
