# SPDX-License-Identifier: LGPL-2.1-or-later
"""`softcontact track`: recordings and streams of a tracked hand."""

import dataclasses
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from softcontact import outputs
from softcontact.cli.console import console, say, warnings_said

app = typer.Typer(
    help="Recordings and live streams of a tracked hand.",
    no_args_is_help=True,
)

HERE = "udp://127.0.0.1:26000"

Side = Annotated[str, typer.Option(help="right or left hand.")]
Seed = Annotated[int, typer.Option(help="Seed of everything that is drawn.")]
Loss = Annotated[float, typer.Option(help="Share of packets that are lost.")]
Reorder = Annotated[float, typer.Option(help="Share of packets that are overtaken.")]
Duplicate = Annotated[float, typer.Option(help="Share of packets that come twice.")]
Malformed = Annotated[float, typer.Option(help="Share of broken packets in addition.")]
Jitter = Annotated[float, typer.Option(help="Largest delay of a packet [s].")]


@app.command()
def simulate(
    out: Annotated[
        Path,
        typer.Argument(help="File to write: .csv, .h5, or .jsonl for packets as a network delivers them."),
    ],
    rate: Annotated[float, typer.Option(help="Samples a second [Hz].")] = 100.0,
    seed: Seed = 0,
    radius: Annotated[float, typer.Option(help="Radius of the ball that is grasped [m].")] = 0.0375,
    squeeze: Annotated[float, typer.Option(help="Flexion beyond the first touch [rad].")] = 0.20,
    tremor: Annotated[float, typer.Option(help="Size of the hand's tremor; 1 is usual.")] = 1.0,
    noise: Annotated[float, typer.Option(help="Noise of the joint angles [rad].")] = 0.0,
    side: Side = "right",
    sensors: Annotated[int, typer.Option(help="20 joint angles, or raw counts of 14 or 5 sensors.")] = 20,
    landmarks: Annotated[bool, typer.Option("--landmarks", help="21 points a frame instead.")] = False,
    point_noise: Annotated[float, typer.Option(help="Noise of the landmarks [m].")] = 0.0,
    loss: Loss = 0.0,
    reorder: Reorder = 0.0,
    duplicate: Duplicate = 0.0,
    malformed: Malformed = 0.0,
    jitter: Jitter = 0.0,
) -> int:
    """Write a recording to try.

    A hand grasps a ball, lifts and moves it, and lets go; softcontact.tracking tells the formats.
    """
    from softcontact.tracking.files import write_raw
    from softcontact.tracking.packets import disturbed, packets_of, write_log
    from softcontact.tracking.simulate import raw_recording
    from softcontact.tracking.simulate import simulate as make

    share = {
        "loss": loss,
        "reorder": reorder,
        "duplicate": duplicate,
        "malformed": malformed,
        "jitter": jitter,
    }
    packets = out.suffix.lower() == ".jsonl"
    _check(side, seed)
    if not (np.isfinite(point_noise) and 0.0 <= point_noise <= 0.1):
        raise ValueError(f"point_noise: {point_noise} m; give 0 to 0.1")
    if point_noise and (packets or not landmarks):
        raise ValueError(
            f"point_noise: {point_noise} m; for --landmarks in a .csv or .h5 file, else leave it out"
        )
    if landmarks and sensors != 20:
        raise ValueError(f"sensors: {sensors}; a frame has landmarks or sensors, so leave out one of the two")
    if any(share.values()) and not packets:
        raise ValueError(f"{out}: only packets are lost or reordered; write a .jsonl file")
    if packets and sensors != 20:
        raise ValueError(f"sensors: {sensors}; packets carry the 20 joint angles, so give 20 or write .csv")
    with outputs.reserved(out, ""):
        track = make(
            rate=rate, seed=seed, radius=radius, squeeze=squeeze, tremor=tremor, noise=noise, side=side
        )
        if packets:
            sent = packets_of(track, _kinematics(side) if landmarks else None)
            write_log(out, disturbed(sent, seed=seed, **share))
        else:
            raw = raw_recording(
                track, sensors=sensors, landmarks=landmarks, point_noise=point_noise, seed=seed
            )
            write_raw(out, raw, decimals=6)
    fastest = track.fastest()
    print(
        f"{out}: {len(track.times)} samples, {track.duration:.3g} s at {rate:g} Hz; "
        f"fastest joint {fastest['joints']:.2f} rad/s, palm {fastest['position']:.2f} m/s"
    )
    return 0


@app.command()
def replay(
    source: Annotated[
        str, typer.Argument(metavar="FILE", help="Recording, or 'grasp', the package's own.")
    ] = "grasp",
    to: Annotated[str, typer.Option(help="Where to send, udp://HOST:PORT.")] = HERE,
    landmarks: Annotated[bool, typer.Option("--landmarks", help="Send 21 points a frame.")] = False,
    speed: Annotated[float, typer.Option(help="Times real time.")] = 1.0,
    times: Annotated[int, typer.Option(help="How often, one after the other; 0 until Ctrl-C.")] = 1,
    seed: Seed = 0,
    loss: Loss = 0.0,
    reorder: Reorder = 0.0,
    duplicate: Duplicate = 0.0,
    malformed: Malformed = 0.0,
    jitter: Jitter = 0.0,
) -> int:
    """Send a recording as a live stream."""
    from softcontact.tracking.files import find_track, read_track
    from softcontact.tracking.packets import disturbed, packets_of, read_log
    from softcontact.tracking.udp import open_sender

    if not (np.isfinite(speed) and speed > 0.0):
        raise ValueError(f"speed: {speed}; give a positive factor")
    if times < 0:
        raise ValueError(f"times: {times}; give 0 or more")
    _check_seed(seed)
    path, share = find_track(source), {"loss": loss, "reorder": reorder, "duplicate": duplicate}
    log = path.suffix.lower() == ".jsonl"
    if log and landmarks:
        raise ValueError(f"{path}: packets are sent as they are; leave --landmarks out")
    track = None if log else read_track(path)
    send, sent, round_ = open_sender(to), 0, 0
    try:
        while times == 0 or round_ < times:
            session = f"{time.time_ns():x}"
            packets = (
                read_log(path)
                if track is None
                else packets_of(track, _kinematics(track.side) if landmarks else None, session)
            )
            packets = disturbed(packets, malformed=malformed, jitter=jitter, seed=seed + round_, **share)
            for data in _in_time(packets, speed):
                send(data)
                sent += 1
            round_ += 1
    finally:
        say(f"{sent} packets sent to {to}")
    return 0


