# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command line: `softcontact`."""

from softcontact.cli.app import main

__all__ = ["main"]
