# SPDX-License-Identifier: LGPL-2.1-or-later
"""Self-contained pages: template, style, scripts and data in one file that a browser opens from disk."""

from __future__ import annotations

import importlib.resources
import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from softcontact.whole_file import write_whole

__all__ = ["html_path", "write_page"]


def html_path(path: str | Path) -> Path:
    """The path as one.

    Raises:
        ValueError: it does not end in .html or .htm.
    """
    path = Path(path)
    if path.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"path: {str(path)!r} must end in .html, so that a double click opens it")
    return path


def write_page(
    path: Path,
    *,
    template: str,
    styles: Sequence[str],
    scripts: Sequence[str],
    title: str,
    header: dict[str, Any],
    data: str,
) -> None:
    """Write a page.

    Args:
        path: the file.
        template: page with {{TITLE}}, {{STYLE}}, {{HEADER}}, {{DATA}} and {{SCRIPT}}, in this package.
        styles: style sheets, one after the other.
        scripts: scripts, joined in this order in one scope of their own.
        title: shown to people.
        header: what the scripts find as JSON; NaN and infinity become null.
        data: text of an ArrayPacker.
    Raises:
        OSError: it cannot be written.
    """
    folder = importlib.resources.files(__package__)

    def part(name: str) -> str:
        return (folder / name).read_text(encoding="utf-8")

    script = '"use strict";\n(() => {\n' + "\n".join(part(name) for name in scripts) + "\n})();"
    fill = {
        "TITLE": title.replace("&", "&amp;").replace("<", "&lt;"),
        "STYLE": "\n".join(part(name) for name in styles),
        "HEADER": _json(header),
        "DATA": data,
        "SCRIPT": script,
    }
    text = re.sub(r"\{\{([A-Z]+)\}\}", lambda match: fill[match.group(1)], part(template))
    write_whole(path, text.encode())


def _json(header: dict[str, Any]) -> str:
    def convert(value: Any) -> Any:
        if isinstance(value, dict):
            return {str(k): convert(v) for k, v in value.items()}
        if isinstance(value, (list, tuple, np.ndarray)):
            return [convert(v) for v in value]
        if isinstance(value, np.generic):
            value = value.item()
        return None if isinstance(value, float) and not math.isfinite(value) else value

    text = json.dumps(convert(header), ensure_ascii=False, separators=(",", ":"), default=str)
    return text.replace("<", "\\u003c")  # a title with </script> must not end the element
