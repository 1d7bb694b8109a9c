# SPDX-License-Identifier: LGPL-2.1-or-later
"""Example scenes of the plugin in runSofa without a window."""

import subprocess
from pathlib import Path

_EXAMPLES = Path(__file__).resolve().parents[2] / "plugin" / "sofa" / "examples"


def errors_of_example(name: str, steps: int, *arguments: str) -> list[str]:
    """Errors that SOFA tells while it takes some steps of an example; fails where it does not take them all."""
    command = ["runSofa", "-l", "SofaPython3", "-g", "batch", "-n", str(steps), str(_EXAMPLES / name)]
    given = ["--argv", *arguments] if arguments else []
    done = subprocess.run([*command, *given], capture_output=True, text=True, timeout=120, check=False)
    output = done.stdout + done.stderr
    assert f"{steps} iterations done" in output, output[-2000:]
    return [
        line for line in output.splitlines() if "[ERROR]" in line and "has not been loaded yet" not in line
    ]
