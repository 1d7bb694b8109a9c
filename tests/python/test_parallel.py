# SPDX-License-Identifier: LGPL-2.1-or-later
"""Workers: the same results whoever computes; lost workers; nothing left behind."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from small_vademecum import make, small

from softcontact import parallel
from softcontact.parallel import Workers, WorkersLost, available_cores


def scaled(table, offset, item):
    return offset + item * table.sum()


def process_and_threads(shared, item):
    return os.getpid(), os.environ["OPENBLAS_NUM_THREADS"]


def end_at_two(item):
    if item == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def fail_at_two(item):
    if item == 2:
        raise ValueError("two")
    return item


def lose_the_terminal(item):
    for number in (signal.SIGINT, signal.SIGHUP):
        os.kill(os.getpid(), number)
    return item


@pytest.fixture(scope="module")
def pool():
    with Workers(2) as workers:
        yield workers


def test_results_come_in_order_and_what_is_shared_is_known(pool):
    table = np.arange(10.0)
    for workers in (Workers(), pool):
        for offset in (1.0, 2.0):  # one shared object stays, one changes
            assert list(workers.map(scaled, (table, offset), range(5))) == [
                offset + 45.0 * k for k in range(5)
            ]
        assert list(workers.map(scaled, (table, 0.0), [])) == []
    found = list(pool.map(process_and_threads, (table,), range(4)))
    assert {threads for _, threads in found} == {"1"} and os.getpid() not in {process for process, _ in found}
    assert available_cores() >= 1


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="Windows has no SIGHUP")
def test_what_a_terminal_sends_to_all_its_processes_is_for_the_caller(pool):
    assert list(pool.map(lose_the_terminal, (), range(2))) == [0, 1]


def test_an_error_in_a_worker_is_that_of_the_work(pool):
    for workers in (Workers(), pool):
        with pytest.raises(ValueError, match="two"):
            list(workers.map(fail_at_two, (), range(4)))
    assert list(pool.map(fail_at_two, (), [0, 1])) == [0, 1]


def test_a_killed_worker_is_told():
    with Workers(2) as workers, pytest.raises(WorkersLost, match="killed or ran out of memory"):
        list(workers.map(end_at_two, (), range(4)))


@pytest.mark.parametrize("count", [0, -1, 1.5, float("inf"), float("nan"), "2"])
def test_no_workers_are_refused(count):
    with pytest.raises(ValueError, match="expected a whole number >= 1"):
        Workers(count)


@pytest.mark.parametrize("cores, most", [(1, 16), (8, 128), (64, 1024), (512, 1024)])
def test_too_many_workers_are_refused_before_one_is_started(cores, most, monkeypatch):
    monkeypatch.setattr(parallel, "available_cores", lambda: cores)
    monkeypatch.setattr(Workers, "_start", lambda _: None)
    Workers(most).close()
    with pytest.raises(
        ValueError, match=rf"workers: {most + 1} are too many.*give {cores}, .*at most {most}\)"
    ):
        Workers(most + 1)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_workers_end_and_tidy_up_when_their_master_is_killed(tmp_path):
    text = (
        "from softcontact.parallel import Workers\n"
        "import time\n"
        "workers = Workers(2)\n"
        "print(list(workers.map(max, ([1],), [[2], [3]])), *workers.pids, flush=True)\n"
        "time.sleep(60)\n"
    )
    script = tmp_path / "master.py"
    script.write_text("if __name__ == '__main__':\n    " + text.replace("\n", "\n    "))
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    master = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True, env=environment)
    told = master.stdout.readline()
    workers = [int(word) for word in told.split("]]")[1].split()]
    assert "[[2], [3]]" in told and len(workers) == 2
    assert any(tmp_path.glob("softcontact-*"))
    master.kill()
    master.wait()
    deadline = time.monotonic() + 10.0
    while time.monotonic() < deadline and (
        any(os.path.exists(f"/proc/{number}") for number in workers) or any(tmp_path.glob("softcontact-*"))
    ):
        time.sleep(0.02)
    assert not any(os.path.exists(f"/proc/{number}") for number in workers)
    assert not any(tmp_path.glob("softcontact-*"))


def test_a_vademecum_is_the_same_to_the_last_bit_from_processes(pool, tmp_path):
    make(workers=pool).save(tmp_path / "pool.h5")
    small().save(tmp_path / "here.h5")
    assert (tmp_path / "pool.h5").read_bytes() == (tmp_path / "here.h5").read_bytes()


def test_a_vademecum_is_the_same_to_the_last_bit_from_dask(tmp_path):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        Workers(scheduler=cluster.scheduler_address) as workers,
    ):
        make(workers=workers).save(tmp_path / "dask.h5")
    small().save(tmp_path / "here.h5")
    assert (tmp_path / "dask.h5").read_bytes() == (tmp_path / "here.h5").read_bytes()


def test_work_that_nobody_waits_for_is_ended(pool):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        Workers(scheduler=cluster.scheduler_address) as remote,
    ):
        for workers in (pool, remote):
            outcomes = workers.outcomes(time.sleep, (), [0.0, 600.0, 600.0, 600.0], retries=5)
            assert next(outcomes).error is None
            time.sleep(0.2)
            outcomes.close()
            [outcome] = workers.outcomes(fail_at_two, (), [2])
            assert isinstance(outcome.error, ValueError) and outcome.attempts == 1 and outcome.index == 0


def test_a_scheduler_that_is_none_is_told(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(parallel, "_ANSWER_S", 0.3)
    with pytest.raises(ValueError, match="does not answer"):
        Workers(scheduler="tcp://127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ValueError, match=r"install 'distributed>="):
        Workers(scheduler="tcp://127.0.0.1:9")
