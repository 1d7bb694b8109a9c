# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contact between soft bodies, and between people and soft bodies, fast enough to touch."""

__version__ = "0.1.0"
