# SPDX-License-Identifier: LGPL-2.1-or-later
"""Scenes with scripted fingertips: each keeps its promises in both contact modes, and fails where it should."""

import pytest

from softcontact.runner import run
from softcontact.scene import load


def ran(name, **options):
    return run(load(name, options), record=False, replay=False, progress=False)


def failed(result):
    return {check["name"] for check in result.checks if not check["passed"]}


@pytest.mark.parametrize(("grasp", "contacts"), [(1, 19), (2, 23)])
@pytest.mark.parametrize("contact", ["aggregate", "point"])
def test_edge_cube(grasp, contacts, contact):
    result = ran("edge-cube", grasp=grasp, contact=contact)
    assert result.exit_code == 0, failed(result)
    gripped = result.history.time > 1.4
    assert result.history.series["contacts"][gripped].mean() == pytest.approx(contacts, abs=2.0)
    assert result.summary["converged_fraction"] > 0.97


def test_uniform_pressure_leaves_the_cube_on_the_table():
    assert "lifted cube" in failed(ran("edge-cube", pressure="uniform"))


def test_the_cube_needs_friction():
    assert "lifted cube" in failed(ran("edge-cube", friction=0.3))
