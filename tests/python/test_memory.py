# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is refused because there is not the memory for it, before the system grants it and kills who fills it in."""

import sys

import pytest

from softcontact.cli import main
from softcontact.memory import available_memory
from softcontact.vademecum import distance

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems do not tell")

FREE = (
    "MemTotal:  9000 kB\nMemFree:  100 kB\nMemAvailable:  8000 kB\nSwapFree:  1000 kB\nHugePages_Free:  0\n"
)


def machine(root, files):
    for name, text in {"proc/meminfo": FREE, **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.mark.parametrize(
    ("files", "kilobytes"),
    [
        ({}, 9000),
        ({"proc/meminfo": "Slab: 1 kB\n"}, None),
        (  # a batch job's group has no limit, but the one around it has
            {
                "proc/self/cgroup": "0::/user/job\n",
                "sys/fs/cgroup/user/job/memory.max": "max\n",
                "sys/fs/cgroup/user/job/memory.current": "1024\n",
                "sys/fs/cgroup/user/memory.max": str(4000 * 1024),
                "sys/fs/cgroup/user/memory.current": str(1000 * 1024),
                "sys/fs/cgroup/user/memory.stat": f"anon 7\ninactive_file {500 * 1024}\n",
            },
            3500,
        ),
        (  # version 1, whose path is that of the machine outside
            {
                "proc/self/cgroup": "5:cpu,cpuacct:/\n4:memory:/docker/abc\n",
                "sys/fs/cgroup/memory/memory.limit_in_bytes": str(4000 * 1024),
                "sys/fs/cgroup/memory/memory.usage_in_bytes": str(4100 * 1024),
                "sys/fs/cgroup/memory/memory.stat": f"inactive_file 3\ntotal_inactive_file {200 * 1024}\n",
            },
            100,
        ),
        (
            {
                "proc/self/cgroup": "0::/\n",
                "sys/fs/cgroup/memory.max": "x",
                "sys/fs/cgroup/memory.current": "1",
            },
            9000,
        ),
    ],
)
def test_the_least_of_what_machine_and_groups_leave_counts(tmp_path, files, kilobytes):
    assert available_memory(machine(tmp_path, files)) == (None if kilobytes is None else 1024 * kilobytes)


def test_this_machine_tells():
    assert 0 < available_memory() < 2**50


def test_distances_that_do_not_fit_are_refused_before_any_work(commands_here, monkeypatch, capsys):
    """12 states, 4 bytes a point; written, three times as much."""
    before = (commands_here / "small.h5").read_bytes()
    monkeypatch.setattr(distance, "available_memory", lambda: 3 * 12 * 4 * 8**3 - 1)
    monkeypatch.setattr(distance._core, "tabulate_distances", lambda *_: pytest.fail("begun"))
    words = ["vademecum", "distance", "small.h5", "--grid", "8,8,8"]
    assert main(words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "counts: (8, 8, 8) for 12 states take 2.46e-05 GB, and 3 times as much where" in line
    assert "7.37e-05 GB of memory are free, so take fewer points or sizes" in line
    assert (commands_here / "small.h5").read_bytes() == before
    monkeypatch.undo()
    monkeypatch.chdir(commands_here)
    monkeypatch.setattr(distance, "available_memory", lambda: 3 * 12 * 4 * 8**3)
    assert main(words) == 0
    monkeypatch.setattr(distance, "available_memory", lambda: 12 * 4 * 8**3)
    assert main(words) == 2
    assert main([*words, "--compress", "0.2"]) == 0
