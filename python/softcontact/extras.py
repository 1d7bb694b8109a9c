# SPDX-License-Identifier: LGPL-2.1-or-later
"""How to get the optional packages, whichever way softcontact itself came here."""

import importlib.metadata
import re
import shlex
import shutil
import sys
import tomllib
from pathlib import Path

__all__ = ["how_to_install", "pip_install"]

_CHECKOUT = Path(__file__).resolve().parents[2]


def how_to_install(extra: str, package: str | None = None) -> str:
    """A command that installs what an extra of softcontact brings, softcontact itself left as it is.

    It names the packages, not `softcontact[extra]`: that needs an index that has softcontact, and `.[extra]` needs
    the clone and compiles it anew.

    Args:
        extra: name of the extra, such as "live".
        package: this one of its packages only.
    """
    wanted = _requirements(extra)
    if package is not None:
        wanted = [text for text in wanted if re.split(r"[^\w.-]", text, maxsplit=1)[0] == package]
    return pip_install(*wanted) if wanted else f"{pip_install(f'.[{extra}]')} in a clone of softcontact"


def pip_install(*packages: str) -> str:
    """`pip install …` by the pip of this Python, which an environment that is not active hides from the shell."""
    pip = shutil.which("pip")
    active = pip is not None and Path(pip).parent == Path(sys.executable).parent
    command = "pip" if active else f"{shlex.quote(sys.executable)} -m pip"
    return " ".join([command, "install", *(f"'{text}'" for text in packages)])


def _requirements(extra: str) -> list[str]:
    """What the extra brings, from the metadata of the installation, or of the checkout that runs."""
    try:
        given = importlib.metadata.requires("softcontact") or []
    except importlib.metadata.PackageNotFoundError:
        return _requirements_of_checkout(extra)
    parts = [(text.split(";")[0].strip(), text.partition(";")[2]) for text in given]
    return [name for name, marker in parts if re.search(rf"extra\s*==\s*['\"]{extra}['\"]", marker)]


def _requirements_of_checkout(extra: str) -> list[str]:
    file = _CHECKOUT / "pyproject.toml"
    if not file.is_file():
        return []
    return tomllib.loads(file.read_text(encoding="utf-8"))["project"]["optional-dependencies"].get(extra, [])