@app.command()
def record(
    out: Annotated[
        Path,
        typer.Argument(help="File to write: .csv or .h5 (the hand's values), .jsonl (packets as they came)."),
    ],
    listen: Annotated[str, typer.Option(help="Where to listen, udp://HOST:PORT.")] = HERE,
    duration: Annotated[
        float | None, typer.Option(help="Stop after this time [s]; else Ctrl-C or --idle.")
    ] = None,
    timeout: Annotated[float, typer.Option(help="Longest wait for the first packet [s].")] = 30.0,
    idle: Annotated[float, typer.Option(help="Stop after this time without packets [s].")] = 3.0,
    rate: Annotated[float, typer.Option(help="Samples a second [Hz].")] = 100.0,
    delay: Annotated[float, typer.Option(help="Time that late packets are waited for [s].")] = 0.05,
    side: Side = "right",
    calibration: Annotated[
        Path | None, typer.Option(help="YAML with minimum and maximum of each raw sensor.")
    ] = None,
) -> int:
    """Write down a live stream, of values or of landmarks."""
    from softcontact.hand import HandParameters
    from softcontact.tracking.chirality import TrackWarning
    from softcontact.tracking.files import read_calibration
    from softcontact.tracking.jitter import JitterSettings
    from softcontact.tracking.message import Decoder
    from softcontact.tracking.packets import write_log
    from softcontact.tracking.recorder import record_stream
    from softcontact.tracking.udp import UdpSource

    if out.suffix.lower() not in (".csv", ".h5", ".hdf5", ".jsonl"):
        raise ValueError(f"{out}: not a recording; give a name that ends in .csv, .h5 or .jsonl")
    _check(side)
    if not 1.0 <= rate <= 1e4:
        raise ValueError(f"rate: {rate} Hz; give 1 to 10000")
    for name, value in (("duration", duration), ("timeout", timeout), ("idle", idle)):
        if value is not None and not (np.isfinite(value) and value > 0.0):
            raise ValueError(f"{name}: {value}; give a positive number")
    table = None if calibration is None else read_calibration(calibration)
    decoder = Decoder(HandParameters(side=side), table)  # type: ignore[arg-type]
    log: list[tuple[float, bytes]] = []
    with outputs.reserved(out, ""):
        source = UdpSource(
            listen, decoder, JitterSettings(delay=delay), log=lambda at, data: log.append((at, data))
        )
        say(f"listening at {listen}; Ctrl-C ends the recording")
        try:
            with warnings_said(TrackWarning):
                track, interrupted = record_stream(
                    source, rate=rate, duration=duration, timeout=timeout, idle=idle
                )
        finally:
            source.close()
        if out.suffix.lower() == ".jsonl":
            start = log[0][0]
            _keep(out, lambda path: write_log(path, [(at - start, data) for at, data in log]))
        else:
            _keep(out, dataclasses.replace(track, side=side).save)
    _show(out, track.duration, source.statistics())
    return 130 if interrupted and duration is not None else 0


def _keep(out: Path, write: Callable[[Path], Any]) -> None:
    """Write a recording, which nobody can make again, and if the place takes it no more, write it somewhere else.

    Raises:
        OutputError: the place takes it no more; says where the recording is.
        TrackError: no place takes it.
    """
    from softcontact.tracking.values import TrackError

    try:
        write(out)
    except TrackError as error:
        folder = Path(tempfile.mkdtemp(prefix="softcontact-recording-"))
        try:
            write(folder / out.name)
        except TrackError:
            shutil.rmtree(folder, ignore_errors=True)
            raise error from None
        raise outputs.OutputError(f"{error}; the recording is in {str(folder / out.name)!r}") from None


def _check(side: str, seed: int = 0) -> None:
    if side not in ("right", "left"):
        raise ValueError(f"side: {side!r} is no hand; give right or left")
    _check_seed(seed)


def _check_seed(seed: int) -> None:
    if seed < 0:
        raise ValueError(f"seed: {seed}; give 0 or more")


def _kinematics(side: str):
    from softcontact.hand import HandKinematics, HandParameters

    return HandKinematics.build(HandParameters(side=side))  # type: ignore[arg-type]


def _in_time(packets: list[tuple[float, bytes]], speed: float) -> Iterator[bytes]:
    """Each datagram when its time has come."""
    start = time.monotonic()
    for at, data in packets:
        ahead = start + at / speed - time.monotonic()
        if ahead > 0.0:
            time.sleep(ahead)
        yield data


def _show(out: Path, duration: float, counts: dict[str, int]) -> None:
    text = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in counts.items() if count)
    console().print(f"{out}: {duration:.3g} s; packets: {text}", markup=False, soft_wrap=True)
