# SPDX-License-Identifier: LGPL-2.1-or-later
"""HDF5 files that begin with their format, version and checksum; any HDF5 reader opens them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from softcontact.whole_file import target, write_whole

__all__ = ["Seal", "SealError"]

_USER_BLOCK = 512


class SealError(ValueError):
    """A file that is not whole, or of another format or version; the message says which."""


@dataclass(frozen=True)
class Seal:
    """What stands in the first bytes of a kind of file.

    Args:
        format: name of the kind.
        version: only files of this version are read.
        noun: what to call such a file in messages.
        remedy: what to do about one that cannot be read.
    """

    format: str
    version: int
    noun: str
    remedy: str

    def write(self, path: Path, fill: Callable[[Any], None]) -> None:
        """Write a file whole or not at all; `fill` puts the contents into an h5py.File.

        Raises:
            OSError: it cannot be written.
        """
        import h5py

        target(path)  # before the work, not after it
        with h5py.File("softcontact", "w", driver="core", backing_store=False) as file:
            fill(file)
            file.flush()
            image = file.id.get_file_image()
        write_whole(path, self._block(image) + image)

    def read(self, path: Path) -> bytes:
        """Bytes of a file whose seal is unbroken.

        Raises:
            SealError: it is broken.
            OSError: the file cannot be read.
        """
        image = path.read_bytes()
        name, _, version = image[:_USER_BLOCK].split(b"\n")[0].decode(errors="replace").partition(" ")
        if name != self.format:
            raise SealError(f"{str(path)!r} is no {self.noun}, or damaged at its beginning; {self.remedy}")
        if version != str(self.version):
            raise SealError(
                f"{str(path)!r} has version {version} of the format, this program reads {self.version}; "
                f"{self.remedy}"
            )
        if image[:_USER_BLOCK] != self._block(image[_USER_BLOCK:]):
            raise SealError(f"{str(path)!r} is damaged: its checksum does not fit; {self.remedy}")
        return image

    def _block(self, image: bytes) -> bytes:
        text = f"{self.format} {self.version}\nsha256 {hashlib.sha256(image).hexdigest()}\n"
        return text.encode().ljust(_USER_BLOCK, b"\0")
