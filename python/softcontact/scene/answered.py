# SPDX-License-Identifier: LGPL-2.1-or-later
"""What scenes share whose bodies are answered by a vademecum: which one."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from softcontact.scene.conditions import only
from softcontact.scene.errors import SceneError
from softcontact.scene.library import SceneOptions
from softcontact.vademecum import Vademecum


class VademecumOptions(SceneOptions):
    """Options of such a scene."""

    conditions = (only("quality", file=None),)

    file: str | None = None
    """Vademecum of the solid; by default one that is built on first use and kept in the cache folder."""
    quality: Literal["full", "quick"] = "full"
    """The vademecum that is built: the paper's, or a coarse one in seconds, to try things."""

    def vademecum(self, stock: Callable[[bool], Path]) -> tuple[str, Vademecum]:
        """The file and what it holds.

        Args:
            stock: gives the scene's own file, the quick one or not.
        Raises:
            SceneError: a file that is none, or not whole.
        """
        file = self.file or str(stock(self.quality == "quick"))
        try:
            return file, Vademecum.load(file)
        except ValueError as error:
            raise SceneError(f"file: {error}") from None
