# SPDX-License-Identifier: LGPL-2.1-or-later
"""Texts of errors: one line, whatever a broken file puts into it."""

_START, _END = 600, 200  # letters that are kept of a longer text: what is wrong, and the remedy


def one_line(text: object) -> str:
    """The text as one line; of a very long one, which cites a file, its beginning and its end."""
    line = " ".join(str(text).split())
    return line if len(line) <= _START + _END else f"{line[:_START]} … {line[-_END:]}"
