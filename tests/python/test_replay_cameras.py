# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cameras that bodies carry, and sections: what the recording refuses, what the page shows through them."""

import dataclasses
import io

import matplotlib.pyplot as plt
import numpy as np
import pytest
from replay_sample import lifted_ball

from softcontact import mesh
from softcontact.report.chromium import ChromiumPage, find_chromium
from softcontact.report.recording import Recording, SurfaceTrack
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


def tool_in_a_ball():
    """A small tool inside a closed ball that stands still, cut by the plane x = 0."""
    outer, inner = mesh.sphere(0.04, 6), mesh.sphere(0.012, 6)
    still = np.array([[0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0]])
    tracks = [
        SurfaceTrack("ball", "organ", outer.triangles, (0.8, 0.1, 0.1), rest=outer.vertices, poses=still),
        SurfaceTrack("tool", "tool", inner.triangles, (0.1, 0.1, 0.9), rest=inner.vertices, poses=still),
    ]
    cut = {"surface": "ball", "point": (0.0, 0.0, 0.0), "normal": (2.0, 0.0, 0.0)}
    return Recording("cut", np.array([0.0]), tracks, [[]], cuts=[cut])


def middle_pixel(page):
    """Colour in the middle of the picture (3,), 0 to 1."""
    page.evaluate("new Promise(d => requestAnimationFrame(() => requestAnimationFrame(() => d(true))))")
    image = plt.imread(io.BytesIO(page.screenshot()))
    return image[image.shape[0] // 2, image.shape[1] // 2, :3]


def test_a_cut_needs_a_surface_that_is_there():
    recording = tool_in_a_ball()
    with pytest.raises(ValueError, match="no surface 'heart'; there are ball, tool"):
        dataclasses.replace(recording, cuts=[recording.cuts[0] | {"surface": "heart"}])


@pytest.mark.browser
@pytest.mark.skipif(find_chromium() is None, reason="no Chromium found")
def test_a_cut_shows_what_lies_inside_and_the_first_view_looks_at_it(tmp_path):
    path = write_replay(tool_in_a_ball(), tmp_path / "replay.html")
    assert abs(read_replay(path)["camera"]["azimuth"]) < 20.0
    with ChromiumPage((320, 320)) as page:
        page.goto(path, "panels=0&cam=0,0,0.3,0,0,0.1&theme=light")
        page.evaluate("softcontactReplay.whenReady.then(() => true)")
        red, _, blue = middle_pixel(page)
        assert blue > 2.0 * red  # the tool, behind the plane
        page.evaluate("document.getElementById('cut').click(), true")
        red, _, blue = middle_pixel(page)
        assert red > 2.0 * blue  # the ball around it
        page.evaluate("document.getElementById('cut').click(), true")
        page.evaluate(
            "softcontactReplay.setCamera({azimuth: 0, elevation: 0, distance: 0.3, target: [0, 0.025, 0.1]}), true"
        )
        section = middle_pixel(page)
        assert section.min() > 0.4 and section[0] == section.max()  # matter, not the far wall from within
