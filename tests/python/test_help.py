# SPDX-License-Identifier: LGPL-2.1-or-later
"""The help of every command: whole summaries, examples that are right, one way to say a thing."""

import shlex

import pytest
import typer

from softcontact.cli import main
from softcontact.cli.app import app
from softcontact.cli.examples import EXAMPLES

ROOT = typer.main.get_command(app)


def commands(command=ROOT, name=""):
    """Every command and group, by its words."""
    yield name, command
    for word, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, f"{name} {word}".strip())


ALL = dict(commands())
LINES = [(name, line) for name, lines in EXAMPLES.items() for line in lines]


@pytest.mark.parametrize("name", [name for name, command in ALL.items() if hasattr(command, "commands")])
def test_no_summary_is_cut_off(name, capsys):
    assert main([*name.split(), "--help"]) == 0
    assert "..." not in capsys.readouterr().out.split("Commands:")[1]


@pytest.mark.parametrize("name", sorted(set(ALL) - {"mesh", "device", "track", "vademecum"}))
def test_every_command_has_examples(name, capsys):
    if name not in ("doctor", "device list"):  # which take nothing
        assert main([*name.split(), "--help"]) == 0
        assert EXAMPLES[name][-1] in capsys.readouterr().out


@pytest.mark.parametrize(("name", "line"), LINES, ids=[line for _, line in LINES])
def test_examples_are_commands_that_there_are(name, line):
    program, *words = shlex.split(line, comments=True)
    assert program == "softcontact" and len(line) <= 108
    command = ROOT
    while hasattr(command, "commands"):
        command = command.commands[words.pop(0)]
    command.make_context(name, [word for word in words if word != "&"])  # parses, and runs nothing


def test_what_is_said_in_several_places_is_said_in_one_way():
    said = {}
    for name, command in ALL.items():
        for parameter in command.params:
            if parameter.name in ("as_json", "engine", "scheduler", "unit", "workers", "settings"):
                said.setdefault(parameter.opts[-1], {}).setdefault(parameter.help, []).append(name)
    said["--json"].pop("Print summary.json, nothing else.")  # of run
    said["--unit"].pop("Length unit of a mesh file: m, cm, mm or in.")  # where there may be none
    assert {option: texts for option, texts in said.items() if len(texts) > 1} == {}
