# SPDX-License-Identifier: LGPL-2.1-or-later
"""Live streams: UDP datagrams, or frames that a program pushes."""

from __future__ import annotations

import errno
import select
import socket
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .chirality import MirroredError, TrackWarning
from .jitter import JitterBuffer, JitterSettings
from .message import LARGEST, Decoder, OtherHandError, Packet
from .smoothing import OneEuroFilter
from .source import Sample
from .values import TrackError, coordinates, values_of

__all__ = ["LiveSource", "UdpSource", "address", "open_sender"]

FloatArray = NDArray[np.float64]


def address(url: str) -> tuple[str, int]:
    """Host and port of udp://HOST:PORT.

    Raises:
        TrackError: not of that form.
    """
    host, colon, port = url.removeprefix("udp://").rpartition(":")
    if (
        not url.startswith("udp://")
        or not colon
        or not host
        or not port.isdigit()
        or not 0 < int(port) < 65536
    ):
        raise TrackError(f"{url!r} is no UDP address; give udp://HOST:PORT with a port from 1 to 65535")
    return host.strip("[]"), int(port)


def open_sender(url: str) -> Callable[[bytes], None]:
    """A function that sends datagrams to udp://HOST:PORT; one that nobody takes is lost, as UDP is.

    Raises:
        TrackError: the address is wrong or the host unknown.
    """
    family, target = _resolve(url)
    channel = socket.socket(family, socket.SOCK_DGRAM)
    channel.setblocking(False)

    def send(data: bytes) -> None:
        try:
            channel.sendto(data, target)
        except (BlockingIOError, ConnectionRefusedError):
            return
        except OSError as error:
            if error.errno == errno.ENOBUFS:  # what BSD says of a full queue
                return
            raise TrackError(
                f"{url}: {error.strerror or error}; give an address that can be reached"
            ) from None

    send.close = channel.close  # type: ignore[attr-defined]
    return send


def _resolve(url: str) -> tuple[socket.AddressFamily, Any]:
    host, port = address(url)
    try:
        family, *_, target = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
    except OSError as error:
        raise TrackError(f"{url}: {error.strerror or error}; give a host that is known") from None
    return family, target


class LiveSource:
    """Frames of one hand that come as they are measured, from a program's own tracker or camera.

    Args:
        decoder: what turns datagrams and landmarks into values; the default drives a right hand.
        settings: of the jitter buffer.
        smoothing: "none" or "one-euro", on what is shown.
    """

    def __init__(
        self,
        decoder: Decoder | None = None,
        settings: JitterSettings | None = None,
        smoothing: str = "none",
    ) -> None:
        if smoothing not in ("none", "one-euro"):
            raise TrackError(f"smoothing: {smoothing!r} does not work on a stream; give none or one-euro")
        self.decoder, self.buffer = decoder or Decoder(), JitterBuffer(settings)
        self._filter = OneEuroFilter() if smoothing == "one-euro" else None
        self._before: FloatArray | None = None
        self._count, self._told = 0, False
        self.last_error = ""
        """Why the last malformed or mirrored datagram was refused."""

    def push(self, data: bytes, arrival: float) -> str:
        """Take a datagram that came at `arrival` [s]; one that is malformed is counted and ignored.

        Returns:
            What became of it: see JitterBuffer.insert; "malformed", "mirrored" or "other hand".
        """
        try:
            packet = self.decoder(data)
        except TrackError as error:
            return self._refuse(error)
        return self.buffer.insert(packet, arrival)

    def push_landmarks(self, points: ArrayLike, now: float, scale: ArrayLike = 1.0) -> str:
        """Take the 21 points (21, 3) of a camera frame seen at `now` [s]; see landmarks.LandmarkFitter."""
        try:
            values = self.decoder.fitter(np.asarray(scale, dtype=float)).fit(points)
        except TrackError as error:
            return self._refuse(error)
        self._count += 1
        return self.buffer.insert(Packet(self._count, now, values), now)

    def _refuse(self, error: TrackError) -> str:
        """Count what was refused; a stream that is mirrored as a whole is told once."""
        if isinstance(error, OtherHandError):
            self.buffer.refuse("other_hand")
            return "other hand"
        self.last_error = str(error)
        if not isinstance(error, MirroredError):
            self.buffer.refuse("malformed")
            return "malformed"
        self.buffer.refuse("mirrored")
        if self.decoder.watch.whole and not self._told:
            self._told = True
            warnings.warn(f"the hand stays where it is, {self.last_error}", TrackWarning, stacklevel=3)
        return "mirrored"

    def receive(self, now: float) -> None:
        """Take in what has come by `now` [s]."""

    def sample(self, now: float) -> Sample:
        """The values to show at `now` [s]."""
        self.receive(now)
        sample = self.buffer.sample(now)
        if self._filter is None or sample.state == "waiting":
            return sample
        self._before = coordinates(sample.values, self._before)[0]
        return Sample(values_of(self._filter(now, self._before))[0], sample.state, sample.time)

    def statistics(self) -> dict[str, Any]:
        """Counts by what became of the datagrams; see jitter.StreamStatistics."""
        return asdict(self.buffer.statistics)

    def close(self) -> None:
        """Nothing is open."""


