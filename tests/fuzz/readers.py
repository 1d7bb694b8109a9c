# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every reader of files and messages, with a few seeds each and what it may raise."""

from __future__ import annotations

import base64
import io
import json
import random
import struct
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import meshio
import numpy as np
import yaml

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))
import mesh_files
import small_vademecum
from mutation import bytes_of, change_hdf5, hdf5_of, json_of
from scene_samples import drop

from softcontact.bodies.articulated import ArticulatedModel
from softcontact.flexibility.trace import read_trace, write_trace
from softcontact.haptics import HapticSession, Recording, SimulatedDevice, VirtualWall
from softcontact.mesh import MeshError, load_mesh
from softcontact.scene.errors import SceneError
from softcontact.scene.files import read as read_scene
from softcontact.solver import ContactProblem, read_fclib, write_fclib
from softcontact.tracking.files import read_track
from softcontact.tracking.message import Decoder
from softcontact.tracking.packets import track_of_packets
from softcontact.tracking.udp import LiveSource
from softcontact.tracking.values import TrackError
from softcontact.vademecum import Vademecum
from softcontact.vademecum.file import _SEAL, VademecumFileError

Mutate = Callable[[bytes, Sequence[bytes], random.Random], bytes]


@dataclass(frozen=True)
class Reader:
    """A reader under test.

    Attributes:
        suffix: of its files.
        seeds: makes its first inputs, in a folder.
        read: reads a file.
        refuses: what it may raise; nothing else.
        mutate: makes inputs from inputs.
    """

    suffix: str
    seeds: Callable[[Path], list[bytes]]
    read: Callable[[Path], object]
    refuses: type[Exception]
    mutate: Mutate = bytes_of


def _scenes(_: Path) -> list[bytes]:
    probe = {
        "name": "press",
        "duration": 0.1,
        "time_step": 0.01,
        "contact": {"model": "point", "friction": 0.3, "alarm_distance": 1e-3},
        "bodies": [
            {
                "name": "block",
                "kind": "tetrahedral",
                "shape": {"kind": "tetrahedral-box", "size": [0.1, 0.1, 0.05], "divisions": [2, 2, 1]},
                "material": {"young": 2e4, "poisson": 0.4, "density": 1000.0},
            },
            {"name": "tool", "kind": "tool", "shape": {"kind": "sphere", "radius": 0.01}, "mass": 0.05,
             "position": [0, 0, 0.1]},
        ],
        "motions": [{"kind": "keyframes", "body": "tool", "times": [0, 1], "positions": [[0, 0, 0.1], [0, 0, 0.05]]}],
    }  # fmt: skip
    return [json.dumps(data).encode() for data in (drop(), probe)]


def _yaml_scenes(folder: Path) -> list[bytes]:
    return [yaml.safe_dump(json.loads(data), sort_keys=False).encode() for data in _scenes(folder)]


POINTS, QUADS, TRIANGLES = mesh_files.CUBE_POINTS, mesh_files.CUBE_QUADS, mesh_files.cube_triangles()
TETRAHEDRA = np.array([[0, 1, 3, 5], [0, 3, 2, 6], [0, 5, 4, 6], [3, 5, 7, 6], [0, 3, 5, 6]])


def _stl(_: Path) -> list[bytes]:
    return [mesh_files.text_stl(POINTS, TRIANGLES).encode(), mesh_files.binary_stl(POINTS, TRIANGLES)]


def _obj(_: Path) -> list[bytes]:
    return [mesh_files.obj(POINTS, QUADS, face).encode() for face in ("{0}", "{0}/1/1", "{1}//1")]


def _off(_: Path) -> list[bytes]:
    return [mesh_files.off(POINTS, QUADS).encode(), mesh_files.off(POINTS, QUADS, "COFF ").encode()]


def _ply(_: Path) -> list[bytes]:
    kinds = ("ascii", "binary_little_endian", "binary_big_endian")
    return [mesh_files.ply(POINTS, QUADS, kind) for kind in kinds]


def _through_meshio(suffix: str, **options: Any) -> Callable[[Path], list[bytes]]:
    def make(folder: Path) -> list[bytes]:
        path, found = folder / f"seed{suffix}", []
        for cells in ([("triangle", TRIANGLES)], [("tetra", TETRAHEDRA)]):
            meshio.Mesh(POINTS, cells).write(path, **options)
            found.append(path.read_bytes())
        return found

    return make


def _vtk(folder: Path) -> list[bytes]:
    poly = [mesh_files.vtk_polydata(POINTS, QUADS, binary) for binary in (False, True)]
    return poly + _through_meshio(".vtk", binary=False)(folder)


def _vtu(folder: Path) -> list[bytes]:
    return _through_meshio(".vtu", binary=False)(folder) + _through_meshio(".vtu")(folder)


