# SPDX-License-Identifier: LGPL-2.1-or-later
"""The replay page: what it stores, what it refuses, and (marker `browser`) what a browser shows of it."""

import dataclasses
import io
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from replay_sample import BALL_RADIUS, lifted_ball, sphere

from softcontact.report.chromium import BrowserError, ChromiumPage, find_chromium
from softcontact.report.packing import ArrayPacker, ArrayReader, dequantise, quantise
from softcontact.report.pressure import lumped_areas, spread_pressure, vertex_pressures
from softcontact.report.recording import Recording, SurfaceTrack
from softcontact.report.replay import read_replay, write_replay
from softcontact.report.screenshot import screenshot

BROWSER_FOLDER = Path(__file__).parents[1] / "browser"


@pytest.fixture(scope="module")
def recording():
    return lifted_ball()


@pytest.fixture(scope="module")
def replay(recording, tmp_path_factory):
    return write_replay(recording, tmp_path_factory.mktemp("replay") / "replay.html")


# What is stored


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32"])
@pytest.mark.parametrize("delta", [False, True])
def test_packing_is_exact_for_unsigned_integers(dtype, delta):
    limit = np.iinfo(dtype).max
    array = np.random.default_rng(1).integers(0, limit, (7, 5, 3), dtype=dtype, endpoint=True)
    array[0, 0, 0], array[1, 0, 0] = limit, 0  # the difference wraps around
    packer = ArrayPacker()
    packer.add("before", np.arange(5, dtype=np.float32))
    packer.add("array", array, delta=delta)
    reader = ArrayReader(packer.header, packer.text())
    assert reader["array"].dtype == array.dtype
    np.testing.assert_array_equal(reader["array"], array)


def test_packing_refuses_differences_of_signed_numbers():
    with pytest.raises(ValueError, match="delta needs an unsigned type"):
        ArrayPacker().add("x", np.zeros(3, np.float32), delta=True)


def test_quantisation_error_is_at_most_half_a_level():
    values = np.random.default_rng(2).uniform(-3, 5, (400, 3)) * [1.0, 1e-3, 0.0]
    low, high = values.min(axis=0), values.max(axis=0)
    error = np.abs(dequantise(quantise(values, low, high), low, high) - values)
    assert np.all(error <= (high - low) / 131070 * (1 + 1e-9))


def test_page_gives_the_recording_back(recording, replay):
    data = read_replay(replay)
    np.testing.assert_allclose(data["times"], recording.times, rtol=1e-7)
    assert [s["name"] for s in data["surfaces"]] == [s.name for s in recording.surfaces]
    for stored, track in zip(data["surfaces"], recording.surfaces, strict=True):
        np.testing.assert_array_equal(stored["triangles"], track.triangles)
        given = np.stack([track.vertices(f) for f in range(recording.n_frames)])
        extent = np.ptp(given, axis=(0, 1)).max()
        tolerance = 1e-6 * extent if track.rigid else extent / 131070 * 1.001
        assert np.abs(stored["vertices"] - given).max() <= tolerance
    for stored, given in zip(data["patches"], recording.patches, strict=True):
        assert [(p["body"], p["other"]) for p in stored] == [(p["body"], p["other"]) for p in given]
        for s, g in zip(stored, given, strict=True):
            np.testing.assert_allclose([s["force_x"], s["force_y"], s["force_z"]], g["force"], rtol=1e-6)
            np.testing.assert_allclose([s["centre_x"], s["centre_y"], s["centre_z"]], g["centre"], rtol=1e-6)
            np.testing.assert_allclose(s["normal_force"], g.get("normal_force", np.nan), rtol=1e-6)


def test_page_refers_to_no_network_and_stays_small(tmp_path):
    path = write_replay(
        lifted_ball(100, rings=40, segments=40), tmp_path / "large.html"
    )  # 4000 deforming vertices
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"""(?:https?:)?//[a-z0-9-]+\.[a-z]""", re.sub(r"^\s*//.*$", "", text, flags=re.M))
    assert not re.search(r"<(?:script|img|iframe)[^>]*\ssrc=|@import|\bimport\s*\(|\bfetch\s*\(", text)
    assert path.stat().st_size < 3e6


def test_names_and_title_cannot_end_the_page_early(tmp_path):
    sample = lifted_ball(2)
    evil = "</script><b>&{{DATA}}"
    surfaces = [dataclasses.replace(sample.surfaces[0], name=evil), *sample.surfaces[1:]]
    path = write_replay(Recording(evil, sample.times, surfaces, [[], []]), tmp_path / "evil.html")
    data = read_replay(path)
    assert data["title"] == evil and data["surfaces"][0]["name"] == evil
    assert path.read_text(encoding="utf-8").count("</script>") == 3


