# SPDX-License-Identifier: LGPL-2.1-or-later
"""`softcontact doctor`."""

import importlib
import importlib.metadata
import importlib.util
import json
import locale
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from typing import Annotated

import typer

import softcontact
from softcontact.cli.console import console, mark

_NEEDED = ("numpy", "scipy", "h5py", "meshio", "pydantic", "typer", "rich", "matplotlib", "pyyaml")
_OPTIONAL = {
    "pytetwild": "fills surfaces with tetrahedra: pip install softcontact[mesh]",
    "viser": "shows running scenes in the browser: pip install softcontact[live]",
}
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "firefox")


def command(as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False) -> int:
    """Say what this installation has and what it lacks; exit code 2 when it cannot run scenes."""
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
    from softcontact.engines.sofa import sofa_found, sofa_reason
    from softcontact.scene.library import folders, names

    yield "softcontact", True, True, softcontact.__version__
    yield "python", sys.version_info >= (3, 11), True, f"{platform.python_version()} on {platform.platform()}"
    yield "core", *_core()
    for package in _NEEDED:
        version = _version(package)
        yield package, version is not None, True, version or f"missing: pip install {package}"
    for package, remedy in _OPTIONAL.items():
        version = _version(package)
        yield package, version is not None, False, version or f"not installed; {remedy}"
    yield "scenes", bool(names()), True, f"{len(names())} in {', '.join(map(str, folders())) or 'no folder'}"
    yield "SOFA", sofa_found(), False, "Python modules found" if sofa_found() else sofa_reason()
    yield "OpenHaptics", *_openhaptics()
    yield "haptic thread", *_real_time()
    browser = next((path for name in _BROWSERS if (path := shutil.which(name))), None)
    yield "browser", browser is not None, False, browser or "none found; replay.html opens in any other"
    yield "text", True, True, f"{locale.getpreferredencoding(False)}, files in {sys.getfilesystemencoding()}"
    yield "processors", True, True, str(os.cpu_count())


def _core() -> tuple[bool, bool, str]:
    try:
        core = importlib.import_module("softcontact._core")
    except ImportError as error:
        return False, True, f"the compiled part is missing ({error}); pip install . builds it"
    built = [
        str(getattr(core, name)) for name in ("__version__", "compiler", "build_type") if hasattr(core, name)
    ]
    return hasattr(core, "World"), True, ", ".join([*built, str(core.__file__)])


def _openhaptics() -> tuple[bool, bool, str]:
    """Whether a device of 3D Systems can be had."""
    from softcontact.haptics import openhaptics

    try:
        return True, False, openhaptics.probe().model
    except openhaptics.DeviceFault as fault:
        return False, False, f"{fault.cause}; {fault.remedy}"


def _real_time() -> tuple[bool, bool, str]:
    """Whether the fast thread of a haptic session gets real-time scheduling."""
    from softcontact.haptics import HapticSession, SimulatedDevice, VirtualWall

    with HapticSession(SimulatedDevice(), VirtualWall()) as session:
        session.start()
        granted = session.scheduling
    return granted.startswith("SCHED_FIFO"), False, granted


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
