# SPDX-License-Identifier: LGPL-2.1-or-later
"""A buffer that turns late, lost, doubled and reordered packets into one smooth motion.

Packets are shown `delay` after the quickest of them would have come: time enough for those that took longer,
and for the neighbours of lost ones, to be there. Between packets the motion is linear (slerp for the palm).
When there is nothing newer the last pose is held, and frozen after `freeze_after`; from frozen, the hand
moves again once `resume` packets have come.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .message import Packet
from .source import Sample
from .values import TrackError, interpolate

__all__ = ["JitterBuffer", "JitterSettings", "PlayoutClock", "StreamStatistics"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class JitterSettings:
    """How a stream is played.

    Attributes:
        delay: from the quickest packet to its showing [s].
        freeze_after: without anything newer, time until held becomes frozen [s].
        resume: packets that end a freeze.
        restart: jump of the sender's clock that counts as a new start of the sender [s].
    """

    delay: float = 0.05
    freeze_after: float = 0.5
    resume: int = 5
    restart: float = 1.0

    def __post_init__(self) -> None:
        for name, least in (("delay", 0.0), ("freeze_after", 0.0), ("resume", 1), ("restart", 0.01)):
            value = getattr(self, name)
            if not (np.isfinite(value) and least <= value <= 60.0):
                raise TrackError(f"{name}: {value}; give {least:g} to 60")


@dataclass
class StreamStatistics:
    """What became of the datagrams. `received` = used + duplicates + late + malformed + other_hand + other_sender +
    mirrored + skipped.

    Attributes:
        received: datagrams that came.
        used: put into the buffer.
        reordered: of these, that came after a later one.
        duplicates: came before.
        late: came when their moment had been shown.
        malformed: no message of this format; ignored.
        other_hand: messages of the other hand; ignored.
        other_sender: of a sender that another one took over from, while that one is heard; ignored.
        mirrored: landmarks that show the other hand than they say; ignored.
        skipped: came while the run was being made ready.
        restarts: new starts of the sender.
        lost: numbers that never came, so far.
    """

    received: int = 0
    used: int = 0
    reordered: int = 0
    duplicates: int = 0
    late: int = 0
    malformed: int = 0
    other_hand: int = 0
    other_sender: int = 0
    mirrored: int = 0
    skipped: int = 0
    restarts: int = 0
    lost: int = 0


class PlayoutClock:
    """The sender's time that is shown at a local time.

    The offset between the clocks is that of the quickest packet of the last seconds; the clock follows it by
    running at most 5 % fast or slow, so that no correction is seen as a jump.

    Args:
        delay: from the quickest packet to its showing [s].
    """

    WINDOW, SLEW = 3.0, 0.05

    def __init__(self, delay: float) -> None:
        self.delay = delay
        self._offsets: deque[tuple[float, float]] = deque()  # rising offsets of the window, oldest first
        self._offset: float | None = None
        self._now = 0.0

    def observe(self, arrival: float, sent: float) -> None:
        """A packet sent at `sent` came at `arrival` [s]."""
        offset = arrival - sent
        while self._offsets and self._offsets[-1][1] >= offset:
            self._offsets.pop()
        self._offsets.append((arrival, offset))
        if self._offset is None:
            self._offset, self._now = offset, arrival

    def at(self, now: float) -> float:
        """Sender's time shown at `now` [s]."""
        while len(self._offsets) > 1 and self._offsets[0][0] < now - self.WINDOW:
            self._offsets.popleft()
        if self._offset is None:
            return 0.0
        most = self.SLEW * max(0.0, now - self._now)
        self._offset += float(np.clip(self._offsets[0][1] - self._offset, -most, most))
        self._now = max(self._now, now)
        return now - self._offset - self.delay

    @property
    def offset(self) -> float:
        """Local time less the sender's, on the quickest way [s]."""
        return self._offset or 0.0

    def reset(self) -> None:
        """Forget the sender's clock."""
        self._offsets.clear()
        self._offset = None


