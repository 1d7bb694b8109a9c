# SPDX-License-Identifier: LGPL-2.1-or-later
"""SOFA writes its messages to the standard output: here warnings and errors go to the error stream, others nowhere."""

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
def told_apart() -> Iterator[list[str]]:
    """Keep SOFA's messages off the standard output.

    Yields:
        A list that holds the first line of each error afterwards.
    """
    errors: list[str] = []
    with tempfile.TemporaryFile() as store:
        _flush()
        standard = os.dup(1)
        os.dup2(store.fileno(), 1)
        try:
            yield errors
        finally:
            _flush()
            os.dup2(standard, 1)
            os.close(standard)
            store.seek(0)
            for line in told(store.read().decode("utf-8", "replace")):
                print(line, file=sys.stderr)
                if line.startswith(_BAD):
                    errors.append(line)


def told(text: str) -> list[str]:
    """The lines of SOFA's output that a user has to see: warnings and errors with the lines that go on with them."""
    lines, going_on = [], False
    for line in _COLOUR.sub("", text).splitlines():
        if line.startswith("["):
            going_on = line.startswith(_TOLD)
        if going_on and line.strip():
            lines.append(line.rstrip())
    return lines


def _flush() -> None:
    sys.stdout.flush()
    ctypes.CDLL(None).fflush(None)
