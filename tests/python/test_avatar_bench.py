# SPDX-License-Identifier: LGPL-2.1-or-later
"""The avatar benchmark measures what it says."""

import pytest

from softcontact.bench import avatar, avatar_plots, avatar_pushes


@pytest.mark.parametrize(("contact", "rows"), [("point", 96), ("aggregate", 8)])
def test_a_run_of_the_robot_is_timed_by_stage(contact, rows):
    run = avatar.measure("robot", contact, 0.1)
    assert run["contacts"] >= 32 and run["rows"] >= rows
    assert len(run["pelvis_m"]) == 10
    stages = run["stages_ms"]
    assert set(stages) == {"free", "detection", "solve", "position"}
    assert 0.0 < stages["solve"] <= run["step_ms"]["median"]
    assert run["real_time_factor"] == pytest.approx(1.0 / run["step_ms"]["median"])
    assert 0.0 < run["processor_real_time_factor"] == pytest.approx(0.1 / run["processor_s"])
    assert run["paper_real_time_factor"] == pytest.approx(10 / 92)


def test_the_cost_of_the_inertia_grows_with_links_and_with_points(monkeypatch):
    monkeypatch.setattr(avatar, "LINKS", (8, 32))
    monkeypatch.setattr(avatar, "POINTS", (4, 16, 64))
    cost = avatar.scaling(3)
    times = {(n, m): time for n, m, time in cost["links_points_us"]}
    assert times[32, 16] > times[8, 16] and times[32, 64] > times[32, 4]
    assert cost["fit_us"]["per_link_and_touched_link"] > 0.0


def test_a_push_is_judged_by_what_gives_way_and_what_returns(monkeypatch, capsys):
    monkeypatch.setattr(avatar_pushes, "RETURNED", 1.2)
    row = avatar_pushes.push("robot", "wrist", "left")
    assert row["chain_rad"] > 0.05 > 5.0 * row["elsewhere_rad"]
    assert row["returned_rad"] < 0.2 * row["chain_rad"] and row["slid_m"] < 1e-3
    monkeypatch.setattr(
        avatar, "push", lambda name, place, to: row | {"avatar": name, "place": place, "passed": False}
    )
    assert len(avatar.pushed(("left",))) == 6
    assert capsys.readouterr().out.count("beyond the limits") == 6


def test_the_picture_has_every_run_and_the_cost(tmp_path):
    runs = [avatar.measure("robot", contact, 0.05) for contact in avatar.CONTACTS]
    fit = {"constant": 5.0, "per_link_and_touched_link": 0.1, "per_point_squared": 0.01}
    document = {
        "runs": runs,
        "scaling": {"links_points_us": [[8.0, 4.0, 9.0], [8.0, 8.0, 12.0]], "fit_us": fit},
    }
    avatar_plots.draw(document, tmp_path / "avatar.png")
    head = (tmp_path / "avatar.png").read_bytes()[:24]
    assert head.startswith(b"\x89PNG") and int.from_bytes(head[16:20], "big") > 1000
