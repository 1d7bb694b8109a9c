# SPDX-License-Identifier: LGPL-2.1-or-later
"""Small scenes that several tests run."""

from typing import Any

from softcontact.scene import Scene


def drop(**changes: Any) -> dict[str, Any]:
    """A box of 0.5 kg that falls 10 mm onto a table, as plain data."""
    return {
        "name": "drop",
        "description": "A box falls onto a table.",
        "duration": 0.4,
        "time_step": 0.005,
        "bodies": [
            {
                "name": "box",
                "kind": "rigid",
                "shape": {"kind": "box", "size": [0.1, 0.1, 0.1]},
                "mass": 0.5,
                "position": [0, 0, 0.06],
            },
            {
                "name": "table",
                "kind": "kinematic",
                "shape": {"kind": "box", "size": [1, 1, 0.02]},
                "position": [0, 0, -0.01],
            },
        ],
        "probes": [
            {"name": "height", "kind": "position", "body": "box"},
            {"name": "push", "kind": "contact_force", "body": "box", "other": "table", "axis": "up"},
        ],
        "checks": [
            {"kind": "held", "body": "box", "by": "table", "drop": 0.012},
            {"kind": "probe_limit", "probe": "height", "minimum": 0.049, "maximum": 0.051},
            {"kind": "finite"},
        ],
    } | changes


def drop_scene(**changes: Any) -> Scene:
    """The same as a Scene."""
    return Scene.from_dict(drop(**changes))
