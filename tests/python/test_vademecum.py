# SPDX-License-Identifier: LGPL-2.1-or-later
"""Vademecums: what they answer and refuse, stopped builds, files."""

import dataclasses
import os
import subprocess
import sys

import h5py
import numpy as np
import pytest
from small_vademecum import DIRECTIONS, NODES, OPTIONS, make, mesh, small

from softcontact.bodies import Material
from softcontact.vademecum import (
    BuildError,
    BuildOptions,
    PointLoad,
    SolidMesh,
    Vademecum,
    VademecumFileError,
    VademecumWarning,
    build,
    reduced,
)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("vademecum") / "small.h5"
    small().certified(sizes=(0.5, 1.0), chosen=(0, 5)).save(path)
    return path


def test_nothing_moves_without_load_and_the_answer_is_linear_beyond_its_range():
    made = small()
    assert not made.displacement(27, 0.0).any()
    with pytest.warns(VademecumWarning, match="outside the built range 0 … 1"):
        beyond = [made.displacement(27, scale) for scale in (1.0 + 1e-6, 1.5, 2.0, -0.2, -0.4)]
    np.testing.assert_allclose(beyond[0], made.displacement(27), rtol=0.0, atol=1e-6)
    np.testing.assert_allclose(beyond[2] - beyond[1], beyond[1] - made.displacement(27), atol=1e-12)
    np.testing.assert_allclose(beyond[4], 2.0 * beyond[3], atol=1e-12)
    slope = made.displacement(27, 1e-6) / 1e-6
    np.testing.assert_allclose(beyond[3], -0.2 * slope, atol=1e-6)


def test_nodes_that_cannot_be_loaded_are_refused_with_the_reason():
    made = small()
    for node, reason in (
        (0, "clamped"),
        (9, "not among"),
        (28, "no node"),
        (-1, "no node"),
        (10.5, "number"),
    ):
        with pytest.raises(ValueError, match=reason):
            made.displacement(node)
    with pytest.raises(ValueError, match="family: 2, expected 0 to 1"):
        made.displacement(27, family=2)
    for scale in (np.nan, np.inf):
        with pytest.raises(ValueError, match="scale"):
            made.displacement(27, scale)


def test_wrong_loads_and_options_are_refused():
    solid = mesh()
    clamped = np.flatnonzero(solid.nodes[:, 0] < 1e-9)
    inside = SolidMesh.block((0.3, 0.2, 0.2), (3, 2, 2))
    middle = int(np.argmin(np.linalg.norm(inside.nodes - [0.1, 0.0, 0.0], axis=1)))
    for given, on, reason in (
        (PointLoad(1.0, nodes=(0,)), solid, "node 0 is clamped"),
        (PointLoad(1.0, nodes=(middle,)), inside, f"node {middle} is not on the boundary"),
    ):
        with pytest.raises(ValueError, match=reason):
            build(on, Material(1e9, 0.3), given, clamped=clamped[:3] if on is solid else [0, 1, 2])
    for wrong in ({"magnitude": 0.0}, {"magnitude": np.nan}, {"magnitude": 1.0, "directions": ((0, 0, 0),)}):
        with pytest.raises(ValueError, match="expected"):
            PointLoad(**wrong)
    for wrong in ({"modes": 0}, {"tolerance": 1.0}, {"sizes": 2}, {"tolerance": np.nan}):
        with pytest.raises(ValueError, match="expected"):
            BuildOptions(**wrong)


def test_a_case_without_equilibrium_is_told(monkeypatch):
    monkeypatch.setattr(reduced, "_ITERATIONS", 1)
    message = r"a load at node 10 along \(0, 0, -1\): no equilibrium at 0\.040 of the largest force"
    with pytest.raises(BuildError, match=message):
        make()


def test_a_build_stopped_anywhere_goes_on_to_the_same_file(tmp_path):
    class Stop(Exception):
        pass

    checkpoint = tmp_path / "state"
    stops = 0

    def stop(done, total, row):
        nonlocal stops
        if done > stops or (row is not None and done == stops):  # within a piece, and between two
            stops += 1
            raise Stop

    made = None
    while made is None:
        try:
            made = make(checkpoint=checkpoint, progress=stop)
        except Stop:
            assert stops < 100
    assert stops >= 2 * OPTIONS.sizes
    assert not checkpoint.exists()
    made.save(tmp_path / "resumed.h5")
    small().save(tmp_path / "whole.h5")
    assert (tmp_path / "resumed.h5").read_bytes() == (tmp_path / "whole.h5").read_bytes()