def _msh(folder: Path) -> list[bytes]:
    return [
        data for kind in ("gmsh22", "gmsh") for data in _through_meshio(".msh", file_format=kind, binary=False)(folder)
    ]  # fmt: skip


def _gltf(_: Path) -> list[bytes]:
    body = POINTS.astype("<f4").tobytes() + TRIANGLES.astype("<u2").tobytes()
    tree = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "translation": [0, 0, 0.1], "children": [1]}, {"rotation": [0, 0, 0, 1]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": TRIANGLES.size, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 96},
            {"buffer": 0, "byteOffset": 96, "byteLength": 2 * TRIANGLES.size},
        ],
        "buffers": [{"byteLength": len(body)}],
    }
    inside = json.loads(json.dumps(tree))
    inside["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(body).decode()
    return [json.dumps(inside).encode(), _glb(json.dumps(tree).encode(), body)]


def _glb(text: bytes, body: bytes) -> bytes:
    text += b" " * (-len(text) % 4)
    head = struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(body))
    return (
        head
        + struct.pack("<I4s", len(text), b"JSON")
        + text
        + struct.pack("<I4s", len(body), b"BIN\0")
        + body
    )


def _packet(_: Path) -> list[bytes]:
    from softcontact.tracking.message import FORMAT

    joints = {"joints": [0.1] * 20, "position": [0, 0, 0.2], "orientation": [0, 0, 0.1]}
    head = {"format": FORMAT, "sequence": 3, "time": 1.5, "side": "right"}
    units = {"units": {"time": "ms", "angle": "deg", "length": "cm"}, "session": "a"}
    landmarks = {"landmarks": [[0.01 * k, 0.02 * (k % 4), 0.001 * k] for k in range(21)], "scale": 1.0}
    rows = (joints, joints | units, joints | {"joints": [0.1] * 5}, landmarks)
    return [json.dumps(head | row).encode() for row in rows]


def _log(folder: Path) -> list[bytes]:
    packets = [data.decode() for data in _packet(folder)]
    lines = [json.dumps({"arrival": 0.01 * k, "packet": packets[k % len(packets)]}) for k in range(6)]
    return ["\n".join(lines).encode()]


def _push(path: Path) -> None:
    """A datagram, decoded and shown."""
    packet = Decoder()(path.read_bytes())
    source = LiveSource()
    source.buffer.insert(packet, 1.0)
    source.push(path.read_bytes(), 1.01)
    source.sample(1.1)


def _csv(folder: Path) -> list[bytes]:
    from softcontact.tracking.files import write_raw

    raw = _raw_track()
    found = []
    for more in ({}, {"angle_unit": "deg", "palm_orientation": np.tile([0.0, 0, 0, 1], (5, 1))}):
        write_raw(folder / "seed.csv", raw | more)
        found.append((folder / "seed.csv").read_bytes())
    return found


def _raw_track() -> dict[str, Any]:
    time = 0.01 * np.arange(5.0)
    zero = np.zeros((5, 3))
    palm = {"palm_position": zero, "palm_orientation": zero}
    return {"time": time, "joints": 0.1 * np.ones((5, 20)), "side": "right", **palm}


def _track_hdf5(folder: Path) -> list[bytes]:
    from softcontact.tracking.files import write_raw

    write_raw(folder / "seed.h5", _raw_track())
    return [(folder / "seed.h5").read_bytes()]


_INERTIAL = (
    '<inertial><origin xyz="0 0 0.1" rpy="0.1 0 0"/><mass value="1"/>'
    '<inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.025"/></inertial>'
)


def _urdf(_: Path) -> list[bytes]:
    shape = '<collision><origin xyz="0 0 0.1"/><geometry><{}/></geometry></collision>'
    texts = ('box size="0.1 0.1 0.2"', 'cylinder radius="0.05" length="0.2"', 'sphere radius="0.1"')
    shapes = [shape.format(text) for text in texts]
    links = [f'<link name="l{k}">{_INERTIAL}{shapes[k % 3]}</link>' for k in range(4)]
    limit = '<limit lower="-0.5" upper="1.5" velocity="3" effort="20"/>'
    kinds = ("revolute", "prismatic", "continuous")
    joints = [
        f'<joint name="j{k}" type="{kind}"><parent link="l{k}"/><child link="l{k + 1}"/>'
        f'<origin xyz="0 0 0.2" rpy="0 0 0"/>'
        f'<axis xyz="0 1 0"/>{limit}<dynamics damping="0.1"/></joint>'
        for k, kind in enumerate(kinds)
    ]
    joints[2] = joints[2].replace("</joint>", '<mimic joint="j0" multiplier="2" offset="0.1"/></joint>')
    return ["\n".join(['<?xml version="1.0"?>', '<robot name="arm">', *links, *joints, "</robot>"]).encode()]


