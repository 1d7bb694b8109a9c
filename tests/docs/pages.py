# SPDX-License-Identifier: LGPL-2.1-or-later
"""The code blocks of the documentation's pages, and how they are run.

The blocks of a page run in the order they stand in, in one folder: `bash` as commands, `python` in one namespace. A
comment before a block tells what is different about it:

    <!-- run: no, REASON -->          not run, only checked for syntax
    <!-- run: add WORDS -->           each `softcontact` command gets these words too, so that it ends sooner
    <!-- run: options only, REASON -->  of its `softcontact run` commands the scene and its options are checked
    <!-- run: save as FILE -->        the block is that file
    <!-- run: fails with CODE -->     its last command ends with this exit code
"""

import contextlib
import io
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

from softcontact.cli import main
from softcontact.scene.library import find, load_module

DOCS = Path(__file__).parents[2] / "docs"
LANGUAGES = ("python", "bash")
_COMMENT = re.compile(r"<!--\s*run:\s*(?P<text>.*?)\s*-->", re.DOTALL)
_SOFTCONTACT = shlex.join([sys.executable, "-m", "softcontact"])
_SHELL = f"""set -euo pipefail
softcontact() {{ {_SOFTCONTACT} "$@"; }}
python() {{ {shlex.quote(sys.executable)} "$@"; }}
"""
_LONGEST = 120.0  # s, of one block


@dataclass(frozen=True)
class Block:
    """A fenced block: where it stands, and what is to be done with it."""

    page: Path
    line: int
    language: str
    text: str
    action: str  # run, no, options, save, fails
    words: str = ""

    @property
    def place(self) -> str:
        return f"{self.page.name}:{self.line}"


def blocks(page: Path) -> list[Block]:
    """Blocks of a page that run, or have a comment that says what to do with them.

    Raises:
        ValueError: a comment that says nothing known, or stands before no block.
    """
    found, comment = [], None
    for token in MarkdownIt("commonmark").parse(page.read_text(encoding="utf-8")):
        if token.type == "html_block" and (match := _COMMENT.search(token.content)):
            comment = match["text"]
        elif token.type == "fence":
            language = token.info.split()[0] if token.info.split() else ""
            line = token.map[0] + 1
            if comment is not None or language in LANGUAGES:
                found.append(
                    Block(page, line, language, token.content, *_meaning(comment, f"{page.name}:{line}"))
                )
            comment = None
        elif comment is not None:
            raise ValueError(f"{page.name}: 'run: {comment}' stands before no code block")
    return found


def _meaning(comment: str | None, place: str) -> tuple[str, str]:
    if comment is None:
        return "run", ""
    for pattern, action in (
        (r"no, (.+)", "no"),
        (r"options only, (.+)", "options"),
        (r"add (.+)", "run"),
        (r"save as (\S+)", "save"),
        (r"fails with (\d+)", "fails"),
    ):
        if match := re.fullmatch(pattern, comment, re.DOTALL):
            return action, match[1]
    raise ValueError(f"{place}: 'run: {comment}' says nothing known")


def run_page(page: Path, folder: Path) -> None:
    """Do what the blocks of a page say, in a folder.

    Raises:
        AssertionError: one of them fails; the message names its place and what it said.
    """
    namespace: dict[str, Any] = {"__name__": "__page__"}
    for block in blocks(page):
        _check_syntax(block)
        if block.action == "save":
            (folder / block.words).write_text(block.text, encoding="utf-8")
        elif block.action == "no":
            continue
        elif block.action == "options":
            _check_options(block)
        elif block.language == "python":
            _run_python(block, namespace)
        else:
            _run_shell(block, folder)


def _check_syntax(block: Block) -> None:
    if block.language == "python":
        compile(block.text, block.place, "exec")
    elif block.language == "bash":
        told = subprocess.run(["bash", "-n"], input=block.text, capture_output=True, text=True, check=False)
        assert told.returncode == 0, f"{block.place}: {told.stderr}"


def _check_options(block: Block) -> None:
    for words in _own_commands(block.text):
        assert words[1] == "run", f"{block.place}: only `softcontact run` has options of a scene"
        module = load_module(find(words[2]))
        given = dict(text.split("=", 1) for key, text in pairwise(words) if key == "--set")
        fields = {key: value for key, value in given.items() if "." not in key}
        unknown = fields.keys() - module.options.model_fields.keys()
        assert not unknown, f"{block.place}: {module.name} has no option {', '.join(unknown)}"
        for key, value in fields.items():
            kind = module.options.model_fields[key].annotation
            fields[key] = value.split(",") if "tuple" in str(kind) else value
        module.options.model_validate(fields)


def _run_python(block: Block, namespace: dict[str, Any]) -> None:
    try:
        exec(compile("\n" * block.line + block.text, str(block.page), "exec"), namespace)
    except Exception as error:
        raise AssertionError(f"{block.place}: {type(error).__name__}: {error}") from error


def _run_shell(block: Block, folder: Path) -> None:
    text = block.text
    if block.action == "run" and block.words:
        text = re.sub(r"^(softcontact [^#\n]*?)(\s*#.*)?$", rf"\1 {block.words}", text, flags=re.MULTILINE)
    own = _own_commands(text)
    code, said = _run_here(own) if own else _run_bash(text, folder)
    wanted = int(block.words) if block.action == "fails" else 0
    assert code == wanted, f"{block.place}: exit code {code}, expected {wanted}\n{said}"


def _own_commands(text: str) -> list[list[str]]:
    """The words of each line, where all of them are plain `softcontact` commands."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    commands = [shlex.split(line, comments=True) for line in lines]
    plain = all(not set(line.split("#")[0]) & set("|&;<>$`\\*") for line in lines)
    return commands if plain and all(words[0] == "softcontact" for words in commands) else []


def _run_here(commands: list[list[str]]) -> tuple[int, str]:
    """Exit code and output of commands that run in this process, which saves a second each."""
    said = io.StringIO()
    code = 0
    for words in commands:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = main(words[1:])
        if code != 0:
            break
    return code, said.getvalue()


def _run_bash(text: str, folder: Path) -> tuple[int, str]:
    done = subprocess.run(
        ["bash", "-c", _SHELL + text],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=_LONGEST,
        check=False,
    )
    return done.returncode, done.stdout