_KILLED = """
import os, random, signal, sys, time
from small_vademecum import make

def child():
    number = os.fork()
    if number == 0:
        make(checkpoint="state").save("made.h5")
        os._exit(0)
    return number

random.seed(5)
started = time.monotonic()
os.waitpid(child(), 0)
wall = time.monotonic() - started
whole = open("made.h5", "rb").read()
os.unlink("made.h5")
kills = resumed = 0
while kills < 3 or not os.path.exists("made.h5"):
    resumed += os.path.exists("state")
    number = child()
    if kills < 3:
        time.sleep(random.uniform(0.1, 0.6) * wall)
        os.kill(number, signal.SIGKILL)
    kills += os.WIFSIGNALED(os.waitpid(number, 0)[1])
    if kills < 3 and os.path.exists("made.h5"):
        assert open("made.h5", "rb").read() == whole
        os.unlink("made.h5")
assert open("made.h5", "rb").read() == whole and not os.path.exists("state")
print(kills, resumed)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_build_killed_at_random_moments_goes_on_to_the_same_file(tmp_path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", _KILLED], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    kills, resumed = map(int, done.stdout.split())
    assert kills == 3 and resumed >= 1


def test_the_state_of_another_build_is_refused(tmp_path):
    checkpoint = tmp_path / "state"

    def stop(done, total, row):
        if done == 1:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        make(checkpoint=checkpoint, progress=stop)
    with pytest.raises(ValueError, match="another mesh, load or set of options"):
        make(checkpoint=checkpoint, options=dataclasses.replace(OPTIONS, modes=5))
    whole = checkpoint.read_bytes()
    random = np.random.default_rng(4)
    damaged = [whole[:0], whole[:1000], whole[:-1]]
    for place in (0, 30, 100, 511, *random.integers(0, len(whole), 8)):
        damaged.append(bytearray(whole))
        damaged[-1][place] ^= 1 << int(random.integers(8))
    for image in damaged:
        checkpoint.write_bytes(image)
        with pytest.raises(ValueError, match=r"holds no unfinished build.*; remove it"):
            make(checkpoint=checkpoint)


def test_a_file_gives_back_what_was_saved(saved, tmp_path):
    read = Vademecum.load(saved, mesh())
    for node, family in ((10, 0), (27, 1)):
        np.testing.assert_array_equal(
            read.displacement(node, 0.5, family), small().displacement(node, 0.5, family)
        )
    assert read.options == OPTIONS and read.log == small().log
    np.testing.assert_array_equal(read.cases.directions, DIRECTIONS)
    np.testing.assert_array_equal(read.cases.nodes, NODES)
    assert read.certificate.error == pytest.approx(read.certificate.nodal.max() * read.certificate.largest)
    with pytest.warns(VademecumWarning, match="outside the certified range 0.5 … 1"):
        read.displacement(27, 0.2)
    read.save(tmp_path / "again.h5")
    assert (tmp_path / "again.h5").read_bytes() == saved.read_bytes()


def test_damaged_files_are_refused(saved, tmp_path):
    whole = saved.read_bytes()
    path = tmp_path / "damaged.h5"
    for length in (0, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(VademecumFileError, match=r"damaged\.h5"):
            Vademecum.load(path)
    random = np.random.default_rng(3)
    for place in (0, 30, 100, 511, *random.integers(0, len(whole), 40)):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << int(random.integers(8))
        path.write_bytes(flipped)
        with pytest.raises(VademecumFileError, match=r"damaged\.h5.*(damaged|no vademecum|version)"):
            Vademecum.load(path)


def test_files_of_other_meshes_versions_and_kinds_are_refused(saved, tmp_path):
    nodes = mesh().nodes
    nodes[20, 1] += 1e-9
    with pytest.raises(VademecumFileError, match="is for another mesh: 28 nodes"):
        Vademecum.load(saved, SolidMesh(nodes, mesh().cells))
    with pytest.raises(VademecumFileError, match="no such file"):
        Vademecum.load(tmp_path / "missing.h5")
    path = tmp_path / "other.h5"
    with h5py.File(path, "w") as file:
        file["x"] = 1.0
    with pytest.raises(VademecumFileError, match="no vademecum"):
        Vademecum.load(path)
    path.write_bytes(saved.read_bytes().replace(b"softcontact-vademecum 1", b"softcontact-vademecum 2", 1))
    with pytest.raises(VademecumFileError, match="version 2 of the format"):
        Vademecum.load(path)
    with h5py.File(saved) as file:  # any reader opens it
        assert file["mesh/nodes"].shape == (28, 3) and file["solution/modes"].shape == (12, 28, 3)


def test_modes_found_from_a_sample_of_the_cases_serve_all():
    solid = SolidMesh.block((0.24, 0.04, 0.04), (6, 1, 1))
    clamped = np.flatnonzero(solid.nodes[:, 0] < 1e-9)
    load, steel = PointLoad(2e5), Material(209e9, 0.3)
    options = BuildOptions(modes=40, sizes=3, sample=12)
    some = build(solid, steel, load, clamped=clamped, options=options)
    every = build(solid, steel, load, clamped=clamped, options=dataclasses.replace(options, sample=None))
    assert some.cases.count == every.cases.count == 24
    assert some.log[-1].modes < every.log[-1].modes
    certificate = some.certified(sizes=(0.5, 1.0), modes=[]).certificate
    assert certificate.rows()[0]["nodal_max"] < 1e-3
