# SPDX-License-Identifier: LGPL-2.1-or-later
"""HDF5 files over which its library hangs or crashes."""

import gzip
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from softcontact import hdf5_reading
from softcontact.hdf5_reading import read_apart
from softcontact.tracking.files import read_track
from softcontact.tracking.values import TrackError

HERE = Path(__file__).parent


def size(path):
    return path.stat().st_size


def crash(path):
    os.abort()


def endless(path):
    while True:
        pass


def killed(path):
    os.kill(os.getpid(), signal.SIGKILL)


def refuse(path):
    raise KeyError(path.name)


def late(path):
    time.sleep(1.0)
    return path.name


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.h5"
    path.write_bytes(b"12345")
    return path


def test_what_can_be_read_is_read_and_what_is_raised_is_raised(file, tmp_path, monkeypatch):
    assert read_apart(size, file) == 5
    with pytest.raises(KeyError, match=r"a\.h5"):
        read_apart(refuse, file)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")  # the process that reads has another folder
    assert read_apart(size, Path("../a.h5")) == 5


def test_a_crash_and_a_loop_without_end_are_errors_of_the_file(file, monkeypatch):
    with pytest.raises(OSError, match="crashes over it or reads it without end"):
        read_apart(crash, file)
    monkeypatch.setattr(hdf5_reading, "_TIME", 0.3)
    with pytest.raises(OSError, match="it is damaged; write it anew"):
        read_apart(endless, file)
    assert read_apart(size, file) == 5


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there are no such signals on this system")
def test_a_file_is_not_blamed_where_somebody_ends_the_process(file):
    with pytest.raises(OSError, match=r"ended by SIGKILL .*out of memory.*; try it again"):
        read_apart(killed, file)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_a_forked_process_reads_while_another_thread_was_reading(file):
    thread = threading.Thread(target=read_apart, args=(late, file))
    thread.start()
    time.sleep(0.3)
    pid = os.fork()
    if pid == 0:
        signal.alarm(120)
        os._exit(0 if read_apart(size, file) == 5 else 1)
    assert os.waitpid(pid, 0)[1] == 0
    thread.join()


@pytest.mark.filterwarnings("error")
def test_a_recording_whose_attribute_the_library_reads_for_ever_is_refused(tmp_path):
    """Found by fuzzing; HDF5 loops in H5Aread."""
    path = tmp_path / "hand.h5"
    path.write_bytes(gzip.decompress((HERE / "hdf5/endless_attribute.h5.gz").read_bytes()))
    begun = time.monotonic()
    with pytest.raises(TrackError, match="cannot be read as HDF5"):
        read_track(path)
    assert time.monotonic() - begun < 60
