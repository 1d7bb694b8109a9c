# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cameras that bodies carry: what the recording refuses, what the page shows through them."""

import dataclasses

import pytest
from replay_sample import lifted_ball

from softcontact.report.chromium import ChromiumPage, find_chromium
from softcontact.report.replay import read_replay, write_replay

CAMERA = {
    "name": "optics",
    "position": (0.0, 0.0, 0.3),
    "direction": (0.0, 0.0, -1.0),
    "up": (0.0, 1.0, 0.0),
    "field_of_view": 60.0,
}


def carried(recording, surface):
    return dataclasses.replace(recording, cameras=[CAMERA | {"surface": surface}])


def test_camera_needs_a_rigid_surface_that_is_there():
    recording = lifted_ball()
    soft = next(s.name for s in recording.surfaces if not s.rigid)
    for name in ("nothing", soft):
        with pytest.raises(ValueError, match=f"'optics' is carried by '{name}', which is no rigid surface"):
            carried(recording, name)


@pytest.mark.browser
@pytest.mark.skipif(find_chromium() is None, reason="no Chromium found")
def test_page_looks_through_the_camera_and_back(tmp_path):
    recording = lifted_ball()
    rigid = next(s.name for s in recording.surfaces if s.rigid)
    path = write_replay(carried(recording, rigid), tmp_path / "replay.html")
    assert read_replay(path)["cameras"][0]["surface"] == rigid
    with ChromiumPage((480, 320)) as page:
        page.goto(path, "frame=5")
        page.evaluate("softcontactReplay.whenReady.then(() => true)")

        def picture():
            frames = "new Promise(d => requestAnimationFrame(() => requestAnimationFrame(() => d(true))))"
            page.evaluate(frames)
            return page.screenshot()

        outside = picture()
        page.evaluate("document.getElementById('through-optics').click(), true")
        assert page.evaluate("softcontactReplay.stats().through") == "optics"
        assert picture() != outside
        page.evaluate("document.getElementById('through-optics').click(), true")
        assert page.evaluate("softcontactReplay.stats().through") is None
