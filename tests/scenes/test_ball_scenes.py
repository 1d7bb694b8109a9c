# SPDX-License-Identifier: LGPL-2.1-or-later
"""The ball lifted by fingertips and by the whole hand: contacts as in the paper, and points against aggregates."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from softcontact.engines.embedded import EmbeddedEngine
from softcontact.runner import run
from softcontact.scene import Scene, SceneError
from softcontact.scene.library import find, load, names

# Contacts that Talvas et al. 2015, Table 1, count while the ball is held; phalanges that touch it here.
BALLS = {"ball-fingertips": (37, 5, 5), "ball-close": (84, 8, 12)}
HELD_FROM = 3.4  # [s]


@pytest.fixture(scope="module")
def scenes():
    """The scenes, planned once."""
    return {name: load(name) for name in BALLS}


@pytest.fixture(scope="module")
def runs(scenes):
    """Each scene in both contact models, run to its end once."""
    return {
        name: [
            run(scene.with_changes({"contact.model": model}), record=False, replay=False)
            for model in ("aggregate", "point")
        ]
        for name, scene in scenes.items()
    }


@pytest.mark.parametrize("name", BALLS)
def test_ball_is_held_with_the_papers_contacts_in_both_models(runs, name):
    contacts, least, most = BALLS[name]
    for result in runs[name]:
        assert result.exit_code == 0, (result.message, result.checks)
        assert result.summary["converged_fraction"] > 0.99
        held = result.history.time > HELD_FROM
        assert result.history.series["contacts"][held].mean() == pytest.approx(contacts, rel=0.2)
        touching = [
            patch for patch in result.summary["patches"] if "object" in (patch["body"], patch["other"])
        ]
        assert least <= len(touching) <= most


@pytest.mark.parametrize("name", BALLS)
def test_ball_ends_at_the_same_place_in_both_models(runs, name):
    aggregate, point = (result.history.poses["object"] for result in runs[name])
    assert aggregate[-1, 2] == pytest.approx(point[-1, 2], abs=2e-3)
    assert np.linalg.norm(aggregate[:, :3] - point[:, :3], axis=1).max() < 2e-3


class Wrench:
    """Net contact force [N] and moment [N·m] on a homogeneous ball in a step, from what they do to its velocity."""

    def __init__(self, engine, radius):
        self.engine, self.radius = engine, radius

    def step(self):
        """Do a step; force and moment over the weight and over weight times radius [-]."""
        before = self.engine.state()[
            7:13
        ]  # of the first body that moves: position, quaternion, then velocity
        self.engine.step()
        change = (self.engine.state()[7:13] - before) / (self.engine.scene.time_step * 9.81)
        turn = Rotation.from_quat(self.engine.pose("object")[3:])
        return turn.apply(change[:3]) + np.array([0.0, 0.0, 1.0]), 0.4 * self.radius * turn.apply(change[3:])


@pytest.fixture(scope="module", params=BALLS)
def change(request, scenes):
    """A static grasp by aggregates that goes on, from the same state, with all its points."""
    scene = scenes[request.param]
    engine = EmbeddedEngine(scene)
    wrench = Wrench(engine, scene.body("object").shape.radius)
    for _ in range(round(3.9 / scene.time_step)):
        before = wrench.step()
    place, rows = engine.pose("object"), engine.statistics()["rows"]
    engine.world.set_contact_model("point")
    first, more_rows = wrench.step(), engine.statistics()["rows"]
    after = np.array([wrench.step() for _ in range(160)])
    moved = np.linalg.norm((engine.pose("object") - place)[:3])
    return {"before": before, "first": first, "after": after, "moved": moved, "rows": (rows, more_rows)}


def test_aggregates_keep_the_net_wrench_of_the_full_point_set(change):
    """The ball feels the same by all points, and the same in each step."""
    (force, moment), late = change["before"], change["after"][40:]
    assert np.linalg.norm(force) == pytest.approx(1.0, abs=1e-6) and np.linalg.norm(moment) < 1e-6
    assert change["rows"][1] > 3 * change["rows"][0]
    assert np.linalg.norm(force - late[:, 0].mean(axis=0)) < 2e-3
    assert np.linalg.norm(moment - late[:, 1].mean(axis=0)) < 2e-3
    assert change["after"][100:].std(axis=0).max() < 1e-6


def test_the_change_to_points_does_not_throw_the_ball(change):
    """The points find their own balance within a fifth of a millimetre."""
    for before, first in zip(change["before"], change["first"], strict=True):
        assert np.linalg.norm(before - first) < 0.03
    assert change["moved"] < 2e-4


def test_contact_model_is_named(scenes):
    engine = EmbeddedEngine(scenes["ball-fingertips"])
    with pytest.raises(ValueError, match="contact = 'volume': use 'aggregate' or 'point'"):
        engine.world.set_contact_model("volume")


def test_scenes_go_by_names_with_dashes():
    assert {"ball-fingertips", "ball-close", "hand"} <= set(names())
    assert find("ball_close") == find("ball-close")
    with pytest.raises(SceneError, match="no scene 'ball-closed'; did you mean 'ball-close'"):
        find("ball-closed")
    with pytest.raises(SceneError, match="ball-close: unknown option 'radiu'"):
        load("ball-close", {"radiu": "1"})


def test_second_grasp_is_named_in_errors(scenes):
    data = scenes["ball-fingertips"].to_dict()
    data["grasps"] = [data["grasp"] | {"body": "table"}]
    with pytest.raises(SceneError, match=r"grasps\[0\]\.body: 'table' is kinematic"):
        Scene.from_dict(data)