def test_page_of_one_frame_without_contacts(tmp_path):
    vertices, triangles = sphere(4, 5)
    still = SurfaceTrack("thing", "object", triangles, rest=vertices, poses=[[0, 0, 0, 0, 0, 0, 1]])
    data = read_replay(write_replay(Recording("still", [0.0], [still], [[]]), tmp_path / "still.html"))
    assert data["patches"] == [[]] and data["pressure_scale"] == 0.0


# Pressure


def test_spread_pressure_carries_the_force_of_the_points():
    vertices, triangles = sphere(60, 90)
    areas = lumped_areas(vertices, triangles)
    assert areas.sum() == pytest.approx(4 * np.pi, rel=2e-3)
    points = vertices[[2000, 2050, 2100]]
    pressure = spread_pressure(vertices, areas, points, np.array([1.0, 2.0, 0.5]), 0.3)
    assert areas @ pressure == pytest.approx(3.5, rel=1e-12)
    distance = np.linalg.norm(vertices[:, None] - points, axis=2).min(axis=1)
    assert np.all(pressure[distance >= 0.3] == 0.0) and np.all(pressure[distance < 0.29] > 0.0)


def test_spread_pressure_fades_off_the_surface():
    vertices, triangles = sphere(60, 90)
    point = np.array([[0.0, 0.0, 1.28]])
    areas = lumped_areas(vertices, triangles)
    assert 0.0 < areas @ spread_pressure(vertices, areas, point, np.ones(1), 0.3) < 0.2


def test_pressure_is_shown_on_both_bodies_and_the_skin_but_not_on_the_table():
    sample = lifted_ball(8, skin=True)
    pressures = vertex_pressures(sample)
    assert set(pressures) == {"ball", "thumb_distal", "index_distal", "hand"}
    frame, ball = 7, sample.surfaces[1]
    areas = lumped_areas(ball.vertices(frame), ball.triangles)
    total = sum(p["normal_force"] for p in sample.patches[frame])
    assert areas @ pressures["ball"][frame] == pytest.approx(total, rel=0.05)
    assert not pressures["ball"][0].any()


def test_pressure_is_not_smeared_over_a_mesh_coarser_than_the_patch():
    sample = lifted_ball(4)
    coarse, triangles = sphere(3, 4)
    ball = SurfaceTrack(
        "ball", "object", triangles, rest=BALL_RADIUS * coarse, poses=sample.surfaces[1].poses
    )
    surfaces = [sample.surfaces[0], ball, *sample.surfaces[2:]]
    assert "ball" not in vertex_pressures(dataclasses.replace(sample, surfaces=surfaces))


# What is refused


def bad_track(**change):
    vertices, triangles = sphere(4, 5)
    return SurfaceTrack(
        **{"name": "pad", "role": "phalanx", "triangles": triangles, "frames": vertices[None]} | change
    )


def nan_frames():
    frames = sphere(4, 5)[0][None].copy()
    frames[0, 2, 1] = np.nan
    return frames


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"frames": nan_frames()}, r"surface 'pad' frames: nan at index \(0, 2, 1\)"),
        ({"frames": np.zeros((1, 17))}, r"shape \(1, 17\), expected \(n, n, 3\)"),
        ({"frames": None}, "either frames"),
        ({"rest": np.zeros((17, 3))}, "either frames"),
        (
            {"frames": None, "rest": np.zeros((17, 3)), "poses": [[0, 0, 0, 0, 0, 0, 2]]},
            "quaternion of norm 2",
        ),
        ({"frames": None, "rest": np.zeros((17, 3)), "poses": [[0, 0, 0, 0, 0, 0]]}, r"shape \(1, 6\)"),
        ({"triangles": [[0, 1, 17]]}, r"indices 0\.\.17 outside the 17 vertices"),
        ({"triangles": [[0, 1, -1]]}, "outside"),
        ({"triangles": np.zeros((0, 3), int)}, "at least one triangle"),
        ({"color": (0.1, 2.0, 0.3)}, r"in \[0, 1\]"),
        ({"color": (0.1, np.nan, 0.3)}, "finite"),
        ({"name": ""}, "must not be empty"),
    ],
)
def test_bad_surface_is_refused(change, message):
    bad_track()  # the unchanged one is accepted
    with pytest.raises(ValueError, match=message):
        bad_track(**change)


