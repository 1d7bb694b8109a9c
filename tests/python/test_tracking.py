# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recorded tracks: files, sensors, smoothing, limits, and the hand of a scene that follows one."""

import numpy as np
import pytest
import yaml
from scipy.spatial.transform import Rotation

from softcontact.engines import make_engine
from softcontact.hand import joint_limits, posture
from softcontact.runner import run
from softcontact.scene import Hand, Scene, SceneError, TrackMotion
from softcontact.scene.resolve import resolve
from softcontact.tracking import Calibration, RateLimits, Track, TrackError
from softcontact.tracking.drive import Driver, Placement, step_time, track_targets
from softcontact.tracking.files import find_track, read_track, write_raw
from softcontact.tracking.sensors import expand, sensors_of
from softcontact.tracking.simulate import simulate
from softcontact.tracking.values import RateLimiter, clip_to_limits, coordinates, values_of

DEGREE = np.pi / 180.0


@pytest.fixture(scope="module")
def grasp():
    return read_track(find_track("grasp"))


def wave(count=200, rate=100.0, size=0.3):
    """A smooth motion of every joint and of the palm."""
    times = np.arange(count) / rate
    values = np.tile(np.concatenate([posture("rest"), [0.1, 0.0, 0.2], [0.3, -0.2, 2.9]]), (count, 1))
    values[:, :20] += size * np.sin(2.0 * np.pi * 0.8 * times[:, None] + np.arange(20))
    values[:, 20] += 0.1 * np.sin(3.0 * times)
    values[:, 25] += 0.5 * np.sin(2.0 * times)  # turns past π
    return Track(times, values)


# --- the shipped recording -------------------------------------------------------------------------


def test_shipped_recording_is_the_simulation(grasp):
    again = simulate()
    assert np.abs(grasp.times - again.times).max() < 1e-6
    assert np.abs(grasp.values - again.values).max() < 1e-6
    assert find_track("grasp").stat().st_size < 300_000


def test_shipped_recording_moves_as_a_hand_does(grasp):
    lower, upper = joint_limits()
    assert (grasp.values[:, :20] >= lower).all() and (grasp.values[:, :20] <= upper).all()
    assert 0.5 < grasp.fastest()["joints"] < 6.0
    height = grasp.values[:, 22]
    assert height[300] - height[200] == pytest.approx(0.10, abs=1e-3)  # lifted


def test_simulations_with_equal_seeds_are_equal_and_others_differ():
    one, same, other = simulate(rate=50, seed=3), simulate(rate=50, seed=3), simulate(rate=50, seed=4)
    assert np.array_equal(one.values, same.values)
    assert 0 < np.abs(one.values - other.values)[:, :20].max() < DEGREE


# --- files -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".csv", ".h5", ".hdf5"])
def test_a_saved_track_comes_back_bit_for_bit(tmp_path, suffix):
    track = Track(wave().times, wave().values, "left", "x")
    back = Track.load(track.save(tmp_path / f"a{suffix}"))
    assert np.array_equal(back.times, track.times) and np.array_equal(back.values, track.values)
    assert (back.side, back.note) == ("left", "x")


@pytest.mark.parametrize("suffix", [".csv", ".h5"])
def test_units_and_quaternions_are_read(tmp_path, suffix):
    track = wave()
    turned = Rotation.from_rotvec(track.values[:, 23:])
    raw = {
        "time": track.times,
        "joints": track.values[:, :20] / DEGREE,
        "palm_position": track.values[:, 20:23],
        "palm_orientation": turned.as_quat(),
        "angle_unit": "deg",
    }
    back = Track.load(write_raw(tmp_path / f"a{suffix}", raw))
    assert np.allclose(back.values[:, :23], track.values[:, :23], atol=1e-12)
    assert (Rotation.from_rotvec(back.values[:, 23:]) * turned.inv()).magnitude().max() < 1e-9


