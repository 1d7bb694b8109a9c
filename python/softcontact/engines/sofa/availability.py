# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whether SOFA can be had on this machine, and what to install where it cannot."""

import importlib
import importlib.util
import os
import sys
from typing import Any

from softcontact.engines.sofa.messages import part_in_silence, told_apart
from softcontact.scene.errors import SceneError

PLUGIN = "SoftContact"
_MODULES = ("Sofa.Core", "Sofa.Simulation", "Sofa.SofaConstraintSolver", "SofaRuntime")
INSTALL = (
    "install SOFA v25.12 or later with SofaPython3 (github.com/sofa-framework/sofa/releases, or conda install -c "
    "sofa-framework -c conda-forge sofa-app sofa-python3) and SoftContact's SOFA plugin, then set SOFA_ROOT to SOFA's "
    "folder, PYTHONPATH to SofaPython3's site-packages, LD_LIBRARY_PATH to the lib folders of both, and "
    "SOFA_PLUGIN_PATH to the folder of libSoftContact; or use --engine embedded"
)


def sofa_found() -> bool:
    """Whether Python can find SOFA's modules (the SofaPython3 bindings)."""
    try:
        return importlib.util.find_spec("Sofa") is not None
    except (ImportError, ValueError):
        return False


def sofa_reason(cause: str = "") -> str:
    """What is missing for the sofa engine, what to install and which variables to set, in one line.

    Args:
        cause: what failed; by default that SOFA's Python modules are not found.
    """
    if not cause:
        root = os.environ.get("SOFA_ROOT")
        where = f"SOFA_ROOT is {root!r}" if root else "SOFA_ROOT is not set"
        cause = f"Python finds no module Sofa; {where}"
    return f"engine 'sofa' cannot start ({cause}): {INSTALL}"


def import_sofa() -> Any:
    """The module Sofa, with SoftContact's plugin loaded.

    Raises:
        SceneError: one of them cannot be had; the message says what to install and which variables to set.
    """
    if not sofa_found():
        raise SceneError(sofa_reason())
    try:
        with told_apart(shown=False):
            first = "Sofa" not in sys.modules
            import Sofa

            for module in _MODULES:
                importlib.import_module(module)
            import SofaRuntime

            own = SofaRuntime.importPlugin("Sofa.Component.AnimationLoop") is not False
            loaded = SofaRuntime.importPlugin(PLUGIN) is not False
    except RuntimeError as error:  # a folder of SOFA_PLUGIN_PATH that is not there
        path = os.environ.get("SOFA_PLUGIN_PATH")
        raise SceneError(sofa_reason(f"SOFA_PLUGIN_PATH is {path!r}: {error}")) from None
    except ImportError as error:
        raise SceneError(sofa_reason(f"module Sofa is found but cannot be imported: {error}")) from None
    if first:
        part_in_silence()
    if not own:
        root = os.environ.get("SOFA_ROOT")
        where = f"SOFA_ROOT is {root!r}" if root else "SOFA_ROOT is not set"
        raise SceneError(sofa_reason(f"SOFA finds none of its own components; {where}"))
    if not loaded:
        path = os.environ.get("SOFA_PLUGIN_PATH")
        where = f"SOFA_PLUGIN_PATH is {path!r}" if path else "SOFA_PLUGIN_PATH is not set"
        raise SceneError(sofa_reason(f"SOFA finds no plugin {PLUGIN}; {where}"))
    return Sofa
