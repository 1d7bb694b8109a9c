# SPDX-License-Identifier: LGPL-2.1-or-later
"""The avatar benchmark measures what it says."""

import pytest

from softcontact.bench import avatar


@pytest.mark.parametrize(("contact", "rows"), [("point", 96), ("aggregate", 8)])
def test_a_run_of_the_robot_is_timed_by_stage(contact, rows):
    run = avatar.measure("robot", contact, 0.1)
    assert run["contacts"] >= 32 and run["rows"] >= rows
    assert len(run["pelvis_m"]) == 10
    stages = run["stages_ms"]
    assert set(stages) == {"free", "detection", "solve", "position"}
    assert 0.0 < stages["solve"] <= run["step_ms"]["median"]
    assert run["real_time_factor"] == pytest.approx(1.0 / run["step_ms"]["median"])
    assert run["paper_real_time_factor"] == pytest.approx(10 / 92)


def test_the_cost_of_the_inertia_grows_with_links_and_with_points(monkeypatch):
    monkeypatch.setattr(avatar, "LINKS", (8, 32))
    monkeypatch.setattr(avatar, "POINTS", (4, 16, 64))
    cost = avatar.scaling(3)
    times = {(n, m): time for n, m, time in cost["links_points_us"]}
    assert times[32, 16] > times[8, 16] and times[32, 64] > times[32, 4]
    assert cost["fit_us"]["per_link_and_touched_link"] > 0.0
