# SPDX-License-Identifier: LGPL-2.1-or-later
"""Packets as they came: logs of them (.jsonl), and what a bad network does to a stream.

A log has one JSON object a line: {"arrival": seconds on the receiver's clock, "packet": the datagram's text}.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from softcontact.whole_file import refusal, write_whole

from .jitter import JitterSettings
from .message import Decoder, encode, encode_landmarks
from .track import Track
from .values import LONGEST, LONGEST_GAP, TrackError

__all__ = ["Arrival", "disturbed", "packets_of", "read_log", "track_of_packets", "write_log"]

Arrival = tuple[float, bytes]


def packets_of(track: Track, kinematics: Any = None, session: str = "") -> list[Arrival]:
    """One datagram a row of a track, with the times at which they are sent, from zero [s].

    Args:
        track: the rows.
        kinematics: of the hand whose landmarks are sent in place of values; None sends values.
        session: of the sender.
    """
    track = track.from_zero()
    rows, write = track.values, encode
    if kinematics is not None:
        from .landmarks import landmarks_of

        rows, write = landmarks_of(track.values, kinematics), encode_landmarks
    timed = enumerate(zip(track.times, rows, strict=True))
    messages = [write(number, time, row, track.side, session) for number, (time, row) in timed]
    return list(zip(track.times.tolist(), messages, strict=True))


def disturbed(
    packets: Iterable[Arrival],
    *,
    loss: float = 0.0,
    reorder: float = 0.0,
    duplicate: float = 0.0,
    malformed: float = 0.0,
    jitter: float = 0.0,
    seed: int = 0,
) -> list[Arrival]:
    """The packets as a bad network delivers them, by arrival.

    Args:
        packets: (time [s], datagram), by time.
        loss: share that never comes.
        reorder: share that is overtaken by the next one or two.
        duplicate: share that comes twice.
        malformed: share of datagrams that come in addition and are cut short.
        jitter: largest delay that any packet has [s], evenly spread; 0 keeps the times.
        seed: of all that is drawn.
    """
    packets = list(packets)
    for name, share in (
        ("loss", loss),
        ("reorder", reorder),
        ("duplicate", duplicate),
        ("malformed", malformed),
    ):
        if not 0.0 <= share <= 1.0:
            raise TrackError(f"{name}: {share} is no share; give 0 to 1")
    if not 0.0 <= jitter <= 10.0:
        raise TrackError(f"jitter: {jitter} s; give 0 to 10")
    random = np.random.default_rng(seed)
    step = float(np.median(np.diff([t for t, _ in packets]))) if len(packets) > 1 else 0.0
    arrivals: list[Arrival] = []
    for time, data in packets:
        draws = random.random(6)
        if draws[0] < loss:
            continue
        overtaken = step * (1.2 + draws[5]) if draws[1] < reorder else 0.0
        at = time + overtaken + jitter * draws[2]
        arrivals.append((at, data))
        if draws[3] < duplicate:
            arrivals.append((at + 0.5 * step, data))
        if draws[4] < malformed:
            arrivals.append((at + 0.3 * step, data[: len(data) // 2]))
    return sorted(arrivals, key=lambda arrival: arrival[0])


def write_log(path: str | Path, arrivals: Iterable[Arrival]) -> Path:
    """Write datagrams with their arrivals.

    Raises:
        TrackError: the file cannot be written.
    """
    path = Path(path)
    lines = [
        json.dumps({"arrival": at, "packet": data.decode("utf-8", "backslashreplace")})
        for at, data in arrivals
    ]
    try:
        write_whole(path, ("\n".join(lines) + "\n").encode())
    except OSError as error:
        raise TrackError(refusal(path, error)) from None
    return path


def read_log(path: str | Path) -> list[Arrival]:
    """Datagrams and arrivals [s] of a log.

    Raises:
        TrackError: names the line that is none of a log.
    """
    path, arrivals = Path(path), []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise TrackError(f"not UTF-8 text at byte {error.start}; save it as UTF-8") from None
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
            arrivals.append((float(entry["arrival"]), str(entry["packet"]).encode()))
        except (ValueError, TypeError, KeyError, RecursionError):
            raise TrackError(
                f'line {number}: no packet; a log has {{"arrival": …, "packet": …}} a line'
            ) from None
    arrivals.sort(key=lambda arrival: arrival[0])
    if not arrivals or not np.isfinite([at for at, _ in arrivals]).all():
        raise TrackError("holds no packets, or an arrival that is no time")
    return arrivals


def track_of_packets(
    path: str | Path,
    calibration: Mapping[str, Any] | None = None,
    side: str | None = None,
    rate: float = 100.0,
) -> Track:
    """The track that a jitter buffer shows of a log, `rate` rows a second.

    Args:
        path: the log.
        calibration: table of a calibration file, for raw sensors.
        side: hand whose messages count; None takes that of the first message.
        rate: rows a second [Hz].
    Raises:
        TrackError: the file is none, or holds no message of the hand.
    """
    from softcontact.hand import HandParameters

    from .udp import LiveSource

    arrivals = read_log(path)
    _check_arrivals([at for at, _ in arrivals])
    side = side or _first_side(arrivals)
    settings = JitterSettings()
    source = LiveSource(Decoder(HandParameters(side=side), calibration), settings)
    start, end = arrivals[0][0] + settings.delay, arrivals[-1][0] + settings.delay
    rows, times, upcoming = [], [], 0
    for k in range(int((end - start) * rate + 1e-6) + 1):
        now = start + k / rate
        while upcoming < len(arrivals) and arrivals[upcoming][0] <= now:
            source.push(arrivals[upcoming][1], arrivals[upcoming][0])
            upcoming += 1
        sample = source.sample(now)
        if sample.state != "waiting":
            times.append(now - start)
            rows.append(sample.values)
    if told := source.decoder.watch.verdict():
        raise TrackError(told)
    if not rows:
        raise TrackError(f"holds no usable message ({source.last_error or 'all of the other hand'})")
    return Track(np.array(times), np.array(rows), side, f"packets of {Path(path).name}")


def _check_arrivals(arrivals: list[float]) -> None:
    """Many packets may come at one moment, so only pauses and the whole are looked at."""
    steps = np.diff(arrivals)
    if len(steps) and steps.max() > LONGEST_GAP:
        row = int(np.argmax(steps)) + 1
        raise TrackError(
            f"arrival: packet {row}, {arrivals[row]:g} s, is {steps[row - 1]:g} s after the one before, more than "
            f"{LONGEST_GAP:g} s; mend the arrival or cut the log there"
        )
    if arrivals[-1] - arrivals[0] > LONGEST:
        raise TrackError(
            f"arrival: lasts {arrivals[-1] - arrivals[0]:g} s, more than {LONGEST:g} s; cut the log"
        )


def _first_side(arrivals: list[Arrival]) -> str:
    for _, data in arrivals:
        try:
            side = json.loads(data).get("side", "right")
        except (ValueError, AttributeError, RecursionError):
            continue
        if side in ("right", "left"):
            return str(side)
    return "right"
