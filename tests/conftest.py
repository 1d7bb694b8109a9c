# SPDX-License-Identifier: LGPL-2.1-or-later
"""What all tests share: repeatable random examples, and no silent skip of the browser where it is due."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from softcontact.report.chromium import find_chromium

settings.register_profile("repeatable", derandomize=True, deadline=None, print_blob=True)
settings.load_profile("repeatable")


def pytest_configure(config):
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell's background jobs ignore Ctrl-C, and so would every program that a test interrupts.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if os.environ.get("SOFTCONTACT_REQUIRE_BROWSER") and find_chromium() is None:
        raise pytest.UsageError("SOFTCONTACT_REQUIRE_BROWSER is set, but there is no Chromium; install it")


def pytest_collection_modifyitems(items):
    """Tests of shortcomings.txt are expected to fail, and have to, unless round-off decides."""
    lines = (Path(__file__).parent / "shortcomings.txt").read_text().splitlines()
    known = dict(line.split(" | ", 1) for line in lines if line and not line.startswith("#"))
    for item in items:
        name = item.nodeid.removeprefix("tests/")
        reason = known.get(name) or known.get(name.split("[")[0])
        if reason is not None:
            why, _, passes = reason.partition(" | ")
            item.add_marker(pytest.mark.xfail(reason=why, strict=not passes))


@pytest.fixture
def in_locales(tmp_path):
    """Run a program under locales with a decimal comma, and with a dotless i, and see that it says the same.

    The program sets its locale itself and prints the decimal point first, then what has to be equal.
    """
    if shutil.which("localedef") is None or not Path("/usr/share/i18n/locales/fr_FR").exists():
        pytest.skip("needs the system's localedef and its sources of locales")

    def run(code, argument):
        said = []
        for name in ("C", "fr_FR", "tr_TR"):
            lang = "C" if name == "C" else f"{name}.UTF-8"
            if name != "C":
                made = ["localedef", "-i", name, "-f", "UTF-8", str(tmp_path / lang)]
                subprocess.run(made, check=True, capture_output=True)
            done = subprocess.run(
                [sys.executable, "-c", code, argument(name)],
                env={**os.environ, "LC_ALL": lang, "LOCPATH": str(tmp_path)},
                capture_output=True,
                text=True,
            )
            assert done.returncode == 0, done.stderr
            said.append(done.stdout.split(maxsplit=1))
        assert [point for point, _ in said] == [".", ",", ","]
        assert said[0][1] == said[1][1] == said[2][1]

    return run
