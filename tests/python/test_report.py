# SPDX-License-Identifier: LGPL-2.1-or-later
"""The written report and its plots."""

import os
import struct
import subprocess
import sys

import pytest
from scene_samples import drop_scene

from softcontact.report.report import _draw_probes, new_figure, write_report
from softcontact.runner import run


@pytest.fixture(scope="module")
def result():
    return run(drop_scene(), record=False, replay=False)


def test_report_tells_figures_checks_and_patches(result, tmp_path):
    text = write_report(result.history, result.summary, result.scene, tmp_path).read_text(encoding="utf-8")
    assert text.startswith("# drop\n\nA box falls onto a table.\n")
    assert "| ✓ | held box |" in text and "| steps | 80 (0.4 s) |" in text
    assert "0.000, 0.000, 4.905" in text or "0.000, 0.000, -4.905" in text
    assert "| body | touches | force on body [N] | torque on body [mN·m] |" in text
    assert result.summary["state_hash"] in text
    for name in (
        "plot-forces.png",
        "plot-heights.png",
        "plot-contacts.png",
        "plot-times.png",
        "plot-probes.png",
    ):
        assert f"({name})" in text
        data = (tmp_path / name).read_bytes()
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        width, height = struct.unpack(">II", data[16:24])
        assert width > 500 and height > 250


def test_report_tells_given_options_as_set_takes_them(result, tmp_path):
    options = {"fingers": ["thumb", "index"], "mass": None, "soft": True}
    text = write_report(
        result.history, result.summary | {"options": options}, result.scene, tmp_path
    ).read_text(encoding="utf-8")
    assert "| options | fingers=thumb,index, soft=true |" in text


def test_probes_are_drawn_with_unit_and_the_body_that_a_force_acts_on(result):
    axes = new_figure().add_subplot()
    assert _draw_probes(axes, result.history, result.scene)
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["height [m]", "push [N], on box by table"] and axes.get_ylabel() == "N, m"


def test_failed_and_unreached_checks_are_marked(result, tmp_path):
    summary = result.summary | {
        "checks": [{"name": "a|b", "value": None, "limit": 1.0, "unit": "m", "passed": False}],
        "checks_not_reached": ["late"],
        "message": "interrupted at 1 s",
    }
    text = write_report(result.history, summary, result.scene, tmp_path).read_text(encoding="utf-8")
    assert "| ✗ | a\\|b | not finite | 1 | m |" in text
    assert "| – | late | time not reached |" in text and "**interrupted at 1 s**" in text


def test_plots_need_no_home_folder(tmp_path):
    home = tmp_path / "home"
    home.write_text("a file: nothing can be made below it")
    environment = {
        k: v for k, v in os.environ.items() if k not in ("MPLCONFIGDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")
    }
    code = "from softcontact.report.report import new_figure; new_figure().savefig('x.png')"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment | {"HOME": str(home)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
