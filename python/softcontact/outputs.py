# SPDX-License-Identifier: LGPL-2.1-or-later
"""The output folder of a run."""

import errno
import json
import os
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from softcontact.scene.errors import SceneError
from softcontact.whole_file import claimed, lock, refusal, remove_rests, target, write_whole

FILES = ("scene.json", "summary.json", "history.h5", "replay.html", "report.md")
PROBLEMS = "problems"


class OutputError(SceneError):
    """The output folder cannot be written.

    Attributes:
        result: the run whose results could not be kept, when it was done already.
    """

    result: Any = None


def prepare(out: str | Path | None, scene: str) -> Path:
    """Make the output folder, and see that it can be written before anything is computed.

    Args:
        out: folder, or None for out/<scene>-<n> with the first free n.
        scene: name of the scene.
    Returns:
        The folder. One that holds an earlier run is emptied of that run's files, with a warning.
    Raises:
        OutputError: it cannot be made or written, or holds files of the same names that are not a run's.
    """
    folder = None if out is None else Path(out).expanduser()
    try:
        if folder is None:
            folder = numbered(Path("out"), scene)
        elif folder.is_dir():
            _make_room(folder)
        try_folder(folder)
    except OSError as error:
        raise refused(folder or Path("out"), error) from None
    return folder


def try_folder(folder: Path) -> None:
    """Make a folder that is missing, and see that files can be written there; rests of killed processes go.

    Raises:
        OSError: they cannot.
    """
    folder.mkdir(parents=True, exist_ok=True)
    remove_rests(folder)
    trial = folder / ".softcontact-trial"
    try:
        trial.write_bytes(b"\n")
    finally:
        trial.unlink(missing_ok=True)


@contextmanager
def opened(out: str | Path | None, scene: str) -> Iterator[Path]:
    """The output folder, prepared, and kept from other processes meanwhile; see prepare.

    Raises:
        OutputError: see prepare; or another run writes there at this moment.
    """
    given = None if out is None else Path(out).expanduser()
    if given is not None and given.is_dir():
        with _alone(given):
            yield prepare(given, scene)
        return
    folder = prepare(out, scene)
    with _alone(folder):
        yield folder


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold a lock on the folder itself, which ends with the process however that ends."""
    descriptor = -1
    with suppress(OSError):  # a folder that cannot be read; on Windows, any
        descriptor = os.open(folder, os.O_RDONLY)
    try:
        if descriptor >= 0 and lock(descriptor) is False:
            raise OutputError(
                f"{str(folder)!r}: another run writes there at this moment; choose another --out, or wait for its end"
            )
        yield
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def write_json(path: Path, data: Any) -> None:
    """Write plain data as JSON, whole or not at all."""
    text = json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    write_whole(path, text.encode())


def guarded(place: Path, action: Any, *arguments: Any, option: str = "--out", what: str = "folder") -> None:
    """Call a writer; a full or vanished disk becomes one clear error.

    Args:
        place: folder or file that it writes.
        action: called with the arguments.
        option: that names the place, or "".
        what: the place is, "folder" or "file".
    Raises:
        OutputError: naming the place and what the system said.
    """
    try:
        action(*arguments)
    except OSError as error:
        raise refused(place, error, option, what) from None


def try_file(path: Path, option: str = "--out", make: bool = False) -> None:
    """See that a file can be written before anything is computed for it.

    Args:
        path: of the file; one that is there is left as it is.
        option: that names it, or "".
        make: its folder, where that is missing.
    Raises:
        OutputError: it cannot: no such folder, one that must not be written, something else than a file.
    """
    try:
        place, _ = target(path)
        if not make and not place.parent.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, f"{str(place.parent)!r} is no folder that can be written")
        try_folder(place.parent)
    except OSError as error:
        raise refused(path, error, option, "file") from None


@contextmanager
def reserved(path: Path | None, option: str = "--out", make: bool = False) -> Iterator[None]:
    """See that a file can be written, and keep it from other processes meanwhile; see try_file.

    Args:
        path: None reserves nothing.
        option, make: see try_file.
    Raises:
        OutputError: see try_file; or another process has reserved it.
    """
    if path is None:
        yield
        return
    try_file(path, option, make)
    with ExitStack() as stack:
        try:
            stack.enter_context(claimed(path))
        except BlockingIOError:
            by = f" with {option}" if option else ""
            raise OutputError(
                f"{str(path)!r}: another process writes it at this moment; choose another file{by}, or wait for its end"
            ) from None
        except OSError as error:
            raise refused(path, error, option, "file") from None
        yield


def refused(place: Path, error: OSError, option: str = "--out", what: str = "folder") -> OutputError:
    """The error that tells what the system said of a folder, or of a file that an option names."""
    return OutputError(refusal(place, error, option, what))


def numbered(parent: Path, name: str) -> Path:
    """Make parent/<name>-<n> with the first free n.

    Raises:
        OSError: it cannot be made.
    """
    parent.mkdir(exist_ok=True)
    number = 1
    while True:
        folder = parent / f"{name}-{number}"
        try:
            folder.mkdir()
            return folder
        except FileExistsError:
            number += 1


def _make_room(folder: Path) -> None:
    present = [folder / name for name in FILES if (folder / name).exists()]
    if (folder / "sweep.json").exists():
        raise OutputError(f"{str(folder)!r} holds a sweep; choose another --out")
    remove_rests(folder / PROBLEMS)
    present += [*sorted((folder / PROBLEMS).glob("step-*.hdf5")), *sorted(folder.glob("track-*.h5"))]
    if not present:
        return
    if not _is_run(folder):
        raise OutputError(
            f"{str(folder)!r} holds {present[0].name} that no run of softcontact wrote; choose another --out"
        )
    warnings.warn(f"{str(folder)!r} held an earlier run; its files are replaced", UserWarning, stacklevel=3)
    # scene.json last: by it the next run knows whose files these are, should this one be killed here.
    for path in [*folder.glob("plot-*.png"), *reversed(present)]:
        path.unlink()


def _is_run(folder: Path) -> bool:
    """Whether the folder's scene and summary are those of a run, finished or not."""
    try:
        scene = json.loads((folder / "scene.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(scene, dict) and str(scene.get("format", "")).startswith("softcontact-scene-")