GOOD_PATCH = {"body": "pad", "other": 0, "force": [0, 0, 1.0], "centre": [0, 0, 0]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"times": []}, "no frames"),
        ({"times": [np.nan]}, "finite"),
        ({"times": [0.0, 1.0]}, "1 frames, but the recording has 2 times"),
        ({"surfaces": []}, "surfaces: none"),
        ({"surfaces": [bad_track(), bad_track()]}, r"used twice: \['pad'\]"),
        ({"patches": []}, "0 lists for 1 frames"),
        ({"patches": [[GOOD_PATCH | {"force": [0, 0, np.inf]}]]}, "patch 0 of frame 0 force: inf"),
        ({"patches": [[GOOD_PATCH | {"force": [0, 1]}]]}, r"force: shape \(2,\)"),
        ({"patches": [[GOOD_PATCH | {"body": 4}]]}, "index 4 outside"),
        ({"patches": [[{"body": "pad", "other": "pad", "force": [0, 0, 1]}]]}, "centre: missing"),
        (
            {"patches": [[GOOD_PATCH | {"points": np.zeros((2, 3)), "point_forces": np.zeros((3, 3))}]]},
            "point_forces",
        ),
    ],
)
def test_bad_recording_is_refused(change, message):
    good = {"title": "t", "times": [0.0], "surfaces": [bad_track()], "patches": [[GOOD_PATCH]]}
    assert Recording(**good).patches[0][0]["other"] == "pad"
    with pytest.raises(ValueError, match=message):
        Recording(**good | change)


def test_times_must_increase():
    with pytest.raises(ValueError, match="increase strictly"):
        dataclasses.replace(lifted_ball(3), times=[0.0, 1.0, 1.0])


def test_wrong_files_are_refused(recording, tmp_path):
    with pytest.raises(ValueError, match=r"must end in \.html"):
        write_replay(recording, tmp_path / "replay.txt")
    page = tmp_path / "other.html"
    page.write_text("<p>hello</p>")
    with pytest.raises(ValueError, match="not a replay page"):
        read_replay(page)
    with pytest.raises(ValueError, match="no file"):
        screenshot(tmp_path / "none.html", tmp_path / "x.png")


def test_screenshot_says_when_no_browser_is_found(replay, tmp_path, monkeypatch):
    monkeypatch.setenv("SOFTCONTACT_CHROMIUM", str(tmp_path / "no-such-browser"))
    with pytest.raises(BrowserError, match="no Chromium or Chrome found; install one"):
        screenshot(replay, tmp_path / "x.png")


# What a browser shows

needs_chromium = pytest.mark.skipif(find_chromium() is None, reason="no Chromium or Chrome is installed")


def pixels(png):
    from matplotlib.image import imread

    return imread(io.BytesIO(png), format="png")[..., :3].astype(float)


def differing(a, b):
    """Share of the pixels that differ visibly."""
    return float((np.abs(a - b).max(axis=2) > 0.05).mean())


@pytest.fixture(scope="module")
def page(replay):
    with ChromiumPage((480, 320)) as page:
        page.goto(replay, "panels=0&theme=light&grid=0&frame=0")
        page.evaluate("softcontactReplay.whenReady.then(() => true)")
        yield page


def shoot(page, script):
    page.evaluate(
        script + "; new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))"
    )
    return pixels(page.screenshot())


@pytest.mark.browser
@needs_chromium
def test_browser_decodes_the_recording(page, recording):
    assert page.evaluate("softcontactReplay.frameCount") == recording.n_frames
    for frame in (0, 11, recording.n_frames - 1):
        page.evaluate(f"softcontactReplay.setFrame({frame})")
        stats = page.evaluate("softcontactReplay.stats()")
        assert stats["frame"] == frame and stats["patches"] == len(recording.patches[frame])
        assert stats["time"] == pytest.approx(recording.times[frame], abs=1e-6)
        for shown, track in zip(stats["surfaces"], recording.surfaces, strict=True):
            first = np.array([*shown["first"], 1.0])
            if track.rigid:
                first = np.array(shown["model"]).reshape(4, 4).T @ first
            # Shaded vertices are sorted by the given vertex they follow, so the first one is vertex 0.
            assert np.abs(first[:3] - track.vertices(frame)[0]).max() < 2e-6


