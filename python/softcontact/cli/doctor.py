# SPDX-License-Identifier: LGPL-2.1-or-later
"""`softcontact doctor`."""

import contextlib
import importlib
import importlib.metadata
import importlib.util
import json
import locale
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer

import softcontact
from softcontact.cli.console import console, mark
from softcontact.extras import how_to_install, pip_install

_NEEDED = ("numpy", "scipy", "h5py", "meshio", "pydantic", "typer", "rich", "matplotlib", "pyyaml")
_OPTIONAL = {  # package: the extra that brings it, and what for
    "pytetwild": ("mesh", "fills surfaces with tetrahedra"),
    "viser": ("live", "shows running scenes in the browser"),
    "pyopenhaptics": ("haptics", "speaks to devices of 3D Systems"),
    "distributed": ("dask", "shares vademecums and sweeps among machines"),
    "pyarrow": ("sweep", "writes tables of sweeps as Parquet"),
    "mujoco": ("peers", "a tool that bench peers compares with"),
    "pin": ("peers", "a tool that bench peers compares with"),
    "ipctk": ("peers", "a tool that bench peers compares with"),
    "sphinx": ("docs", "builds the documentation"),
}
_COMPILERS = ("c++", "g++", "clang++", "cl")


def command(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, nothing else.")] = False,
) -> int:
    """Say what this installation has and what it lacks.

    Exit code 2: it cannot run scenes.
    """
    findings = list(_findings())
    if as_json:
        print(
            json.dumps([dict(zip(("name", "ok", "needed", "text"), item, strict=True)) for item in findings])
        )
    else:
        screen = console()
        for name, ok, needed, text in findings:
            sign = mark(ok) if needed or ok else "-"
            screen.print(f"{sign} {name}: ", end="", soft_wrap=True)
            screen.print(text, markup=False, soft_wrap=True)
    return 0 if all(ok for _, ok, needed, _ in findings if needed) else 2


def _findings() -> Iterator[tuple[str, bool, bool, str]]:
    """Name, whether it is there, whether it is needed, what to say."""
    yield "softcontact", True, True, softcontact.__version__
    yield "python", sys.version_info >= (3, 11), True, f"{platform.python_version()} on {platform.platform()}"
    yield "core", *_core()
    for package in _NEEDED:
        version = _version(package)
        yield package, version is not None, True, version or f"missing: {pip_install(package)}"
    for package, (extra, purpose) in _OPTIONAL.items():
        version = _version(package)
        missing = f"not installed; {purpose}: {how_to_install(extra)}"
        yield package, version is not None, False, f"{version}; {purpose}" if version else missing
    for name, needed, question in _QUESTIONS:
        try:
            ok, text = question()
        except Exception as error:  # whatever is broken here is what the doctor has to tell
            ok, text = False, f"{type(error).__name__}: {error}"
        yield name, ok, needed, text


def _core() -> tuple[bool, bool, str]:
    try:
        core = importlib.import_module("softcontact._core")
    except ImportError as error:
        return False, True, f"the compiled part is missing ({error}); {pip_install('.')} in a clone builds it"
    built = [
        str(getattr(core, name)) for name in ("__version__", "compiler", "build_type") if hasattr(core, name)
    ]
    return hasattr(core, "World"), True, ", ".join([*built, str(core.__file__)])


def _scenes() -> tuple[bool, str]:
    from softcontact.scene.library import folders, names

    return bool(names()), f"{len(names())} in {', '.join(map(str, folders())) or 'no folder'}"


def _data() -> tuple[bool, str]:
    """Whether the files that scenes need are there and as they were shipped."""
    from softcontact.mesh.data import damaged_files, data_path

    damaged = ", ".join(f"{name} {what}" for name, what in damaged_files().items())
    if damaged:
        return False, f"{damaged}: install the package again"
    return True, str(data_path("manifest.json").parent)


def _output() -> tuple[bool, str]:
    return _writable(Path.cwd(), "runs write out/ here; go to a folder of yours, or give --out")


def _cache() -> tuple[bool, str]:
    from softcontact.vademecum.stock import cache_folder

    return _writable(cache_folder(), "vademecums are kept there; set SOFTCONTACT_CACHE to a folder of yours")


def _writable(folder: Path, remedy: str) -> tuple[bool, str]:
    """Whether files can be made in a folder, or in the nearest one above it that is there."""
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    try:
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        return False, f"{folder}: {error.strerror}; {remedy}"
    return True, f"{folder}, {shutil.disk_usage(there).free / 1e9:.1f} GB free"


def _sofa() -> tuple[bool, str]:
    from softcontact.engines.sofa import sofa_found, sofa_reason

    return sofa_found(), "Python modules found" if sofa_found() else sofa_reason()


def _openhaptics() -> tuple[bool, str]:
    """Whether a device of 3D Systems can be had."""
    from softcontact.haptics import openhaptics

    try:
        return True, openhaptics.probe().model
    except openhaptics.DeviceFault as fault:
        return False, f"{fault.cause}; {fault.remedy}"


def _real_time() -> tuple[bool, str]:
    """Whether the fast thread of a haptic session gets real-time scheduling."""
    from softcontact.haptics import HapticSession, SimulatedDevice, VirtualWall

    with HapticSession(SimulatedDevice(), VirtualWall()) as session:
        session.start()
        granted = session.scheduling
    return granted.startswith("SCHED_FIFO"), granted


def _chromium() -> tuple[bool, str]:
    from softcontact.report.chromium import find_chromium

    found = find_chromium()
    remedy = "pictures of replays need one: apt install chromium, or set SOFTCONTACT_CHROMIUM to its path"
    return found is not None, found or f"none found; {remedy}. replay.html opens in any browser"


def _compiler() -> tuple[bool, str]:
    found = next((path for name in _COMPILERS if (path := shutil.which(name))), None)
    return found is not None, found or "none found; only building from source needs one, for C++20"


def _text() -> tuple[bool, str]:
    return True, f"{locale.getpreferredencoding(False)}, files in {sys.getfilesystemencoding()}"


def _processors() -> tuple[bool, str]:
    from softcontact.parallel import available_cores

    model = platform.processor() or platform.machine()
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        model = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return True, f"{available_cores()} of {os.cpu_count()} for this process; {model}"


_QUESTIONS: tuple[tuple[str, bool, Callable[[], tuple[bool, str]]], ...] = (
    ("scenes", True, _scenes),
    ("data", True, _data),
    ("output", False, _output),
    ("cache", False, _cache),
    ("SOFA", False, _sofa),
    ("OpenHaptics", False, _openhaptics),
    ("haptic thread", False, _real_time),
    ("chromium", False, _chromium),
    ("compiler", False, _compiler),
    ("text", True, _text),
    ("processors", True, _processors),
)


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
