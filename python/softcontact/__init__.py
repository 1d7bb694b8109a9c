# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contact between soft bodies, and between people and soft bodies, fast enough to touch."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from softcontact.runner import RunResult, run
    from softcontact.scene import Scene, SceneError
    from softcontact.sweeps import SweepResult, sweep

__version__ = "0.1.0"
__all__ = ["RunResult", "Scene", "SceneError", "SweepResult", "__version__", "run", "sweep"]

_HOMES = {
    "run": "softcontact.runner",
    "RunResult": "softcontact.runner",
    "Scene": "softcontact.scene",
    "SceneError": "softcontact.scene",
    "sweep": "softcontact.sweeps",
    "SweepResult": "softcontact.sweeps",
}


def __getattr__(name: str) -> Any:
    # Loaded on first use: the laws (friction, contact, solver) work without the scene machinery.
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'softcontact' has no attribute {name!r}")
