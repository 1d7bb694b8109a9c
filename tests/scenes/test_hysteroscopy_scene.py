# SPDX-License-Identifier: LGPL-2.1-or-later
"""A scope swings about the cervix and bends a polyp; the replay can look through it."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from softcontact.mesh import anatomy
from softcontact.report.replay import read_replay
from softcontact.runner import run
from softcontact.scene import SceneError
from softcontact.scene.library import load
from softcontact.scene.probing import PivotPath

QUICK = {"cell": 0.004, "time_step": 0.02, "speed": 0.04}


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    return run(
        load("hysteroscopy", QUICK), out=tmp_path_factory.mktemp("hysteroscopy") / "run", progress=False
    )


def test_polyp_is_bent_far_and_springs_back(done):
    assert done.exit_code == 0, (done.message, done.checks)
    way = done.history.probes["polyp"]
    assert way.max() > anatomy.POLYPS[0][3]  # its head goes by more than its own radius
    assert way[-1] < 1e-4


def test_rod_goes_through_the_pivot_all_the_time(done):
    poses = done.history.poses["scope"]
    axis = Rotation.from_quat(poses[:, 3:]).apply([0.0, 0.0, 1.0])
    arm = np.array(anatomy.PIVOT) - poses[:, :3]
    off = np.linalg.norm(arm - (arm * axis).sum(axis=1)[:, None] * axis, axis=1)
    assert off.max() < 1e-3
    canal = poses[:, :3] + ((0.006 - poses[:, 2]) / axis[:, 2])[:, None] * axis
    assert np.linalg.norm(canal[:, :2], axis=1).max() < anatomy.CERVIX_RADIUS - 0.002


def test_replay_has_the_view_through_the_scope(done):
    (camera,) = read_replay(done.out / "replay.html")["cameras"]
    assert camera["name"] == "scope" and camera["surface"] == "scope"
    assert camera["direction"] == [0.0, 0.0, 1.0]


def test_polyps_and_scope_lie_behind_the_cut_that_the_replay_opens_the_cavity_with(done):
    (cut,) = read_replay(done.out / "replay.html")["cuts"]
    assert cut["surface"] == "uterus"
    normal, point = np.array(cut["normal"]), np.array(cut["point"])
    half = anatomy.CAVITY[1][1]
    assert half > np.abs(point @ normal) > 0.3 * half  # the cavity is open, and more than half of it stands
    for foot, head, stalk, radius in anatomy.POLYPS:
        for place, size in ((foot, stalk), (head, radius)):
            assert (np.array(place) - point) @ normal < -0.9 * size
    assert ((done.history.poses["scope"][:, :3] - point) @ normal).max() < 0.0


def test_pivot_path_turns_the_axis_through_the_pivot():
    path = PivotPath((0.0, 0.0, 0.03), (0.0, 0.0, 0.01), 0.01)
    path.to((0.008, -0.004, 0.04))
    assert path.time == pytest.approx(np.linalg.norm([0.008, -0.004, 0.01]) / 0.01)
    for position, orientation in zip(path.positions, path.orientations, strict=True):
        axis = Rotation.from_quat(orientation).apply([0.0, 0.0, 1.0])
        arm = np.subtract(position, (0.0, 0.0, 0.01))
        np.testing.assert_allclose(np.cross(axis, arm), 0.0, atol=1e-12)
        assert axis @ arm > 0.0


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"cell": 0.006}, "cell"),
        ({"record.cameras": [{"name": "a", "body": "uterus"}]}, "'uterus' is not rigid"),
        ({"record.cameras": [{"name": "a", "body": "nobody"}]}, "no body 'nobody'"),
        ({"record.cuts": [{"body": "nobody", "point": [0, 0, 0], "normal": [0, 1, 0]}]}, "no body 'nobody'"),
        ({"record.cuts": [{"body": "uterus", "point": [0, 0, 0], "normal": [0, 0, 0]}]}, "has no direction"),
        ({"record.cameras": [{"name": "a", "body": "scope", "direction": [0, 0, 0]}]}, "has no direction"),
        ({"record.cameras": [{"name": "a", "body": "scope", "up": [0, 0, 2]}]}, "points along the direction"),
    ],
)
def test_wrong_values_are_refused(options, text):
    with pytest.raises(SceneError, match=text):
        load("hysteroscopy", options)
