# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every command that writes, on samples that take a moment, and what is to be seen of a folder that it wrote to."""

import json
import shutil
import threading
from contextlib import contextmanager, nullcontext
from pathlib import Path

import h5py
import numpy as np
from mesh_files import CUBE_POINTS, CUBE_QUADS, obj
from scene_samples import drop
from small_vademecum import small

from softcontact.cli import main
from softcontact.mesh import tetrahedral_box
from softcontact.solver import ContactProblem, write_fclib
from softcontact.tracking.files import find_track, read_track
from softcontact.tracking.packets import packets_of
from softcontact.tracking.udp import open_sender

STORED = Path(__file__).parent / "bench_documents"
PORT = "udp://127.0.0.1:26431"
BUILD = ["vademecum", "build", "box.vtu", "--young", "1e6", "--clamped", "x < -0.049", "--force", "20"]
BUILD += ["--modes", "6", "--sizes", "3", "--workers", "1"]

COMMANDS = {  # words, and the folder or file that is written
    "run": (["run", "drop.json", "--dump-problems", "60", "--out", "out"], "out"),
    "sweep": (
        [
            "sweep",
            "drop.json",
            "--param",
            "time_step=0.004,0.005",
            "--resume",
            "--workers",
            "1",
            "--out",
            "out",
        ],
        "out",
    ),
    "track simulate csv": (["track", "simulate", "a.csv", "--rate", "20"], "a.csv"),
    "track simulate jsonl": (["track", "simulate", "a.jsonl", "--rate", "20"], "a.jsonl"),
    "track record csv": (["track", "record", "a.csv", "--listen", PORT, "--duration", "0.2"], "a.csv"),
    "track record h5": (["track", "record", "a.h5", "--listen", PORT, "--duration", "0.2"], "a.h5"),
    "track record jsonl": (["track", "record", "a.jsonl", "--listen", PORT, "--duration", "0.2"], "a.jsonl"),
    "vademecum build": ([*BUILD, "--out", "a.h5"], "a.h5"),
    "vademecum certify": (["vademecum", "certify", "small.h5", "--sizes", "1", "--every", "6"], "small.h5"),
    "vademecum distance": (["vademecum", "distance", "small.h5", "--grid", "8,8,8"], "small.h5"),
    "vademecum export-web": (["vademecum", "export-web", "small.h5", "--out", "a.html"], "a.html"),
    "device simulate": (["device", "simulate", "--duration", "0.1", "--out", "a.h5"], "a.h5"),
    "device soak": (["device", "soak", "--minutes", "0.005", "--out", "a.json"], "a.json"),
    "solve": (["solve", "problem.hdf5", "--out", "a.hdf5"], "a.hdf5"),
    "mesh wrap": (["mesh", "wrap", "cube.obj", "a.vtu", "--cell", "0.02"], "a.vtu"),
    "mesh wrap stl": (["mesh", "wrap", "cube.obj", "a.stl", "--cell", "0.02"], "a.stl"),
    "bench": (["bench", "rate", "--quick", "--json", "a.json", "--out", "out"], "a.json"),
    "bench all": (["bench", "all", "--from", "stored", "--out", "out"], "out"),
}


def samples(folder):
    """Write what the commands read."""
    (folder / "drop.json").write_text(json.dumps(drop()))
    (folder / "cube.obj").write_text(obj(CUBE_POINTS, CUBE_QUADS))
    box = tetrahedral_box((0.1, 0.03, 0.03), (5, 2, 1))
    box.save(folder / "box.vtu")
    rng = np.random.default_rng(3)
    half = rng.normal(size=(30, 30))
    problem = ContactProblem(half @ half.T, rng.normal(size=30), np.full(10, 0.5))
    write_fclib(folder / "problem.hdf5", problem)
    small().save(folder / "small.h5")
    shutil.copytree(STORED, folder / "stored")


def call(name, more=(), place=None):
    """Run a command in the current folder; its exit code.

    Args:
        name: of the command.
        more: words.
        place: what it writes instead of its own folder or file.
    """
    words = [
        str(place) if place is not None and word == COMMANDS[name][1] else word for word in COMMANDS[name][0]
    ]
    with sending() if words[:2] == ["track", "record"] else nullcontext():
        return main([*words, *more])


@contextmanager
def sending():
    """A stream for whoever records."""
    track, stop = read_track(find_track("grasp")), threading.Event()

    def send():
        sender, number = open_sender(PORT), 0
        while not stop.is_set():
            number += 1  # of the sender's session
            for _, data in packets_of(track, session=str(number)):
                sender(data)
                if stop.wait(0.01):
                    break
        sender.close()

    thread = threading.Thread(target=send)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def problems(said):
    """Lines of an error stream that are neither a warning nor progress."""
    return [
        line for line in said.splitlines() if "listening" not in line and "softcontact: warning:" not in line
    ]


def listed(folder):
    """Names of all files below a folder."""
    return sorted(str(path.relative_to(folder)) for path in Path(folder).rglob("*") if not path.is_dir())


def rests(folder):
    """What a command leaves that nobody asked for."""
    return [name for name in listed(folder) if Path(name).name.startswith(".softcontact-")]


def unreadable(folder):
    """Files that are cut short."""
    found = []
    for name in listed(folder):
        path = Path(folder) / name
        try:
            if path.name.startswith(".softcontact-"):
                continue
            if path.suffix in (".h5", ".hdf5", ".partial"):
                with h5py.File(path, "r") as file:
                    assert len(file)
            elif path.suffix == ".json":
                json.loads(path.read_text())
            else:
                end = {".html": b"</html>\n", ".png": b"IEND\xaeB`\x82", ".vtu": b"</VTKFile>", ".md": b"\n"}
                assert path.read_bytes().rstrip().endswith(end.get(path.suffix, b"").rstrip())
        except FileNotFoundError:
            continue  # cleared away meanwhile
        except (OSError, ValueError, AssertionError) as error:
            found.append(f"{name}: {error}")
    return found