def test_millimetres_and_milliseconds_in_csv(tmp_path):
    track = wave(20)
    lines = track.save(tmp_path / "a.csv").read_text().splitlines()
    rows = np.array([[float(x) for x in line.split(",")] for line in lines if line[0] not in "#t"])
    rows[:, 0] *= 1e3
    rows[:, 21:24] *= 1e3
    head = ["# softcontact-track-1", "# time_unit: ms", "# length_unit: mm", lines[2]]
    (tmp_path / "b.csv").write_text("\n".join(head + [",".join(map(repr, row.tolist())) for row in rows]))
    back = Track.load(tmp_path / "b.csv")
    assert np.allclose(back.times, track.times) and np.allclose(back.values, track.values)


@pytest.mark.parametrize("suffix", [".csv", ".h5"])
@pytest.mark.parametrize("count", [5, 14, 20])
@pytest.mark.parametrize("beside", [False, True])
def test_calibrated_sensors_give_the_joint_angles(tmp_path, suffix, count, beside):
    angles = expand(np.random.default_rng(1).uniform(0.1, 0.3, (40, count)))
    sensors = sensors_of(angles, count)
    random = np.random.default_rng(2)
    minimum = random.uniform(100, 900, count)
    calibration = Calibration.from_dict(
        {
            "minimum": minimum,
            "maximum": minimum + random.choice([-1, 1], count) * random.uniform(500, 3000, count),
        },
        count,
    )
    raw = {
        "time": np.arange(40) / 50,
        "joints": calibration.raw(sensors),
        "palm_position": np.zeros((40, 3)),
        "palm_orientation": np.zeros((40, 3)),
        "angle_unit": "raw",
        "calibration": None if beside else calibration,
    }
    path = write_raw(tmp_path / f"a{suffix}", raw)
    if beside:
        (tmp_path / "c.yaml").write_text(yaml.safe_dump(calibration.to_dict()))
        with pytest.raises(TrackError, match="calibration: missing"):
            read_track(path)
    track = read_track(path, tmp_path / "c.yaml" if beside else None)
    assert np.abs(track.values[:, :20] - angles).max() < 1e-9


def test_couplings_are_those_documented():
    five = expand([[0.2, 0.6, 0.3, 0.9, 1.2]]).reshape(5, 4)
    assert five[1] == pytest.approx([0.10, 0.875 * 0.6, 0.6, 0.4])
    assert five[0] == pytest.approx([0.55, 0.1, 0.2, 0.24])
    fourteen = np.zeros(14)
    fourteen[[3, 4, 5, 8, 11]] = 0.7, 0.9, 0.1, 0.05, 0.06  # index near and far, three spreads
    angles = expand([fourteen]).reshape(5, 4)
    assert angles[1] == pytest.approx([0.1, 0.7, 0.9, 0.6])
    assert angles[:, 0] == pytest.approx([0.0, 0.1, 0.0, -0.05, -0.11])


def test_calibration_measured_from_a_session_spans_its_range():
    raw = np.random.default_rng(0).uniform(200, 3000, (500, 14))
    calibration = Calibration.measured(raw)
    angles = calibration.angles(raw)
    assert angles.min(axis=0) == pytest.approx(calibration.low)
    assert angles.max(axis=0) == pytest.approx(calibration.high)


def test_rows_out_of_order_are_sorted_and_doubles_count_once(tmp_path):
    track = wave(30)
    path = track.save(tmp_path / "a.csv")
    lines = path.read_text().splitlines()
    lines[10], lines[12] = lines[12], lines[10]
    path.write_text("\n".join([*lines, lines[7]]))
    assert np.array_equal(Track.load(path).values, track.values)


