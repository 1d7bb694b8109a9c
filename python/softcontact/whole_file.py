# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files written whole or not at all, and only in the place of a regular file; and what reading HDF5 may raise."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

# What the system says of a file that does not fit.
NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
# What h5py raises over a file that is damaged, or holds something else than expected: there is no common base.
HDF5_FAULTS = (
    OSError,
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RuntimeError,
    TypeError,
    ValueError,
)
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def target(path: Path) -> tuple[Path, os.stat_result | None]:
    """Where a file of this name is written, links followed, and what is known of the file that is there.

    Raises:
        OSError: what is there is no regular file, or must not be written.
    """
    try:
        there = path.stat()
    except FileNotFoundError:
        return Path(os.path.realpath(path)), None
    if not stat.S_ISREG(there.st_mode):
        what = next((name for test, name in _KINDS if test(there.st_mode)), "something else")
        raise OSError(errno.EINVAL, f"it is {what} and no regular file", str(path))
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "it is write-protected", str(path))
    return Path(os.path.realpath(path)), there


def write_whole(path: Path, data: bytes) -> None:
    """Write a file whole or not at all: beside it, under a name that nothing has, and then into its place.

    A file that is replaced keeps its permissions, and its owner where the system allows it.

    Raises:
        OSError: no space, no such folder, or something at `path` that is not to be replaced.
    """
    place, there = target(path)
    partial = place.with_name(f".softcontact-{secrets.token_hex(8)}.part")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
        if there is not None:
            if hasattr(os, "chown"):
                with contextlib.suppress(PermissionError):
                    os.chown(partial, there.st_uid, there.st_gid)
            partial.chmod(stat.S_IMODE(there.st_mode))
        partial.replace(place)
    except BaseException:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise


def write_hdf5(path: Path, fill: Callable[[Any], None]) -> None:
    """Write an HDF5 file whole or not at all.

    It is made in memory first: an HDF5 file that meets a full disk can neither be closed nor be left open, and ends
    the process at its exit.

    Args:
        path: file to write.
        fill: puts the contents into an h5py.File.
    Raises:
        OSError: see write_whole.
    """
    import h5py

    target(path)  # before the work, not after it
    with h5py.File("softcontact", "w", driver="core", backing_store=False) as file:
        fill(file)
        file.flush()
        image = file.id.get_file_image()
    write_whole(path, image)