@pytest.mark.browser
@needs_chromium
def test_shading_of_creases_gets_no_finer_with_the_screen(page, replay):
    finished = "(softcontactReplay.setFrame(0), softcontactReplay.stats().occlusionSize)"  # not that of a slow machine
    assert page.evaluate(finished) == [240, 160]
    with ChromiumPage((600, 500), scale=2) as fine:
        fine.goto(replay, "panels=0&frame=0")
        fine.evaluate("softcontactReplay.whenReady.then(() => true)")
        assert fine.evaluate(finished) == [480, 400]


@pytest.mark.browser
@needs_chromium
def test_browser_picture_follows_time_and_layers(page):
    replay = "softcontactReplay"
    start = shoot(page, f"{replay}.setFrame(0)")
    assert np.ptp(start.reshape(-1, 3), axis=0).min() > 0.3  # not blank
    assert differing(start, shoot(page, f"{replay}.setFrame(0)")) == 0.0
    lifted = shoot(page, f"{replay}.setFrame(23)")
    assert differing(start, lifted) > 0.02
    assert differing(lifted, shoot(page, f"{replay}.setTime(2.0)")) == 0.0
    for off, on in [
        (f"{replay}.setView('forces', false)", f"{replay}.setView('forces', true)"),
        (f"{replay}.setView('pressure', false)", f"{replay}.setView('pressure', true)"),
        (f"{replay}.setLayers(['object'], 'ghost')", f"{replay}.setLayers(['object'], 'solid')"),
        (f"{replay}.setLayers(['thumb_distal'], 'hidden')", f"{replay}.setLayers(['phalanx'], 'solid')"),
    ]:
        assert differing(lifted, shoot(page, off)) > 0.0005, off
        assert differing(lifted, shoot(page, on)) == 0.0, on
    turned = shoot(page, f"{replay}.setCamera({{azimuth: 10, elevation: 60}})")
    assert differing(lifted, turned) > 0.02


@pytest.mark.browser
@needs_chromium
def test_browser_asks_for_nothing_and_reports_no_error(page, replay):
    assert page.errors == []
    assert {address.split("#")[0] for address in page.requests} <= {replay.as_uri(), "data:,"}
    page.evaluate("console.error('noticed')")
    assert page.errors == ["noticed"]
    page.errors.clear()


@pytest.mark.browser
@needs_chromium
def test_skin_covers_the_phalanges(tmp_path):
    path = write_replay(lifted_ball(3, skin=True), tmp_path / "skin.html")
    with ChromiumPage((320, 240)) as page:
        page.goto(path)
        page.evaluate("softcontactReplay.whenReady.then(() => true)")
        states = {s["name"]: s["state"] for s in page.evaluate("softcontactReplay.stats().surfaces")}
    assert states == {
        "table": "solid",
        "ball": "solid",
        "hand": "solid",
        "thumb_distal": "hidden",
        "index_distal": "hidden",
    }


@pytest.mark.browser
@needs_chromium
def test_page_says_when_it_cannot_show(replay, tmp_path):
    without = replay.read_text(encoding="utf-8").replace(
        '"use strict";', "HTMLCanvasElement.prototype.getContext = () => null;", 1
    )
    (tmp_path / "page.html").write_text(without, encoding="utf-8")
    with ChromiumPage((320, 240)) as page:
        page.goto(tmp_path / "page.html")
        with pytest.raises(BrowserError, match="needs WebGL2"):
            page.evaluate("softcontactReplay.whenReady")
        assert "needs WebGL2" in page.evaluate("document.getElementById('message').innerText")


@pytest.mark.browser
@needs_chromium
def test_screenshot_file(replay, tmp_path):
    path = screenshot(
        replay, tmp_path / "shot.png", time=2.0, size=(300, 200), camera=(20.0, 30.0), scale=2.0
    )
    picture = pixels(path.read_bytes())
    assert picture.shape == (400, 600, 3) and np.ptp(picture) > 0.5


@pytest.mark.browser
@needs_chromium
@pytest.mark.skipif(
    not (BROWSER_FOLDER / "node_modules").is_dir() and "NODE_PATH" not in os.environ,
    reason="playwright-core is not installed (npm ci in tests/browser)",
)
def test_mouse_touch_and_keyboard(replay):
    node = shutil.which("node")
    assert node, "playwright-core is installed but node is not"
    command = [node, "--test", "--test-reporter=spec", "replay.test.cjs"]
    environment = os.environ | {"REPLAY": str(replay), "CHROMIUM": find_chromium()}
    done = subprocess.run(
        command, cwd=BROWSER_FOLDER, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
