# SPDX-License-Identifier: LGPL-2.1-or-later
"""The engine that runs a scene as a SOFA graph: whether it can be had on this machine."""

import importlib.util
import os
from typing import Any, NoReturn

from softcontact.scene.errors import SceneError


def sofa_found() -> bool:
    """Whether Python can import SOFA (the SofaPython3 bindings)."""
    try:
        return importlib.util.find_spec("Sofa") is not None
    except (ImportError, ValueError):
        return False


def sofa_reason() -> str:
    """What is missing for the sofa engine, and what to install."""
    if not sofa_found():
        root = os.environ.get("SOFA_ROOT")
        where = f"SOFA_ROOT is {root!r}, but its" if root else "SOFA_ROOT is not set, and the"
        return (
            f"engine 'sofa' needs SOFA v25.12 or later with SofaPython3 ({where} modules cannot be imported) and "
            "SoftContact's SOFA plugin, which this version does not have yet; use --engine embedded"
        )
    return "engine 'sofa' needs SoftContact's SOFA plugin, which this version does not have yet; use --engine embedded"


def make_sofa_engine(scene: Any) -> NoReturn:
    """Refuses: names what has to be installed.

    Raises:
        SceneError: always, while no SOFA plugin comes with the package.
    """
    raise SceneError(sofa_reason())