def broken(line, text):
    def change(lines):
        lines[line] = text(lines[line])
        return lines

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: lines[:2], "no samples"),
        (broken(0, lambda _: "# softcontact-track-9"), "softcontact-track-9"),
        (broken(2, lambda x: x.replace("time", "t", 1)), "first column is time"),
        (broken(2, lambda x: x.replace("thumb_base_abduction,", "")), "19 sensors"),
        (broken(2, lambda x: x.replace("palm_rz", "palm_rw")), "end with"),
        (
            broken(2, lambda x: x.replace("index_base_flexion", "index_middle_flexion", 1)),
            "index_base_flexion",
        ),
        (broken(4, lambda x: x + ",1"), "line 5: 28 cells"),
        (broken(4, lambda x: "x" + x[1:]), "line 5: a cell is no number"),
        (broken(5, lambda x: x.replace(x.split(",")[3], "nan", 1)), "not finite"),
        (broken(5, lambda x: x.replace(x.split(",")[3], "57.3", 1)), "state the unit"),
        (broken(5, lambda x: "nan" + x[x.index(",") :]), "time: row"),
        (lambda lines: [lines[0], "# side: both", *lines[2:]], "side"),
        (lambda lines: [lines[0], "# length_unit: ft", *lines[2:]], "length_unit"),
        (lambda lines: [lines[0], "# angle_unit: turns", *lines[2:]], "angle_unit"),
        (lambda lines: [lines[0], "# angle_unit: raw", *lines[2:]], "calibration: missing"),
    ],
)
def test_a_wrong_file_is_refused_by_line_or_column(tmp_path, change, message):
    path = wave(20).save(tmp_path / "a.csv")
    path.write_text("\n".join(change(path.read_text().splitlines())))
    with pytest.raises(TrackError, match=message) as caught:
        read_track(path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


# --- smoothing and resampling ----------------------------------------------------------------------


@pytest.mark.parametrize("method", ["one-euro", "savgol"])
def test_smoothing_takes_noise_away_and_leaves_the_motion(method):
    clean = wave(400)
    noise = 0.01 * np.random.default_rng(0).standard_normal((400, 20))
    noisy = Track(clean.times, clean.values + np.pad(noise, ((0, 0), (0, 6))))
    smooth = noisy.smoothed(method).values[:, :20]
    rough = np.diff(noisy.values[:, :20], axis=0).std()
    assert (
        np.diff(smooth, n=2, axis=0).std() < 0.4 * np.diff(noisy.values[:, :20], n=2, axis=0).std()
        and rough > 0
    )
    assert np.abs(smooth - clean.values[:, :20]).mean() < (0.006 if method == "savgol" else 0.02)


def test_resampling_keeps_the_motion_and_interpolates_turns_the_short_way():
    track = wave(200)
    fine = track.resampled(437.0)
    back = fine.at(track.times[:-1])
    assert np.abs(back - track.values[:-1])[:, :23].max() < 2e-3
    turns = Rotation.from_rotvec(back[:, 23:]) * Rotation.from_rotvec(track.values[:-1, 23:]).inv()
    assert turns.magnitude().max() < 2e-3
    for method in ("linear", "cubic"):
        assert np.array_equal(track.at(track.times, method), track.values)


def test_coordinates_and_values_are_inverse_up_to_whole_turns():
    track = wave(200)
    rows = coordinates(track.values)
    assert ((rows[1:, 3:7] * rows[:-1, 3:7]).sum(axis=1) > 0).all()
    turns = Rotation.from_rotvec(values_of(rows)[:, 23:]) * Rotation.from_rotvec(track.values[:, 23:]).inv()
    assert turns.magnitude().max() < 1e-12


# --- limits ----------------------------------------------------------------------------------------


def test_a_jump_in_a_recording_becomes_a_motion_at_the_rate_limit():
    values = np.tile(wave(1).values, (100, 1))
    values[50:, :20] += 0.5
    values[50:, 20] += 0.3
    values[50:] = np.concatenate(
        [values[50:, :23], np.tile(Rotation.from_rotvec([0, 0, 1.0]).as_rotvec(), (50, 1))], axis=1
    )
    limits = RateLimits(joints=5.0, position=1.0, rotation=4.0)
    _, targets = track_targets(Track(np.arange(100) / 100, values), Placement(), limits, 0.005)
    assert np.abs(np.diff(targets[:, 7:], axis=0)).max() <= 5.0 * 0.005 * 1.001
    assert np.linalg.norm(np.diff(targets[:, :3], axis=0), axis=1).max() <= 1.0 * 0.005 * 1.001
    turns = Rotation.from_quat(targets[:, 3:7])
    assert (turns[1:] * turns[:-1].inv()).magnitude().max() <= 4.0 * 0.005 * 1.001
    assert np.allclose(values_of(targets[-1])[0, :23], clip_to_limits(values[-1])[:23])  # it arrives


def test_targets_stay_inside_the_joint_limits():
    track = wave(100, size=3.0)
    _, targets = track_targets(track, Placement(), RateLimits(), 0.01)
    lower, upper = joint_limits()
    assert (track.values[:, :20] > upper + 0.2).any()
    assert (targets[:, 7:] >= lower).all() and (targets[:, 7:] <= upper).all()


def test_the_way_back_after_an_interruption_is_slow_until_caught_up():
    limiter = RateLimiter(RateLimits(joints=10.0, rejoin=0.1))
    row = wave(1).values[0]
    limiter.step(row, 0.01)
    limiter.step(row, 0.01, interrupted=True)
    away = row.copy()
    away[:20] += 0.03
    moved = [np.abs(limiter.step(away, 0.01)[:20] - row[:20]).max() for _ in range(4)]
    assert moved == pytest.approx([0.01, 0.02, 0.03, 0.03])
    away[:20] += 0.09
    assert np.abs(limiter.step(away, 0.01)[:20] - row[:20]).max() == pytest.approx(0.12)  # full speed again


def test_what_a_driver_gave_drives_a_second_one_to_the_same_bits():
    track = wave(150, size=2.0)
    limits = RateLimits(joints=3.0, position=0.2, rotation=0.5)
    placement = Placement(np.array([0.1, 0.2, 0.0]), np.array([0.0, 0.6, 0.0, 0.8]))
    first = Driver(placement, limits, 0.007)
    rows = [first.step(row) for row in track.at(np.arange(200) * 0.007)]
    times, targets = track_targets(Track(first.times, first.rows), Placement(), limits, 0.007)
    assert np.array_equal(targets, rows) and np.array_equal(times, first.times)


@pytest.mark.parametrize("step", [0.001, 0.007, 0.01, 0.02])
def test_the_last_targets_move_a_world_as_the_whole_table_does(step):
    """What a live hand is given, three rows at a time, and what repeats it: to the last bit, whatever the rows."""
    from softcontact._core import World

    count = 300
    times = np.array([step_time(number, step) for number in range(count + 1)])
    targets = np.random.default_rng(0).uniform(-1.0, 1.0, (count + 1, 1))
    link = {"name": "slide", "parent": -1, "joint": "prismatic", "axis": np.array([1.0, 0.0, 0.0])}
    link |= {"position": np.zeros(3), "orientation": np.array([0.0, 0.0, 0.0, 1.0]), "mass": 1.0}
    link |= {"com": np.zeros(3), "inertia": np.eye(3), "stiffness": [1e4], "damping": [20.0]}
    worlds = [World(step, (0.0, 0.0, 0.0), {}) for _ in range(2)]
    for world in worlds:
        world.add_articulated_body("slide", [link], targets[0], True)
    worlds[0].set_joint_motion(0, times, targets)
    for number in range(1, count + 1):
        last = slice(max(0, number - 2), number + 1)
        worlds[1].set_joint_motion(0, times[last], targets[last])
        for world in worlds:
            world.step()
        assert np.array_equal(worlds[0].state(), worlds[1].state()), number


def test_placement_at_the_hands_own_start_keeps_steps_and_turns():
    track = wave(100)
    place, turn = np.array([0.5, 0.4, 0.3]), Rotation.from_rotvec([0.2, 0.1, 0.0]).as_quat()
    _, targets = track_targets(track, Placement(start=(place, turn)), RateLimits(), 0.01)
    assert targets[0, :3] == pytest.approx(place)
    assert abs(targets[0, 3:7] @ turn) == pytest.approx(1.0)
    moved = track.values[:, 20:23] - track.values[0, 20:23]
    assert np.allclose(targets[:, :3] - place, moved)


# --- in a scene ------------------------------------------------------------------------------------


def hand_alone(duration=0.3, step=0.01, **motion):
    return Scene(
        name="tracked",
        duration=duration,
        time_step=step,
        bodies=[Hand(name="hand")],
        motions=[TrackMotion(body="hand", **motion)],
    )


def test_the_hand_follows_a_recording_within_a_degree(grasp):
    engine = make_engine(resolve(hand_alone(source="grasp", start=1.0)))
    errors = []
    for _ in range(60):
        engine.step()
        wanted = grasp.at(1.0 + engine.time)[0]
        errors.append(engine.joint_positions("hand")[7:] - wanted[:20])
    assert np.abs(grasp.at(1.6) - grasp.at(1.0))[0, :20].max() > 20 * DEGREE  # it does move
    assert np.abs(errors).max() < DEGREE


def test_a_resolved_scene_carries_the_samples_and_needs_no_file(tmp_path):
    path = wave(40).save(tmp_path / "mine.csv")
    scene = resolve(hand_alone(source=str(path)))
    path.unlink()
    again = Scene.from_dict(scene.to_dict())
    assert again == scene and again.motions[0].source is None
    assert np.array_equal(again.motions[0].values, wave(40).values)


def test_a_track_of_the_scene_files_folder_is_found(tmp_path):
    wave(10).save(tmp_path / "mine.csv")
    scene = hand_alone(source="grasp").to_dict()
    scene["motions"][0]["source"] = "mine.csv"
    assert Scene.from_dict(scene, folder=tmp_path).motions[0].source == str((tmp_path / "mine.csv").resolve())


@pytest.mark.parametrize(
    ("motion", "message"),
    [
        ({}, "either a source, or times and values"),
        ({"source": "grasp", "times": [0.0], "values": [[0.0] * 26]}, "either a source, or times and values"),
        ({"source": "nowhere"}, "no recording 'nowhere'"),
        ({"times": [0.0], "values": [[0.0] * 25]}, "row 0 has 25 numbers"),
        ({"times": [0.0, 0.0], "values": [[0.0] * 26] * 2}, "times must rise"),
        ({"source": "grasp", "joint_rate": 0.0}, "joint_rate"),
        ({"source": "grasp", "calibration": "nowhere.yaml"}, "nowhere.yaml"),
    ],
)
def test_a_wrong_motion_is_refused(motion, message):
    scene = hand_alone(source="grasp").to_dict()
    scene["motions"][0] = {"kind": "track", "body": "hand", **motion}
    with pytest.raises(SceneError, match=message):
        Scene.from_dict(scene)


def test_a_start_after_the_end_is_refused():
    with pytest.raises(SceneError, match="after the recording's end"):
        run(hand_alone(source="grasp", start=60.0), record=False, replay=False)


def test_a_track_beyond_the_limits_keeps_the_simulated_joints_within_a_degree_of_them():
    lower, upper = joint_limits()
    wild = wave(100, size=3.0)
    engine = make_engine(hand_alone(1.0, times=wild.times.tolist(), values=wild.values.tolist()))
    excess = 0.0
    for _ in range(90):
        engine.step()
        joints = engine.joint_positions("hand")[7:]
        excess = max(excess, float((joints - upper).max()), float((lower - joints).max()))
    assert (wild.values[:, :20] > upper + 1.0).any()
    assert excess < DEGREE