def _fclib(folder: Path) -> list[bytes]:
    from scipy.sparse import csc_matrix

    from softcontact.solver import GlobalContactProblem

    half = np.random.default_rng(0).normal(size=(6, 6))
    path = folder / "seed.hdf5"
    write_fclib(path, ContactProblem(half @ half.T, np.ones(6), np.array([0.3, 0.5])))
    found = [path.read_bytes()]
    whole = GlobalContactProblem(
        csc_matrix(np.eye(6)), csc_matrix(np.eye(6)), np.ones(6), np.zeros(6), np.array([0.3, 0.5])
    )
    write_fclib(path, whole)
    return [*found, path.read_bytes()]


def _vademecum(folder: Path) -> list[bytes]:
    small_vademecum.small().save(folder / "seed.vdm")
    return [(folder / "seed.vdm").read_bytes()]


def vademecum_of(data: bytes, others: Sequence[bytes], rng: random.Random) -> bytes:
    """Contents changed, and mostly sealed anew: else the checksum would hide them."""
    if rng.random() < 0.15:
        return bytes_of(data, others, rng)
    try:
        with h5py.File("changed", "w", driver="core", backing_store=False) as file:
            with h5py.File(io.BytesIO(data), "r") as given:
                for name in given:
                    given.copy(name, file)
                for key, value in given.attrs.items():
                    file.attrs[key] = value
            for _ in range(rng.choice((1, 1, 2))):
                change_hdf5(file, rng)
            file.flush()
            image = file.id.get_file_image()
    except Exception:  # a file that an earlier change has broken
        return bytes_of(data, others, rng)
    return _SEAL._block(image) + image


def _recording(_: Path) -> list[bytes]:
    with HapticSession(SimulatedDevice(), VirtualWall(), clock="simulated", record=0.1) as session:
        session.publish(VirtualWall.data(500.0), 0.05)
        session.tick(20)
        memory = io.BytesIO()
        recording = session.recording()
    path = _ / "seed.h5"
    recording.save(path)
    memory.write(path.read_bytes())
    return [memory.getvalue()]


def _trace_csv(folder: Path) -> list[bytes]:
    write_trace(folder / "seed.csv", 0.01 * np.arange(6.0), np.linspace(0, 0.01, 18).reshape(6, 3))
    return [(folder / "seed.csv").read_bytes()]


def _trace_history(folder: Path) -> list[bytes]:
    with h5py.File(folder / "seed.h5", "w") as file:
        file["time"] = 0.01 * np.arange(1.0, 6)
        file["bodies/green/pose"] = np.tile([0.0, 0, 0.001, 0, 0, 0, 1], (5, 1))
        file["bodies/green/start"] = [0.0, 0, 0, 0, 0, 0, 1]
    return [(folder / "seed.h5").read_bytes()]


def _mesh(path: Path) -> None:
    load_mesh(path, size_range=None, require_closed=False)


def _quietly(read: Callable[[Path], object]) -> Callable[[Path], object]:
    def quiet(path: Path) -> object:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return read(path)

    return quiet


READERS = {
    "scene": Reader(".json", _scenes, read_scene, SceneError, json_of),
    "scene_yaml": Reader(".yaml", _yaml_scenes, read_scene, SceneError),
    "stl": Reader(".stl", _stl, _mesh, MeshError),
    "obj": Reader(".obj", _obj, _mesh, MeshError),
    "ply": Reader(".ply", _ply, _mesh, MeshError),
    "off": Reader(".off", _off, _mesh, MeshError),
    "vtk": Reader(".vtk", _vtk, _mesh, MeshError),
    "vtu": Reader(".vtu", _vtu, _mesh, MeshError),
    "gmsh": Reader(".msh", _msh, _mesh, MeshError),
    "gltf": Reader(".gltf", _gltf, _mesh, MeshError, json_of),
    "packet": Reader(".json", _packet, _push, TrackError, json_of),
    "packet_log": Reader(".jsonl", _log, _quietly(track_of_packets), TrackError),
    "track_csv": Reader(".csv", _csv, _quietly(read_track), TrackError),
    "track_hdf5": Reader(".h5", _track_hdf5, _quietly(read_track), TrackError, hdf5_of),
    "urdf": Reader(".urdf", _urdf, _quietly(ArticulatedModel.from_urdf), ValueError),
    "fclib": Reader(".hdf5", _fclib, read_fclib, ValueError, hdf5_of),
    "vademecum": Reader(".vdm", _vademecum, Vademecum.load, VademecumFileError, vademecum_of),
    "trace_csv": Reader(".csv", _trace_csv, read_trace, ValueError),
    "trace_history": Reader(".h5", _trace_history, read_trace, ValueError, hdf5_of),
    "recording": Reader(".h5", _recording, lambda path: Recording.load(path).replay(), ValueError, hdf5_of),
}
