# SPDX-License-Identifier: LGPL-2.1-or-later
"""Texts of errors: one line, whatever a broken file puts into it, and the right name beside a wrong one."""

import difflib
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

_START, _END = 600, 200  # letters that are kept of a longer text: what is wrong, and the remedy
_ALIKE = 0.55  # share of letters in common from which a name is offered for another
_SAME_THING = (("ball", "sphere"), ("cube", "box"))


def one_line(text: object) -> str:
    """The text as one line; of a very long one, which cites a file, its beginning and its end."""
    line = " ".join(str(text).split())
    return line if len(line) <= _START + _END else f"{line[:_START]} … {line[-_END:]}"


def option_text(value: object) -> str:
    """An option's value as --set takes it; nothing for None."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return "" if value is None else str(value)


def limit_text(check: dict[str, Any]) -> str:
    """The limit of a judged check, with the side on which the value had to be where that shows: ≤ 0.002."""
    value, limit, passed = check["value"], check["limit"], check["passed"]
    if value is None or value == limit:
        return f"{limit:.4g}"
    return f"{'≤' if (value < limit) == passed else '≥'} {limit:.4g}"


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name that `name` was probably meant to be: in other letters, by another word, misspelt; or none."""
    folded = {_folded(other): other for other in sorted(set(known))}
    given = _folded(name)
    words = [given, *(b for pair in _SAME_THING for a, b in (pair, pair[::-1]) if a == given)]
    for word in words:
        if word in folded:
            return folded[word]
    for word in words:  # box for tetrahedral-box, or the other way round
        ends = [other for other in folded if word == other.split("-")[-1] or other == word.split("-")[-1]]
        if len(ends) == 1:
            return folded[ends[0]]
    alike, other = max(((_likeness(given, other), other) for other in folded), default=(0.0, ""))
    return folded[other] if alike >= _ALIKE else None


def nearest(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` for the known name most like `name`, or the list of known names."""
    names = sorted(set(known))
    meant = closest(name, names)
    if meant is not None:
        return f"; did you mean '{meant}'?"
    return f"; known: {', '.join(names)}" if names else ""


def files_beside(
    path: str | Path, endings: Collection[str] | None = None, *, within: str | Path = "."
) -> list[str]:
    """Files in the folder of `path`, written like `path` itself; none where there is no such folder.

    Args:
        path: as a user wrote it.
        endings: only files with one of these.
        within: folder that a relative path starts from.
    """
    try:
        found = [file for file in (Path(within) / Path(path).expanduser()).parent.iterdir() if file.is_file()]
    except OSError:
        return []
    fitting = [file.name for file in found if endings is None or file.suffix.lower() in endings]
    return sorted(str(Path(path).with_name(name)) for name in fitting)


def _likeness(name: str, other: str) -> float:
    """Share of letters in common; of two files' names, in what stands before the same ending."""
    if Path(name).suffix == Path(other).suffix:
        name, other = Path(name).stem, Path(other).stem
    return difflib.SequenceMatcher(None, other, name).ratio()


def _folded(name: str) -> str:
    return str(name).lower().replace("_", "-")