class UdpSource(LiveSource):
    """A stream of datagrams as tracking.message tells.

    Args:
        url: udp://HOST:PORT to listen at; 127.0.0.1 takes what this machine sends, 0.0.0.0 what any one does.
        decoder: see LiveSource.
        settings: of the jitter buffer.
        smoothing: see LiveSource.
        log: called with (arrival [s], datagram) of everything that comes.
    Raises:
        TrackError: the address is wrong or taken.
    """

    MOST = 2000
    """Datagrams taken in one call, so that a flood cannot hold the run up."""

    def __init__(
        self,
        url: str,
        decoder: Decoder | None = None,
        settings: JitterSettings | None = None,
        smoothing: str = "none",
        log: Callable[[float, bytes], None] | None = None,
    ) -> None:
        super().__init__(decoder, settings, smoothing)
        family, target = _resolve(url)
        self.url, self._log = url, log
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        try:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
            self._socket.bind(target)
        except OSError as error:
            self._socket.close()
            raise TrackError(
                f"{url}: {error.strerror or error}; give an address and port that are free"
            ) from None
        self._socket.setblocking(False)

    def receive(self, now: float) -> None:
        """Take in the datagrams that have come by now, at most `MOST`; never waits."""
        # All are read before the first is decoded: those that come meanwhile would keep a slow machine here.
        for data in list(islice(self._datagrams(), self.MOST)):
            if self._log is not None:
                self._log(now, data)
            self.push(data, now)

    def catch_up(self, now: float) -> None:
        """Leave out what has queued up unread but for the newest, as if the stream began at `now` [s]."""
        data = list(islice(self._datagrams(), 100 * self.MOST))
        self.buffer.restart(max(0, len(data) - 1))
        if data:
            self.push(data[-1], now)

    def _datagrams(self) -> Iterator[bytes]:
        while True:
            try:
                yield self._socket.recv(LARGEST + 1)
            except (BlockingIOError, InterruptedError):
                return
            except ConnectionError:
                continue

    def wait(self, timeout: float, clock: Callable[[], float] = time.monotonic) -> Sample:
        """Wait until there is something to show.

        Raises:
            TrackError: nothing came within `timeout` [s]; says what was malformed.
        """
        end = clock() + timeout
        while True:
            now = clock()
            sample = self.sample(now)
            if sample.state != "waiting":
                return sample
            if now >= end:
                counts = self.statistics()
                refused = [f"{counts[k]} {k}" for k in ("malformed", "mirrored") if counts[k]]
                why = f" ({', '.join(refused)}: {self.last_error})" if refused else ""
                why += f" ({counts['other_hand']} of the other hand)" if counts["other_hand"] else ""
                raise TrackError(f"{self.url}: no packets within {timeout:g} s{why}; start the sender")
            select.select([self._socket], [], [], min(0.1, end - now))

    def close(self) -> None:
        """Free the port."""
        self._socket.close()
