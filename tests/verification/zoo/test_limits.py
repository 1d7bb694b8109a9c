# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rigid joint limits, whatever hits the chain: no joint goes beyond one, and no energy comes from it."""

import pytest
from zoo_scenes import chain, floor

from softcontact.runner import run
from softcontact.scene import PairRestitution, Scene

MOST = 0.6
"""Limit of each joint, to either side [rad]."""


def dropped(h: float, restitution: float, integrator: str = "midpoint") -> Scene:
    """Four links with a ball on each joint that fall on a floor from 0.3 m, slightly tilted."""
    lean = (0.18, 0.18, 0, 0.967)
    arm = chain(4, most=MOST, position=(0, 0, 0.3), orientation=lean, friction=0.4)
    bounce = [PairRestitution(a="floor", b="arm", restitution=restitution)] if restitution else []
    return Scene(
        name="dropped",
        duration=1.5,
        time_step=h,
        integrator=integrator,
        bodies=[arm, floor(0.4)],
        pair_restitution=bounce,
    )


@pytest.mark.parametrize("integrator", ["implicit-euler", "midpoint"])
@pytest.mark.parametrize("restitution", [0.0, 0.8])
@pytest.mark.parametrize("h", [0.002, 0.005, 0.01, 0.02])
def test_a_chain_that_is_thrown_on_a_floor_stays_within_its_limits(h, restitution, integrator):
    """At 20 ms a joint turns by up to 0.7 rad in a step, from far off a limit to far beyond it."""
    result = run(dropped(h, restitution, integrator), record=False, replay=False, progress=False)
    judged = {check["name"]: check["value"] for check in result.summary["checks"]}
    assert result.exit_code == 0, judged
    assert judged["within_limits"] < 1e-5
    assert judged["no_energy_gained"] < 2e-3


def test_a_joint_beyond_its_limit_fails_the_run(monkeypatch):
    from softcontact.engines.embedded import EmbeddedEngine

    inside = EmbeddedEngine.joint_positions
    monkeypatch.setattr(EmbeddedEngine, "joint_positions", lambda self, body: inside(self, body) + 0.05)
    result = run(dropped(0.01, 0.0), record=False, replay=False, progress=False)
    failed = {check["name"]: check["value"] for check in result.summary["checks"] if not check["passed"]}
    assert failed == {"within_limits": pytest.approx(0.05, abs=1e-3)}
