# SPDX-License-Identifier: LGPL-2.1-or-later
"""SOFA's messages: warnings and errors are shown and told apart, others dropped, so that results stand alone."""

import atexit
import ctypes
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_BAD = ("[ERROR]", "[FATAL]")
_TOLD = (*_BAD, "[WARNING]", "[DEPRECATED]")


@contextmanager
def told_apart(*, shown: bool = True) -> Iterator[list[str]]:
    """Take in SOFA's messages: warnings and errors go to the error stream, the rest nowhere.

    Args:
        shown: whether warnings and errors go to the error stream.
    Yields:
        A list that holds the first line of each error afterwards.
    """
    errors: list[str] = []
    with tempfile.TemporaryFile() as store:
        _flush()
        streams = [os.dup(number) for number in (1, 2)]
        for number in (1, 2):
            os.dup2(store.fileno(), number)
        try:
            yield errors
        finally:
            _flush()
            for number, stream in zip((1, 2), streams, strict=True):
                os.dup2(stream, number)
                os.close(stream)
            store.seek(0)
            for line in told(store.read().decode("utf-8", "replace")):
                if shown:
                    print(line, file=sys.stderr)
                if line.startswith(_BAD):
                    errors.append(line)


def part_in_silence() -> None:
    """Send what SOFA says when the process ends nowhere: it would follow the results on the standard output."""

    def silence() -> None:
        _flush()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)

    atexit.register(silence)


def told(text: str) -> list[str]:
    """The lines of SOFA's output that a user has to see: warnings and errors with the lines that go on with them."""
    lines, going_on = [], True  # what does not begin like one of SOFA's messages is not SOFA's
    for line in _COLOUR.sub("", text).splitlines():
        if line.startswith("["):
            going_on = line.startswith(_TOLD)
        if going_on and line.strip():
            lines.append(line.rstrip())
    return lines


def _flush() -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    ctypes.CDLL(None).fflush(None)
