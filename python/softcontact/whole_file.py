# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files written whole or not at all, and only in the place of a regular file; and what reading HDF5 may raise."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
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
_OURS, _PART, _LOCK = ".softcontact-", ".part", ".lock"  # names that no user's file has
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
    """Write a file whole or not at all; see write_by.

    Raises:
        OSError: no space, no such folder, or something at `path` that is not to be replaced; it names `path`.
    """

    def fill(part: Path) -> None:
        with open(part, "wb") as file:
            file.write(data)

    write_by(path, fill)


def write_by(path: Path, write: Callable[[Path], None]) -> None:
    """Let a writer make a file, whole or not at all: beside it, under a name that nothing has, and then into its place.

    A file that is replaced keeps its permissions, and its owner where the system allows it. What a killed process
    leaves of such a file goes with remove_rests.

    Args:
        path: file to write.
        write: puts the contents into the file whose path it is given; it ends as `path` does.
    Raises:
        OSError: see write_whole.
    """
    place, there = target(path)
    try:
        with _part(place.parent, path.suffix) as part:
            write(part)
            if there is not None:
                if hasattr(os, "chown"):
                    with contextlib.suppress(PermissionError):
                        os.chown(part, there.st_uid, there.st_gid)
                part.chmod(stat.S_IMODE(there.st_mode))
            part.replace(place)
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None


def write_figure(path: Path, figure: Any, dpi: float = 110) -> None:
    """Write a matplotlib figure as PNG, whole or not at all.

    Raises:
        OSError: see write_whole.
    """
    write_by(path, lambda part: figure.savefig(part, dpi=dpi, format="png"))


@contextlib.contextmanager
def _part(folder: Path, ending: str) -> Iterator[Path]:
    """A new file, locked as long as it has this name, and gone afterwards if it still has."""
    while True:
        part = folder / f"{_OURS}{secrets.token_hex(8)}{_PART}{ending}"
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        if lock(descriptor) is not False:
            break
        os.close(descriptor)  # somebody took it for a rest, at this very moment
    try:
        if os.name == "nt":  # where nobody renames a file that is open
            os.close(descriptor)
            descriptor = -1
        yield part
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise
    finally:
        if descriptor >= 0:
            os.close(descriptor)


@contextlib.contextmanager
def claimed(path: Path) -> Iterator[None]:
    """Keep other processes from claiming the same file meanwhile; the claim ends with the process however that ends.

    Raises:
        BlockingIOError: another process has it.
        OSError: see target; or no such folder.
    """
    place, _ = target(path)
    number = hashlib.sha256(os.fsencode(place)).hexdigest()[:16]
    held = place.with_name(f"{_OURS}{number}{_LOCK}")
    while True:
        descriptor = os.open(held, os.O_RDWR | os.O_CREAT, 0o666)
        got = lock(descriptor)
        if got is not False:
            break
        gone = os.fstat(descriptor).st_nlink == 0  # its holder was just about to leave
        os.close(descriptor)
        if not gone:
            raise BlockingIOError(errno.EWOULDBLOCK, "another process writes it at this moment", str(path))
    try:
        yield
    finally:
        if os.name == "nt":
            os.close(descriptor)
        with contextlib.suppress(OSError):
            held.unlink()
        if os.name != "nt":  # the other way round another process would lock a name that goes
            os.close(descriptor)


def temporary_folder(kind: str) -> tuple[Path, int]:
    """A new temporary folder, which is this process's as long as it lives; those that killed ones left go.

    Args:
        kind: of folder; part of the name.
    Returns:
        The folder, to be removed by the caller, and a descriptor to be closed after that; -1 where there are no locks.
    """
    start = f"softcontact-{kind}-"
    for left in Path(tempfile.gettempdir()).glob(f"{start}*"):
        with contextlib.suppress(OSError):
            descriptor = os.open(left, os.O_RDONLY)
            try:
                if lock(descriptor):
                    shutil.rmtree(left, ignore_errors=True)
            finally:
                os.close(descriptor)
    while True:
        folder = Path(tempfile.mkdtemp(prefix=start))
        try:
            descriptor = os.open(folder, os.O_RDONLY)
        except FileNotFoundError:  # taken for a rest, at this very moment
            continue
        except OSError:  # Windows opens no folders
            return folder, -1
        if lock(descriptor) is not False:
            return folder, descriptor
        os.close(descriptor)


def remove_rests(folder: Path) -> None:
    """Remove what processes that were killed left of files that they wrote by this module; others' stay."""
    for path in (*folder.glob(f"{_OURS}*{_PART}*"), *folder.glob(f"{_OURS}*{_LOCK}")):
        with contextlib.suppress(OSError):
            descriptor = os.open(path, os.O_RDWR)
            try:
                if lock(descriptor):
                    path.unlink()
            finally:
                os.close(descriptor)


def refusal(place: Path | str, error: OSError, option: str = "", what: str = "file") -> str:
    """What to say of a place that cannot be written.

    Args:
        place: the file or folder, or what else is written.
        error: what the system said.
        option: that names the place, or "".
        what: the place is, "folder" or "file".
    """
    reason = error.strerror or str(error)
    more = ", or free space" if error.errno in NO_SPACE else ""
    by = f" with {option}" if option else ""
    return f"cannot write to {str(place)!r}: {reason}; choose a {what} that can be written{by}{more}"


def lock(descriptor: int) -> bool | None:
    """Lock an open file or folder, until it is closed or the process ends.

    Returns:
        Whether it could be had: False where another process has it, or where it no longer has a name; None where the
        system has no such locks.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return None
    return os.fstat(descriptor).st_nlink > 0


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