class JitterBuffer:
    """Packets by the time at which they were sent.

    Args:
        settings: delay and freezing.
    """

    REMEMBERED = 4096
    """Numbers behind the newest that a packet may have; numbers ahead in no time."""
    QUICKEST = 1e4
    """Packets a second that no sender exceeds: a number farther ahead than they make is of another stream [Hz]."""
    ODD = 3
    """Packets in a row that fit the stream neither in time nor in number, and so begin a new one."""
    SPREAD, SETTLED = 0.05, 0.1
    """Packets that differ by less than `SPREAD` in their time on the way, all too late or too early for `SETTLED`,
    show that the sender's clock was set [s]."""

    def __init__(self, settings: JitterSettings | None = None) -> None:
        self.settings = settings or JitterSettings()
        self.clock = PlayoutClock(self.settings.delay)
        self._counts = StreamStatistics()
        self._times: list[float] = []
        self._rows: list[FloatArray] = []
        self._seen: dict[int, float] = {}
        self._newest = self._first = self._unique = self._span = 0
        self._session, self._odd = "", 0
        self._left: set[str] = set()  # sessions that another one took over from
        self._heard = -np.inf  # arrival of the last packet of the session
        self._strays: deque[tuple[float, float]] = deque()
        self._shown = -np.inf
        self._last: Sample | None = None
        self._ended: float | None = None
        self._frozen, self._since_frozen = False, 0

    def insert(self, packet: Packet, arrival: float) -> str:
        """Put in a packet that came at `arrival` [s] on the local clock.

        Returns:
            "used", "reordered", "duplicate", "late", or "other" of two senders at once.
        """
        self._counts.received += 1
        if packet.session in self._left and arrival - self._heard <= self.settings.freeze_after:
            self._counts.other_sender += 1
            return "other"
        self._heard = arrival
        if not self._seen or packet.session != self._session:
            self._begin(packet)
        elif self._is_odd(packet, arrival):
            self._odd += 1
            if self._odd < self.ODD:
                self._counts.late += 1
                return "late"
            self._begin(packet)
        elif packet.sequence in self._seen:
            self._counts.duplicates += 1
            return "duplicate"
        elif self._has_another_clock(packet, arrival):
            self._begin(packet)
        self._odd = 0
        reordered = packet.sequence < self._newest
        self._remember(packet)
        self.clock.observe(arrival, packet.time)
        self._since_frozen += 1
        place = bisect_left(self._times, packet.time)
        taken = place < len(self._times) and self._times[place] == packet.time
        if taken or packet.time <= self._shown:
            self._counts.late += 1
            return "late"
        self._times.insert(place, packet.time)
        self._rows.insert(place, packet.values)
        self._counts.used += 1
        self._counts.reordered += reordered
        return "reordered" if reordered else "used"

    def refuse(self, why: Literal["malformed", "other_hand", "mirrored"]) -> None:
        """Count a datagram that is none of this stream's messages."""
        self._counts.received += 1
        setattr(self._counts, why, getattr(self._counts, why) + 1)

    def restart(self, skipped: int) -> None:
        """Begin anew, with `skipped` datagrams left out unread; only the last pose and the counts stay."""
        self._counts.received += skipped
        self._counts.skipped += skipped
        self._clear()

    def sample(self, now: float) -> Sample:
        """What is shown at `now` [s] on the local clock; calls come with rising times."""
        if not self._times and self._last is None:
            return Sample(np.zeros(26), "waiting", 0.0)
        time = max(self.clock.at(now), self._shown) if self._times else 0.0
        dry = not self._times or time > self._times[-1]
        if self._times:
            self._shown = min(time, self._times[-1])
        if not dry and self._frozen and self._since_frozen >= self.settings.resume:
            self._frozen = False
        if dry or self._frozen:
            return self._hold(now)
        self._ended = now
        self._last = self._between(time)
        return self._last

    @property
    def statistics(self) -> StreamStatistics:
        """The counts so far."""
        missing = self._span + (self._newest - self._first + 1 if self._seen else 0) - self._unique
        return replace(self._counts, lost=missing)

    def _hold(self, now: float) -> Sample:
        if self._ended is None:
            self._ended = now
        if not self._frozen and now - self._ended > self.settings.freeze_after:
            self._frozen, self._since_frozen = True, 0
        values, time = (self._last.values, self._last.time) if self._last is not None else (None, 0.0)
        if not self._frozen and self._times and (values is None or self._times[-1] > time):
            values, time = self._rows[-1], self._times[-1]  # the newest there is
        assert values is not None
        self._last = Sample(values, "frozen" if self._frozen else "held", time)
        return self._last

    def _between(self, time: float) -> Sample:
        """Interpolates, and drops what was shown a second ago."""
        time = max(time, self._times[0])
        after = min(max(bisect_right(self._times, time), 1), max(len(self._times) - 1, 0))
        pair = slice(max(after - 1, 0), after + 1)
        values = interpolate(np.array(self._times[pair]), np.array(self._rows[pair]), [time], "linear")[0]
        old = bisect_left(self._times, time - 1.0) - 1
        if old > 64:
            del self._times[:old], self._rows[:old]
        return Sample(values, "fresh", time)

    def _is_odd(self, packet: Packet, arrival: float) -> bool:
        """Whether its number, or its time on the way, is not of this stream."""
        away = arrival - packet.time - self.clock.offset
        ahead = packet.sequence - self._newest
        passed = max(0.0, packet.time - self._seen[self._newest])
        return (
            not -self.REMEMBERED <= ahead <= self.REMEMBERED + self.QUICKEST * passed
            or abs(away) > self.settings.restart
            or self._seen.get(packet.sequence, packet.time) != packet.time
        )

    def _has_another_clock(self, packet: Packet, arrival: float) -> bool:
        """Whether all packets of a while came equally much too late or too early: the sender's clock was set."""
        away = arrival - packet.time - self.clock.offset
        if abs(away) <= self.settings.delay + (0.0 if packet.time <= self._shown else self.SPREAD):
            self._strays.clear()
            return False
        self._strays.append((arrival, away))
        while abs(self._strays[0][1] - away) > self.SPREAD:
            self._strays.popleft()  # a queue that empties comes less and less late
        return len(self._strays) >= self.settings.resume and arrival - self._strays[0][0] >= self.SETTLED

    def _remember(self, packet: Packet) -> None:
        self._first = min(self._first, packet.sequence)
        self._newest = max(self._newest, packet.sequence)
        self._seen[packet.sequence] = packet.time
        self._unique += 1
        if len(self._seen) > 4 * self.REMEMBERED:
            limit = self._newest - self.REMEMBERED
            self._seen = {number: time for number, time in self._seen.items() if number >= limit}

    def _begin(self, packet: Packet) -> None:
        """The first packet of a sender, or of one that starts anew."""
        if self._seen:
            self._counts.restarts += 1
        self._clear()
        if packet.session != self._session:
            self._left.add(self._session)
            self._left.discard(packet.session)
        self._session, self._newest, self._first = packet.session, packet.sequence, packet.sequence
        self._since_frozen = 0

    def _clear(self) -> None:
        if self._seen:
            self._span += self._newest - self._first + 1
        self._times.clear()
        self._rows.clear()
        self._seen.clear()
        self._strays.clear()
        self.clock.reset()
        self._shown = -np.inf
