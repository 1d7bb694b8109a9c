# SPDX-License-Identifier: LGPL-2.1-or-later
"""The loop of tests/fuzz/fuzz.py itself, and the faults that it has found in the readers."""

import io

import h5py
import pytest

from fuzz import READERS, Coverage, Found, Reader, _read, bounded, fuzz


@pytest.mark.parametrize("name", READERS)
def test_every_seed_is_accepted(name, tmp_path):
    seeds = READERS[name].seeds(tmp_path)
    assert fuzz(READERS[name], len(seeds), 0, tmp_path).accepted == len(seeds)


@pytest.mark.parametrize("name", READERS)
def test_no_reader_fails_on_a_few_random_inputs(name, tmp_path):
    """A small part of fuzz.py's run, the same each time."""
    found = fuzz(READERS[name], 40, 1, tmp_path)
    assert not found.faults
    assert found.refusals and found.accepted


def test_faults_are_found(tmp_path, monkeypatch):
    """What the loop is for: a foreign exception, a message of two lines, a hang, and memory without end."""
    monkeypatch.setattr("fuzz.LONGEST", 0.2)
    monkeypatch.setattr("fuzz.MEMORY", 1 << 28)

    def read(path):
        match path.read_bytes()[:1]:
            case b"k":
                raise KeyError("x")
            case b"l":
                raise ValueError("a\nb")
            case b"h":
                while True:
                    pass
            case b"m":
                bytearray(1 << 30)

    reader = Reader(".x", lambda _: [b"k", b"l", b"h", b"m", b"-"], read, ValueError)
    found = fuzz(reader, 5, 0, tmp_path)
    assert sorted(kind.split()[0] for kind in found.faults) == ["KeyError", "MemoryError", "hang", "message"]
    assert found.accepted == 1


def read(name, data, tmp_path):
    found = Found()
    path = tmp_path / f"input{READERS[name].suffix}"
    path.write_bytes(data)
    with bounded():
        _read(READERS[name], path, data, Coverage(), found)
    return found


FAR = b"solid a\n" + b"\n".join(
    b"facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1e300 0 0\nvertex 0 %d 0\nendloop\nendfacet" % k
    for k in (1, 2)
) + b"\nendsolid a\n"  # fmt: skip


# Of an unstructured grid, without points and with words that meshio takes for them.
NO_POINTS = b"""# vtk DataFile Version 5.1
a
ASCII
DATASET UNSTRUCTURED_GRID 0.05 0.0 0.0
CELLS 3 6
OFFSETS vtktypeint64
0
3
6
CONNECTIVITY vtktypeint64
0
1
2
1
2
3
CELL_TYPES 2
5
5
"""


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("stl", FAR, "where distances overflow; correct it"),
        ("obj", b"v " + 5000 * b"1" + b"x 0 0\nf 1 1 1\n", "a coordinate should be"),
        ("scene", b'{"name": ' + 5000 * b"1" + b"}", "a number has thousands of digits; write it shorter"),
        ("gltf", b'{"asset": []}', "cannot be read as glTF"),
        ("gltf", 100_000 * b"[", "cut off or damaged"),
        ("urdf", b'<robot name="a"><link name="l"/><x>' + 9000 * b"\n" + b"</robot>", "is not XML"),
        ("urdf", b"<robot>", "correct it, or export the file anew"),
        ("urdf", b'<robot name="a"/>', "has no <link>; add one"),
        (
            "vtk",
            b"# vtk DataFile Version 4.2\na\nASCII\nDATASET POLYDATA\nPOINTS 1 float\n0 0 0\nPOLYGONS 1 4\n-1 0 0 0\n",
            "a cell of -1 corners",
        ),
        (
            "vtk",
            b"# vtk DataFile Version 4.2\na\nBINARY\nDATASET POLYDATA\nPOINTS -9 float\n" + 36 * b"\0",
            "-27 numbers announced",
        ),
        ("trace_csv", b"time,x,y,z\n0,0,0,0#1\n", "could not convert string '0#1'"),
        ("vtk", NO_POINTS, "points of the shape (), expected (n, 3)"),
        ("fclib", b"text", "give a problem that FCLIB or softcontact wrote"),
        ("fclib", b"\x89HDF\r\n\x1a\n cut", "write the problem anew"),
        (
            "trace_csv",
            b"time,x,y,z\n" + 400 * b"1," + b"1\n",
            "line 2 has 401 numbers for 4 columns; mend it",
        ),
        ("track_csv", b"# softcontact-track-" + 5000 * b"x" + b"\n", "is unknown"),
    ],
)
def test_a_fault_that_was_found_stays_mended(name, data, told, tmp_path):
    found = read(name, data, tmp_path)
    assert not found.faults and len(found.refusals) == 1
    assert told in next(iter(found.refusals.values()))


@pytest.mark.parametrize(
    ("part", "value", "told"),
    [
        ("time", ["a", "b", "c", "d", "e"], "no motion of 'green' in it"),
        ("time", [[1.0], [2.0], [3.0], [4.0], [5.0]], "do not fit together"),
        ("bodies/green/start", [0.0], "do not fit together"),
        ("bodies/green/pose", [0.0], "do not fit together"),
    ],
)
def test_a_history_without_a_motion_is_refused(part, value, told, tmp_path):
    (seed,) = READERS["trace_history"].seeds(tmp_path)
    memory = io.BytesIO(seed)
    with h5py.File(memory, "r+") as file:
        del file[part]
        file[part] = value
    found = read("trace_history", memory.getvalue(), tmp_path)
    assert not found.faults and told in next(iter(found.refusals.values()))
