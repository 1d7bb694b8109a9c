# SPDX-License-Identifier: LGPL-2.1-or-later
"""`softcontact mesh`: the commands are those of softcontact.mesh.cli."""

from softcontact.mesh.cli import app

__all__ = ["app"]
